import { type Answer, refusedAnswer } from '../../answer.ts'
import { textField } from '../../field.ts'
import { hookPathFields, startupFields, workFields } from '../../input/harness-fields.ts'
import { changeFields, idField } from '../../input/issue-fields.ts'
import { landingFields } from '../../input/landing-options.ts'
import { shownOutput } from '../../kernel/harness/feedback.ts'
import { shortList } from '../../kernel/harness/run/remaining-work.ts'
import { blockingTypes } from '../../kernel/issues/issue.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { messageOf } from '../../project/open-issues.ts'
import { LandRevertAnswer } from '../../wire/answers/landing.ts'
import { operation } from '../operation.ts'
import { type NotReverted, revertOne } from '../revert-one.ts'

export const landRevert = operation({
  group: 'harness',
  summary: 'Revert the landed commit of a closed issue, and open the issue again.',
  description:
    'Makes one commit on the target that takes back the commit of the issue, verifies it in a worktree of its own, moves the target to it, and then opens the issue. The specs of the issue are not run, because they speak of the work that is reverted. Issues that depend on it stay as they are, and are named. The proof of the issue stays, and no longer counts. Exits 1 and changes nothing if the issue has no landed commit, if later commits conflict, if the verification fails, or if a file of yours is in the way.',
  effect: 'mutation',
  opId: 'op/harness.land_revert',
  input: {
    ...idField,
    onto: textField(
      'branch',
      'The branch to revert it on. Defaults to the one on which the issue landed.',
    ),
    copyFiles: landingFields.copyFiles,
    verifyCmd: workFields.verifyCmd,
    verifySpec: workFields.verifySpec,
    verifyRequired: workFields.verifyRequired,
    verifyTimeoutSeconds: workFields.verifyTimeoutSeconds,
    ...startupFields,
    session: hookPathFields.session,
    ledger: hookPathFields.ledger,
    ...changeFields,
  },
  output: LandRevertAnswer,
  examples: {
    "premath land revert bd-7 --reason 'Breaks the export' --verify-cmd 'npm test'":
      'the commit that reverts it, and the issue is open again',
  },

  async run({ id, ...input }, context) {
    const project = await openProject(context)
    const { harness, ended } = await revertOne(input, id, project)
    const { issuesPath } = harness
    if ('failureClasses' in ended) return refused(id, issuesPath, ended)
    const { commit, landed, target, issue } = ended
    const dependents = closedDependents(await harness.store.read(), id)
    const notice =
      dependents.length === 0
        ? undefined
        : `note: ${shortList(dependents)} depended on ${id} and stay${dependents.length === 1 ? 's' : ''} closed: check if the work still holds`
    return {
      output: {
        action: 'land.revert',
        issuesPath,
        issueId: id,
        commit,
        reverted: landed,
        target,
        status: issue.status,
        closedDependents: dependents,
        result: 'reverted',
      },
      yes: true,
      ...messageOf(harness, notice),
      render: page =>
        [
          `${page.ink('green', 'Reverted')} ${visible(`${id}: ${issue.title}`)}`,
          `  ${landed.slice(0, 9)} is taken back on ${visible(target)} by ${commit.slice(0, 9)}, and the issue is ${issue.status}`,
          '',
        ].join('\n'),
    }
  },
})

function refused(issueId: string, issuesPath: string, ended: NotReverted): Answer<unknown> {
  const { paths, lastLines = [] } = ended
  const answer = refusedAnswer(
    { action: 'land.revert', issueId, issuesPath, lastLines, ...(paths && { paths }) },
    ended,
  )
  return {
    ...answer,
    render: () =>
      shownOutput({ lastLines })
        .map(line => `    ${line}\n`)
        .join(''),
  }
}

const closedDependents = (memory: IssueMemory, id: string): readonly string[] =>
  memory
    .all()
    .filter(({ status }) => status === 'closed')
    .filter(({ dependencies }) =>
      dependencies.some(edge => edge.depends_on_id === id && blockingTypes.has(edge.type)),
    )
    .map(issue => issue.id)
