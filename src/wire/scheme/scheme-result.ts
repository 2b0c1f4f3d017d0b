import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  count,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  text,
  type ValueOf,
  word,
} from '../shape.ts'
import { HostEffect } from './host-effect.ts'

const kind = 'premath.scheme_eval.result.v0'

/** What a program did and came to. */
export const SchemeResult = artifact(
  kind,
  'The result of a program and its effects.',
  openRecord({
    schema: literal(1),
    kind: literal(kind),
    profile: literal('premath.scheme.v0'),
    programPath: text,
    programForm: word(['scheme', 'calls']),
    hostActionTransport: word(['mcp', 'local-repl']),
    trajectoryPath: nullable(NonEmpty, 'null in the work of a step and in a replay.'),
    allowlistedActions: list(NonEmpty),
    executedCallCount: count,
    result: word(['accepted', 'rejected']),
    failureClasses: list(NonEmpty),
    startedAt: Timestamp,
    finishedAt: Timestamp,
    effects: list(HostEffect),
    steps: about(count, 'Calls of procedures, and items that builtins went through.'),
    memoryBytes: about(count, 'Of all values that the program made.'),
    value: optional(any, 'The value of a Scheme program.'),
    valueText: optional(text, 'The same, as Scheme prints it.'),
    replayedRows: optional(count, 'The recorded effects that a replay used.'),
  }),
)
export type SchemeResult = ValueOf<typeof SchemeResult>
