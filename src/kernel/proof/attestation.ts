/** The proof of an issue as in-toto statements, for tools that know nothing of ours. */
import type { Statement } from '../../wire/proof/attestation.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json } from '../json.ts'
import type { ProofPart } from './proof-chain.ts'

interface AttestedBy {
  /** Of premath. */
  readonly version: string
  /** RFC 3339. */
  readonly verifiedAt: string
  /** The issue's, as its folder has it: a URI takes no more than that. */
  readonly folder: string
}

/** Not SHA-256 of a file, so it goes by a name of its own, as digests of folders do. */
export const treeAlgorithm = 'premathTree1'

/** One that says what passed for each witness, and one that sums up. None where nothing was verified. */
export function statementsOf(
  chain: ProofChain,
  parts: readonly ProofPart[],
  by: AttestedBy,
  sha256: Sha256,
): readonly Statement[] {
  const { treeDigest } = chain
  if (treeDigest === null) return []
  const told = {
    _type: 'https://in-toto.io/Statement/v1' as const,
    subject: [{ name: treeDigest, digest: { [treeAlgorithm]: treeDigest.slice('tree1_'.length) } }],
  }
  const verified = parts.filter(({ kind }) => kind === 'spec' || kind === 'verify')
  return [
    ...verified.map(
      (part): Statement => ({
        ...told,
        predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
        predicate: part.kind === 'spec' ? specResult(part, chain) : verifyResult(part, chain),
      }),
    ),
    {
      ...told,
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: summaryOf(chain, policyOf(chain, verified, sha256), by),
    },
  ]
}

const rowsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const hexOf = (digest: Json | undefined) => String(digest).slice('sha256:'.length)

/** Of the documents that the issue had to pass; a run may have had others. */
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
 * What had to pass for this issue to close. It is no file, so it stands beside its digest, which is
 * that of its canonical JSON.
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
      ? { by, documents: documents.map(({ path, sha256: said }) => ({ path, sha256: said })) }
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
  // None of SLSA's own: those are about how something was built.
  verifiedLevels: [`PREMATH_CLOSED_BY_${closedBy.by === 'specs' ? 'SPECS' : 'VERIFICATION'}`],
  slsaVersion: '1.1',
})
