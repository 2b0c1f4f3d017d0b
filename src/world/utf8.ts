/** Strict UTF-8: an invalid byte is a fault with its line and column. */
import { Fault } from '../fault.ts'

// Keeps a byte-order mark, so that the JSON reader can refuse it with its position.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `firstLine` is the line of a larger text that the bytes begin on. */
export function decodeUtf8(bytes: Uint8Array, firstLine = 1): string {
  try {
    return strict.decode(bytes)
  } catch {
    const { line: within, column } = firstInvalid(bytes)
    const line = within + firstLine - 1
    const message = `is not valid UTF-8, at line ${line}, byte ${column} of it`
    throw new Fault('invalid_input', message, {
      hint: 'Save it as UTF-8 and run again.',
      detail: { line, column },
    })
  }
}

/** Searches by halves for the longest prefix that decodes. */
function firstInvalid(bytes: Uint8Array): { line: number; column: number } {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (isPrefix(bytes.subarray(0, middle))) valid = middle
    else invalid = middle
  }
  const before = bytes.subarray(0, valid)
  const line = before.reduce((lines, byte) => (byte === lineFeed ? lines + 1 : lines), 1)
  return { line, column: valid - before.lastIndexOf(lineFeed) }
}

const lineFeed = 0x0a

function isPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
