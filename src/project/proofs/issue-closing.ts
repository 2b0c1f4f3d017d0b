/** The proof for a close on the command line, as its flags ask for it. */
import { Fault } from '../../fault.ts'
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { type Blocker, openBlockersOf } from '../../kernel/issues/graph/blocked.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { specsOf, withSpecs } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { checkHolder } from '../../kernel/issues/lease.ts'
import { CloseProof, reasonMissing, runSpecsRemedy } from '../../kernel/proof/close-proof.ts'
import type { TreeDigest } from '../../kernel/proof/tree-digest.ts'
import {
  type Authority,
  agentIn,
  agentRefusal,
  asOperator,
  authorityOf,
  isStepWork,
} from '../authority/authority.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { findProof, runSpecsOf, runVerification } from './close-proof.ts'

interface ClosingInput {
  readonly verify: boolean
  readonly verifyCmd: string | undefined
  readonly force: boolean
  readonly reason: string | undefined
  readonly issues: string | undefined
  readonly instruction: string | undefined
  readonly joinWitness: string | undefined
  /** The commit that has the work of a queued close. */
  readonly commit?: string | undefined
}

type Update = Extract<IssueChange, { readonly action: 'issue.update' }>

/** The change with its proof, or with why it has none; the store may refuse it for another reason first. */
export async function withProof(
  change: Update,
  input: ClosingInput,
  here: Project,
): Promise<Update> {
  mustAgree(input)
  // It is refused, so nothing is run for it.
  if (isStepWork(here)) return change
  const { store, project } = await openIssues(here, input)
  const authority = await authorityOf(project, input)
  const memory = await store.read()
  const issue = memory.get(change.id)
  if (issue === undefined || issue.status === 'closed') return change
  // The store refuses it, so nothing is run and nobody is asked for it.
  if (checkHolder(issue, change.proof, project.clock.now())) return change
  const blockers = input.force ? [] : openBlockersOf(memory, issue)
  if (blockers.length > 0) return { ...change, undone: waiting(issue, blockers) }
  const done = input.force
    ? await forced(issue, input, authority, project)
    : await proven(withSpecsOf(issue, change), input, authority, project)
  return isRefusal(done) ? { ...change, undone: done } : { ...change, done }
}

export function waiting({ id }: Issue, blockers: readonly Blocker[]): IssueRefusal {
  const names = blockers.map(({ dependsOnId }) => dependsOnId).join(', ')
  const remedy = `Close ${names} first, or remove the dependency: premath dep remove. --force --reason <text> closes it all the same.`
  return refuse('issue_blocked', `${id} waits for ${names}`, remedy)
}

function mustAgree({ verify, verifyCmd, force }: ClosingInput): void {
  if (force && (verify || verifyCmd !== undefined)) {
    throw new Fault(
      'usage',
      '--force closes without proof, and --verify makes one: give one of them',
    )
  }
  if (verifyCmd !== undefined && verifyCmd.trim() === '') {
    throw new Fault('usage', '--verify-cmd names no command')
  }
}

/** The specs that the same change sets count for its proof. */
const withSpecsOf = (issue: Issue, { fields: { specs } }: Update): Issue =>
  specs === undefined ? issue : { ...issue, metadata: withSpecs(issue, specs) }

async function forced(
  { id, title }: Issue,
  { reason = '' }: ClosingInput,
  authority: Authority,
  project: Project,
): Promise<CloseProof | IssueRefusal> {
  const what = 'close an issue by force'
  const grant = asOperator(authority, what, project)
  if (isRefusal(grant)) return grant
  // Before the question: nobody should answer it in vain.
  if (reason.trim() === '') return reasonMissing()
  const { askOverride } = await import('../authority/override.ts')
  const question = `Close ${id} (${title}) without proof?`
  const confirmedBy = await askOverride({ what, question }, project)
  return isRefusal(confirmedBy) ? confirmedBy : CloseProof.byForce(id, grant, reason, confirmedBy)
}

async function proven(
  issue: Issue,
  input: ClosingInput,
  authority: Authority,
  project: Project,
): Promise<CloseProof | IssueRefusal> {
  const { verify, verifyCmd } = input
  const hasSpecs = specsOf(issue).length > 0
  if (hasSpecs && verifyCmd !== undefined) {
    throw new Fault('usage', `${issue.id} names specs, and they say when it is done`, {
      hint: 'Close it with --verify; a spec can run the command, as a case of type cli.run.',
    })
  }
  if (verify && !hasSpecs && verifyCmd === undefined) {
    throw new Fault('usage', `${issue.id} names no specs to run`, {
      hint: "Name one with --spec, or say what shows that it is done: --verify-cmd 'make test'.",
    })
  }
  const choosing = 'choose what shows that an issue is done'
  // An agent is known by its environment or by its instruction. No witness is searched for it.
  const isAgent = agentIn(project) !== undefined && OperatorGrant.isIssued(authority)
  if (isAgent || AgentGrant.isIssued(authority)) {
    const isChosen = verifyCmd !== undefined || Boolean(project.env['PREMATH_VERIFY_CMD'])
    const refused = isChosen
      ? (agentRefusal(choosing, project) ?? asOperator(authority, choosing, project))
      : undefined
    if (refused && isRefusal(refused)) return refused
    const { verifiedByHarness } = await import('./agent-close.ts')
    return await verifiedByHarness(issue, input, project)
  }
  let tree: TreeDigest | undefined
  if (verify && hasSpecs) await runSpecsOf(issue, project)
  if (verifyCmd !== undefined) {
    // An agent must not choose the command that verifies its own work.
    const grant = asOperator(authority, choosing, project)
    if (isRefusal(grant)) return grant
    tree = await runVerification(issue, verifyCmd, project)
  }
  const proof = await findProof(issue, project, tree)
  const leftNoWitness = verify && isRefusal(proof) && proof.remedy === runSpecsRemedy(issue.id)
  return leftNoWitness ? { ...proof, remedy: noWitnessRemedy } : proof
}

/** The remedy if a run leaves no witness. Running again would not help. */
const noWitnessRemedy = 'The specs have just run and left no witness. Their output above says why.'
