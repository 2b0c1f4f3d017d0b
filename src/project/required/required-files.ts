/** The files of required checks below the folder of the witnesses. */
import { Fault } from '../../fault.ts'
import type { OperationContext } from '../context.ts'
import { isWithin, mustStayInside, resolvePath } from '../paths.ts'
import { keptFolders } from '../proofs/witness-file.ts'

export interface RequiredFolder {
  /** As the flag gives it. */
  readonly shown: string
  readonly path: string
}

export const latest = {
  delta: 'latest-delta',
  required: 'latest-required',
  decision: 'latest-decision',
} as const

/** The folder must lie in the project, and hold nothing that decides who may do what. */
export async function requiredFolder(
  root: string,
  outDir: string,
  context: OperationContext,
): Promise<RequiredFolder> {
  const disk = await context.disk()
  const path = resolvePath(root, outDir)
  const real = await disk.realPath(path)
  const realRoot = await disk.realPath(root)
  const isKept = keptFolders.some(name => isWithin(real, resolvePath(realRoot, name)))
  if (path === root || !isWithin(path, root) || isKept) {
    throw new Fault('usage', `--out-dir ${outDir} cannot hold witnesses`, {
      hint: 'Name a folder in the project, such as artifacts/ciwitness, and not .git, .premath or policies.',
      detail: { outDir },
    })
  }
  for (const name of ['gates', 'required', ...Object.values(latest)]) {
    await mustStayInside(`${path}/${name}`, root, disk)
  }
  return { shown: outDir.replace(/\/+$/, ''), path }
}

/** Writes a document and the digest of its bytes, which `sha256sum --check` understands. */
export async function writeWithDigest(
  folder: string,
  name: string,
  text: string,
  context: Pick<OperationContext, 'disk' | 'sha256'>,
): Promise<string> {
  const bytes = (content: string) => new TextEncoder().encode(content)
  const disk = await context.disk()
  const digest = context.sha256(text)
  const files = new Map([
    [`${name}.json`, bytes(text)],
    [`${name}.sha256`, bytes(`${digest}  ${name}.json\n`)],
  ])
  await disk.replaceAll(folder, files)
  return digest
}
