import { ObservabilityMode } from '../harness/payload.ts'
import {
  artifact,
  flag,
  literal,
  optional,
  orElse,
  positive,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

export const mutationPolicyKind = 'premath.mutation_policy.v1'

/**
 * Who may change issue memory on a surface: everybody; a person at a terminal or with a reason; an
 * agent under an instruction; a person with a reason.
 */
const Mode = word(['open', 'operator', 'instruction-linked', 'human-override'])
export type MutationMode = ValueOf<typeof Mode>

const surface = record({ mode: Mode })
/** A policy that does not name a surface may have meant to close it. */
const closedSurface = orElse(surface, { mode: 'instruction-linked' })

/** One month. */
const ttlSecondsMax = 31 * 24 * 3600

const reminderLinesMax = 10_000

/** `.premath/policy.json`: who may change issue memory by which way. */
export const MutationPolicy = artifact(
  mutationPolicyKind,
  'Who may change issue memory by which way.',
  record({
    schema: literal(1),
    policyKind: optional(literal(mutationPolicyKind)),
    harness: optional(
      record({
        requireAgentEvidence: optional(
          flag,
          'Whether a step needs turns that its work left, beside its own.',
        ),
        observabilityMode: optional(
          ObservabilityMode,
          'Where outputs, turns and issue texts of steps go: shown and kept, to the setting processorCommand only, or nowhere; dashboard when absent.',
        ),
        reminderLines: optional(
          { ...positive, most: reminderLinesMax },
          'How many lines of feedback, attention and handoff the turn of a step records; 200 when absent.',
        ),
      }),
    ),
    override: optional(
      word(['terminal', 'script']),
      'Whether a script may close by force, set policies and allowances, and sign; only somebody at a terminal when absent. It is read from the commit of the target branch.',
    ),
    ids: orElse(word(['counted', 'hash']), 'counted', 'How new issues are named.'),
    witnessTtlSeconds: orElse(
      { ...positive, most: ttlSecondsMax },
      3600,
      'How old the witness of an instruction, or of a turn, may be; 3600 when absent.',
    ),
    /** The command line, what agents speak, and the command line for the work of a step. */
    surfaces: record({ cli: surface, mcp: closedSurface, work: closedSurface }),
  }),
)
export type MutationPolicy = ValueOf<typeof MutationPolicy>
