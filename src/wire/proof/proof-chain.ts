import { z } from 'zod'
import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import { TreeDigestText } from './spec-witness.ts'

const kind = 'premath.proof.chain.v1'
const bundleKind = 'premath.proof.bundle.v1'

const link = z.strictObject({
  kind: z.enum(['instruction', 'join', 'spec', 'verify']),
  digest: Digest.describe('What the witness goes by.'),
  file: NonEmpty.describe('Its copy, beside this file.'),
  sha256: Digest.describe('Of the bytes of the copy.'),
})

/** `.premath/proofs/<issue>/chain-<digest>.json`. */
export const ProofChain = z
  .strictObject({
    schema: z.literal(1),
    chainKind: z.literal(kind),
    issueId: NonEmpty,
    claim: z
      .strictObject({ leaseId: NonEmpty, fence: z.int(), worker: NonEmpty })
      .nullable()
      .describe('Whoever held the issue; null where nobody did.'),
    links: z
      .array(link)
      .max(1000)
      .describe('From the instruction and the turn to what verified the work.'),
    closedBy: z.strictObject({
      by: z.enum(['specs', 'verification', 'force']),
      reason: NonEmpty.optional().describe('Why a person did without proof.'),
    }),
    documents: z
      .array(z.strictObject({ path: NonEmpty, sha256: Digest }))
      .describe('The specs that had to pass, and what they said.'),
    treeDigest: TreeDigestText.nullable(),
    head: z.string().nullable().describe('The commit, where it is known.'),
    closedAt: Timestamp,
    chainDigest: Digest.describe('Of the canonical document without this member.'),
  })
  .meta({ title: kind, description: 'Why an issue is closed, from its claim to its close.' })

export type ProofChain = z.infer<typeof ProofChain>
export type ProofLink = z.infer<typeof link>

/** What `premath witness export` writes. */
export const ProofBundle = z
  .strictObject({
    schema: z.literal(1),
    bundleKind: z.literal(bundleKind),
    issueId: NonEmpty,
    chainDigest: Digest,
    files: z.record(NonEmpty, z.string()).describe('Every file of the proof, by name.'),
  })
  .meta({ title: bundleKind, description: 'The proof of a closed issue in one document.' })

export type ProofBundle = z.infer<typeof ProofBundle>
