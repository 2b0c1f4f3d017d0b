import { NonEmpty, PolicyDigest } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  openRecord,
  optional,
  positive,
  type ValueOf,
} from '../shape.ts'

export const decompositionPolicyKind = 'ci.harness.decomposition.policy.v1'

/** `policies/control/harness-decomposition-policy-v1.json`. */
export const DecompositionPolicy = artifact(
  decompositionPolicyKind,
  'How work may be split among workers.',
  openRecord({
    schema: literal(1),
    policyKind: literal(decompositionPolicyKind),
    policyId: NonEmpty,
    patterns: optional(list(NonEmpty), 'Execution patterns that may split work; without it, any.'),
    maxFanOut: about(positive, 'How many workers may run at once.'),
    policyDigest: about(
      PolicyDigest,
      'pol1_ and the SHA-256 of the canonical document without this member.',
    ),
  }),
)
export type DecompositionPolicy = ValueOf<typeof DecompositionPolicy>
