/** Many lines as bytes. */
import { joinedBytes } from '../world/joined-bytes.ts'

const linesPerPiece = 500

/**
 * Each line with a line feed. One text of all lines would be another copy of them, and an engine has a
 * longest text.
 */
export function encodedLines(lines: Iterable<string>): Uint8Array {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  let some: string[] = []
  const encodeSome = () => {
    pieces.push(encoder.encode(some.map(line => `${line}\n`).join('')))
    some = []
  }
  for (const line of lines) {
    some.push(line)
    if (some.length === linesPerPiece) encodeSome()
  }
  encodeSome()
  return joinedBytes(pieces)
}
