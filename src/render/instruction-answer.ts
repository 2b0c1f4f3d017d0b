/** Renders refusals of the instruction commands. */

import { type Answer, refusedAnswer } from '../answer.ts'
import { instructionClasses } from '../kernel/instruction/instruction-classes.ts'
import type { InstructionRefusal } from '../kernel/instruction/instruction-refusal.ts'
import { visible } from '../kernel/text/visible.ts'

/** Invalid input, so there is no verdict. */
export function refusedInstruction(
  action: string,
  { failureClass, message }: InstructionRefusal,
  more: object = {},
): Answer<unknown> {
  const { remedy, exitCode } = instructionClasses[failureClass]
  const refusal = { failureClasses: [failureClass], diagnostic: message, remedy, exitCode }
  const answer = refusedAnswer({ action, ...more }, refusal)
  return { ...answer, message: classMessage(failureClass, message) }
}

/** Programs read the class at the start of the last line. */
export function classMessage(failureClass: string, message: string): string {
  const line = visible(`${failureClass}: ${message}`)
  const remedy = remedyOf(failureClass)
  return remedy === undefined ? line : `hint: ${remedy}\n${line}`
}

function remedyOf(failureClass: string): string | undefined {
  const entries: Readonly<Record<string, { readonly remedy: string }>> = instructionClasses
  return Object.hasOwn(entries, failureClass) ? entries[failureClass]?.remedy : undefined
}

/** For a rejected verdict: the first class goes on the last line. */
export function verdictMessage(
  failureClasses: readonly string[],
  message: string,
): { readonly message?: string } {
  const [first] = failureClasses
  return first === undefined ? {} : { message: classMessage(first, message) }
}
