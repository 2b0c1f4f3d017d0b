import { z } from 'zod'

const kind = 'premath.mutation_policy.v1'

const mode = z.strictObject({
  mode: z.enum(['open', 'operator', 'instruction-linked', 'human-override']),
})

/** `.premath/policy.json`: who may change issue memory by which way. */
export const MutationPolicy = z
  .strictObject({
    schema: z.literal(1),
    policyKind: z.literal(kind).optional(),
    harness: z
      .strictObject({
        requireAgentEvidence: z
          .boolean()
          .optional()
          .describe('Whether a step needs turns that its work left, beside its own.'),
      })
      .optional(),
    ids: z.enum(['counted', 'hash']).optional().describe('How new issues are named.'),
    witnessTtlSeconds: z
      .int()
      .positive()
      .optional()
      .describe('How old the witness of an instruction, or of a turn, may be; 3600 when absent.'),
    surfaces: z.strictObject({ cli: mode, mcp: mode.optional(), work: mode.optional() }),
  })
  .meta({ title: kind, description: 'Who may change issue memory by which way.' })
