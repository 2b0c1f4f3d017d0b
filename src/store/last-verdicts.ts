/** The last verdict of each spec case, by document. Where it is lost, the cases run again. */
import { Fault } from '../fault.ts'
import { isJsonObject, type Json, parseJson } from '../kernel/json.ts'
import type { Disk, Files } from '../world/world.ts'
import { makeGitignoredFolder } from './gitignored-folder.ts'

export type LastVerdict = 'failed' | 'good'

/** By the path of the document, then by the id of the case. */
export type LastVerdicts = ReadonlyMap<string, ReadonlyMap<string, LastVerdict>>

const schema = 'spec.last.v2'

export async function readLastVerdicts(
  path: string,
  files: Pick<Files, 'readIfPresent'>,
): Promise<LastVerdicts | 'missing' | 'unreadable'> {
  try {
    const bytes = await files.readIfPresent(path)
    if (bytes === undefined) return 'missing'
    return verdictsIn(parseJson(new TextDecoder().decode(bytes))) ?? 'unreadable'
  } catch (error) {
    if (error instanceof Fault) return 'unreadable'
    throw error
  }
}

function verdictsIn(kept: Json): LastVerdicts | undefined {
  if (!isJsonObject(kept) || kept['schema'] !== schema) return undefined
  const { documents } = kept
  if (!isJsonObject(documents)) return undefined
  const found = new Map<string, ReadonlyMap<string, LastVerdict>>()
  for (const [path, ids] of Object.entries(documents)) {
    const { failed, good } = isJsonObject(ids) ? ids : {}
    if (!isTexts(failed) || !isTexts(good)) return undefined
    found.set(path, new Map([...each(good, 'good'), ...each(failed, 'failed')]))
  }
  return found
}

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

const each = (ids: readonly string[], verdict: LastVerdict) => ids.map(id => [id, verdict] as const)

/** Sorted, so that equal verdicts have equal bytes. */
export function lastVerdictsText(verdicts: LastVerdicts): string {
  const sorted = [...verdicts]
    .filter(([, ids]) => ids.size > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, ids]) => [path, { failed: idsWith(ids, 'failed'), good: idsWith(ids, 'good') }])
  return `${JSON.stringify({ schema, documents: Object.fromEntries(sorted) })}\n`
}

const idsWith = (ids: ReadonlyMap<string, LastVerdict>, wanted: LastVerdict) =>
  [...ids].flatMap(([id, verdict]) => (verdict === wanted ? [id] : [])).sort()

/** Replaced as a whole, and not synced. */
export async function writeLastVerdicts(
  path: string,
  verdicts: LastVerdicts,
  disk: Disk,
): Promise<void> {
  await makeGitignoredFolder(path.slice(0, path.lastIndexOf('/')), disk)
  await disk.replaceLoosely(path, new TextEncoder().encode(lastVerdictsText(verdicts)))
}
