/**
 * Parts of the observation surface, each with a key that names the state of its inputs. A part whose
 * key is the same as at the last build is not computed again, so its inputs are not read.
 */
import { canonicalJson } from '../../kernel/canonical.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { openCached, printCached, readCached, unlessFault } from '../../store/cache-file.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Disk, FileStamp } from '../../world/world.ts'
import type { Project } from '../open.ts'
import { version } from '../version.ts'

interface Part {
  readonly key: string
  readonly value: unknown
}

export class CachedParts {
  #known: ReadonlyMap<string, Part>
  #used = new Map<string, Part>()
  #hasNew = false

  constructor(known: ReadonlyMap<string, Part> = new Map()) {
    this.#known = known
  }

  /** `make` returns plain data, which reads the same after it was printed. */
  async of<T>(name: string, key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name)
    const part = known?.key === key ? known : { key, value: await make() }
    if (part !== known) this.#hasNew = true
    this.#used.set(name, part)
    return part.value as T
  }

  /** Ends a build: parts that it did not ask for are dropped. True if the parts have changed. */
  settle(): boolean {
    const hasChanged = this.#hasNew || this.#used.size !== this.#known.size
    this.#known = this.#used
    this.#used = new Map()
    this.#hasNew = false
    return hasChanged
  }

  get document(): JsonObject {
    const parts = [...this.#known].map(([name, { key, value }]) => [name, [key, value as Json]])
    return Object.fromEntries(parts) as JsonObject
  }
}

/** A newer premath may compute other parts from the same inputs. */
const format = `premath.observation_parts.v1 ${version}`

const cachePath = ({ at }: Project) => at('.premath/cache/observation.parts')

/** The parts of the last build; none where the cache is missing or broken. */
export async function openParts(project: Project): Promise<CachedParts> {
  const disk = await project.disk()
  const text = await unlessFault(async () => {
    const bytes = await readCached(disk, cachePath(project))
    const cached = bytes && openCached(bytes)
    return cached && isOurs(cached.head) ? decodeUtf8(cached.body) : undefined
  })
  const value = text === undefined ? undefined : jsonIn(text)
  if (!isJsonObject(value)) return new CachedParts()
  return new CachedParts(new Map(Object.entries(value).flatMap(partIn)))
}

const isOurs = (head: unknown) =>
  typeof head === 'object' && head !== null && 'format' in head && head.format === format

function partIn([name, part]: readonly [string, Json]): readonly (readonly [string, Part])[] {
  const [key, value] = Array.isArray(part) ? (part as readonly Json[]) : []
  return typeof key === 'string' ? [[name, { key, value }]] : []
}

/** A project without its folder, and a disk that fails, get no cache. */
export async function keepParts(parts: CachedParts, project: Project): Promise<void> {
  const folder = project.at('.premath')
  if ((await project.files.kindOf(folder)) !== 'folder') return
  await unlessFault(async () => {
    const disk = await project.disk()
    await makeGitignoredFolder(`${folder}/cache`, disk)
    const body = new TextEncoder().encode(canonicalJson(parts.document))
    await disk.replaceLoosely(cachePath(project), printCached({ format }, body))
  })
}

/** The state of a file, as a key. */
export const stampKey = (stamp: FileStamp | undefined): string =>
  stamp ? `${stamp.identity} ${stamp.size} ${stamp.modifiedNs} ${stamp.changedNs}` : 'none'

export const fileKey = async (path: string, disk: Disk): Promise<string> =>
  stampKey(await disk.stamp(path))
