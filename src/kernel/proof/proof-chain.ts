/** The chain of a proof: one document that links an issue's claim, turn, verification and close. */
import { type LandedCommit, ProofChain, type ProofLink } from '../../wire/proof/proof-chain.ts'
import { documentOf } from '../artifact/print.ts'
import { type Digest, digestOf, prettyJson, type Sha256 } from '../canonical.ts'
import { fenceOf, type Issue } from '../issues/issue.ts'
import type { IssueChanged } from '../issues/issue-change.ts'
import { closeOf, withMetadata } from '../issues/issue-metadata.ts'
import { type Landing, landingOf } from '../issues/landing/landing-state.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { CloseProof } from './close-proof.ts'

export type LinkKind = ProofLink['kind']

/** A witness in a proof, with its text. */
export interface ProofPart {
  readonly kind: LinkKind
  /** The digest that names the witness, in lower-case hexadecimal. */
  readonly digest: string
  /** The file name of its copy. */
  readonly file: string
  readonly text: string
  readonly value: JsonObject
}

/**
 * Named by two digests, of the witness and of its bytes. A witness made on two commits has one
 * digest but different bytes, so it needs two files.
 */
export const linkFile = (kind: LinkKind, digest: string, bytes: string): string =>
  `${kind}-${digest}-${bytes.slice(0, 16)}.json`

const linkFileShape = /^(instruction|join|spec|verify)-([0-9a-f]{64})-[0-9a-f]{16}\.json$/

/** The witness that a file of this name copies; `undefined` for any other file name. */
export function linkIn(name: string): Pick<ProofPart, 'kind' | 'digest'> | undefined {
  const [, kind, digest] = linkFileShape.exec(name) ?? []
  return digest === undefined ? undefined : { kind: kind as LinkKind, digest }
}

/** The file names that a chain links to; empty if the value is not a chain. */
export function linksIn(chain: Json | undefined): readonly string[] {
  const links = isJsonObject(chain) ? chain['links'] : undefined
  const named = Array.isArray(links) ? links.map(link => isJsonObject(link) && link['file']) : []
  return named.filter(file => typeof file === 'string')
}

export interface Closing {
  /** The row before the close, under its lease. */
  readonly before: Issue | undefined
  /** The closed row, or the row of a landing, which closes when its commit is on the target. */
  readonly after: Issue
  readonly done: CloseProof
}

export function proofChain(
  { before, after, done }: Closing,
  parts: readonly ProofPart[],
  sha256: Sha256,
): ProofChain {
  const { by, reason, confirmedBy, documents, treeDigest } = done
  const landing = landingOf(after)
  const chain: Omit<ProofChain, 'chainDigest'> = {
    schema: 1,
    chainKind: 'premath.proof.chain.v1',
    issueId: after.id,
    claim: before?.lease ? claimOf(before.lease, before) : null,
    links: parts.map(part => linkOf(part, sha256)),
    closedBy: { by, ...(reason !== undefined && { reason }), ...confirmedBy },
    documents: documents.map(({ path, sha256: content }) => ({ path, sha256: content })),
    treeDigest: treeDigest ?? null,
    head: landing?.commit ?? headIn(parts),
    closedAt: landing?.closedAt ?? after.closed_at ?? '',
    ...(landing && { landed: landedBy(landing) }),
    ...sandboxIn(parts),
  }
  return { ...chain, chainDigest: digestOf(documentOf(ProofChain, chain), sha256) }
}

const landedBy = ({ commit, tree, target }: LandedCommit) => ({ commit, tree, target })

const claimOf = ({ lease_id, owner }: NonNullable<Issue['lease']>, issue: Issue) => ({
  leaseId: lease_id,
  fence: fenceOf(issue),
  worker: owner,
})

const linkOf = ({ kind, digest, file, text }: ProofPart, sha256: Sha256): ProofLink => ({
  kind,
  digest: `sha256:${digest}`,
  file,
  sha256: `sha256:${sha256(text)}`,
})

function headIn(parts: readonly ProofPart[]): string | null {
  const heads = parts
    .map(({ value }) => value['commit'] ?? value['head'])
    .filter(head => typeof head === 'string')
  return heads[0] ?? null
}

/** What the witnesses of the verification say. `off` counts for all of them. */
function sandboxIn(parts: readonly ProofPart[]): Pick<ProofChain, 'sandbox'> {
  const modes = parts.map(({ value }) => value['sandbox'])
  if (modes.includes('off')) return { sandbox: 'off' }
  return modes.includes('bubblewrap') ? { sandbox: 'bubblewrap' } : {}
}

export function chainDigestOf(chain: JsonObject, sha256: Sha256): Digest {
  const { chainDigest: _own, ...hashed } = chain
  return digestOf(hashed, sha256)
}

/** The only valid text of a chain. A reader rejects any other bytes. */
export const printChain = (chain: Json): string => `${prettyJson(chain)}\n`

/** The commit that put a closed issue on its target; `undefined` for one that closed otherwise. */
export function landedOf(issue: Issue): LandedCommit | undefined {
  const { commit, tree, target } = closeOf(issue) ?? {}
  if (issue.status !== 'closed' || typeof target !== 'string') return undefined
  return typeof commit === 'string' && typeof tree === 'string'
    ? { commit, tree, target }
    : undefined
}

/** Records the chain's digest in the row, so that a changed chain no longer matches its row. */
export function withChain(changed: IssueChanged, { chainDigest }: ProofChain): IssueChanged {
  const { issue } = changed
  const landing = issue && landingOf(issue)
  const close = landing?.close ?? (issue && closeOf(issue))
  if (issue === undefined || close === undefined) return changed
  const chained = { ...close, chain: chainDigest }
  const members = landing
    ? { premathLanding: { ...writtenMembers(landing), close: chained } }
    : { premathClose: chained }
  const closed = { ...issue, metadata: withMetadata(issue, members) }
  return {
    ...changed,
    rows: changed.rows.map(row => (row === issue ? closed : row)),
    issue: closed,
  }
}

/** Without the revert: a revert closes nothing, so it has no proof. */
const writtenMembers = ({ revert: _none, ...members }: Landing) => members
