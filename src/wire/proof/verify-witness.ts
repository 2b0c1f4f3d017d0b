import { z } from 'zod'
import { Digest, NonEmpty } from '../primitives.ts'
import { TreeDigestText } from './spec-witness.ts'

/** That a command which says whether an issue is done had this end, and left this tree. */
export const VerifyWitness = z
  .strictObject({
    schema: z.literal(1),
    witnessKind: z.literal('premath.verify.witness.v1'),
    issueId: NonEmpty,
    result: z.enum(['accepted', 'rejected']),
    commandDigest: Digest,
    exitCode: z.int().nullable(),
    outputDigest: Digest,
    treeDigest: TreeDigestText,
    stepId: NonEmpty.optional().describe('The step that ran it.'),
  })
  .meta({
    title: 'premath.verify.witness.v1',
    description: 'That a command which says whether an issue is done passed on this tree.',
  })

export type VerifyWitness = z.infer<typeof VerifyWitness>
