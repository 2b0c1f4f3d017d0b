import { NonEmpty } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  flag,
  list,
  matching,
  number,
  openRecord,
  optional,
  positive,
  record,
  union,
} from '../shape.ts'
import { Proposal } from './proposal.ts'

const kind = 'premath.instruction.v1'

const ScopeMutation = record({
  action: matching('^[a-z]+(_[a-z]+)*$'),
  issueId: optional(NonEmpty, 'Absent where the change finds or makes its issue itself.'),
  standing: optional(flag, 'May be used many times; for claim, renew, release and comment.'),
})

const scope = about(
  union([
    openRecord({
      mutations: optional(
        list(ScopeMutation, { most: 1_000 }),
        'What may change in issue memory, each entry once unless it is standing.',
      ),
    }),
    list(any),
    { is: 'text', leastChars: 1 },
    number,
    flag,
  ]),
  'What the instruction is about.',
)

/** `<time>-<id>.json`, written by whoever instructs an agent. */
export const Instruction = artifact(
  kind,
  'What an agent is to do, and which checks judge it.',
  openRecord({
    schema: positive,
    intent: about(NonEmpty, 'Without blanks around it.'),
    normalizerId: about(NonEmpty, 'Without blanks around it.'),
    policyDigest: about(NonEmpty, 'Of a policy in policies/instruction/.'),
    scope,
    requestedChecks: list(NonEmpty, { least: 1 }),
    instructionType: optional(NonEmpty),
    typingPolicy: optional(openRecord({ allowUnknown: optional(flag) })),
    capabilityClaims: optional(list(NonEmpty)),
    proposal: optional(Proposal),
    llmProposal: optional(Proposal, 'Another name of proposal; one of both.'),
  }),
)
