/** Reads documents that a flag names, and names them in faults. */
import { Fault } from '../fault.ts'
import { joinedBytes } from '../world/joined-bytes.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'

/** The largest document in bytes. Larger inputs are streams. */
const documentBytesMax = 256 * 1024 * 1024

/** The name of stdin wherever a flag takes a file. */
export const standardInput = '-'

/** Stands for a document that came with the request. No file can have such a name. */
export const sentPath = (argument: string) => `\0${argument}`

export const isSent = (path: string) => path.startsWith('\0')

export function sourceName(path: string): string {
  if (isSent(path)) return `the argument ${path.slice(1)}`
  return path === standardInput ? 'standard input' : path
}

export function chunksOf(path: string, context: OperationContext): AsyncIterable<Uint8Array> {
  const sent = context.documents?.get(path)
  if (sent) return oneChunk(sent)
  return path === standardInput ? context.stdin : context.files.stream(absolute(path, context))
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

export const absolute = (path: string, { cwd }: OperationContext) =>
  path.startsWith('/') ? path : `${cwd().replace(/\/$/, '')}/${path}`

export async function readDocument(path: string, context: OperationContext): Promise<string> {
  return decodeUtf8(await readBytes(path, context))
}

/** The bytes of a document. Reading stops at the limit, since a pipe or a device may have no end. */
export async function readBytes(path: string, context: OperationContext): Promise<Uint8Array> {
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
  return joinedBytes(chunks)
}

/** Runs `read` and adds the name of the document to its faults. */
export async function namingSource<T>(source: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_input') throw named(error, source)
    throw error
  }
}

/** Runs `read` and translates its faults. */
export async function translatingFaults<T>(
  read: () => T | Promise<T>,
  rephrased: (fault: Fault) => Fault,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Fault ? rephrased(error) : error
  }
}

export function named(fault: Fault, source: string): Fault {
  // Faults of the world name the path already.
  if (fault.detail['path'] !== undefined) return fault
  return new Fault(fault.code, `${source}: ${fault.message}`, {
    ...(fault.hint !== undefined && { hint: fault.hint }),
    detail: { source, ...fault.detail },
    cause: fault,
  })
}
