/**
 * Which cases failed when they were last run, by document. It can be lost: without it everything
 * is run, which makes it again.
 */
import { Fault } from '../fault.ts'
import { isJsonObject, type Json, parseJson } from '../kernel/json.ts'
import type { Disk, Files } from '../world/world.ts'
import { makeCacheFolder } from './cache-folder.ts'

/** Ids by the path of their document. */
export type Failures = ReadonlyMap<string, ReadonlySet<string>>

const schema = 'spec.last.v1'

/** What is kept there, or why that cannot be told. */
export async function readLastFailures(
  path: string,
  files: Pick<Files, 'readIfPresent'>,
): Promise<Failures | 'missing' | 'unreadable'> {
  try {
    const bytes = await files.readIfPresent(path)
    if (bytes === undefined) return 'missing'
    return failuresIn(parseJson(new TextDecoder().decode(bytes))) ?? 'unreadable'
  } catch (error) {
    if (error instanceof Fault) return 'unreadable'
    throw error
  }
}

function failuresIn(kept: Json): Failures | undefined {
  if (!isJsonObject(kept) || kept['schema'] !== schema) return undefined
  const { failed } = kept
  if (!isJsonObject(failed)) return undefined
  const entries = Object.entries(failed)
  if (!entries.every(([, ids]) => isTexts(ids))) return undefined
  return new Map(entries.map(([document, ids]) => [document, new Set(ids as readonly string[])]))
}

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

/** Whole for whoever reads it, and not synced. */
export async function writeLastFailures(
  path: string,
  failures: Failures,
  disk: Disk,
): Promise<void> {
  const sorted = [...failures]
    .filter(([, ids]) => ids.size > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([document, ids]) => [document, [...ids].sort()])
  await makeCacheFolder(disk, path.slice(0, path.lastIndexOf('/')))
  const text = JSON.stringify({ schema, failed: Object.fromEntries(sorted) })
  await disk.replaceLoosely(path, new TextEncoder().encode(`${text}\n`))
}
