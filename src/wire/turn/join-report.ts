import { z } from 'zod'
import { Digest, type Immutable, NonEmpty } from '../primitives.ts'
import { Digests, NormalizedTurn } from './normalized-turn.ts'

export const Finding = z.strictObject({
  failureClass: NonEmpty,
  at: NonEmpty.describe('Path into the input; rows are named by their id.'),
  message: NonEmpty,
  remedy: NonEmpty,
})

/** Evidence for a later decision; `mutationInput` is what a mutation is asked to be linked to. */
export const JoinWitness = z.strictObject({
  schema: z.literal(1),
  witnessKind: z.literal('premath.harness.join_check.v1'),
  digests: Digests,
  joinInput: z.looseObject({ joinClosed: z.boolean() }),
  mutationInput: z.looseObject({ joinClosed: z.boolean(), continuationAllowed: z.boolean() }),
})

/** What `harness-join-check` answers. */
export const JoinReport = z
  .strictObject({
    action: z.literal('harness-join-check'),
    result: z.enum(['accepted', 'rejected']),
    joinClosed: z.boolean().describe('No failure class at all.'),
    mutationReady: z
      .boolean()
      .describe('No failure class, a mutation was asked for, and nothing it needs is unmet.'),
    failureClasses: z.array(NonEmpty),
    findings: z.array(Finding),
    unmetDemands: z
      .array(z.strictObject({ requirement: NonEmpty, message: NonEmpty }))
      .describe('What the asked mutation still needs beside a turn without failure classes.'),
    unverifiedBindings: z
      .array(NonEmpty)
      .describe('Digests of the call spec whose document did not come with the input.'),
    // A key may be blank, and is ignored all the same.
    ignoredKeys: z.array(z.string()).describe('Keys of the input that nothing here reads.'),
    line: z.int().positive().optional().describe('Line of the input under --ndjson.'),
    normalized: NormalizedTurn,
    witness: JoinWitness,
    witnessDigest: Digest.describe('Names this verdict: rows, constraints, refs and answer.'),
    joinWitnessRef: NonEmpty.optional().describe('Where the witness lies that was asked for.'),
  })
  .meta({
    title: 'premath.harness.join_report.v1',
    description: 'The verdict of harness-join-check, with findings, normal form and witness.',
  })

/** What stands in the place of a report when a line of a stream cannot be read as a turn. */
export const UnreadableLine = z
  .strictObject({
    action: z.literal('harness-join-check'),
    result: z.literal('rejected'),
    joinClosed: z.literal(false),
    mutationReady: z.literal(false),
    failureClasses: z.array(z.never()),
    findings: z.array(z.never()),
    line: z.int().positive(),
    error: z.strictObject({
      code: NonEmpty,
      message: NonEmpty,
      hint: NonEmpty.optional(),
      detail: z.looseObject({}).optional(),
    }),
  })
  .meta({
    title: 'premath.harness.unreadable_line.v1',
    description: 'A line of a stream that could not be read as a turn, and why.',
  })

export type Finding = z.infer<typeof Finding>
export type JoinReport = Immutable<z.infer<typeof JoinReport>>
export type UnreadableLine = z.infer<typeof UnreadableLine>
