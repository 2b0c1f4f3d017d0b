/** Encodes the body of a request. */
import type { Header } from '../../kernel/spec/http/http-text.ts'
import {
  type Content,
  type MultipartPart,
  partHead,
  type RequestBody,
} from '../../kernel/spec/http/request-body.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { contractFile } from './contract-file.ts'

export interface EncodedBody {
  readonly bytes: Uint8Array | undefined
  /** Headers that follow from the bytes. */
  readonly headers: readonly Header[]
}

export const noBody: EncodedBody = { bytes: undefined, headers: [] }
const encoder = new TextEncoder()

export async function encodedBody(
  body: RequestBody,
  at: string,
  context: ExecutionContext,
): Promise<EncodedBody | SpecError> {
  if ('parts' in body) return await multipart(body.parts, at, context)
  const bytes = await bytesOf(body, `${at}.body_file`, context)
  return isSpecErrorOf(bytes) ? bytes : { bytes, headers: [] }
}

async function bytesOf(
  content: Content,
  at: string,
  context: ExecutionContext,
): Promise<Uint8Array | SpecError> {
  if ('text' in content) return encoder.encode(content.text)
  const file = await contractFile(content.file, at, context)
  return isSpecErrorOf(file) ? file : file.bytes
}

/** The boundary is a digest of the content, so that the same content gives the same bytes. */
async function multipart(
  parts: readonly MultipartPart[],
  at: string,
  context: ExecutionContext,
): Promise<EncodedBody | SpecError> {
  const { sha256 } = context.run.world
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const bytes = await bytesOf(part.content, `${at}.multipart.${part.name}`, context)
    if (isSpecErrorOf(bytes)) return bytes
    pieces.push(encoder.encode(partHead(part)), bytes)
  }
  const boundary = `premath-${sha256(pieces.map(sha256).join(' ')).slice(0, 32)}`
  const lines = pieces.flatMap((piece, index) =>
    index % 2 === 0
      ? [encoder.encode(`--${boundary}\r\n`), piece]
      : [piece, encoder.encode('\r\n')],
  )
  const bytes = joined([...lines, encoder.encode(`--${boundary}--\r\n`)])
  return { bytes, headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]] }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
