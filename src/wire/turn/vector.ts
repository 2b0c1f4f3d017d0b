import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'
import { Digests } from './normalized-turn.ts'

/** One input for the gate, with the name it goes by. */
export const VectorCase = z
  .strictObject({
    schema: z.literal(1),
    suiteId: NonEmpty,
    vectorId: NonEmpty.describe('Path of the vector in its suite: golden/<name>.'),
    about: NonEmpty.optional().describe('What the vector shows.'),
    input: z.unknown().describe('What is handed to the gate.'),
  })
  .meta({
    title: 'premath.conformance.vector_case.v1',
    description: 'One input for the gate, with the name it goes by.',
  })

/** What the gate must answer. */
export const VectorExpect = z
  .strictObject({
    schema: z.literal(1),
    result: z.enum(['accepted', 'rejected']),
    expectedFailureClasses: z.array(NonEmpty),
    expectedJoinClosed: z.boolean().optional(),
    expectedMutationReady: z.boolean().optional(),
    expectedDigests: Digests.partial().optional(),
    sameDigestsAs: NonEmpty.optional().describe('A vector of the suite whose digests are equal.'),
  })
  .meta({
    title: 'premath.conformance.vector_expect.v1',
    description: 'What the gate must answer to a vector.',
  })

const JsonChange = z
  .discriminatedUnion('op', [
    z.strictObject({ op: z.enum(['add', 'replace']), path: z.string(), value: z.unknown() }),
    z.strictObject({ op: z.literal('remove'), path: z.string() }),
  ])
  .describe('An operation of JSON Patch (RFC 6902).')

/** Several vectors whose inputs differ little: a base, and the changes of each vector. */
export const VectorFile = z
  .strictObject({
    schema: z.literal(1),
    suiteId: NonEmpty,
    base: z.unknown().describe('An input for the gate.'),
    vectors: z
      .record(
        NonEmpty,
        z.strictObject({
          about: NonEmpty.optional().describe('What the vector shows.'),
          changes: z
            .array(JsonChange)
            .describe('Applied to the base in this order, they give the input of the vector.'),
          expect: VectorExpect.omit({ schema: true }),
        }),
      )
      .describe('By vectorId, the path of the vector in its suite: golden/<name>.'),
  })
  .meta({
    title: 'premath.conformance.vector_file.v1',
    description: 'Vectors as changes of one input for the gate.',
  })

/** What `conformance run` answers. */
export const ConformanceReport = z
  .strictObject({
    action: z.literal('conformance-run'),
    result: z.enum(['accepted', 'rejected']),
    passed: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    failureClasses: z.array(NonEmpty).describe('Every class that some vector fired.'),
    vectors: z.array(
      z.strictObject({
        suiteId: NonEmpty,
        vectorId: NonEmpty,
        result: z.enum(['accepted', 'rejected']).describe('What the gate answered.'),
        mismatches: z.array(NonEmpty).describe('Where that is not what was expected.'),
      }),
    ),
  })
  .meta({
    title: 'premath.conformance.report.v1',
    description: 'The answer of conformance run: what matched and what did not.',
  })

export type ConformanceReport = z.infer<typeof ConformanceReport>
