import { z } from 'zod'
import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import { Digests } from '../turn/normalized-turn.ts'

const kind = 'premath.harness.join_witness.v1'

/** `artifacts/ciwitness/join/<digest>.json`: a judged turn. */
export const TurnWitness = z
  .strictObject({
    schema: z.literal(1),
    witnessKind: z.literal(kind),
    judgedAt: Timestamp,
    instructionId: NonEmpty.nullable().describe('The instruction that it is carried out under.'),
    issueId: NonEmpty.nullable(),
    action: NonEmpty.nullable().describe('The change that the turn asks for.'),
    callId: z.string().nullable(),
    mutationPolicyDigest: z.string().nullable(),
    result: z.enum(['accepted', 'rejected']),
    joinClosed: z.boolean(),
    mutationReady: z.boolean(),
    failureClasses: z.array(NonEmpty),
    digests: Digests,
    verdictDigest: Digest,
    evidence: z.unknown().describe('What was judged; null where nothing may be kept.'),
  })
  .meta({ title: kind, description: 'A turn, what it was judged by, and the verdict.' })
