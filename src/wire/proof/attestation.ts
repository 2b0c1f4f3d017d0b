import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  map,
  matching,
  openRecord,
  optional,
  record,
  text,
  type ValueOf,
  variant,
  whole,
  word,
} from '../shape.ts'

const kind = 'premath.attestation.statement.v1'

const DigestSet = map(matching('^[0-9a-f]+$'))
const Resource = openRecord({
  name: optional(text),
  uri: optional(text),
  digest: optional(DigestSet),
})

const Closing = openRecord({
  by: word(['specs', 'verification', 'force']),
  documents: optional(list(record({ path: NonEmpty, sha256: Digest })), 'The specs that passed.'),
  commands: optional(list(text), 'Digests of the commands that passed.'),
})

const Confirmed = record({ actor: word(['terminal', 'script']), uid: whole })

const Subject = openRecord({
  name: NonEmpty,
  digest: DigestSet,
  annotations: optional(
    openRecord({ confirmedBy: optional(Confirmed) }),
    'How somebody confirmed the signature, and the real user id of that process.',
  ),
})

const statement = {
  _type: literal('https://in-toto.io/Statement/v1'),
  subject: list(Subject, { least: 1 }),
}

const testResultType = 'https://in-toto.io/attestation/test-result/v0.1'
export const summaryType = 'https://slsa.dev/verification_summary/v1'

const TestResult = openRecord({
  ...statement,
  predicateType: literal(testResultType),
  predicate: openRecord({
    result: word(['PASSED', 'WARNED', 'FAILED']),
    configuration: list(Resource),
    passedTests: optional(list(text)),
    warnedTests: optional(list(text)),
    failedTests: optional(list(text)),
  }),
})

const Summary = openRecord({
  ...statement,
  predicateType: literal(summaryType),
  predicate: openRecord({
    verifier: openRecord({ id: NonEmpty, version: optional(map(text)) }),
    timeVerified: Timestamp,
    resourceUri: NonEmpty,
    policy: openRecord({
      ...Resource.members,
      uri: about(NonEmpty, 'How the issue was closed, as a data URI. The digest is of its bytes.'),
      digest: DigestSet,
      annotations: optional(Closing, 'The same in statements of earlier versions.'),
    }),
    inputAttestations: optional(list(Resource)),
    verificationResult: word(['PASSED', 'FAILED']),
    verifiedLevels: list(NonEmpty),
    slsaVersion: optional(NonEmpty),
  }),
})

/** The payload of each envelope that `premath witness export --attest` writes. */
export const Statement = artifact(
  kind,
  'An in-toto statement: which tests passed on a tree, or that an issue was verified.',
  variant('predicateType', [TestResult, Summary]),
)

export type Statement = ValueOf<typeof Statement>

/** One line of an attestation. */
export const Envelope = record({
  payloadType: literal('application/vnd.in-toto+json'),
  payload: NonEmpty,
  signatures: list(openRecord({ keyid: optional(text), sig: NonEmpty }), { least: 1 }),
})
