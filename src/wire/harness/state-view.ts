import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  count,
  list,
  literal,
  nullable,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

export const stateViewKind = 'premath.harness.state_view.v1'

/** `view.json` in the folder of a step: what decided that the attempt may begin. */
export const StateView = record({
  schema: literal(1),
  viewKind: literal(stateViewKind),
  stepId: NonEmpty,
  attempt: positive,
  readAt: Timestamp,
  claim: about(
    record({ workerId: NonEmpty, leaseId: NonEmpty, fence: count }),
    'The lease under which the step works.',
  ),
  issue: nullable(
    record({ id: NonEmpty, status: NonEmpty, rowDigest: Digest }),
    'null if issue memory does not have it any more.',
  ),
  blockers: about(
    list(record({ issueId: NonEmpty, status: nullable(NonEmpty) })),
    'Issues that it waits for. The status is null for one that does not exist.',
  ),
  lease: nullable(
    record({ owner: text, leaseId: text, fence: count, expiresAt: text }),
    'The lease in the row of the issue.',
  ),
  policy: record({
    digest: about(NonEmpty, 'Of the policy in force.'),
    boundDigest: about(NonEmpty, 'Of the policy that the step is bound to.'),
    mode: NonEmpty,
    refusal: nullable(text, 'Why the policy in force lets no step begin.'),
  }),
  asked: nullable(word(['stop', 'pause', 'drain']), 'The request to this process or to its run.'),
  treeDigest: nullable(NonEmpty, 'Of the files; null if they could not be read.'),
})
export type StateView = ValueOf<typeof StateView>
