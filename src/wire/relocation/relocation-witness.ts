import { Digest, NonEmpty } from '../primitives.ts'
import { TreeDigestText } from '../proof/spec-witness.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  nullable,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.relocation.witness.v1'

const Verification = record({
  commandDigest: Digest,
  exitCode: nullable(count, 'null where a signal ended it.'),
  outputDigest: Digest,
})

/** `artifacts/ciwitness/relocation/<digest>.json`: a verdict of the location that work came to. */
export const RelocationWitness = artifact(
  kind,
  'That work which came from elsewhere was checked here.',
  record({
    schema: literal(1),
    witnessKind: literal(kind),
    result: word(['accepted', 'rejected']),
    failureClasses: list(NonEmpty),
    checked: about(
      list(word(['inputs', 'issue', 'policy', 'tree', 'verification'])),
      'What was looked at; nothing is run where the rest says no.',
    ),
    relocationDigest: about(Digest, 'Of the inputs as they arrived.'),
    destination: NonEmpty,
    issueId: NonEmpty,
    stepId: NonEmpty,
    treeDigest: TreeDigestText,
    mutationPolicyDigest: Digest,
    verifications: list(Verification),
    head: nullable(text, 'The commit; no part of the witness’s digest.'),
  }),
)

export type RelocationWitness = ValueOf<typeof RelocationWitness>

const checkKind = 'premath.harness.relocation_check.v1'

/** What `premath harness-relocation check` prints, and the second line that a transport leaves. */
export const RelocationCheck = artifact(
  checkKind,
  'Whether work that came from elsewhere may count here.',
  record({
    action: literal('harness-relocation.check'),
    checkKind: literal(checkKind),
    failureClasses: list(NonEmpty),
    findings: list(record({ failureClass: NonEmpty, message: NonEmpty, remedy: NonEmpty })),
    result: word(['accepted', 'rejected']),
    witness: RelocationWitness,
    witnessRef: about(NonEmpty, 'Named by the digest of the witness.'),
  }),
)

export type RelocationCheck = ValueOf<typeof RelocationCheck>
