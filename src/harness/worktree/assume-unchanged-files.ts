/**
 * Files marked assume-unchanged or skip-worktree. Git reports them as unchanged whatever they
 * contain.
 */
import { askGit, type GitPlace, listBytesMax, printed } from './git.ts'
import { pathsInWords } from './uncommitted-work.ts'

/**
 * Describes them, such as `2 files with changes hidden from git (a.txt, b.txt)`. Returns `undefined`
 * if there are none.
 */
export async function unseenFiles(place: GitPlace, path: string): Promise<string | undefined> {
  const args = ['ls-files', '-v', '-z']
  const answer = await askGit(place, path, args, { bytesMax: listBytesMax })
  const found: string[] = []
  for (const name of unseenIn(printed(answer, path, args))) {
    // A sparse checkout leaves files out.
    if (await place.disk.entry(`${path}/${name}`)) found.push(name)
  }
  if (found.length === 0) return undefined
  const noun = found.length === 1 ? 'file' : 'files'
  return `${found.length} ${noun} with changes hidden from git ${pathsInWords(found)}`
}

/** Each entry is `X path`. `S` means skip-worktree, a lower-case letter means assume-unchanged. */
const unseenIn = (text: string) =>
  text
    .split('\0')
    .filter(entry => /^[Sa-z] /.test(entry))
    .map(entry => entry.slice(2))
