import { Digest, NonEmpty, PolicyDigest } from '../primitives.ts'
import {
  about,
  artifact,
  flag,
  list,
  literal,
  nullable,
  optional,
  record,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

const kind = 'premath.run_instruction.v1'

/** `artifacts/ciwitness/run-<digest>.json`, written by the harness when a person starts a run. */
export const RunInstruction = artifact(
  kind,
  'The instruction that a run is for its steps: what works, and what verifies it.',
  record({
    schema: literal(1),
    instructionKind: literal(kind),
    startedBy: record({
      actor: about(
        word(['terminal', 'script']),
        'Whether the run started at a terminal, or by a script that the policy lets override.',
      ),
      uid: about(whole, 'The real user id of the process.'),
    }),
    mutationPolicyDigest: about(Digest, 'Of the policy that demanded an instruction.'),
    workCommand: nullable(NonEmpty, 'From flags or configuration.'),
    verifyCommand: nullable(NonEmpty, 'From flags or configuration; null where specs verify.'),
    verifySpecs: list(NonEmpty),
    verifyRequired: optional(flag, 'True if required checks verify the work too.'),
    instructionPolicies: about(list(PolicyDigest), 'Of all policies in policies/instruction/.'),
    requiredChecks: about(
      list(record({ checkId: NonEmpty, commandDigest: Digest })),
      'The checks that these policies require. They run in every verification.',
    ),
  }),
)
export type RunInstruction = ValueOf<typeof RunInstruction>
