/** Why an issue is closed, in one document: claim, turn, what verified it, and the close. */
import { ProofChain, type ProofLink } from '../../wire/proof/proof-chain.ts'
import { documentOf } from '../artifact/print.ts'
import { type Digest, digestOf, prettyJson, type Sha256 } from '../canonical.ts'
import { fenceOf, type Issue } from '../issues/issue.ts'
import type { IssueChanged } from '../issues/issue-change.ts'
import { withMetadata } from '../issues/issue-edit.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { CloseProof } from './close-proof.ts'

export type LinkKind = ProofLink['kind']

/** A witness that a proof holds, as it was read. */
export interface ProofPart {
  readonly kind: LinkKind
  /** What it goes by, in lower-case hexadecimal. */
  readonly digest: string
  /** What its copy is called. */
  readonly file: string
  readonly text: string
  readonly value: JsonObject
}

/**
 * By what it says, and by its bytes: one witness on two commits is two files, of which neither is in
 * the way of the other.
 */
export const linkFile = (kind: LinkKind, digest: string, bytes: string): string =>
  `${kind}-${digest}-${bytes.slice(0, 16)}.json`

const linkFileShape = /^(instruction|join|spec|verify)-([0-9a-f]{64})-[0-9a-f]{16}\.json$/

/** What a file of that name is a copy of; `undefined` where it can be none of ours. */
export function linkIn(name: string): Pick<ProofPart, 'kind' | 'digest'> | undefined {
  const [, kind, digest] = linkFileShape.exec(name) ?? []
  return digest === undefined ? undefined : { kind: kind as LinkKind, digest }
}

/** Names of the copies that the text of a chain asks for; none where it is no chain. */
export function linksIn(chain: Json | undefined): readonly string[] {
  const links = isJsonObject(chain) ? chain['links'] : undefined
  const named = Array.isArray(links) ? links.map(link => isJsonObject(link) && link['file']) : []
  return named.filter(file => typeof file === 'string')
}

export interface Closing {
  /** The row under its lease, and the one that is about to be written. */
  readonly before: Issue | undefined
  readonly after: Issue
  readonly done: CloseProof
}

export function proofChain(
  { before, after, done }: Closing,
  parts: readonly ProofPart[],
  sha256: Sha256,
): ProofChain {
  const { by, reason, documents, treeDigest } = done
  const chain: Omit<ProofChain, 'chainDigest'> = {
    schema: 1,
    chainKind: 'premath.proof.chain.v1',
    issueId: after.id,
    claim: before?.lease ? claimOf(before.lease, before) : null,
    links: parts.map(part => linkOf(part, sha256)),
    closedBy: { by, ...(reason !== undefined && { reason }) },
    documents: documents.map(({ path, sha256: content }) => ({ path, sha256: content })),
    treeDigest: treeDigest ?? null,
    head: headIn(parts),
    closedAt: after.closed_at ?? '',
  }
  return { ...chain, chainDigest: digestOf(documentOf(ProofChain, chain), sha256) }
}

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
  const heads = parts.map(({ value }) => value['head']).filter(head => typeof head === 'string')
  return heads[0] ?? null
}

export function chainDigestOf(chain: JsonObject, sha256: Sha256): Digest {
  const { chainDigest: _own, ...told } = chain
  return digestOf(told, sha256)
}

/** The one way to write it: a byte that is different is found, whatever it stands for. */
export const printChain = (chain: Json): string => `${prettyJson(chain)}\n`

/** What the row of an issue tells of its last close. */
export function closeOf({ metadata }: Issue): JsonObject | undefined {
  const close = isJsonObject(metadata) ? metadata['premathClose'] : undefined
  return isJsonObject(close) ? close : undefined
}

/** The row names the chain: both have to be changed to change one. */
export function withChain(changed: IssueChanged, { chainDigest }: ProofChain): IssueChanged {
  const { issue } = changed
  const close = issue && closeOf(issue)
  if (issue === undefined || close === undefined) return changed
  const premathClose = { ...close, chain: chainDigest }
  const closed = { ...issue, metadata: withMetadata(issue, { premathClose }) }
  return {
    ...changed,
    rows: changed.rows.map(row => (row === issue ? closed : row)),
    issue: closed,
  }
}
