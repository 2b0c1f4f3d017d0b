/** The change feed of the file backend: rows after a position in the file. */
import type { Issue } from '../../kernel/issues/issue.ts'
import type { DiskFile, FileStamp } from '../../world/world.ts'
import { checksum } from '../cache-file.ts'
import { type RowsEnd, readRows } from '../issue-rows.ts'
import type { Changes, Revision } from '../issue-store.ts'
import { tailOf } from './issue-cache.ts'

/** Names the file, the end of its rows, and the bytes before that end. */
export const revisionOf = (
  { identity }: FileStamp,
  { bytes, lines }: RowsEnd,
  tail: Uint8Array,
): Revision => `${bytes} ${lines} ${checksum(tail)} ${identity}`

const lineFeed = 0x0a

/** `undefined` where the file was rewritten since, so that rows may be missing from it. */
export async function rowsSince(
  since: Revision,
  file: DiskFile,
  path: string,
): Promise<Changes | undefined> {
  const [bytes = 0, lines = 0] = since.split(' ', 2).map(Number)
  const stamp = await file.stamp()
  if (stamp.size < bytes) return undefined
  const tail = await tailOf(file, bytes)
  const from = { bytes, lines, unfinished: false }
  if (revisionOf(stamp, from, tail) !== since) return undefined
  // The row before may have got its line feed since, and its line is counted already.
  const isOpen = bytes > 0 && tail.at(-1) !== lineFeed
  const rows: Issue[] = []
  const added = await file.read(bytes, stamp.size - bytes)
  if (added.length === 0) return { rows, revision: since, isReset: false }
  const end = readRows(
    added,
    { ...from, lines: isOpen ? lines - 1 : lines },
    path,
    ({ issue }) => void rows.push(issue),
  )
  const revision = revisionOf(stamp, end, await tailOf(file, end.bytes))
  return { rows, revision, isReset: false }
}
