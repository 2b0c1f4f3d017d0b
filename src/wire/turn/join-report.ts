import { Digest, NonEmpty, Refs } from '../primitives.ts'
import {
  about,
  artifact,
  flag,
  list,
  literal,
  nothing,
  openRecord,
  optional,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'
import { contextFlags, Digests, NormalizedTurn, openCalls } from './normalized-turn.ts'

const Finding = record({
  failureClass: NonEmpty,
  at: about(NonEmpty, 'Path into the input; rows are named by their id.'),
  message: NonEmpty,
  remedy: NonEmpty,
})

const { callSpecDigest: _named, ...setDigests } = Digests.members

/** Evidence for a later decision. `mutationInput` is what a mutation has to be linked to. */
const JoinWitness = record({
  schema: literal(1),
  witnessKind: literal('premath.harness.join_check.v1'),
  digests: Digests,
  joinInput: record({
    ...setDigests,
    ...openCalls,
    ...contextFlags,
    joinClosed: flag,
    decompositionPolicyDigest: optional(NonEmpty),
    reminderQueuePolicyDigest: optional(NonEmpty),
    stateViewPolicyDigest: optional(NonEmpty),
    toolRenderProtocolDigest: optional(NonEmpty),
  }),
  mutationInput: record({
    ...openCalls,
    ...contextFlags,
    joinClosed: flag,
    continuationAllowed: flag,
    governancePolicyDigest: optional(NonEmpty),
    mutationPolicyDigest: optional(NonEmpty),
    normalizerId: optional(NonEmpty),
    sessionRefs: optional(Refs),
    trajectoryRefs: optional(Refs),
  }),
})

/** What `harness-join-check` answers. */
export const JoinReport = artifact(
  'premath.harness.join_report.v1',
  'The verdict of harness-join-check, with findings, normal form and witness.',
  record({
    action: literal('harness-join-check'),
    result: word(['accepted', 'rejected']),
    joinClosed: about(flag, 'No failure class at all.'),
    mutationReady: about(
      flag,
      'No failure class, a mutation was asked for, and nothing it needs is unmet.',
    ),
    failureClasses: list(NonEmpty),
    findings: list(Finding),
    unmetDemands: about(
      list(record({ requirement: NonEmpty, message: NonEmpty })),
      'What the asked mutation still needs beside a turn without failure classes.',
    ),
    unverifiedBindings: about(
      list(NonEmpty),
      'Digests of the call spec whose document did not come with the input.',
    ),
    // A key may be blank, and is ignored all the same.
    ignoredKeys: about(list(text), 'Keys of the input that nothing here reads.'),
    line: optional(positive, 'Line of the input under --ndjson.'),
    normalized: NormalizedTurn,
    witness: JoinWitness,
    witnessDigest: about(Digest, 'Names this verdict: rows, constraints, refs and answer.'),
    joinWitnessRef: optional(NonEmpty, 'Where the witness lies that was asked for.'),
  }),
)

/** What stands in the place of a report when a line of a stream cannot be read as a turn. */
export const UnreadableLine = artifact(
  'premath.harness.unreadable_line.v1',
  'A line of a stream that could not be read as a turn, and why.',
  record({
    action: literal('harness-join-check'),
    result: literal('rejected'),
    joinClosed: literal(false),
    mutationReady: literal(false),
    failureClasses: list(nothing),
    findings: list(nothing),
    line: positive,
    error: record({
      code: NonEmpty,
      message: NonEmpty,
      hint: optional(NonEmpty),
      detail: optional(openRecord({})),
    }),
  }),
)

export type JoinReport = ValueOf<typeof JoinReport>
export type UnreadableLine = ValueOf<typeof UnreadableLine>
