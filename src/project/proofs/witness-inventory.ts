/** Lists the witnesses of a project by name, without opening them. */
import { isInstructionId } from '../../kernel/instruction/instruction-id.ts'
import { bundleIn } from '../../kernel/proof/proof-bundle.ts'
import { linkIn } from '../../kernel/proof/proof-chain.ts'
import { chainOfBundle } from '../../kernel/proof/proof-folder.ts'
import { type WitnessFolderName, witnessFolder, witnessKinds } from '../../kernel/proof/witness.ts'
import { type PlainText, readPlain } from '../../store/plain-file.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { proofCharsMax } from './proof-files.ts'
import type { WitnessKind } from './witness-document.ts'

export interface StoredWitness {
  readonly kind: WitnessKind
  /** From its name; the name of an instruction's witness has none. */
  readonly digest: string | undefined
  readonly path: string
  /** The name of its file, or its name in the bundle at the path. */
  readonly name: string
  /** Its text in that bundle. */
  readonly text?: string
  /** When it was written, in nanoseconds since 1970. */
  readonly at: bigint
}

/** Names that are read of one folder. */
const namesMax = 100_000

const digestName = /^([0-9a-f]{64})\.json$/

/** From `artifacts/ciwitness`, the newest first. */
export async function storedWitnesses(open: OpenWitnesses): Promise<readonly StoredWitness[]> {
  const found: StoredWitness[] = []
  const home = `${open.root}/${witnessFolder}`
  for (const kind of Object.keys(witnessKinds) as WitnessFolderName[]) {
    for (const name of await namesIn(`${home}/${kind}`, open)) {
      const digest = digestName.exec(name)?.[1]
      if (digest) found.push(...(await witnessAt(kind, digest, `${home}/${kind}/${name}`, open)))
    }
  }
  for (const name of await namesIn(home, open)) {
    if (!name.endsWith('.json') || !isInstructionId(name.slice(0, -'.json'.length))) continue
    found.push(...(await witnessAt('instruction', undefined, `${home}/${name}`, open)))
  }
  return found.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

/** The copies in the proofs. A clone may have no others. */
export async function proofWitnesses(open: OpenWitnesses): Promise<readonly StoredWitness[]> {
  const found: StoredWitness[] = []
  for (const folder of await proofFolders(open)) {
    for (const file of await namesIn(folder, open)) {
      const path = `${folder}/${file}`
      const link = linkIn(file)
      if (link) found.push(...(await witnessAt(link.kind, link.digest, path, open)))
      if (chainOfBundle(file) !== undefined) found.push(...(await bundledWitnesses(path, open)))
    }
  }
  return found
}

async function bundledWitnesses(
  path: string,
  open: OpenWitnesses,
): Promise<readonly StoredWitness[]> {
  const read = await witnessText(path, open, proofCharsMax)
  const bundle = 'text' in read ? bundleIn(read.text) : undefined
  if (bundle === undefined || 'why' in bundle) return []
  const found: StoredWitness[] = []
  for (const [name, text] of Object.entries(bundle.files)) {
    const link = linkIn(name)
    const [stored] = link ? await witnessAt(link.kind, link.digest, path, open) : []
    if (stored) found.push({ ...stored, name, text })
  }
  return found
}

/** One folder per issue. */
export async function proofFolders(open: OpenWitnesses): Promise<readonly string[]> {
  const { proofs } = open
  const names = await namesIn(proofs.folder, open)
  return names.map(name => `${proofs.folder}/${name}`)
}

async function namesIn(folder: string, { files, disk }: OpenWitnesses): Promise<readonly string[]> {
  if ((await disk.entry(folder))?.kind !== 'folder') return []
  return (await files.list(folder)).slice(0, namesMax).map(({ name }) => name)
}

async function witnessAt(
  kind: WitnessKind,
  digest: string | undefined,
  path: string,
  { disk }: OpenWitnesses,
): Promise<readonly StoredWitness[]> {
  const entry = await disk.entry(path)
  if (entry === undefined) return []
  const name = path.slice(path.lastIndexOf('/') + 1)
  return [{ kind, digest, path, name, at: entry.kind === 'file' ? entry.stamp.modifiedNs : 0n }]
}

/** Relative to the project if it lies there. */
export const shownPath = (path: string, { root }: Pick<OpenWitnesses, 'root'>) =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path

export const storedText = async (
  { path, text }: Pick<StoredWitness, 'path' | 'text'>,
  open: OpenWitnesses,
): Promise<PlainText> => (text === undefined ? await witnessText(path, open) : { text })

/** Reads a file without following links out of its folder. */
export const witnessText = (
  path: string,
  { root, disk, proofs }: OpenWitnesses,
  bytesMax?: number,
): Promise<PlainText> => {
  const home = proofs.folder.slice(0, proofs.folder.lastIndexOf('/'))
  const inProofs = path.startsWith(`${home}/`)
  return readPlain(path, { root: inProofs ? home : root, disk }, bytesMax)
}
