/** Finds out who signed each link of a proof, and its close. */
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { jsonIn } from '../../kernel/json.ts'
import { finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { Envelope } from '../../wire/proof/attestation.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { linkType, SignedStatement } from '../../wire/proof/signed-statement.ts'
import type { Trust, TrustRole } from '../../wire/proof/trust.ts'
import type { Signing } from '../../world/world.ts'
import type { ProofFiles } from './proof-files.ts'
import type { ProofVerdict } from './proof-verdict.ts'

/** How signatures count. */
export interface SignatureOptions {
  readonly trust: Trust
  readonly requireSigned: boolean
  readonly requireSandbox: boolean
  readonly openSigned: Signing['openSigned']
}

export interface LinkSignature {
  /** `chain` is the close. */
  readonly link: string
  readonly file: string
  /** `null`: no key of the trust root signed it. */
  readonly signedBy: { readonly role: TrustRole; readonly keyId: string } | null
}

export function linkSignatures(
  { chain, texts, signatures }: ProofFiles,
  { parts }: ProofVerdict,
  options: SignatureOptions,
  sha256: Sha256,
): readonly LinkSignature[] {
  const signers = signersIn(signatures, options)
  const own = texts.get(chain)
  const all = [
    ...parts.map(({ kind, file, text }) => ({ link: kind, file, text })),
    { link: 'chain', file: chain, text: own && 'text' in own ? own.text : '' },
  ]
  return all.map(({ link, file, text }) => {
    const signed = `${link} ${sha256(text)}`
    return { link, file, signedBy: signers.get(signed) ?? null }
  })
}

/** By link and the digest of its bytes. */
function signersIn(
  lines: string,
  { trust, openSigned }: SignatureOptions,
): ReadonlyMap<string, LinkSignature['signedBy']> {
  const signers = new Map<string, LinkSignature['signedBy']>()
  for (const line of lines.split('\n').filter(one => one !== '')) {
    const envelope = shaped(Envelope, jsonIn(line))
    if (envelope instanceof Flaw) continue
    for (const { keyId, role, publicKey } of trust.keys) {
      const statement = shaped(SignedStatement, jsonIn(openSigned(envelope, publicKey) ?? ''))
      if (statement instanceof Flaw || statement.predicateType !== linkType) continue
      const { predicate, subject } = statement
      signers.set(`${predicate.link} ${subject[0]?.digest['sha256']}`, { role, keyId })
    }
  }
  return signers
}

export function signatureFindings(
  chain: ProofChain,
  { parts }: ProofVerdict,
  signatures: readonly LinkSignature[],
  { requireSigned, requireSandbox }: SignatureOptions,
): readonly ProofFinding[] {
  const unsigned = requireSigned ? signatures.filter(({ signedBy }) => signedBy === null) : []
  const verified = parts.filter(({ kind }) => kind === 'spec' || kind === 'verify')
  const isOutside = ({ value }: { readonly value: Readonly<Record<string, unknown>> }) =>
    value['sandbox'] !== 'bubblewrap'
  return [
    ...unsigned.map(({ link, file }) =>
      finding(
        'proof_unsigned',
        file,
        `no trusted key signed ${link === 'chain' ? 'the close' : `this ${link} witness`}`,
      ),
    ),
    ...(requireSandbox && (chain.sandbox !== 'bubblewrap' || verified.some(isOutside))
      ? [finding('proof_unsandboxed', chain.issueId, 'its work was verified without a sandbox')]
      : []),
  ]
}
