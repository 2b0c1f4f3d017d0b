/** The project and the folder of a loop, where flags name others than the current folder. */
import { Fault } from '../../fault.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'

const fileFlags = [
  'issues',
  'session',
  'ledger',
  'trajectory',
  'retryPolicy',
  'decompositionPolicy',
  'joinWitness',
] as const

type PlaceInput = {
  readonly repoRoot: string | undefined
  readonly worktreeRoot: string | undefined
} & { readonly [Flag in (typeof fileFlags)[number]]?: string | undefined }

interface LoopPlace<Input> {
  /** With absolute paths, because the working folder of the context may be another one. */
  readonly input: Input
  readonly context: OperationContext
}

/** `--repo-root` is PREMATH_ROOT as a flag, and `--worktree-root` is the working folder. */
export async function loopPlace<Input extends PlaceInput>(
  input: Input,
  context: OperationContext,
): Promise<LoopPlace<Input>> {
  const { repoRoot, worktreeRoot } = input
  if (repoRoot === undefined && worktreeRoot === undefined) return { input, context }
  const root = await folderNamed('--repo-root', repoRoot, context)
  const folder = await folderNamed('--worktree-root', worktreeRoot, context)
  const from = root ?? context.cwd()
  const files = fileFlags.flatMap(flag => {
    const path = input[flag]
    return path ? [[flag, resolvePath(from, path)] as const] : []
  })
  return {
    input: { ...input, ...Object.fromEntries(files) },
    context: {
      ...context,
      ...(root !== undefined && { env: { ...context.env, PREMATH_ROOT: root } }),
      ...(folder !== undefined && { cwd: () => folder }),
    },
  }
}

async function folderNamed(
  flag: string,
  given: string | undefined,
  { cwd, files }: OperationContext,
): Promise<string | undefined> {
  if (given === undefined) return undefined
  const path = resolvePath(cwd(), given)
  if ((await files.kindOf(path)) === 'folder') return path
  throw new Fault('usage', `${flag} names ${path}, which is not a folder`, {
    hint: 'Name an existing folder, or omit the flag.',
    detail: { flag, path },
  })
}
