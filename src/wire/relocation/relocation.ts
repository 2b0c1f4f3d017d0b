import { Digest, NonEmpty, Refs } from '../primitives.ts'
import { TreeDigestText } from '../proof/spec-witness.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  openRecord,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.harness.relocation.v1'

/** `artifacts/relocations/<digest>.json`: the same bytes for the same step. */
export const Relocation = artifact(
  kind,
  'What a step hands over to another location.',
  record({
    schema: literal(1),
    relocationKind: literal(kind),
    destination: about(NonEmpty, 'The location, as a turn named it.'),
    issueId: NonEmpty,
    issueDigest: about(Digest, 'What the issue asks for, whoever holds it.'),
    stepId: NonEmpty,
    fence: count,
    lineageRefs: Refs,
    treeDigest: TreeDigestText,
    mutationPolicyDigest: Digest,
    turnDigests: about(list(Digest), 'The verdicts on the turns that the work left.'),
  }),
)

export type Relocation = ValueOf<typeof Relocation>

const outcomeKind = 'premath.harness.transport_outcome.v1'

/** The first line that a transport leaves. */
export const TransportOutcome = artifact(
  outcomeKind,
  'Whether the inputs arrived where they were to go.',
  openRecord({
    schema: literal(1),
    outcomeKind: literal(outcomeKind),
    relocationDigest: about(Digest, 'Of what was handed over; the name of its file.'),
    result: word(['delivered', 'failed']),
  }),
)
