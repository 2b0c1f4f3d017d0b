import { Digest, GitId, NonEmpty, Timestamp } from '../primitives.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  about,
  artifact,
  list,
  literal,
  map,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { TreeDigestText } from './spec-witness.ts'

const kind = 'premath.proof.chain.v1'
const bundleKind = 'premath.proof.bundle.v1'

const link = record({
  kind: word(['instruction', 'join', 'spec', 'verify']),
  digest: about(Digest, 'What the witness goes by.'),
  file: about(NonEmpty, 'The name of its copy in the bundle.'),
  sha256: about(Digest, 'Of the bytes of the copy.'),
})

/** A commit on its target branch. */
export const LandedCommit = record({
  commit: GitId,
  tree: about(GitId, 'The id that git gives to the tree of the commit.'),
  target: about(NonEmpty, 'The branch.'),
})
export type LandedCommit = ValueOf<typeof LandedCommit>

/** `chain-<digest>.json` in its bundle. */
export const ProofChain = artifact(
  kind,
  'Why an issue is closed, from its claim to its close.',
  record({
    schema: literal(1),
    chainKind: literal(kind),
    issueId: NonEmpty,
    claim: nullable(
      record({ leaseId: NonEmpty, fence: whole, worker: NonEmpty }),
      'Whoever held the issue; null where nobody did.',
    ),
    links: about(
      list(link, { most: 1000 }),
      'From the instruction and the turn to what verified the work.',
    ),
    closedBy: record({
      by: word(['specs', 'verification', 'force']),
      reason: optional(NonEmpty, 'Why a person did without proof.'),
      actor: optional(
        word(['terminal', 'script']),
        'How a close by force was confirmed; absent in chains of earlier versions.',
      ),
      uid: optional(whole, 'The real user id of the process that confirmed it.'),
    }),
    documents: about(
      list(record({ path: NonEmpty, sha256: Digest })),
      'The specs that had to pass, each with the digest of its text.',
    ),
    treeDigest: nullable(TreeDigestText),
    head: nullable(text, 'The commit, where it is known.'),
    closedAt: Timestamp,
    landed: optional(
      LandedCommit,
      'The commit that put the work on its target branch; absent where none did.',
    ),
    sandbox: optional(SandboxMode, 'The sandbox in which the work was verified.'),
    chainDigest: about(Digest, 'Of the canonical document without this member.'),
  }),
)

export type ProofChain = ValueOf<typeof ProofChain>
export type ProofLink = ValueOf<typeof link>

/** `.premath/proofs/<issue>/proof-<digest>.json`, and what `premath witness export` writes. */
export const ProofBundle = artifact(
  bundleKind,
  'The proof of a closed issue in one document.',
  record({
    schema: literal(1),
    bundleKind: literal(bundleKind),
    issueId: NonEmpty,
    chainDigest: Digest,
    files: about(map(text), 'Every file of the proof, by name.'),
  }),
)

export type ProofBundle = ValueOf<typeof ProofBundle>
