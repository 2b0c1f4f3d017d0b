/** The witnesses of a project: one file each, named by its digest. */
import { Fault } from '../fault.ts'
import { prettyJson, type Sha256 } from '../kernel/canonical.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { isSignedWitness, witnessStatement } from '../kernel/proof/signed-statement.ts'
import {
  type OpenedWitness,
  openWitness,
  signaturePath,
  type WitnessFolderName,
  witnessDigest,
  witnessFolder,
  witnessPath,
} from '../kernel/proof/witness.ts'
import type { SignedStatement } from '../wire/proof/signed-statement.ts'
import type { SandboxMode } from '../wire/sandbox-mode.ts'
import { shown } from '../world/system-error.ts'
import type { Disk, Files } from '../world/world.ts'
import { makeGitignoredFolder } from './gitignored-folder.ts'
import { leadsOutside, readPlain, witnessBytesMax } from './plain-file.ts'

/** The project's folder, and how to write there and name by digest. */
export interface WitnessPlace {
  readonly root: string
  readonly disk: Disk
  readonly sha256: Sha256
  /** Signs what is written, if the user has a key for that. */
  readonly signer?: WitnessSigner | undefined
  /** For the signature, where the witness does not name the work that it is about. */
  readonly about?: WitnessedWork | undefined
}

/** The files that a witness is about, and how they were verified. */
export type WitnessedWork = {
  readonly commit?: string
  /** Git's id of the tree of the commit. */
  readonly gitTree?: string
  readonly treeDigest?: string
  readonly sandbox?: SandboxMode
}

export interface WitnessSigner {
  /** One line: a DSSE envelope. */
  sign(statement: SignedStatement): string
}

/** Returns the path from the project's folder. A file of the same digest has the same content. */
export async function writeWitness(
  folder: WitnessFolderName,
  witness: object,
  { root, disk, sha256, signer, about }: WitnessPlace,
): Promise<string> {
  const path = witnessPath(folder, witnessDigest(witness as JsonObject, sha256))
  await mustStayInside(`${root}/${path}`, root, disk)
  // Witnesses belong to one machine. A close copies those that have to last.
  await makeGitignoredFolder(`${root}/${witnessFolder}`, disk)
  await disk.makeFolder(`${root}/${witnessFolder}/${folder}`)
  const text = `${prettyJson(witness as Json)}\n`
  const encoder = new TextEncoder()
  if (signer && isSignedWitness(folder)) {
    const value = { ...(witness as JsonObject), ...about }
    const statement = witnessStatement(folder, { text, value }, sha256)
    const signature = `${root}/${signaturePath(path)}`
    await disk.replaceLoosely(signature, encoder.encode(signer.sign(statement)))
  }
  await disk.replaceLoosely(`${root}/${path}`, encoder.encode(text))
  return path
}

/** An older witness is made again by running its check again. */
const witnessesMax = 500

interface WitnessFolderPlace extends WitnessPlace {
  readonly files: Files
}

/** The newest first. Skips a file whose content does not match its name. */
export async function* latestWitnesses(
  folder: WitnessFolderName,
  place: WitnessFolderPlace,
): AsyncIterable<OpenedWitness> {
  for (const path of await latestPaths(folder, place)) {
    yield* await openedWitnesses(folder, [path], place)
  }
}

async function latestPaths(
  folder: WitnessFolderName,
  { root, disk, files }: WitnessFolderPlace,
): Promise<readonly string[]> {
  const path = `${root}/${witnessFolder}/${folder}`
  if ((await files.kindOf(path)) !== 'folder') return []
  await mustStayInside(path, root, disk)
  const dated: { readonly name: string; readonly at: bigint }[] = []
  for (const { name } of await files.list(path)) {
    const entry = witnessName.test(name) ? await disk.entry(`${path}/${name}`) : undefined
    if (entry?.kind !== 'file' || entry.stamp.size > witnessBytesMax) continue
    dated.push({ name, at: entry.stamp.modifiedNs })
  }
  dated.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  return dated.slice(0, witnessesMax).map(({ name }) => `${witnessFolder}/${folder}/${name}`)
}

const witnessName = /^[0-9a-f]{64}\.json$/

/** Skips files that are missing, or whose content does not match their name. */
export async function openedWitnesses(
  folder: WitnessFolderName,
  paths: readonly string[],
  { root, disk, sha256 }: WitnessPlace,
): Promise<readonly OpenedWitness[]> {
  const opened: OpenedWitness[] = []
  for (const path of paths) {
    const read = await readPlain(`${root}/${path}`, { root, disk })
    if ('why' in read) continue
    const witness = openWitness(folder, { path, text: read.text }, sha256)
    if (witness !== undefined) opened.push(witness)
  }
  return opened
}

/** A link in the repository must not redirect a read or a write. */
async function mustStayInside(path: string, root: string, disk: Disk): Promise<void> {
  if (!(await leadsOutside(path, root, disk))) return
  const real = await disk.realPath(path)
  throw new Fault('unavailable', `${shown(path)} lies behind a symbolic link`, {
    hint: `It leads to ${shown(real)}. Remove the link, and run again.`,
    detail: { path, leadsTo: real },
  })
}
