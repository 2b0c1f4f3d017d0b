/** Reads small documents of others: up to a size, and never from a pipe that blocks. */
import { Fault } from '../fault.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { joinedBytes } from '../world/joined-bytes.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { absolute, chunksOf, isSent, standardInput } from './named-document.ts'

/** The largest document in bytes, unless the caller says otherwise. */
const smallBytesMax = 1024 * 1024

/** Why a document cannot be read. A value and not a fault, since callers react differently. */
export class Unreadable {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The text of a file, or of stdin for `-`. Stops reading at the limit. */
export async function readSmall(
  path: string,
  context: OperationContext,
  bytesMax = smallBytesMax,
): Promise<string | Unreadable> {
  if (await isPipe(path, context)) return new Unreadable('is a pipe, not a file')
  return await orUnreadable(async () => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of chunksOf(path, context)) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new Fault('invalid_input', `is larger than ${bytesMax} bytes`)
      chunks.push(chunk.slice())
    }
    return decodeUtf8(joinedBytes(chunks))
  })
}

/** Opening a pipe waits for a writer. A pipe that a shell names, as in `<(command)`, has one. */
const shellPipe = /^\/(dev\/(fd\/|stdin$)|proc\/)/

async function isPipe(path: string, context: OperationContext): Promise<boolean> {
  if (path === standardInput || isSent(path) || shellPipe.test(path)) return false
  const disk = await context.disk()
  return (await disk.entry(await disk.realPath(absolute(path, context))))?.kind === 'other'
}

export const parsedSmall = (text: string): Promise<Json | Unreadable> =>
  orUnreadable(() => parseJson(text))

/** The JSON document in a file. */
export async function smallDocument(
  path: string,
  context: OperationContext,
  bytesMax = smallBytesMax,
): Promise<Json | Unreadable> {
  const text = await readSmall(path, context, bytesMax)
  return text instanceof Unreadable ? text : await parsedSmall(text)
}

async function orUnreadable<T>(read: () => T | Promise<T>): Promise<T | Unreadable> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_input') {
      return new Unreadable(error.message)
    }
    throw error
  }
}
