/** Exports the proof of an issue as in-toto statements, which tools of others can read. */
import type { Statement } from '../../wire/proof/attestation.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import type { OverrideActor } from '../authority/override-actor.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json } from '../json.ts'
import { base64 } from '../text/base64.ts'
import type { ProofPart } from './proof-chain.ts'
import { bundleFileOf } from './proof-folder.ts'

interface AttestedBy {
  /** RFC 3339. */
  readonly verifiedAt: string
  /** The name of the issue's proof folder, which is valid in a URI where the id may not be. */
  readonly folder: string
  /** The bundle of the proof, as `premath witness export` writes it. */
  readonly bundle: string
  readonly confirmedBy: OverrideActor
}

/** The algorithm name of tree digests, because they are not the SHA-256 of a file. */
export const treeAlgorithm = 'premathTree1'

const policyStart = 'data:application/json;base64,'

/** A test result per witness, then a summary; empty for an issue that was closed by force. */
export function statementsOf(
  chain: ProofChain,
  parts: readonly ProofPart[],
  by: AttestedBy,
  sha256: Sha256,
): readonly Statement[] {
  const { treeDigest } = chain
  if (treeDigest === null) return []
  const head = {
    _type: 'https://in-toto.io/Statement/v1' as const,
    subject: confirmed([...commitSubjects(chain), treeSubject(treeDigest)], by.confirmedBy),
  }
  const verified = parts.filter(({ kind }) => kind === 'spec' || kind === 'verify')
  return [
    ...verified.map(
      (part): Statement => ({
        ...head,
        predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
        predicate: part.kind === 'spec' ? specResult(part, chain) : verifyResult(part, chain),
      }),
    ),
    {
      ...head,
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: summaryOf(chain, policyOf(chain, verified, sha256), by, sha256),
    },
  ]
}

const treeSubject = (treeDigest: string) => ({
  name: treeDigest,
  digest: { [treeAlgorithm]: treeDigest.slice('tree1_'.length) },
})

/** The commit that landed, and its tree, which tools that know git can look up. */
const commitSubjects = ({ landed }: ProofChain) =>
  landed === undefined
    ? []
    : [
        { name: landed.commit, digest: { gitCommit: landed.commit } },
        { name: landed.tree, digest: { gitTree: landed.tree } },
      ]

/** A statement has room for it in its subjects only: the predicates are those of others. */
const confirmed = (
  [first, ...others]: readonly Statement['subject'][number][],
  { actor, uid }: OverrideActor,
): Statement['subject'] =>
  first ? [{ ...first, annotations: { confirmedBy: { actor, uid } } }, ...others] : []

const rowsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const hexOf = (digest: Json | undefined) => String(digest).slice('sha256:'.length)

/** Covers only the documents that the issue names. The run may have included others. */
function specResult({ value }: ProofPart, { documents }: ProofChain) {
  const isAsked = (given: Json | undefined) => documents.some(({ path }) => path === given)
  const asked = rowsIn(value['documents']).filter(({ path }) => isAsked(path))
  const cases = rowsIn(value['cases']).filter(({ document }) => isAsked(document))
  const passed = cases.filter(({ status }) => status === 'pass')
  return {
    result: 'PASSED' as const,
    configuration: asked.map(({ path, sha256 }) => ({
      name: String(path),
      digest: { sha256: hexOf(sha256) },
    })),
    passedTests: passed.map(({ id }) => String(id)),
    warnedTests: [],
    failedTests: [],
  }
}

const verifyResult = ({ value }: ProofPart, { issueId }: ProofChain) => ({
  result: 'PASSED' as const,
  configuration: [
    { name: 'verification command', digest: { sha256: hexOf(value['commandDigest']) } },
  ],
  passedTests: [`verification of ${issueId}`],
  warnedTests: [],
  failedTests: [],
})

/**
 * The requirements that this issue met to close. There is no file of them, and a summary has room for
 * an address and a digest only. So the address holds the bytes: their canonical JSON.
 */
function policyOf(
  { closedBy: { by }, documents }: ProofChain,
  verified: readonly ProofPart[],
  sha256: Sha256,
) {
  const commands = verified.flatMap(({ value: { commandDigest } }) =>
    typeof commandDigest === 'string' ? [commandDigest] : [],
  )
  const requirements =
    by === 'specs'
      ? { by, documents: documents.map(({ path, sha256: digest }) => ({ path, sha256: digest })) }
      : { by, commands }
  const text = canonicalJson(requirements)
  return { uri: `${policyStart}${base64(text)}`, digest: { sha256: sha256(text) } }
}

/** The path below `.premath/proofs/`. It names the chain, whose digest is not that of a file. */
const proofUri = (folder: string, chainDigest: string) =>
  `premath:proof/${folder}/${bundleFileOf(chainDigest)}`

/** The digest of the chain of a proof in a summary; statements of earlier versions have it as digest. */
export function attestedChain(proof: {
  readonly uri?: string | undefined
  readonly digest?: Readonly<Record<string, string>> | undefined
}): string | undefined {
  return /\/proof-([0-9a-f]{64})\.json$/.exec(proof.uri ?? '')?.[1] ?? proof.digest?.['sha256']
}

const summaryOf = (
  { closedBy, chainDigest }: ProofChain,
  policy: ReturnType<typeof policyOf>,
  { verifiedAt, folder, bundle }: AttestedBy,
  sha256: Sha256,
) => ({
  // Without a version: the libraries of in-toto read no other member.
  verifier: { id: 'premath:witness-export' },
  timeVerified: verifiedAt,
  resourceUri: `premath:issue/${folder}`,
  policy,
  inputAttestations: [{ uri: proofUri(folder, chainDigest), digest: { sha256: sha256(bundle) } }],
  verificationResult: 'PASSED' as const,
  // The levels of SLSA are about builds, so none of them applies.
  verifiedLevels: [`PREMATH_CLOSED_BY_${closedBy.by === 'specs' ? 'SPECS' : 'VERIFICATION'}`],
  slsaVersion: '1.1',
})
