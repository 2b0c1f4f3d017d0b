/** What the last replay came to, so that the same one need not be done again. */
import { Fault } from '../../fault.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'

export interface ReplayCache {
  readonly eventsPath: string
  readonly issuesPath: string
  readonly eventStreamRef: string
  readonly snapshotRef: string
  readonly eventCount: number
  readonly issueCount: number
}

const schema = 'issue.replay.cache.v1'

/** A cache that is not there, or not readable, is none. */
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

/** Whether the cache tells of exactly this. */
export function isReplayOf(cache: Json | undefined, made: ReplayCache): boolean {
  return isJsonObject(cache) && Object.entries(made).every(([name, value]) => cache[name] === value)
}
