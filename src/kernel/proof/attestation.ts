/** Exports the proof of an issue as in-toto statements, which tools of others can read. */
import type { Statement } from '../../wire/proof/attestation.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json } from '../json.ts'
import type { ProofPart } from './proof-chain.ts'

interface AttestedBy {
  /** The version of premath. */
  readonly version: string
  /** RFC 3339. */
  readonly verifiedAt: string
  /** The name of the issue's proof folder, which is valid in a URI where the id may not be. */
  readonly folder: string
}

/** The algorithm name of tree digests, because they are not the SHA-256 of a file. */
export const treeAlgorithm = 'premathTree1'

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
    subject: [{ name: treeDigest, digest: { [treeAlgorithm]: treeDigest.slice('tree1_'.length) } }],
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
      predicate: summaryOf(chain, policyOf(chain, verified, sha256), by),
    },
  ]
}

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
 * The requirements that this issue met to close. There is no file of them, so the statement holds
 * them beside the digest of their canonical JSON.
 */
function policyOf(
  { closedBy: { by }, documents }: ProofChain,
  verified: readonly ProofPart[],
  sha256: Sha256,
) {
  const commands = verified.flatMap(({ value: { commandDigest } }) =>
    typeof commandDigest === 'string' ? [commandDigest] : [],
  )
  const annotations =
    by === 'specs'
      ? { by, documents: documents.map(({ path, sha256: digest }) => ({ path, sha256: digest })) }
      : { by, commands }
  const digest = { sha256: sha256(canonicalJson(annotations)) }
  return { uri: 'premath:close-proof/v1', digest, annotations }
}

const summaryOf = (
  { closedBy, chainDigest }: ProofChain,
  policy: ReturnType<typeof policyOf>,
  { version, verifiedAt, folder }: AttestedBy,
) => ({
  verifier: { id: 'premath:witness-export', version: { premath: version } },
  timeVerified: verifiedAt,
  resourceUri: `premath:issue/${folder}`,
  policy,
  inputAttestations: [{ uri: `premath:proof/${folder}`, digest: { sha256: hexOf(chainDigest) } }],
  verificationResult: 'PASSED' as const,
  // The levels of SLSA are about builds, so none of them applies.
  verifiedLevels: [`PREMATH_CLOSED_BY_${closedBy.by === 'specs' ? 'SPECS' : 'VERIFICATION'}`],
  slsaVersion: '1.1',
})
