/** Finds the row of an issue from the end of the file, by reading the file and not memory. */
import { type Issue, printIssue, readIssueLine } from '../../kernel/issues/issue.ts'
import type { DiskFile } from '../../world/world.ts'

const pieceBytes = 64 * 1024

/**
 * The row itself, or the newest row of its id if the row is not in the file. A row that was appended
 * just now is in the last piece. A later row of somebody else does not hide it.
 */
export async function rowOnDisk(file: DiskFile, row: Issue): Promise<Issue | undefined> {
  const { size } = await file.stamp()
  const line = printIssue(row)
  const isAbout = (text: string) => text.includes(JSON.stringify(row.id))
  let newest: Issue | undefined
  let from = size
  let rest = new Uint8Array()
  for (let length = pieceBytes; from > 0; length *= 2) {
    const start = Math.max(0, from - length)
    const piece = joined(await file.read(start, from - start), rest)
    from = start
    // The first line of the piece may begin before it.
    const first = from === 0 ? 0 : piece.indexOf(lineFeed) + 1
    const lines = new TextDecoder().decode(piece.subarray(first)).split('\n')
    rest = piece.slice(0, first)
    for (const text of lines.reverse()) {
      if (text === line) return row
      if (newest || text.startsWith('#') || !isAbout(text)) continue
      const read = readIssueLine(text)
      if ('id' in read && read.id === row.id) newest = read
    }
  }
  return newest
}

const lineFeed = 0x0a

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
