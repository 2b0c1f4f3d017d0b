/** The answers of the commands about witnesses, proofs and trusted keys. */
import { Digest } from '../primitives.ts'
import { Envelope } from '../proof/attestation.ts'
import { ProofBundle, ProofChain } from '../proof/proof-chain.ts'
import { trustRoles } from '../proof/trust.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  about,
  amount,
  count,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  record,
  text,
  union,
  whole,
  word,
} from '../shape.ts'
import { counts } from './issue-parts.ts'

const Finding = record({
  failureClass: text,
  at: about(text, 'The file or the issue.'),
  message: text,
})

const verdictResult = word(['accepted', 'rejected', 'broken'])

const actor = { actor: word(['terminal', 'script']), uid: whole } as const

const verdictMembers = {
  kind: text,
  name: text,
  digest: nullable(text),
  issueId: nullable(text),
  treeDigest: nullable(text),
  path: text,
  result: verdictResult,
  findings: list(Finding),
  others: optional(list(text), 'Files of other closes in the folder of the proof.'),
  beside: optional(
    list(record({ name: text, result: verdictResult, findings: list(Finding) })),
    'Flaws of other files in the folder of the proof.',
  ),
  closedBy: optional(ProofChain.members.closedBy),
  signatures: optional(
    list(
      record({
        link: text,
        file: text,
        signedBy: nullable(record({ role: word(trustRoles), keyId: text })),
      }),
    ),
    'Who signed each link and the close, if keys are trusted.',
  ),
  confirmedBy: optional(record(actor), 'Who confirmed the signature of an attestation.'),
} as const

export const verdictsMembers = {
  result: verdictResult,
  count,
  failureClasses: list(text),
  items: list(record(verdictMembers)),
} as const

export const WitnessVerifyAnswer = record({
  action: literal('witness.verify'),
  ...verdictsMembers,
  reruns: optional(
    list(
      record({
        issueId: text,
        result: word(['reproduced', 'failed', 'not_rerunnable']),
        why: nullable(text),
        commit: nullable(text),
        base: nullable(text),
        commands: list(
          record({
            role: word(['startup', 'verify', 'specs']),
            command: text,
            exitCode: nullable(whole),
            durationMs: amount,
          }),
        ),
        sandbox: SandboxMode,
        lastLines: list(text),
        notes: list(text),
        signedBy: optional(text, 'The id of the key that signed it.'),
        envelope: optional(nullable(Envelope)),
      }),
    ),
    'With --rerun.',
  ),
})

export const WitnessShowAnswer = record({
  action: literal('witness.show'),
  ...verdictMembers,
  failureClasses: list(text),
  document: nullable(openRecord({}), 'The witness, or the chain of the proof, as it is written.'),
})

export const WitnessListAnswer = record({
  action: literal('witness.list'),
  ...counts,
  items: list(
    record({
      kind: text,
      digest: nullable(text),
      result: word(['accepted', 'rejected', 'forced', 'superseded', 'broken']),
      issueIds: list(text),
      treeDigest: nullable(text),
      path: text,
      ageMs: whole,
    }),
  ),
})

/** Without --output it prints the bundle, or the statements one by one. */
export const WitnessExportAnswer = union([
  record({
    action: literal('witness.export'),
    issueId: text,
    format: word(['bundle', 'attestation']),
    chainDigest: Digest,
    outputPath: text,
  }),
  record({
    action: literal('witness.export'),
    issueId: text,
    result: literal('declined'),
    isSigned: literal(false),
  }),
  ProofBundle,
  Envelope,
])

export const WitnessKeygenAnswer = record({
  action: literal('witness.keygen'),
  keyId: text,
  keyPath: text,
  publicKeyPath: text,
})

const key = { keyId: text, role: word(trustRoles) } as const

export const TrustAddAnswer = record({
  action: literal('trust.add'),
  ...key,
  result: text,
  path: text,
})

export const TrustRemoveAnswer = record({ action: literal('trust.remove'), ...key, path: text })

export const TrustListAnswer = record({
  action: literal('trust.list'),
  count,
  keys: list(record(key)),
})
