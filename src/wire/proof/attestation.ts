import { z } from 'zod'
import { NonEmpty, Timestamp } from '../primitives.ts'

const kind = 'premath.attestation.statement.v1'

const DigestSet = z.record(NonEmpty, z.string().regex(/^[0-9a-f]+$/))
const Resource = z.looseObject({
  name: z.string().optional(),
  uri: z.string().optional(),
  digest: DigestSet.optional(),
})

const statement = {
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(z.looseObject({ name: NonEmpty, digest: DigestSet })).min(1),
}

export const testResultType = 'https://in-toto.io/attestation/test-result/v0.1'
export const summaryType = 'https://slsa.dev/verification_summary/v1'

const TestResult = z.looseObject({
  ...statement,
  predicateType: z.literal(testResultType),
  predicate: z.looseObject({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z.array(Resource),
    passedTests: z.array(z.string()).optional(),
    warnedTests: z.array(z.string()).optional(),
    failedTests: z.array(z.string()).optional(),
  }),
})

const Summary = z.looseObject({
  ...statement,
  predicateType: z.literal(summaryType),
  predicate: z.looseObject({
    verifier: z.looseObject({ id: NonEmpty }),
    timeVerified: Timestamp,
    resourceUri: NonEmpty,
    policy: Resource.extend({ uri: NonEmpty, digest: DigestSet }),
    inputAttestations: z.array(Resource).optional(),
    verificationResult: z.enum(['PASSED', 'FAILED']),
    verifiedLevels: z.array(NonEmpty),
    slsaVersion: NonEmpty.optional(),
  }),
})

/** The payload of each envelope that `premath witness export --attest` writes. */
export const Statement = z.discriminatedUnion('predicateType', [TestResult, Summary]).meta({
  title: kind,
  description: 'An in-toto statement: which tests passed on a tree, or that an issue was verified.',
})

export type Statement = z.infer<typeof Statement>

/** One line of an attestation. */
export const Envelope = z.strictObject({
  payloadType: z.literal('application/vnd.in-toto+json'),
  payload: NonEmpty,
  signatures: z.array(z.looseObject({ keyid: z.string().optional(), sig: NonEmpty })).min(1),
})
