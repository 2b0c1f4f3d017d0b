/** Verifies a proof: recomputes every digest and follows every link. */
import type { ProofChain, ProofLink } from '../../wire/proof/proof-chain.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { closeStepId } from '../harness/step/step-id.ts'
import { instructionWitnessDigest } from '../instruction/instruction-witness.ts'
import { mutationsAllowed } from '../instruction/scope-mutations.ts'
import { fenceOf, type Issue } from '../issues/issue.ts'
import { closeOf } from '../issues/issue-metadata.ts'
import { isRefusal } from '../issues/issue-refusal.ts'
import { isLanding } from '../issues/landing/landing-state.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../json.ts'
import { CloseProof } from './close-proof.ts'
import { chainDigestOf, landedOf, linkFile, type ProofPart, printChain } from './proof-chain.ts'
import { finding, type ProofFinding } from './proof-classes.ts'
import { chainFileOf } from './proof-folder.ts'
import type { TreeDigest } from './tree-digest.ts'
import { openWitness, type WitnessFolderName, witnessPath } from './witness.ts'

/** The text of a file in a proof, or why it cannot be read. */
export type ProofText = { readonly text: string } | { readonly why: string }

/** Checks the chain's digest, its file name and its exact text. */
export function chainTextFindings(
  chain: JsonObject,
  { name, text }: { readonly name: string; readonly text: string },
  sha256: Sha256,
): readonly ProofFinding[] {
  const digest = chainDigestOf(chain, sha256)
  if (chain['chainDigest'] !== digest) {
    return [finding('witness_changed', name, `its chainDigest is not ${digest}`)]
  }
  if (name !== chainFileOf(digest)) {
    return [finding('witness_changed', name, `its name is not that of ${digest}`)]
  }
  if (text === printChain(chain)) return []
  return [finding('witness_changed', name, 'its text is not in canonical form')]
}

interface CheckedLinks {
  readonly findings: readonly ProofFinding[]
  /** The witnesses that match their links. */
  readonly parts: readonly ProofPart[]
}

export function checkLinks(
  { links, chainDigest }: ProofChain,
  copies: ReadonlyMap<string, ProofText>,
  sha256: Sha256,
): CheckedLinks {
  const findings: ProofFinding[] = []
  const parts: ProofPart[] = []
  for (const link of links) {
    if (link.file !== linkFile(link.kind, hexOf(link.digest), hexOf(link.sha256))) {
      const message = `${link.file} is not how a ${link.kind} is called`
      findings.push(finding('witness_invalid', chainFileOf(chainDigest), message))
      continue
    }
    const part = partOf(link, copies.get(link.file), sha256)
    if ('failureClass' in part) findings.push(part)
    else parts.push(part)
  }
  return { findings, parts }
}

const hexOf = (digest: string) => digest.slice('sha256:'.length)

function partOf(
  { kind, digest, file, sha256: bytes }: ProofLink,
  copy: ProofText | undefined,
  sha256: Sha256,
): ProofPart | ProofFinding {
  const hex = hexOf(digest)
  if (copy === undefined) return finding('witness_unreadable', file, 'it is gone')
  if ('why' in copy) return finding('witness_unreadable', file, copy.why)
  if (bytes !== `sha256:${sha256(copy.text)}`) {
    return finding('witness_changed', file, 'its bytes differ from the recorded ones')
  }
  const value = openedAs(kind, hex, copy.text, sha256)
  if (value !== undefined) return { kind, digest: hex, file, text: copy.text, value }
  return finding('witness_changed', file, 'its digest differs from its name')
}

/** The witness in the text; `undefined` if it has another digest. Each kind has its own digest. */
export function openedAs(
  kind: WitnessFolderName | 'instruction',
  digest: string,
  text: string,
  sha256: Sha256,
): JsonObject | undefined {
  if (kind !== 'instruction') {
    return openWitness(kind, { path: witnessPath(kind, digest), text }, sha256)?.value
  }
  const value = documentIn(text)
  const own = value && instructionWitnessDigest(value, sha256)
  const isOwn = own === `sha256:${digest}` && value?.['witnessDigest'] === own
  return isOwn ? value : undefined
}

function documentIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isJsonObject(value) ? value : undefined
}

/** Checks that all links are about the same issue and the same tree. */
export function provenFindings(
  chain: ProofChain,
  parts: readonly ProofPart[],
): readonly ProofFinding[] {
  return [
    ...closeFindings(chain, parts),
    ...landedFindings(chain, parts),
    ...instructionFindings(chain, parts),
    ...turnFindings(chain, parts),
  ]
}

const unmet = (at: string, message: string) => finding('proof_unmet', at, message)
const ofKind = (parts: readonly ProofPart[], kind: ProofPart['kind']) =>
  parts.filter(part => part.kind === kind)

/** Proves the close again, from the copied witnesses alone. */
function closeFindings(
  { issueId, closedBy, documents, treeDigest, chainDigest }: ProofChain,
  parts: readonly ProofPart[],
): readonly ProofFinding[] {
  const chainFile = chainFileOf(chainDigest)
  if (closedBy.by === 'force') {
    return closedBy.reason === undefined
      ? [unmet(chainFile, 'it was closed by force, and no reason is given')]
      : []
  }
  const witnesses = ofKind(parts, closedBy.by === 'specs' ? 'spec' : 'verify')
  const elsewhere = witnesses.filter(({ value }) => value['treeDigest'] !== treeDigest)
  if (elsewhere.length > 0) {
    return elsewhere.map(part => unmet(part.file, 'it is about another tree than the chain'))
  }
  const asked = { issueId, tree: (treeDigest ?? '') as TreeDigest }
  const opened = witnesses.map(part => ({ path: part.file, value: part.value }))
  const proof =
    closedBy.by === 'specs'
      ? CloseProof.bySpecs({ ...asked, specs: [], documents }, opened)
      : CloseProof.byVerification(asked, opened)
  return isRefusal(proof) ? [unmet(chainFile, proof.diagnostic)] : []
}

/** Checks that the commit that landed is the one that was verified. */
function landedFindings(
  { landed, head, chainDigest }: ProofChain,
  parts: readonly ProofPart[],
): readonly ProofFinding[] {
  if (landed === undefined) return []
  const { commit, tree } = landed
  const isOther = ({ value }: ProofPart) =>
    (value['commit'] ?? commit) !== commit || (value['gitTree'] ?? tree) !== tree
  const other = ofKind(parts, 'verify').filter(isOther)
  const chainFile = chainFileOf(chainDigest)
  return [
    ...(head === commit ? [] : [unmet(chainFile, `${commit} landed, and its head is another`)]),
    ...other.map(part => unmet(part.file, `it is about another commit than ${commit}`)),
  ]
}

function instructionFindings(
  { issueId }: ProofChain,
  parts: readonly ProofPart[],
): readonly ProofFinding[] {
  return ofKind(parts, 'instruction').flatMap(part => {
    const { verdictClass, scope } = part.value
    const allowed = mutationsAllowed({ verdictClass: String(verdictClass), scope })
    const allows = allowed.some(
      one => one.action === 'issue_update' && (one.issueId ?? issueId) === issueId,
    )
    return allows ? [] : [unmet(part.file, `it does not allow closing ${issueId}`)]
  })
}

/** Checks that turn and verification belong to this issue, this instruction and one step. */
function turnFindings(
  { issueId, claim, chainDigest }: ProofChain,
  parts: readonly ProofPart[],
): readonly ProofFinding[] {
  const instructionIds = ofKind(parts, 'instruction').map(({ value }) => value['instructionId'])
  // The harness verifies the close of a holder outside of a step under an id of its own.
  const ownClose = claim && closeStepId(issueId, claim.fence)
  const stepIds = ofKind(parts, 'verify')
    .flatMap(({ value }) => value['stepId'] ?? [])
    .filter(one => one !== ownClose)
  return [
    ...ofKind(parts, 'join').flatMap(part => {
      const { joinClosed, issueId: about, instructionId, callId } = part.value
      const wrong = [
        joinClosed !== true && 'the turn is open',
        about !== issueId && `the turn is not about ${issueId}`,
        instructionIds.some(one => one !== instructionId) && 'it is about another instruction',
        stepIds.some(one => one !== callId) && 'the verification belongs to another step',
      ]
      return wrong.filter(why => why !== false).map(why => unmet(part.file, why))
    }),
    ...stepIds
      .filter(one => claim && !String(one).startsWith(`${claim.worker}.${issueId}.`))
      .map(one =>
        unmet(chainFileOf(chainDigest), `${one} is not a step of ${claim?.worker} on ${issueId}`),
      ),
  ]
}

/** Compares the chain with the record of the close in issue memory. */
export function rowFindings(chain: ProofChain, issue: Issue): readonly ProofFinding[] {
  const { issueId, closedBy, treeDigest, closedAt, chainDigest, claim, links, landed } = chain
  if (issue.status !== 'closed') {
    const state = isLanding(issue) ? 'still landing' : issue.status
    return [finding('proof_superseded', issueId, `it is ${state}`)]
  }
  const recorded = closeOf(issue) ?? {}
  const verified = links.filter(({ kind }) => kind === 'spec' || kind === 'verify')
  const expected: readonly (readonly [name: string, recorded: Json | undefined, proven: Json])[] = [
    ['by', recorded['by'], closedBy.by],
    ['reason', recorded['reason'] ?? null, closedBy.reason ?? null],
    ...confirmation(recorded, closedBy),
    ['treeDigest', recorded['treeDigest'] ?? null, treeDigest],
    ['witnesses', recorded['witnesses'] ?? [], verified.map(pathOf)],
    ['chain', recorded['chain'], chainDigest],
    ['closed_at', issue.closed_at, closedAt],
    ['landed commit', landedOf(issue) ?? null, landed ?? null],
    // A merge keeps the larger fence of both sides, whichever close it keeps.
    ['fence', (claim?.fence ?? 0) <= fenceOf(issue), true],
  ]
  return expected
    .filter(([, row, proven]) => printed(row) !== printed(proven))
    .map(([name]) =>
      finding('proof_row_mismatch', issueId, `the row of the issue records another ${name}`),
    )
}

/** A chain of an earlier version says nothing, whatever its row says. */
const confirmation = (
  recorded: JsonObject,
  { actor, uid }: ProofChain['closedBy'],
): readonly (readonly [string, Json, Json])[] =>
  actor === undefined
    ? []
    : [
        ['actor', recorded['actor'] ?? null, actor],
        ['uid', recorded['uid'] ?? null, uid ?? null],
      ]

const pathOf = ({ kind, digest }: ProofLink) =>
  witnessPath(kind === 'spec' ? 'spec' : 'verify', hexOf(digest))

const printed = (value: Json | undefined) => (value === undefined ? '' : canonicalJson(value))
