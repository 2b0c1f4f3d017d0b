/** The event log that a command reads or writes, and the files beside it. */

import { Fault } from '../../fault.ts'
import { type Fields, textField } from '../../field.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { fileStore, type OpenIssues } from '../open-issues.ts'
import { resolvePath } from '../paths.ts'

export const eventsField = {
  events: textField('file', 'The event log; without it, memory/events.jsonl beside the rows.', {
    path: true,
  }),
} as const satisfies Fields

export interface EventsPlace {
  readonly path: string
  /** As the person gave it, or the default. */
  readonly shown: string
}

export function eventsPlace(
  given: string | undefined,
  open: OpenIssues,
  { cwd }: OperationContext,
): EventsPlace {
  if (given !== undefined) return { path: resolvePath(cwd(), given), shown: given }
  const { rows, events } = fileStore(open).files
  return besideRows(open.issuesPath, rows, events.slice(folderOf(rows).length))
}

/** A file in the folder of the rows. */
export const besideRows = (issuesPath: string, file: string, name: string): EventsPlace => ({
  path: `${folderOf(file)}${name}`,
  shown: `${folderOf(issuesPath)}${name}`,
})

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** Copies a file that is about to be replaced, under the name of its digest. */
export async function backUp(
  path: string,
  bytes: Uint8Array,
  disk: Disk,
  { sha256 }: OperationContext,
): Promise<string> {
  const digest = sha256(new TextDecoder().decode(bytes))
  const kept = `${path.replace(/\.jsonl$/, '')}.before-${digest.slice(0, 12)}.jsonl`
  await disk.replace(kept, bytes)
  return kept
}

/** The result of the last replay, so that the same replay is not done again. */
interface ReplayCache {
  readonly eventsPath: string
  readonly issuesPath: string
  readonly eventStreamRef: string
  readonly snapshotRef: string
  readonly eventCount: number
  readonly issueCount: number
}

const schema = 'issue.replay.cache.v1'

/** `undefined` where there is no cache, or it cannot be read. */
export async function readReplayCache(
  path: string,
  { files }: OperationContext,
): Promise<Json | undefined> {
  const bytes = await files.readIfPresent(path)
  if (!bytes) return undefined
  try {
    const cache = parseJson(new TextDecoder().decode(bytes))
    return isJsonObject(cache) && cache['schema'] === schema ? cache : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

export async function writeReplayCache(path: string, cache: ReplayCache, disk: Disk) {
  await disk.makeFolder(path.replace(/\/[^/]*$/, '') || '/')
  await disk.replaceLoosely(path, new TextEncoder().encode(printJson({ schema, ...cache })))
}

/** Whether the cache records exactly this replay. */
export function isReplayOf(cache: Json | undefined, made: ReplayCache): boolean {
  return isJsonObject(cache) && Object.entries(made).every(([name, value]) => cache[name] === value)
}
