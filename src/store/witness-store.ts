/** The witnesses of a project, one file each, named by digest. */
import { Fault } from '../fault.ts'
import { prettyJson, type Sha256 } from '../kernel/canonical.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import {
  type OpenedWitness,
  openWitness,
  type WitnessFolderName,
  witnessDigest,
  witnessFolder,
  witnessPath,
} from '../kernel/proof/witness.ts'
import { shown } from '../world/system-error.ts'
import type { Disk, Files } from '../world/world.ts'
import { leadsAway, readPlain, witnessBytesMax } from './plain-file.ts'

export interface WitnessPlace {
  /** The project's folder. */
  readonly root: string
  readonly disk: Disk
  readonly sha256: Sha256
}

/** Answers where it lies, from the project's folder. What was there says the same. */
export async function writeWitness(
  folder: WitnessFolderName,
  witness: object,
  { root, disk, sha256 }: WitnessPlace,
): Promise<string> {
  const path = witnessPath(folder, witnessDigest(witness as JsonObject, sha256))
  await mustStayInside(`${root}/${path}`, root, disk)
  await disk.makeFolder(`${root}/${witnessFolder}/${folder}`)
  await ignoredByGit(`${root}/${witnessFolder}`, disk)
  const text = `${prettyJson(witness as Json)}\n`
  await disk.replaceLoosely(`${root}/${path}`, new TextEncoder().encode(text))
  return path
}

/** Those of the last few hundred runs: whoever needs an older one runs it again. */
const witnessesMax = 500

export interface WitnessFolderPlace extends WitnessPlace {
  readonly files: Files
}

/** The newest first. What is not what its name says is no witness, and is passed over. */
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

/** Those of the files that are there and are what their names say. */
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

/** They belong to one machine; what has to last is copied when an issue closes. */
async function ignoredByGit(folder: string, disk: Disk): Promise<void> {
  const ignore = `${folder}/.gitignore`
  if (await disk.entry(ignore)) return
  await disk.replaceLoosely(ignore, new TextEncoder().encode('*\n'))
}

/** A link that a repository brought along must not make us write, or believe, something else. */
async function mustStayInside(path: string, root: string, disk: Disk): Promise<void> {
  if (!(await leadsAway(path, root, disk))) return
  const real = await disk.realPath(path)
  throw new Fault('unavailable', `${shown(path)} lies behind a symbolic link`, {
    hint: `It leads to ${shown(real)}. Remove the link, and run again.`,
    detail: { path, leadsTo: real },
  })
}
