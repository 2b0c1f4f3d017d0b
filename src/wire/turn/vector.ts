import { NonEmpty } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  count,
  flag,
  list,
  literal,
  map,
  optional,
  partial,
  record,
  text,
  type ValueOf,
  variant,
  word,
} from '../shape.ts'
import { Digests } from './normalized-turn.ts'

/** One input for the gate, with the name it goes by. */
export const VectorCase = artifact(
  'premath.conformance.vector_case.v1',
  'One input for the gate, with the name it goes by.',
  record({
    schema: literal(1),
    suiteId: NonEmpty,
    vectorId: about(NonEmpty, 'Path of the vector in its suite: golden/<name>.'),
    about: optional(NonEmpty, 'What the vector shows.'),
    input: about(any, 'What is handed to the gate.'),
  }),
)

/** What the gate must answer. */
export const VectorExpect = artifact(
  'premath.conformance.vector_expect.v1',
  'What the gate must answer to a vector.',
  record({
    schema: literal(1),
    result: word(['accepted', 'rejected']),
    expectedFailureClasses: list(NonEmpty),
    expectedJoinClosed: optional(flag),
    expectedMutationReady: optional(flag),
    expectedDigests: optional(partial(Digests)),
    sameDigestsAs: optional(NonEmpty, 'A vector of the suite whose digests are equal.'),
  }),
)

export type VectorExpect = ValueOf<typeof VectorExpect>

const JsonChange = about(
  variant('op', [
    record({ op: word(['add', 'replace']), path: text, value: any }),
    record({ op: literal('remove'), path: text }),
  ]),
  'An operation of JSON Patch (RFC 6902).',
)

const { schema: _ofTheFile, ...expectMembers } = VectorExpect.members

/** Several vectors whose inputs differ little: a base, and the changes of each vector. */
export const VectorFile = artifact(
  'premath.conformance.vector_file.v1',
  'Vectors as changes of one input for the gate.',
  record({
    schema: literal(1),
    suiteId: NonEmpty,
    base: about(any, 'An input for the gate.'),
    vectors: about(
      map(
        record({
          about: optional(NonEmpty, 'What the vector shows.'),
          changes: about(
            list(JsonChange),
            'Applied to the base in this order, they give the input of the vector.',
          ),
          expect: record(expectMembers),
        }),
      ),
      'By vectorId, the path of the vector in its suite: golden/<name>.',
    ),
  }),
)

/** What `conformance run` answers. */
export const ConformanceReport = artifact(
  'premath.conformance.report.v1',
  'The answer of conformance run: what matched and what did not.',
  record({
    action: literal('conformance-run'),
    result: word(['accepted', 'rejected']),
    passed: count,
    failed: count,
    failureClasses: about(list(NonEmpty), 'Every class that some vector fired.'),
    vectors: list(
      record({
        suiteId: NonEmpty,
        vectorId: NonEmpty,
        result: about(word(['accepted', 'rejected']), 'What the gate answered.'),
        mismatches: about(list(NonEmpty), 'Where that is not what was expected.'),
      }),
    ),
  }),
)

export type ConformanceReport = ValueOf<typeof ConformanceReport>
