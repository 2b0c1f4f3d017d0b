/** Decides whether an agent's instruction allows a change, and which entry it uses up. */

import type { ScopeMutation } from '../instruction/scope-mutations.ts'
import type { IssueChange } from '../issues/issue-change.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import { type AgentGrant, ageRefusal } from './agent-grant.ts'
import { endsLanding, mutationAction, targetOf } from './change-target.ts'

const baseClaim = 'capabilities.change_morphisms'

/** Changes that need a closed turn. */
const needTurn: ReadonlySet<string> = new Set([
  'issue_update',
  'issue_discover',
  'dep_add',
  'dep_remove',
  'dep_replace',
])

/** They keep or release a claim and allow nothing new, so they use up no entry. */
const leaseKeeping: ReadonlySet<string> = new Set(['issue_lease_renew', 'issue_lease_release'])
const claiming: ReadonlySet<string> = new Set(['issue_claim', 'issue_claim_next'])

interface Admission {
  /** The scope entry used up by the change; none for keeping a lease or ending a landing. */
  readonly entry: number | undefined
  /**
   * The verdict digest of the turn that vouches for it, used up too; none if no turn is needed.
   */
  readonly turn?: string | undefined
}

/** Entries and turns used before. */
export interface UsedGrants {
  /** Used entries of the instruction. */
  readonly entries: ReadonlySet<number>
  /** Whether the turn has vouched for a change before. */
  readonly hasVouched: boolean
}

export function agentAdmission(
  grant: AgentGrant,
  change: IssueChange,
  now: bigint,
  used: UsedGrants,
): Admission | IssueRefusal {
  const action = actionUnder(grant, change)
  // Neither allows anything new: a landing used up its entry and its turn when it began.
  const isFree = leaseKeeping.has(action) || endsLanding(change)
  const asksTurn = needTurn.has(action) && !isFree
  const refused =
    neverAllowed(change) ??
    (isFree ? undefined : expiryOf(grant, now)) ??
    claimRefusal(grant, action) ??
    (asksTurn ? turnRefusal(grant, action, targetOf(change)) : undefined)
  if (refused) return refused
  const allowed = grant.mutations.filter(
    one => isOf(one.action, action) && isAbout(one.issueId, targetOf(change)),
  )
  if (allowed.length === 0) return notInScope(grant, action, targetOf(change))
  if (isFree) return { entry: undefined }
  const free = allowed.find(one => isUnused(one, used))
  if (free === undefined) return allEntriesUsed(grant, action)
  if (!asksTurn) return { entry: free.entry }
  return used.hasVouched ? turnUsed() : { entry: free.entry, turn: grant.turn?.witnessDigest }
}

const isUnused = ({ entry, standing }: ScopeMutation, { entries }: UsedGrants) =>
  standing === true || !entries.has(entry)

/**
 * A comment changes nothing about its issue: under an entry for comments it needs no turn. Under an
 * entry for `issue_update` it is an update like any other.
 */
function actionUnder({ mutations }: AgentGrant, change: IssueChange): string {
  const isForComment = (one: ScopeMutation) =>
    one.action === 'issue_comment' && isAbout(one.issueId, targetOf(change))
  return change.action === 'issue.comment' && mutations.some(isForComment)
    ? 'issue_comment'
    : mutationAction(change)
}

/**
 * Changes no instruction can allow: raw rows bypass all other checks, and specs decide when an
 * agent's own work is done.
 */
function neverAllowed(change: IssueChange): IssueRefusal | undefined {
  const remedy = 'Have a person do it, without --instruction and PREMATH_INSTRUCTION_ID.'
  if (change.action === 'issue.import') {
    return refuse('instruction_scope_exceeded', 'no instruction allows an import', remedy)
  }
  const { specs, allowances } =
    change.action === 'issue.update'
      ? change.fields
      : change.action === 'issue.add'
        ? { ...change.issue, specs: undefined }
        : {}
  if (specs === undefined && allowances === undefined) return undefined
  const what = specs === undefined ? 'allowances' : 'other specs'
  const why = `no instruction allows ${what} for ${targetOf(change) ?? 'a new issue'}`
  return refuse('instruction_scope_exceeded', why, remedy)
}

/** The class with which the instruction refuses a claim of the issue. Counts entries as unused. */
export function refusedClaim(grant: AgentGrant, issueId: string, now: bigint): string | undefined {
  const refusal = expiryOf(grant, now) ?? claimRefusal(grant, 'issue_claim')
  if (refusal) return refusal.failureClass
  const isListed = grant.mutations.some(
    one => claiming.has(one.action) && isAbout(one.issueId, issueId),
  )
  return isListed ? undefined : notInScope(grant, 'issue_claim', issueId).failureClass
}

/** The right to claim an issue includes keeping and releasing it. */
const isOf = (allowed: string, action: string) =>
  allowed === action || (leaseKeeping.has(action) && claiming.has(allowed))

const isAbout = (allowed: string | undefined, issueId: string | undefined) =>
  allowed === undefined || allowed === issueId

const expiryOf = ({ instruction, witnessPath, terms }: AgentGrant, now: bigint) =>
  ageRefusal(witnessPath, instruction.runFinishedAt, { ...terms, now })

function claimRefusal(
  { instruction, mutations }: AgentGrant,
  action: string,
): IssueRefusal | undefined {
  const { capabilityClaims, instructionId } = instruction
  // A capability to claim implies one to release.
  const actions = [action, ...(leaseKeeping.has(action) ? claiming : []), 'all']
  const own = actions.map(one => `${baseClaim}.${one}`)
  const lacks = capabilityClaims.includes(baseClaim)
    ? own.some(one => capabilityClaims.includes(one))
      ? undefined
      : own[0]
    : baseClaim
  if (lacks === undefined) return undefined
  const named = mutations.find(one => one.action === 'issue_claim')?.issueId
  const remedy =
    action === 'issue_claim_next' && named !== undefined
      ? `Claim the issue that it names, with issue_claim: ${named}.`
      : 'Have the instruction claim it in capabilityClaims.'
  return refuse(
    'mutation.capability_claim_missing',
    `${instructionId} does not claim ${lacks}`,
    remedy,
  )
}

function turnRefusal(
  { turn, instruction }: AgentGrant,
  action: string,
  issueId: string | undefined,
): IssueRefusal | undefined {
  const remedy = `premath harness-join-check --input <turn> --write-witness --instruction ${instruction.instructionId} makes one.`
  if (turn === undefined) {
    return refuse(
      'mutation.use_evidence_missing',
      `${action} needs the witness of a closed turn`,
      remedy,
    )
  }
  if (turn.action === action && turn.issueId === issueId) return undefined
  const admitted = `${turn.action}${turn.issueId === undefined ? '' : ` of ${turn.issueId}`}`
  return refuse(
    'mutation.use_evidence_missing',
    `the turn admits ${admitted}, not this change`,
    remedy,
  )
}

function notInScope({ instruction }: AgentGrant, action: string, issueId: string | undefined) {
  const asked = `${action}${issueId === undefined ? '' : ` of ${issueId}`}`
  const why = `${instruction.instructionId} does not allow ${asked}`
  return refuse('instruction_scope_exceeded', why, 'Have it listed in scope.mutations.')
}

function turnUsed() {
  const why = 'the turn has vouched for a change already'
  return refuse('instruction_entry_used', why, 'Ask for each change in a turn of its own.')
}

function allEntriesUsed({ instruction }: AgentGrant, action: string) {
  const why = `${instruction.instructionId} allowed ${action}, and that entry is used up`
  return refuse('instruction_entry_used', why, 'Have an instruction made for the next change.')
}
