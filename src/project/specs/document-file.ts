/** Writes several documents, and reports those that could not be written. */

import type { CommandError, ExitCode } from '../../answer.ts'
import { Fault, faultCodes } from '../../fault.ts'
import type { Problem } from '../../kernel/spec/document/raw-case.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type DocumentChange, writeDocument } from '../../runner/write-document.ts'
import type { OperationContext } from '../context.ts'
import { problemsError } from './problems.ts'

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
