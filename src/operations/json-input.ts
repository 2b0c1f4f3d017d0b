/** Documents that a person names: bytes to text, and faults that say which document. */
import { Fault } from '../fault.ts'
import type { OperationContext } from './operation.ts'

/** Bytes of one document; a larger one is a stream, which has a flag of its own. */
export const documentBytesMax = 256 * 1024 * 1024

/** What `-` means wherever a file may be named. */
export const standardInput = '-'

export const sourceName = (path: string) => (path === standardInput ? 'standard input' : path)

export function chunksOf(path: string, context: OperationContext): AsyncIterable<Uint8Array> {
  return path === standardInput ? context.stdin : context.files.stream(absolute(path, context))
}

export const absolute = (path: string, { cwd }: OperationContext) =>
  path.startsWith('/') ? path : `${cwd().replace(/\/$/, '')}/${path}`

export async function readDocument(path: string, context: OperationContext): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(path, context)) {
    bytes += chunk.length
    if (bytes > documentBytesMax) {
      throw new Fault('invalid_input', `is larger than ${documentBytesMax} bytes`, {
        hint: 'Give it in smaller parts.',
      })
    }
    chunks.push(chunk.slice())
  }
  return decodeUtf8(joined(chunks, bytes))
}

export function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

// A byte-order mark is kept, so that the JSON reader refuses it at its place.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `firstLine` is which line of a larger text the bytes begin on. */
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

/** Found by halving: the longest prefix that still decodes as the start of a text. */
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

/** Runs `read` so that a fault about a document says which one. */
export async function about<T>(source: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_input') throw named(error, source)
    throw error
  }
}

export function named(fault: Fault, source: string): Fault {
  // The world names the path of what it could not read.
  if (fault.detail['path'] !== undefined) return fault
  return new Fault(fault.code, `${source}: ${fault.message}`, {
    ...(fault.hint !== undefined && { hint: fault.hint }),
    detail: { source, ...fault.detail },
    cause: fault,
  })
}
