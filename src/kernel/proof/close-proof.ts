/** Proof that an issue may close: its specs or its verification passed on the current tree. */

import { OperatorGrant } from '../authority/operator-grant.ts'
import type { OverrideActor } from '../authority/override-actor.ts'
import type { Digest } from '../canonical.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { trim } from '../text/clean.ts'
import type { TreeDigest } from './tree-digest.ts'
import type { OpenedWitness } from './witness.ts'

/** Module-private: a TypeScript `private` constructor is open at run time. */
const maker = Symbol('CloseProof')

/** A spec document with the digest of its content. */
export interface ProvenDocument {
  readonly path: string
  readonly sha256: Digest
}

interface ProofParts {
  readonly issueId: string
  readonly by: 'specs' | 'verification' | 'force'
  readonly treeDigest: TreeDigest | undefined
  readonly specs: readonly string[]
  readonly documents: readonly ProvenDocument[]
  readonly witnesses: readonly string[]
  readonly reason: string | undefined
  readonly confirmedBy?: OverrideActor
  readonly commit?: string | undefined
  readonly gitTree?: string | undefined
}

/**
 * Only the three static functions below create one. A function that takes a `CloseProof` therefore
 * cannot close an unproven issue.
 */
export class CloseProof {
  readonly #issued = true
  readonly issueId: string
  readonly by: ProofParts['by']
  readonly treeDigest: TreeDigest | undefined
  /** The specs that the issue named. The close compares them with those that it names then. */
  readonly specs: readonly string[]
  /** The documents of the specs. All of them passed. */
  readonly documents: readonly ProvenDocument[]
  /** Paths of the witnesses, relative to the project folder. */
  readonly witnesses: readonly string[]
  /** Why a person closed the issue without proof. */
  readonly reason: string | undefined
  /** Who confirmed a close without proof. */
  readonly confirmedBy: OverrideActor | undefined
  /** The commit that the verification ran on, and git's id of its tree, where it names them. */
  readonly commit: string | undefined
  readonly gitTree: string | undefined

  private constructor(key: typeof maker, parts: ProofParts) {
    if (key !== maker) throw new TypeError('a CloseProof is made from witnesses')
    this.issueId = parts.issueId
    this.by = parts.by
    this.treeDigest = parts.treeDigest
    this.specs = parts.specs
    this.documents = parts.documents
    this.witnesses = parts.witnesses
    this.reason = parts.reason
    this.confirmedBy = parts.confirmedBy
    this.commit = parts.commit
    this.gitTree = parts.gitTree
    Object.freeze(this)
  }

  /**
   * Requires that every document passed as a whole on that tree, in one run or in several. The
   * newest witness comes first.
   */
  static bySpecs(
    asked: SpecsAsked,
    witnesses: readonly OpenedWitness[],
  ): CloseProof | IssueRefusal {
    const { issueId, specs, documents, tree } = asked
    const used = new Set<string>()
    for (const document of documents) {
      const found = passingWitness(document, witnesses, asked)
      if ('failureClass' in found) return found
      used.add(found.path)
    }
    if (used.size === 0) return unproven(issueId)
    const parts = { issueId, by: 'specs', treeDigest: tree, reason: undefined } as const
    return new CloseProof(maker, { ...parts, specs, documents, witnesses: [...used] })
  }

  /** Requires that the last verification command of this issue passed. The newest comes first. */
  static byVerification(
    { issueId, tree }: ProofAsked,
    witnesses: readonly OpenedWitness[],
  ): CloseProof | IssueRefusal {
    const own = witnesses.filter(({ value }) => value['issueId'] === issueId)
    const here = own.filter(({ value }) => value['treeDigest'] === tree)
    const [last] = here
    if (last?.value['result'] !== 'accepted')
      return own.length > 0 ? staleOrFailed(here) : unproven(issueId)
    const parts = { issueId, by: 'verification', treeDigest: tree, reason: undefined } as const
    return new CloseProof(maker, {
      ...parts,
      specs: [],
      documents: [],
      witnesses: [last.path],
      commit: textIn(last.value, 'commit'),
      gitTree: textIn(last.value, 'gitTree'),
    })
  }

  /** Closes the issue without proof. The row records the reason, and who confirmed it. */
  static byForce(
    issueId: string,
    grant: OperatorGrant,
    given: string,
    confirmedBy: OverrideActor,
  ): CloseProof | IssueRefusal {
    const reason = trim(given)
    if (!OperatorGrant.isIssued(grant)) return unproven(issueId)
    if (reason === '') return reasonMissing()
    const parts = { issueId, by: 'force', treeDigest: undefined } as const
    return new CloseProof(maker, {
      ...parts,
      specs: [],
      documents: [],
      witnesses: [],
      reason,
      confirmedBy,
    })
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is CloseProof {
    return #issued in value && value.#issued
  }
}

export const reasonMissing = (): IssueRefusal =>
  refuse(
    'close_reason_missing',
    'closing by force needs a reason',
    'Say why the issue closes without proof, so that the record can show it: --reason.',
  )

function textIn(witness: JsonObject, name: string): string | undefined {
  const value = witness[name]
  return typeof value === 'string' ? value : undefined
}

interface ProofAsked {
  readonly issueId: string
  /** The digest of the project's current files. */
  readonly tree: TreeDigest
}

interface SpecsAsked extends ProofAsked {
  readonly specs: readonly string[]
  /** With the digests of their current content, because the tree leaves some documents out. */
  readonly documents: readonly ProvenDocument[]
}

/**
 * The members of a witness that decide a close; `undefined` if it is about something else. Callers
 * search hundreds of witnesses, which can be large, and keep only these members.
 */
export function closeFacts(
  { path, value }: OpenedWitness,
  { issueId, documents }: { readonly issueId: string; readonly documents: readonly string[] },
): OpenedWitness | undefined {
  const about = documents.filter(one => documentIn(value, one) !== undefined)
  if (value['issueId'] !== issueId && about.length === 0) return undefined
  const { treeDigest = null, result = null, commit, gitTree } = value
  const documentFacts = about.flatMap(document => {
    const { sha256 = null, whole = null, readable = null } = documentIn(value, document) ?? {}
    return [{ path: document, sha256, whole, readable }]
  })
  const cases = about.flatMap(document =>
    [...new Set(statusesIn(value, document))].map(status => ({ document, status: status ?? null })),
  )
  const own = {
    ...(value['issueId'] !== undefined && { issueId: value['issueId'] }),
    ...(commit !== undefined && { commit }),
    ...(gitTree !== undefined && { gitTree }),
  }
  return { path, value: { ...own, treeDigest, result, documents: documentFacts, cases } }
}

/** Finds the witness that a document passed on the tree. */
function passingWitness(
  { path, sha256 }: ProvenDocument,
  witnesses: readonly OpenedWitness[],
  { issueId, tree }: SpecsAsked,
): OpenedWitness | IssueRefusal {
  const own = witnesses.filter(({ value }) => documentIn(value, path) !== undefined)
  const here = own.filter(
    ({ value }) => value['treeDigest'] === tree && documentIn(value, path)?.['sha256'] === sha256,
  )
  const last = here.find(({ value }) => decides(value, path))
  if (last !== undefined && hasPassed(last.value, path)) return last
  const why = staleOrFailed(here)
  return own.length > 0
    ? { ...why, diagnostic: `${path}: ${why.diagnostic}` }
    : refuse('close_proof_missing', `${path} was not run on this tree`, runSpecsRemedy(issueId))
}

const rowsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : [])

const documentIn = (witness: JsonObject, path: string) =>
  rowsIn(witness['documents']).find(one => one['path'] === path)

const statusesIn = (witness: JsonObject, path: string) =>
  rowsIn(witness['cases'])
    .filter(one => one['document'] === path)
    .map(one => one['status'])

const isGood = (status: Json | undefined) => status === 'pass' || status === 'skip'

/** A run of some cases that all passed decides nothing, because an earlier run covers the rest. */
function decides(witness: JsonObject, path: string): boolean {
  const document = documentIn(witness, path)
  if (document?.['whole'] === true || document?.['readable'] !== true) return true
  return !statusesIn(witness, path).every(isGood)
}

/** The whole document was read and run, at least one case passed, and none failed. */
function hasPassed(witness: JsonObject, path: string): boolean {
  const document = documentIn(witness, path)
  if (document?.['whole'] !== true || document['readable'] !== true) return false
  const statuses = statusesIn(witness, path)
  return statuses.includes('pass') && statuses.every(isGood)
}

export const runSpecsRemedy = (issueId: string): string =>
  `premath issue update ${issueId} --status closed --verify runs them first.`

function staleOrFailed(here: readonly OpenedWitness[]): IssueRefusal {
  return here.length === 0
    ? refuse('close_proof_stale', 'files have changed since it was verified', 'Verify it again.')
    : refuse(
        'close_proof_failed',
        'the verification failed on these files',
        'Fix the work, then verify it again.',
      )
}

export const unproven = (issueId: string): IssueRefusal =>
  refuse(
    'close_proof_missing',
    `${issueId} has no proof that it is done`,
    `premath close ${issueId} --verify-cmd '<command>' closes it if the command passes.`,
  )
