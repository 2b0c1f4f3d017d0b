/** Reads the artifacts below the folder of witnesses. */
import { Fault } from '../../fault.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../kernel/json.ts'
import {
  instructionRow,
  type LatestDocuments,
  type SeenDocument,
  type WitnessRow,
} from '../../kernel/observation/ci-rows.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { HarnessView } from '../../wire/observation/surface.ts'
import type { Project } from '../open.ts'
import { isWithin } from '../paths.ts'
import { type CachedParts, fileKey } from './cached-parts.ts'

/** A folder of witnesses, and the project that its refs start from. */
export interface WitnessFolder {
  readonly folder: string
  readonly project: Project
}

/** Names that are read of one folder. */
const namesMax = 100_000

export async function latestDocuments(place: WitnessFolder): Promise<LatestDocuments> {
  const [delta, required, decision] = await Promise.all(
    ['delta', 'required', 'decision'].map(async name => {
      const path = `${place.folder}/latest-${name}.json`
      const value = await documentAt(path, place)
      return value && { ref: refOf(path, place), value }
    }),
  )
  return { delta, required, decision }
}

/** The witnesses of instructions, unordered. Each file is read again only after it changed. */
export async function witnessRows(
  place: WitnessFolder,
  parts: CachedParts,
): Promise<readonly WitnessRow[]> {
  const rows: WitnessRow[] = []
  for (const name of await jsonNames(place.folder, place)) {
    if (/^(?:latest-|proj1_)/.test(name)) continue
    const path = `${place.folder}/${name}`
    const key = await fileKey(path, await place.project.disk())
    const row = await parts.of(`instruction ${path}`, key, async () => {
      const value = await documentAt(path, place)
      return (value && instructionRow({ ref: refOf(path, place), value })) ?? null
    })
    if (row) rows.push(row)
  }
  return rows
}

/** How the runs of specs ended that left a witness. */
export async function specRuns(
  place: WitnessFolder,
  parts: CachedParts,
): Promise<HarnessView['specRuns']> {
  const results: unknown[] = []
  for (const name of await jsonNames(`${place.folder}/spec`, place)) {
    const path = `${place.folder}/spec/${name}`
    const key = await fileKey(path, await place.project.disk())
    results.push(
      await parts.of(`spec ${path}`, key, async () => {
        return (await documentAt(path, place))?.['result'] ?? null
      }),
    )
  }
  const countOf = (result: string) => results.filter(one => one === result).length
  return {
    witnessCount: results.length,
    acceptedCount: countOf('accepted'),
    rejectedCount: countOf('rejected'),
  }
}

async function jsonNames(folder: string, { project }: WitnessFolder): Promise<readonly string[]> {
  const disk = await project.disk()
  if ((await disk.entry(folder))?.kind !== 'folder') return []
  const entries = await project.files.list(folder)
  return entries
    .filter(({ name, isFolder }) => !isFolder && name.endsWith('.json'))
    .slice(0, namesMax)
    .map(({ name }) => name)
}

/** `undefined` where there is no file. */
async function documentAt(path: string, place: WitnessFolder): Promise<JsonObject | undefined> {
  const { project, folder } = place
  const disk = await project.disk()
  if ((await disk.entry(path)) === undefined) return undefined
  const read = await readPlain(path, { root: await disk.realPath(folder), disk })
  if ('why' in read) throw unreadable(refOf(path, place), read.why)
  const value = parsed(read.text, path, place)
  if (isJsonObject(value)) return value
  throw unreadable(refOf(path, place), 'it is not a JSON object')
}

function parsed(text: string, path: string, place: WitnessFolder) {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw unreadable(refOf(path, place), error.message)
  }
}

const unreadable = (path: string, why: string) =>
  new Fault('invalid_input', `cannot observe ${path}: ${why}`, {
    hint: 'Run the command that wrote it again, or move the file away. The surface was not changed.',
    detail: { path },
  })

const refOf = (path: string, { project: { root } }: WitnessFolder): SeenDocument['ref'] =>
  isWithin(path, root) ? path.slice(root === '/' ? 1 : root.length + 1) : path
