/** Writes a text file that was read before. */
import { Fault } from '../fault.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { Disk } from '../world/world.ts'
import type { RunnerWorld } from './runner-world.ts'

export interface DocumentChange {
  /** Absolute. */
  readonly path: string
  /** For messages. */
  readonly file: string
  /** The text that was read; `undefined` if there was no file. */
  readonly before: string | undefined
  readonly after: string
}

/**
 * Writes atomically and keeps links. Throws if the document changed since it was read or is
 * read-only: replacing a file ignores its permissions.
 */
export async function writeDocument(
  { path, file, before, after }: DocumentChange,
  world: Pick<RunnerWorld, 'files' | 'disk'>,
): Promise<void> {
  const disk = await world.disk()
  const place = await disk.realPath(path)
  const bytes = await world.files.readIfPresent(place)
  const now = bytes === undefined ? undefined : decodeUtf8(bytes)
  if (now !== before) {
    throw new Fault('conflict', `${file} was changed by somebody else while this ran`, {
      hint: 'It was left as it is. Run it again.',
    })
  }
  if (before !== undefined) await mustBeWritable(place, file, disk)
  await disk.replace(place, new TextEncoder().encode(after))
}

async function mustBeWritable(place: string, file: string, disk: Disk): Promise<void> {
  const entry = await disk.entry(place)
  if (entry?.kind === 'file' && entry.isReadOnly) {
    throw new Fault('unavailable', `${file} is read-only`, {
      hint: `It was left as it is. Allow writing first: chmod u+w ${file}`,
    })
  }
  await (await disk.openToAppend(place)).close()
}
