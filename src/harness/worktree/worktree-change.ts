/** A change of a worktree by git, which outlives whoever is killed meanwhile. */
import { isJsonObject, type Json, type JsonObject, numberOf, parseJson } from '../../kernel/json.ts'
import type { ProcessGroup } from '../../world/world.ts'
import { textAt } from '../text-at.ts'
import { askGit, type GitAnswer, type GitPlace } from './git.ts'

/** What is done to which worktree. */
export interface Change {
  readonly kind: 'making' | 'removing'
  readonly path: string
}

/** One that was written down, and not that it is done. */
export interface CutOff {
  /** Whether git was still at it. */
  readonly wasRunning: boolean
  /** All that was written down. */
  readonly note: JsonObject
}

/** Written down before git begins: what is left of it must not go on in a worktree that is new. */
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
  const answer = await askGit(place, root, args, { beforeRun })
  await disk.remove(noteOf(change))
  return answer
}

/** Ends what is left of a change that was cut off, and then has its traces cleared away. */
export async function afterCutOff(
  place: GitPlace,
  change: Change,
  clear: (cutOff: CutOff) => Promise<void>,
): Promise<void> {
  const text = await textAt(place.disk, noteOf(change))
  if (text === undefined) return
  // One that broke off was not written to its end, so git has not begun.
  const note = text.endsWith('\n') ? parseJson(text) : undefined
  const group = groupIn(note)
  if (group && isJsonObject(note)) {
    const wasRunning = await place.processes.groupAlive(group)
    await place.processes.endGroup(group)
    await clear({ wasRunning, note })
  }
  await place.disk.remove(noteOf(change))
}

/** No branch's name begins so, and no worktree is ever in the way. */
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
