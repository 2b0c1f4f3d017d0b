import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  literal,
  nullable,
  openRecord,
  optional,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { GovernancePromotion } from './governance-promotion.ts'

export const policyEntryKind = 'premath.policy_entry.v1'

/** One line of `.premath/policy-log.jsonl`. */
export const PolicyEntry = artifact(
  policyEntryKind,
  'What was put in force, by whom and on what evidence.',
  openRecord({
    schema: literal(1),
    entryKind: literal(policyEntryKind),
    at: Timestamp,
    operator: about(NonEmpty, 'terminal or script; a name in lines of earlier versions.'),
    uid: optional(whole, 'The real user id of the process that put it in force.'),
    reason: NonEmpty,
    what: word(['policy', 'checks', 'instruction']),
    digest: about(Digest, 'Of what the document says.'),
    document: about(
      openRecord({}),
      'The policy, the checks or the instruction, as it was put in force.',
    ),
    promotion: optional(
      openRecord({ digest: Digest, evidence: GovernancePromotion }),
      'The evidence, where governance was claimed.',
    ),
    previous: nullable(Digest, 'The entryDigest of the line before; null in the first.'),
    entryDigest: about(Digest, 'Of all that the line says, but for itself, as canonical JSON.'),
  }),
)
export type PolicyEntry = ValueOf<typeof PolicyEntry>
