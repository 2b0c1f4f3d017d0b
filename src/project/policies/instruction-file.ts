/** The file of an instruction, as commands find and read it. */

import { Fault } from '../../fault.ts'
import type { Fields } from '../../field.ts'
import { instructionDigestOf } from '../../kernel/instruction/envelope.ts'
import { instructionIdOf } from '../../kernel/instruction/instruction-id.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import type { Json } from '../../kernel/json.ts'
import type { OperationContext } from '../context.ts'
import { followLinks, isWithin, resolvePath } from '../paths.ts'
import { projectRoot, worktreeTop } from '../root.ts'
import { parsedSmall, readSmall, Unreadable } from '../small-document.ts'

export const instructionFields = {
  instruction: {
    type: 'text',
    describe: 'The instruction, a file called <time>-<id>.json.',
    placeholder: 'file',
    required: true,
    path: true,
  },
  repoRoot: {
    type: 'text',
    describe:
      'The folder that policies and relative paths are found in; without it, the project’s.',
    placeholder: 'dir',
    path: true,
  },
} as const satisfies Fields

export interface InstructionInput {
  readonly instruction: string
  readonly repoRoot: string | undefined
}

/** Where things are for one instruction. */
export interface InstructionPlace {
  /** Holds policies and witnesses. */
  readonly root: string
  /** Where the work lies that checks look at: a linked worktree has its own. */
  readonly worktree: string
  readonly path: string
}

export async function instructionPlace(
  { instruction, repoRoot }: InstructionInput,
  context: OperationContext,
): Promise<InstructionPlace> {
  if (repoRoot === undefined) {
    const root = await projectRoot(context)
    const worktree = (await worktreeTop(context)) ?? root
    return { root, worktree, path: resolvePath(context.cwd(), instruction) }
  }
  const root = resolvePath(context.cwd(), repoRoot)
  if ((await context.files.kindOf(root)) !== 'folder') {
    throw new Fault('usage', `--repo-root names ${root}, which is no folder`, {
      hint: 'Name the folder that holds policies/ and .premath/, or leave the flag out.',
    })
  }
  return { root, worktree: root, path: resolvePath(root, instruction) }
}

export interface InstructionFile {
  readonly instructionId: string
  /** The path as witnesses name it: from the project, so that two machines agree. */
  readonly instructionRef: string
  readonly instructionDigest: string
  /** A refusal where the text is no JSON. */
  readonly envelope: Json | InstructionRefusal
}

/** Reads the file, or says why it is not even one. The name comes first: it is a part of paths. */
export async function readInstruction(
  place: InstructionPlace,
  context: OperationContext,
): Promise<InstructionFile | InstructionRefusal> {
  const instructionId = instructionIdOf(place.path)
  if (isRefused(instructionId)) return instructionId
  const text = await instructionText(place, context)
  if (isRefused(text)) return text
  const document = await parsedSmall(text)
  const instructionRef = refOf(place)
  if (document instanceof Unreadable) {
    const why = `${instructionRef}: ${document.why}`
    return {
      instructionId,
      instructionRef,
      // Of the text as it stands, since it has no canonical form.
      instructionDigest: `instr1_${context.sha256(text)}`,
      envelope: refused('instruction_envelope_invalid_json', why),
    }
  }
  const instructionDigest = instructionDigestOf(document, context.sha256)
  return { instructionId, instructionRef, instructionDigest, envelope: document }
}

async function instructionText(
  { path, root, worktree }: InstructionPlace,
  context: OperationContext,
) {
  const bad = (why: string) => refused('instruction_envelope_invalid', `${path}: ${why}`)
  const disk = await context.disk()
  for (const folder of new Set([root, worktree])) {
    const { real, leadsOut } = await followLinks(path, folder, disk)
    if (leadsOut) return bad(`leaves the project through a symbolic link, to ${real}`)
  }
  const text = await readSmall(path, context)
  return text instanceof Unreadable ? bad(text.why) : text
}

function refOf({ path, root, worktree }: InstructionPlace): string {
  const home = [worktree, root].find(folder => isWithin(path, folder))
  return home === undefined ? path : path.slice(home === '/' ? 1 : home.length + 1)
}
