/** How the commands about instructions say no. */

import type { Answer } from '../answer.ts'
import { instructionClasses } from '../kernel/instruction/instruction-classes.ts'
import type { InstructionRefusal } from '../kernel/instruction/instruction-refusal.ts'
import { visible } from '../kernel/text/visible.ts'

/** There was nothing to judge: what the input lacks, for program and person. */
export function refusedAnswer(
  action: string,
  { failureClass, message }: InstructionRefusal,
  more: object = {},
): Answer<unknown> {
  const { remedy, exitCode } = instructionClasses[failureClass]
  return {
    output: {
      action,
      diagnostic: message,
      failureClasses: [failureClass],
      remedy,
      result: 'rejected',
      ...more,
    },
    yes: false,
    exitCode,
    talk: classTalk(failureClass, message),
    render: () => '',
  }
}

/** Programs read the class at the start of the last line. */
export function classTalk(failureClass: string, message: string): string {
  const line = visible(`${failureClass}: ${message}`)
  const remedy = remedyOf(failureClass)
  return remedy === undefined ? line : `hint: ${remedy}\n${line}`
}

function remedyOf(failureClass: string): string | undefined {
  const entries: Readonly<Record<string, { readonly remedy: string }>> = instructionClasses
  return Object.hasOwn(entries, failureClass) ? entries[failureClass]?.remedy : undefined
}

/** Of an answer whose verdict is a no: its first class is told last. */
export function verdictTalk(
  failureClasses: readonly string[],
  message: string,
): { readonly talk?: string } {
  const [first] = failureClasses
  return first === undefined ? {} : { talk: classTalk(first, message) }
}
