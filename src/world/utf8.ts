/** Strict UTF-8: an invalid byte is a fault with its line and column. */
import { isUtf8 } from 'node:buffer'
import { Fault } from '../fault.ts'

/**
 * `firstLine` is the line of a larger text that the bytes begin on. A byte-order mark is kept, so that
 * the JSON reader can refuse it with its position.
 */
export function decodeUtf8(bytes: Uint8Array, firstLine = 1): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const { line: within, column } = firstInvalid(bytes)
  const line = within + firstLine - 1
  const message = `is not valid UTF-8, at line ${line}, byte ${column} of it`
  throw new Fault('invalid_input', message, {
    hint: 'Save it as UTF-8 and run again.',
    detail: { line, column },
  })
}

/** Searches by halves for the longest prefix that decodes. */
function firstInvalid(bytes: Uint8Array): { line: number; column: number } {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (isCutUtf8(bytes.subarray(0, middle))) valid = middle
    else invalid = middle
  }
  const before = bytes.subarray(0, valid)
  const line = before.reduce((lines, byte) => (byte === lineFeed ? lines + 1 : lines), 1)
  return { line, column: valid - before.lastIndexOf(lineFeed) }
}

const lineFeed = 0x0a

/** Valid UTF-8 that may end within a character. */
export function isCutUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Keeps a byte-order mark, so that its line is bad. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `undefined` if the bytes are not UTF-8. */
export function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
