/** An issue that is asked to close: what shows that it is done, by the flags of the command. */
import { Fault } from '../../fault.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { specsOf, withSpecs } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { CloseProof } from '../../kernel/proof/close-proof.ts'
import { asOperator } from '../authority/as-operator.ts'
import type { OperationContext } from '../context.ts'
import { type OpenIssues, openIssues } from '../open-issues.ts'
import { findProof, proofPlace, runningThem, runSpecsOf, runVerification } from './close-proof.ts'

export interface ClosingInput {
  readonly verify: boolean
  readonly verifyCmd: string | undefined
  readonly force: boolean
  readonly reason: string | undefined
  readonly issues: string | undefined
  readonly instruction: string | undefined
  readonly joinWitness: string | undefined
}

type Update = Extract<IssueChange, { readonly action: 'issue.update' }>

/** The change with its proof, or with why it has none: the door may have a better reason to refuse. */
export async function withProof(
  change: Update,
  input: ClosingInput,
  context: OperationContext,
): Promise<Update> {
  mustAgree(input)
  const open = await openIssues(context, input)
  const issue = (await open.store.read()).get(change.id)
  if (issue === undefined || issue.status === 'closed') return change
  const done = input.force
    ? forced(issue, input, open, context)
    : await proven(withSpecsOf(issue, change), input, open, context)
  return isRefusal(done) ? { ...change, undone: done } : { ...change, done }
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

/** Specs that the same change names count already. */
const withSpecsOf = (issue: Issue, { fields: { specs } }: Update): Issue =>
  specs === undefined ? issue : { ...issue, metadata: withSpecs(issue, specs) }

function forced(
  issue: Issue,
  { reason }: ClosingInput,
  open: OpenIssues,
  context: OperationContext,
) {
  const grant = asOperator(open.authority(reason), 'close an issue by force', context)
  return isRefusal(grant) ? grant : CloseProof.byForce(issue.id, grant, reason ?? '')
}

async function proven(
  issue: Issue,
  { verify, verifyCmd, reason }: ClosingInput,
  open: OpenIssues,
  context: OperationContext,
): Promise<CloseProof | IssueRefusal> {
  const { root } = open
  const hasSpecs = specsOf(issue).length > 0
  const place = await proofPlace(root, context)
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
  if (verify && hasSpecs) await runSpecsOf(issue, place, context)
  if (verifyCmd !== undefined) {
    // Whoever did the work must not choose what says that it is done.
    const what = 'choose what shows that an issue is done'
    const grant = asOperator(open.authority(reason), what, context)
    if (isRefusal(grant)) return grant
    await runVerification(issue, verifyCmd, place, context)
  }
  const proof = await findProof(issue, place, context)
  const isInVain = verify && isRefusal(proof) && proof.remedy === runningThem(issue.id)
  return isInVain ? { ...proof, remedy: leftNothing } : proof
}

/** Running them once more is no remedy. */
const leftNothing = 'They were run just now and left no witness: what they said above tells why.'
