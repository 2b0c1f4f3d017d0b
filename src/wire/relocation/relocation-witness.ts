import { z } from 'zod'
import { Digest, NonEmpty } from '../primitives.ts'
import { TreeDigestText } from '../proof/spec-witness.ts'

const kind = 'premath.relocation.witness.v1'

const Verification = z.strictObject({
  commandDigest: Digest,
  exitCode: z.int().nonnegative().nullable().describe('null where a signal ended it.'),
  outputDigest: Digest,
})

/** `artifacts/ciwitness/relocation/<digest>.json`: a verdict of the location that work came to. */
export const RelocationWitness = z
  .strictObject({
    schema: z.literal(1),
    witnessKind: z.literal(kind),
    result: z.enum(['accepted', 'rejected']),
    failureClasses: z.array(NonEmpty),
    checked: z
      .array(z.enum(['inputs', 'issue', 'policy', 'tree', 'verification']))
      .describe('What was looked at; nothing is run where the rest says no.'),
    relocationDigest: Digest.describe('Of the inputs as they arrived.'),
    destination: NonEmpty,
    issueId: NonEmpty,
    stepId: NonEmpty,
    treeDigest: TreeDigestText,
    mutationPolicyDigest: Digest,
    verifications: z.array(Verification),
    head: z.string().nullable().describe('The commit; no part of the witness’s digest.'),
  })
  .meta({ title: kind, description: 'That work which came from elsewhere was checked here.' })

export type RelocationWitness = z.infer<typeof RelocationWitness>

const checkKind = 'premath.harness.relocation_check.v1'

/** What `premath harness-relocation check` prints, and the second line that a transport leaves. */
export const RelocationCheck = z
  .strictObject({
    action: z.literal('harness-relocation.check'),
    checkKind: z.literal(checkKind),
    failureClasses: z.array(NonEmpty),
    findings: z.array(
      z.strictObject({ failureClass: NonEmpty, message: NonEmpty, remedy: NonEmpty }),
    ),
    result: z.enum(['accepted', 'rejected']),
    witness: RelocationWitness,
    witnessRef: NonEmpty.describe('Named by the digest of the witness.'),
  })
  .meta({ title: checkKind, description: 'Whether work that came from elsewhere may count here.' })

export type RelocationCheck = z.infer<typeof RelocationCheck>
