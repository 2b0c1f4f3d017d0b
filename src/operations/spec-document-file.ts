/** Writes documents of specs that were read before. */
import { Fault } from '../fault.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { Disk } from '../world/world.ts'
import type { OperationContext } from './operation.ts'

export interface DocumentChange {
  /** From the top of the disk. */
  readonly path: string
  /** For messages. */
  readonly file: string
  /** What was read; `undefined` where there was no file. */
  readonly before: string | undefined
  readonly after: string
}

/**
 * All of it or nothing. A link stays a link. Faults where somebody changed the document since it
 * was read, or made it read-only: a file that is replaced is not asked for its permissions.
 */
export async function writeDocument(
  { path, file, before, after }: DocumentChange,
  context: OperationContext,
): Promise<void> {
  const disk = await context.disk()
  const place = await disk.realPath(path)
  const bytes = await context.files.readIfPresent(place)
  const now = bytes === undefined ? undefined : decodeUtf8(bytes)
  if (now !== before) {
    throw new Fault('conflict', `${file} was changed by somebody else while this ran`, {
      hint: 'Nothing was written. Run it again.',
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
