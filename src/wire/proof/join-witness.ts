import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  flag,
  list,
  literal,
  nullable,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'
import { Digests } from '../turn/normalized-turn.ts'

const kind = 'premath.harness.join_witness.v1'

/** `artifacts/ciwitness/join/<digest>.json`: a judged turn. */
export const TurnWitness = artifact(
  kind,
  'A turn, what it was judged by, and the verdict.',
  record({
    schema: literal(1),
    witnessKind: literal(kind),
    judgedAt: Timestamp,
    instructionId: nullable(NonEmpty, 'The instruction that it is carried out under.'),
    issueId: nullable(NonEmpty),
    action: nullable(NonEmpty, 'The change that the turn asks for.'),
    callId: nullable(text),
    mutationPolicyDigest: nullable(text),
    result: word(['accepted', 'rejected']),
    joinClosed: flag,
    mutationReady: flag,
    failureClasses: list(NonEmpty),
    digests: Digests,
    verdictDigest: Digest,
    evidence: about(any, 'What was judged; null where nothing may be kept.'),
  }),
)
export type TurnWitness = ValueOf<typeof TurnWitness>
