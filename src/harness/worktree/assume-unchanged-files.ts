/** Files that git was told not to look at: it calls them unchanged, whatever is in them. */
import { askGit, type GitPlace, listBytesMax, printed } from './git.ts'
import { pathsInWords } from './uncommitted-work.ts'

/** In words, such as `2 files that git does not look at (a.txt, b.txt)`; `undefined` where there is none. */
export async function unseenFiles(place: GitPlace, path: string): Promise<string | undefined> {
  const args = ['ls-files', '-v', '-z']
  const answer = await askGit(place, path, args, { bytesMax: listBytesMax })
  const found: string[] = []
  for (const name of unseenIn(printed(answer, path, args))) {
    // Of what a sparse checkout leaves out there is no file.
    if (await place.disk.entry(`${path}/${name}`)) found.push(name)
  }
  if (found.length === 0) return undefined
  const noun = found.length === 1 ? 'file' : 'files'
  return `${found.length} ${noun} that git does not look at ${pathsInWords(found)}`
}

/** `X path`: `S` is to be skipped, and a small letter to be taken for unchanged. */
const unseenIn = (text: string) =>
  text
    .split('\0')
    .filter(entry => /^[Sa-z] /.test(entry))
    .map(entry => entry.slice(2))
