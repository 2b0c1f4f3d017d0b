/** The witnesses of a project, one file each, named by digest. */
import { Fault } from '../fault.ts'
import { prettyJson, type Sha256 } from '../kernel/canonical.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import {
  type WitnessFolderName,
  witnessDigest,
  witnessFolder,
  witnessPath,
} from '../kernel/work/witness.ts'
import { shown } from '../world/system-error.ts'
import type { Disk } from '../world/world.ts'

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

/** They belong to one machine; what has to last is copied when an issue closes. */
async function ignoredByGit(folder: string, disk: Disk): Promise<void> {
  const ignore = `${folder}/.gitignore`
  if (await disk.entry(ignore)) return
  await disk.replaceLoosely(ignore, new TextEncoder().encode('*\n'))
}

/** A link that a repository brought along must not make us write, or believe, something else. */
async function mustStayInside(path: string, root: string, disk: Disk): Promise<void> {
  const [real, realRoot] = [await disk.realPath(path), await disk.realPath(root)]
  if (real === `${realRoot === '/' ? '' : realRoot}${path.slice(root.length)}`) return
  throw new Fault('unavailable', `${shown(path)} lies behind a symbolic link`, {
    hint: `It leads to ${shown(real)}. Remove the link, and run again.`,
    detail: { path, leadsTo: real },
  })
}
