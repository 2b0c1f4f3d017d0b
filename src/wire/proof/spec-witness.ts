import { z } from 'zod'
import { Digest, NonEmpty } from '../primitives.ts'

const Count = z.int().nonnegative()
const Status = z.enum(['pass', 'fail', 'skip'])

export const TreeDigestText = z
  .string()
  .regex(/^tree1_[0-9a-f]{64}$/)
  .describe('What was in the project’s folder.')

/** That these specs had these verdicts on this tree. */
export const SpecWitness = z
  .strictObject({
    schema: z.literal(1),
    witnessKind: z.literal('premath.spec.witness.v1'),
    runner: z.strictObject({ name: z.literal('premath'), version: NonEmpty }),
    result: z.enum(['accepted', 'rejected']),
    treeDigest: TreeDigestText,
    head: z.string().nullable().describe('The commit; no part of the witness’s digest.'),
    total: Count,
    passed: Count,
    failed: Count,
    skipped: Count,
    notRun: Count,
    documents: z.array(
      z.strictObject({
        path: NonEmpty.describe('From the project’s folder.'),
        sha256: Digest,
        cases: Count.describe('Cases in it that can be run.'),
        whole: z.boolean().describe('Whether each of them has a verdict here.'),
        readable: z.boolean().describe('Whether all of it could be read.'),
      }),
    ),
    cases: z.array(
      z.strictObject({
        id: NonEmpty,
        document: NonEmpty,
        status: Status,
        category: z.enum(['schema', 'assertion', 'runtime']).nullable(),
        assertions: Count,
      }),
    ),
  })
  .meta({
    title: 'premath.spec.witness.v1',
    description: 'That these specs had these verdicts on this tree.',
  })

export type SpecWitness = z.infer<typeof SpecWitness>
