/** Decompresses response bodies up to a limit. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { codeOf, reason } from '../system-error.ts'
import type { HttpFailure } from '../world.ts'
import { tooLarge } from './failure.ts'

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** Some servers send `deflate` without the header of zlib. */
const hasZlibHeader = (bytes: Buffer) => ((bytes[0] ?? 0) & 0x0f) === 8

const gunzipped: Decompress = promisify(gunzip)
const inflated: Decompress = promisify(inflate)
const inflatedRaw: Decompress = promisify(inflateRaw)

const codings: Readonly<Record<string, Decompress>> = {
  gzip: gunzipped,
  'x-gzip': gunzipped,
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? inflated : inflatedRaw)(bytes, options),
  br: promisify(brotliDecompress),
}

/** Each needs a pass over up to `bytesMax` bytes. */
const codingsMax = 5

/** `names` in the order in which the server applied them. */
export async function decompressed(
  body: Buffer,
  names: readonly string[],
  bytesMax: number,
): Promise<{ readonly bytes: Buffer } | HttpFailure> {
  const applied = names.filter(name => name !== 'identity' && name !== '')
  if (applied.length > codingsMax) {
    return tooLarge(`the body is compressed more than ${codingsMax} times`)
  }
  let bytes = body
  for (const name of applied.toReversed()) {
    if (bytes.length === 0) continue
    const decompress = Object.hasOwn(codings, name) ? codings[name] : undefined
    if (decompress === undefined) return unreadable(`its Content-Encoding is ${name}`)
    try {
      bytes = await decompress(bytes, { maxOutputLength: bytesMax })
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
        return tooLarge(`the decompressed body is larger than ${megabytes(bytesMax)}`)
      }
      return unreadable(`it is not valid ${name}: ${reason(error)}`)
    }
  }
  return { bytes }
}

const unreadable = (why: string): HttpFailure => ({
  failed: 'response',
  reason: `the body cannot be decompressed: ${why}`,
})

export const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MB`
