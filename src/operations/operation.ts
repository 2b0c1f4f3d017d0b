/**
 * One operation: plain data and one function. The command line, help, completions and the reference
 * page are generated from it. It is plain data, because the command line reads it at every start.
 */
import type { Outcome } from '../answer.ts'
import type { Fields, InputOf } from '../field.ts'
import type { OperationContext } from '../project/context.ts'
import type { Shape } from '../wire/shape.ts'

/** The sections of `premath --help`, in order. */
export const groups = {
  everyday: 'Every day',
  issue: 'Work with issues',
  dep: 'Order the work',
  harness: 'Run an agent, step by step',
  project: 'Set up and maintain a project',
  observe: 'Observe a project',
  gate: 'Judge a turn',
  instruction: 'Work under instructions',
  required: 'Require checks of a change',
  program: 'Run small programs',
  spec: 'Run executable specs',
  witness: 'Verify what was done',
  checks: 'Check a project in CI',
  conformance: 'Prove conformance',
  reference: 'Look things up',
  shell: 'Set up the shell',
} as const

export type Group = keyof typeof groups

export interface Operation<Input extends Fields = Fields, Output = unknown> {
  readonly group: Group
  /** One line, for lists. */
  readonly summary: string
  /** The command line that it is a short name for. */
  readonly shortFor?: string
  /** A few sentences for help and the reference. */
  readonly description?: string
  /** It runs for long: with `--json` every output, refusals included, is one line. */
  readonly isLive?: true
  /** `projection` writes artifacts derived from memory; `mutation` changes issue memory. */
  readonly effect: 'read' | 'projection' | 'mutation'
  /** Given where it writes with some flags only. */
  writes?(input: InputOf<Input>): boolean
  /**
   * Its name for other surfaces. It is that of the contracts where they name the job, such as
   * `op/mcp.issue_ready`, and `op/<folder>.<file>` elsewhere.
   */
  readonly opId: `op/${string}`
  readonly input: Input
  /** The JSON answer of success. A refusal is an error, and has the shape of errors. */
  readonly output: Shape
  /** By command line: what its output shows. */
  readonly examples: Readonly<Record<string, string>>
  run(input: InputOf<Input>, context: OperationContext): Promise<Outcome<Output>>
}

/** By command words. An operation is loaded on demand. */
export type Operations = Readonly<Record<string, () => Promise<Operation>>>

export function operation<const Input extends Fields, Output>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition
}
