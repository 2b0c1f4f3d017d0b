/** Writes documents of specs that were read before. */

import type { CommandError, ExitCode } from '../../answer.ts'
import { Fault, faultCodes } from '../../fault.ts'
import type { Problem } from '../../kernel/spec/document/raw-case.ts'
import { visible } from '../../kernel/text/visible.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { problemsError } from './problems.ts'

interface DocumentChange {
  /** Absolute. */
  readonly path: string
  /** For messages. */
  readonly file: string
  /** The text that was read; `undefined` if there was no file. */
  readonly before: string | undefined
  readonly after: string
}

/**
 * Writes atomically and keeps links. Throws if the document changed since it was read or is
 * read-only: replacing a file ignores its permissions.
 */
export async function writeDocument(
  { path, file, before, after }: DocumentChange,
  context: OperationContext,
): Promise<void> {
  const disk = await context.disk()
  const place = await disk.realPath(path)
  const bytes = await context.files.readIfPresent(place)
  const now = bytes === undefined ? undefined : decodeUtf8(bytes)
  if (now !== before) {
    throw new Fault('conflict', `${file} was changed by somebody else while this ran`, {
      hint: 'It was left as it is. Run it again.',
    })
  }
  if (before !== undefined) await mustBeWritable(place, file, disk)
  await disk.replace(place, new TextEncoder().encode(after))
}

/** A document that could not be written. */
export interface UnwrittenDocument {
  readonly file: string
  readonly fault: Fault
}

/** The same for one of several documents: a failure does not stop the others. */
export async function writeOrReport(
  change: DocumentChange,
  context: OperationContext,
): Promise<readonly UnwrittenDocument[]> {
  try {
    await writeDocument(change, context)
    return []
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [{ file: change.file, fault: error }]
  }
}

export const unwrittenMessages = (left: readonly UnwrittenDocument[]): readonly string[] =>
  left.map(({ fault: { message, hint } }) =>
    [`error: ${visible(message)}`, ...(hint === undefined ? [] : [hint])].join('\n  '),
  )

/** The first problem, else the first document that was not written. */
export function errorOf(
  problems: readonly Problem[],
  [left]: readonly UnwrittenDocument[],
): { readonly error?: CommandError } {
  if (problems.length > 0 || left === undefined) return problemsError(problems)
  const { code, message, hint } = left.fault
  return { error: { code, message, ...(hint !== undefined && { hint }) } }
}

/** The highest exit code that applies; `undefined` without problems. */
export function exitCodeOf(
  problems: readonly Problem[],
  left: readonly UnwrittenDocument[],
): ExitCode | undefined {
  const codes = [
    ...(problems.length > 0 ? [2] : []),
    ...left.map(one => faultCodes[one.fault.code]),
  ]
  return codes.length === 0 ? undefined : (Math.max(...codes) as ExitCode)
}

async function mustBeWritable(place: string, file: string, disk: Disk): Promise<void> {
  const entry = await disk.entry(place)
  if (entry?.kind === 'file' && entry.isReadOnly) {
    throw new Fault('unavailable', `${file} is read-only`, {
      hint: `It was left as it is. Allow writing first: chmod u+w ${file}`,
    })
  }
  await (await disk.openToAppend(place)).close()
}
