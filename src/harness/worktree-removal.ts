/** The removal of a worktree by git, which outlives whoever is killed meanwhile. */
import { isJsonObject, type Json, numberOf, parseJson } from '../kernel/json.ts'
import type { ProcessGroup } from '../world/world.ts'
import { askGit, type GitAnswer, type GitPlace } from './git.ts'

/** Written down before git begins: what is left of it must not go on in a worktree that is new. */
export async function removeByGit(place: GitPlace, path: string): Promise<GitAnswer> {
  const { disk, root } = place
  const beforeRun = async (group: ProcessGroup) => {
    await disk.appendLoosely(noteOf(path), new TextEncoder().encode(`${JSON.stringify(group)}\n`))
  }
  const answer = await askGit(place, root, ['worktree', 'remove', path], { beforeRun })
  await disk.remove(noteOf(path))
  return answer
}

/** Ends a removal that was cut off. All that was in it was committed when that began. */
export async function finishRemoval(place: GitPlace, path: string): Promise<void> {
  const note = await noteAt(place, path)
  if (note === undefined) return
  const group = note.endsWith('\n') ? groupIn(parseJson(note)) : undefined
  // One that broke off was not written to its end, so git has not begun.
  if (group) {
    await place.processes.endGroup(group)
    if (await isOnlyLess(place, path)) await place.disk.removeFolder(path)
  }
  await place.disk.remove(noteOf(path))
}

/** No branch's name begins so, and no worktree is ever in the way. */
function noteOf(path: string): string {
  const at = path.lastIndexOf('/') + 1
  return `${path.slice(0, at)}.removing-${path.slice(at)}.json`
}

async function noteAt({ disk }: GitPlace, path: string): Promise<string | undefined> {
  const file = await disk.open(noteOf(path))
  if (!file) return undefined
  try {
    return new TextDecoder().decode(await file.read(0, (await file.stamp()).size))
  } finally {
    await file.close()
  }
}

function groupIn(note: Json): ProcessGroup | undefined {
  if (!isJsonObject(note)) return undefined
  const { id, startedAt, mark } = note
  const number = numberOf(id)
  if (number === undefined || typeof startedAt !== 'string' || typeof mark !== 'string') {
    return undefined
  }
  return { id: number, startedAt, mark }
}

/** A million paths of sixty characters. */
const listBytesMax = 64 * 1024 * 1024

/** Whether all that is amiss is that something is gone. Who has worked there since keeps it. */
async function isOnlyLess(place: GitPlace, path: string): Promise<boolean> {
  if ((await place.disk.entry(path))?.kind !== 'folder') return false
  if ((await place.disk.entry(`${path}/.git`)) === undefined) return true
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal']
  const { exitCode, stdout } = await askGit(place, path, args, { bytesMax: listBytesMax })
  const changes = stdout.split('\0').slice(0, -1)
  return exitCode === 0 && changes.length > 0 && changes.every(change => change.startsWith(' D '))
}
