import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import {
  allowanceFields,
  allowancesIn,
  changeFields,
  contentFields,
  fieldsOf,
  idField,
  proofFields,
} from '../../input/issue-fields.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { lowerAscii, trim } from '../../kernel/text/clean.ts'
import { visible } from '../../kernel/text/visible.ts'
import { agentRefusal, stepWorkRefusal } from '../../project/authority/authority.ts'
import { confirmedAllowances } from '../../project/authority/confirmed-allowances.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { statusToWrite } from '../../project/issues/status-word.ts'
import { openProject } from '../../project/open.ts'
import { openIssues } from '../../project/open-issues.ts'
import { withProof } from '../../project/proofs/issue-closing.ts'
import { briefOf, rejected } from '../../render/issues/issue-answer.ts'
import { UpdateAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'
import { isAgent } from '../people-only.ts'

const isClosing = (status: string | undefined) => lowerAscii(trim(status ?? '')) === 'closed'

/** A flag that asks for a verification must not be ignored: the answer would look verified. */
function mustNotClose(flags: {
  readonly verify: boolean
  readonly verifyCmd: string | undefined
  readonly force: boolean
}): void {
  const { verify, verifyCmd, force } = flags
  if (!verify && !force && verifyCmd === undefined) return
  const flag = verify ? '--verify' : force ? '--force' : '--verify-cmd'
  throw new Fault('usage', `${flag} is only for closing an issue`, {
    hint: 'Add --status closed, or remove the flag.',
  })
}

export const issueUpdate = operation({
  group: 'issue',
  summary: 'Change an issue.',
  description:
    'Fields that are not named stay. A status other than in_progress ends the lease. A change of a leased issue needs the lease id and fence of its holder, by flag or from PREMATH_LEASE_ID and PREMATH_FENCE; if PREMATH_ISSUE_ID names another issue, both variables are ignored. Exits 4 if another worker holds the issue. An issue closes only with proof: a witness that its specs passed on the current files, or, without specs, that a command did. Without proof it exits 1 and names the command that creates it. The work of a step may not pass --force, --verify-cmd, --spec, --may-change or --writes-specs.',
  effect: 'mutation',
  opId: 'op/mcp.issue_update',
  input: {
    ...idField,
    title: textField('title', 'The task in one line.'),
    status: textField(
      'status',
      'open, in_progress, blocked, in_review, closed, or one of the setting statuses.',
      { names: 'status' },
    ),
    ...contentFields,
    ...allowanceFields,
    verify: flagField('Run the specs of the issue before closing it.'),
    verifyCmd: textField(
      'command',
      'For an issue without specs: a command that exits 0 if the issue is done.',
    ),
    acknowledgeMerge: flagField(
      'Acknowledge the values that gave way in a merge. premath issue show lists them until then.',
    ),
    force: flagField('Close without proof; requires --reason, which is recorded.'),
    ...proofFields,
    ...changeFields,
  },
  output: UpdateAnswer,
  examples: {
    'premath issue update bd-1 --status closed --verify': 'closes the issue after its specs pass',
    "premath issue update bd-2 --status closed --verify-cmd 'make test'":
      'the same for an issue without specs',
    'premath issue update bd-3 --status closed --force --reason "Not needed any more"':
      'closes an issue that is no longer needed',
    'premath issue update bd-1 --notes-file - --lease-id lease1_bd-1_me --fence 1':
      'notes from stdin, by the holder of the lease',
    'premath issue update bd-1 --acknowledge-merge': 'the values that gave way are not shown again',
  },

  async run({ id, title, status, ...rest }, context) {
    if (!isClosing(status)) mustNotClose(rest)
    const project = await openProject(context)
    const { allowances: asked } = allowancesIn(rest)
    const choosing = `choose what judges ${id}`
    const refused =
      (rest.spec.length > 0 || asked ? stepWorkRefusal(choosing, context) : undefined) ??
      (rest.spec.length > 0 ? agentRefusal(choosing, context) : undefined)
    const known = refused ?? (await statusToWrite(status, project))
    const allowances =
      typeof known === 'object' ? known : await confirmedAllowances(asked, id, rest, project)
    if (typeof known === 'object' || (allowances && isRefusal(allowances))) {
      const { issuesPath } = await openIssues(project, rest, 'ask')
      return rejected('issue.update', issuesPath, allowances as IssueRefusal)
    }
    const fields = {
      ...(await fieldsOf(rest, context)),
      allowances,
      title,
      status: known,
      ...(rest.acknowledgeMerge && { acknowledgeMerge: true as const }),
    }
    const proof = await proofOf(id, rest, project)
    const update = { action: 'issue.update', id, fields, proof } as const
    const change = isClosing(status) ? await withProof(update, rest, project) : update
    // A verification takes minutes, so its close reads policy and registry again.
    const hasRun = rest.verify || rest.verifyCmd !== undefined || isAgent(context)
    const door = hasRun ? project.reopened() : project
    return await changeIssues(door, rest, change, ({ issue, rows }) => ({
      output: { issue: issue && briefOf(issue) },
      text: () =>
        rows.length === 0 && issue?.status === 'open'
          ? `${visible(`${issue.id} is open already: ${issue.title}`)}\n`
          : `Updated ${visible(`${issue?.id} (${issue?.status}): ${issue?.title}`)}\n`,
    }))
  },
})
