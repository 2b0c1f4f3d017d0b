import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'
import { Proposal } from './proposal.ts'

const kind = 'premath.instruction.v1'

export const ScopeMutation = z.strictObject({
  action: z.string().regex(/^[a-z]+(_[a-z]+)*$/),
  issueId: NonEmpty.optional().describe('Absent where the change finds or makes its issue itself.'),
})

const scope = z
  .union([
    z.looseObject({
      mutations: z
        .array(ScopeMutation)
        .max(1_000)
        .optional()
        .describe('What may change in issue memory, each entry once.'),
    }),
    z.array(z.unknown()),
    z.string().min(1),
    z.number(),
    z.boolean(),
  ])
  .describe('What the instruction is about.')

/** `<time>-<id>.json`, written by whoever instructs an agent. */
export const Instruction = z
  .looseObject({
    schema: z.int().positive(),
    intent: NonEmpty.describe('Without blanks around it.'),
    normalizerId: NonEmpty.describe('Without blanks around it.'),
    policyDigest: NonEmpty.describe('Of a policy in policies/instruction/.'),
    scope,
    requestedChecks: z.array(NonEmpty).min(1),
    instructionType: NonEmpty.optional(),
    typingPolicy: z.looseObject({ allowUnknown: z.boolean().optional() }).optional(),
    capabilityClaims: z.array(NonEmpty).optional(),
    proposal: Proposal.optional(),
    llmProposal: Proposal.optional().describe('Another name of proposal; one of both.'),
  })
  .meta({ title: kind, description: 'What an agent is to do, and which checks judge it.' })
