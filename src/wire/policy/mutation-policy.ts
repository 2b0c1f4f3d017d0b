import { artifact, flag, literal, optional, positive, record, word } from '../shape.ts'

const kind = 'premath.mutation_policy.v1'

const mode = record({
  mode: word(['open', 'operator', 'instruction-linked', 'human-override']),
})

/** `.premath/policy.json`: who may change issue memory by which way. */
export const MutationPolicy = artifact(
  kind,
  'Who may change issue memory by which way.',
  record({
    schema: literal(1),
    policyKind: optional(literal(kind)),
    harness: optional(
      record({
        requireAgentEvidence: optional(
          flag,
          'Whether a step needs turns that its work left, beside its own.',
        ),
      }),
    ),
    ids: optional(word(['counted', 'hash']), 'How new issues are named.'),
    witnessTtlSeconds: optional(
      positive,
      'How old the witness of an instruction, or of a turn, may be; 3600 when absent.',
    ),
    surfaces: record({ cli: mode, mcp: optional(mode), work: optional(mode) }),
  }),
)
