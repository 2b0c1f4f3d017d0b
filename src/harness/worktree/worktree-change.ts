/** Records a change of a worktree by git, because git may outlive its killed parent. */
import { isJsonObject, type Json, type JsonObject, numberOf, parseJson } from '../../kernel/json.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { ProcessGroup } from '../../world/world.ts'
import { askGit, type GitAnswer, type GitPlace } from './git.ts'

interface Change {
  readonly kind: 'making' | 'removing'
  readonly path: string
}

/** A change that was recorded and not completed. */
export interface InterruptedChange {
  /** True if git was still running. */
  readonly wasRunning: boolean
  /** The whole record. */
  readonly note: JsonObject
}

/**
 * Writes the record before git starts, so that a leftover git is ended before its path is used
 * again.
 */
export async function changeByGit(
  place: GitPlace,
  change: Change,
  args: readonly string[],
  more: JsonObject = {},
): Promise<GitAnswer> {
  const { disk, root } = place
  const beforeRun = async (group: ProcessGroup) => {
    const line = `${JSON.stringify({ ...group, ...more })}\n`
    await disk.appendLoosely(noteOf(change), new TextEncoder().encode(line))
  }
  const answer = await askGit(place, root, args, { beforeRun, checksOut: true })
  await disk.remove(noteOf(change))
  return answer
}

/** Ends the git process of an interrupted change, then calls `clear` to remove its traces. */
export async function cleanUpInterrupted(
  place: GitPlace,
  change: Change,
  clear: (cutOff: InterruptedChange) => Promise<void>,
): Promise<void> {
  const text = await readTextIfPresent(place.disk, noteOf(change))
  if (text === undefined) return
  // Git starts only after the record is complete.
  const note = text.endsWith('\n') ? parseJson(text) : undefined
  const group = groupIn(note)
  if (group && isJsonObject(note)) {
    const wasRunning = await place.processes.groupAlive(group)
    await place.processes.endGroup(group)
    await clear({ wasRunning, note })
  }
  await place.disk.remove(noteOf(change))
}

/** No worker's name starts with a dot, so no worktree can have this name. */
function noteOf({ kind, path }: Change): string {
  const at = path.lastIndexOf('/') + 1
  return `${path.slice(0, at)}.${kind}-${path.slice(at)}.json`
}

function groupIn(note: Json | undefined): ProcessGroup | undefined {
  if (!isJsonObject(note)) return undefined
  const { id, startedAt, mark } = note
  const number = numberOf(id)
  if (number === undefined || typeof startedAt !== 'string' || typeof mark !== 'string') {
    return undefined
  }
  return { id: number, startedAt, mark }
}
