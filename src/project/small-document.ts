/** Small documents that come from outside: read up to a size, and never as a surprise. */
import { Fault } from '../fault.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { joinedBytes } from '../world/joined-bytes.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { absolute, chunksOf, standardInput } from './named-document.ts'

/** Bytes of one document that people write or we do. */
export const smallBytesMax = 1024 * 1024

/** Why a document could not be had, in words. A value: what follows from it differs. */
export class Unreadable {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The text of a file, or of standard input for `-`. What is too large is not read to its end. */
export async function readSmall(
  path: string,
  context: OperationContext,
  bytesMax = smallBytesMax,
): Promise<string | Unreadable> {
  if (await isPipe(path, context)) return new Unreadable('is a pipe, and no file')
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

/** Opening a pipe blocks until it has a writer. A pipe from a shell has one. */
async function isPipe(path: string, context: OperationContext): Promise<boolean> {
  if (path === standardInput || /^\/(dev|proc)\//.test(path)) return false
  const disk = await context.disk()
  return (await disk.entry(await disk.realPath(absolute(path, context))))?.kind === 'other'
}

export const parsedSmall = (text: string): Promise<Json | Unreadable> =>
  orUnreadable(() => parseJson(text))

/** Both: the document that a file holds. */
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
