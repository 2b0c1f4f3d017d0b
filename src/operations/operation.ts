/**
 * What one operation is: plain data and one function. The command line, its help, the completions
 * and the reference page are all read off this declaration. It is data and not a schema library's
 * object because the command line reads it at every start.
 */
import type { Outcome } from '../answer.ts'
import type { Fields, InputOf } from '../field.ts'
import type { OperationContext } from '../project/context.ts'

/** How `premath --help` sorts commands: by what a person came to do, in this order. */
export const groups = {
  issue: 'Work with issues',
  dep: 'Order the work',
  harness: 'Run an agent, step by step',
  project: 'Set up and look after a project',
  gate: 'Judge a turn',
  instruction: 'Work under instructions',
  spec: 'Run executable specs',
  witness: 'Verify what was done',
  conformance: 'Prove conformance',
  reference: 'Look things up',
  shell: 'Set up the shell',
} as const

export type Group = keyof typeof groups

export interface Example {
  readonly command: string
  readonly shows: string
}

export interface Operation<Input extends Fields = Fields, Output = unknown> {
  readonly group: Group
  /** One line, for lists. */
  readonly summary: string
  /** A few sentences, for the command's own help and its place in the reference. */
  readonly description?: string
  /** It goes on for long: under `--json` whatever it says, a refusal too, is one line. */
  readonly isLive?: true
  /** `projection` writes artifacts derived from memory; `mutation` changes issue memory. */
  readonly effect: 'read' | 'projection' | 'mutation'
  /** The route that the contracts name it by, such as `op/harness.session_read`. */
  readonly opId?: string
  readonly input: Input
  readonly examples: readonly Example[]
  run(input: InputOf<Input>, context: OperationContext): Promise<Outcome<Output>>
}

/** By command words; the operation is loaded when it is asked for. */
export type Operations = Readonly<Record<string, () => Promise<Operation>>>

export function operation<const Input extends Fields, Output>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition
}
