import { z } from 'zod'
import { Digest, NonEmpty, Refs } from '../primitives.ts'
import { TreeDigestText } from '../proof/spec-witness.ts'

const kind = 'premath.harness.relocation.v1'

/** `artifacts/relocations/<digest>.json`: the same bytes for the same step. */
export const Relocation = z
  .strictObject({
    schema: z.literal(1),
    relocationKind: z.literal(kind),
    destination: NonEmpty.describe('The location, as a turn named it.'),
    issueId: NonEmpty,
    issueDigest: Digest.describe('What the issue asks for, whoever holds it.'),
    stepId: NonEmpty,
    fence: z.int().nonnegative(),
    lineageRefs: Refs,
    treeDigest: TreeDigestText,
    mutationPolicyDigest: Digest,
    turnDigests: z.array(Digest).describe('The verdicts on the turns that the work left.'),
  })
  .meta({ title: kind, description: 'What a step hands over to another location.' })

export type Relocation = z.infer<typeof Relocation>

const outcomeKind = 'premath.harness.transport_outcome.v1'

/** The first line that a transport leaves. */
export const TransportOutcome = z
  .looseObject({
    schema: z.literal(1),
    outcomeKind: z.literal(outcomeKind),
    relocationDigest: Digest.describe('Of what was handed over; the name of its file.'),
    result: z.enum(['delivered', 'failed']),
  })
  .meta({ title: outcomeKind, description: 'Whether the inputs arrived where they were to go.' })
