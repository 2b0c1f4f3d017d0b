import type { Page } from '../../answer.ts'
import { flagField, textField } from '../../field.ts'
import { checkFields } from '../../input/issue-check-fields.ts'
import {
  type CompactnessFinding,
  compactnessFindings,
} from '../../kernel/issues/graph/graph-compactness.ts'
import { checkIssues, type IssueCheckReport } from '../../kernel/issues/issue-check.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type Compaction, removeRedundantEdges } from '../../project/issues/issue-graph-fix.ts'
import { openProject } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { exitOfRefusal, rejected } from '../../render/issues/issue-answer.ts'
import { checkPage } from '../../render/issues/issue-check-page.ts'
import { GraphCheckAnswer } from '../../wire/answers/issue-check.ts'
import { operation } from '../operation.ts'

const action = 'issue-graph.check'
const remedy = 'premath issue-graph-check --fix'

export const issueGraphCheck = operation({
  group: 'dep',
  summary: 'Check all issues and find redundant dependencies.',
  description:
    'Runs premath issue check and examines the blocks edges of active issues. An edge to a closed issue, or one that a longer path implies, is redundant. --fix removes redundant edges if the ready issues, the blocked issues and their order stay the same. An edge of a leased issue stays. Exits 1 if there is an error or a finding, 4 if an edge stayed because of a lease.',
  effect: 'mutation',
  opId: 'op/issue.graph_check',
  input: {
    fix: flagField('Remove the redundant edges.'),
    reason: textField('text', 'The reason, for the record; required by the policy human-override.'),
    ...checkFields,
  },
  output: GraphCheckAnswer,
  examples: {
    'premath issue-graph-check': 'errors and redundant edges',
    'premath issue-graph-check --fix': 'the removed edges',
  },

  async run({ fix, noteWarnThreshold, ...rest }, context) {
    const project = await openProject(context)
    const open = await openIssues(project, rest, fix ? 'change' : 'ask')
    const compaction = fix ? await removeRedundantEdges(open, rest, project) : undefined
    if (compaction && isRefusal(compaction)) return rejected(action, open.issuesPath, compaction)
    const memory = await open.store.read()
    const check = checkIssues(memory, noteWarnThreshold)
    const findings = compactnessFindings(memory)
    const failures = [
      ...check.failureClasses,
      ...findings.map(finding => finding.class),
      ...(compaction && !compaction.orderKept ? [orderChanged] : []),
    ]
    const failureClasses = [...new Set(failures)].sort()
    const accepted = failureClasses.length === 0
    const isConflict = compaction?.keptEdges.some(edge => exitOfRefusal(edge) === 4)
    return {
      output: {
        action,
        issuesPath: open.issuesPath,
        mode: fix ? 'apply' : 'check',
        result: accepted ? 'accepted' : 'rejected',
        failureClasses,
        check,
        findingCount: findings.length,
        findings,
        remedy: findings.length > 0 && !fix ? remedy : null,
        ...compaction,
      },
      yes: accepted,
      ...(isConflict && { exitCode: 4 as const }),
      ...messageOf(open),
      render: (page: Page) => `${[...pageOf(check, findings, compaction, page)].join('\n')}\n`,
    }
  },
})

const orderChanged = 'issue_graph.compactness.order_changed'

function* pageOf(
  check: IssueCheckReport,
  findings: readonly CompactnessFinding[],
  compaction: Compaction | undefined,
  page: Page,
): Generator<string> {
  yield* checkPage(check, page)
  if (compaction) {
    yield `[issue-graph] removed ${compaction.removedCount} redundant edges`
    for (const { issueId, dependsOnId } of compaction.removedEdges) {
      yield visible(`  - ${issueId} -> ${dependsOnId}`)
    }
    for (const { issueId, dependsOnId, failureClass, diagnostic } of compaction.keptEdges) {
      yield visible(`  - KEPT ${issueId} -> ${dependsOnId} ${failureClass} (${diagnostic})`)
    }
    if (!compaction.orderKept) {
      yield `  ${orderChanged}: the ready or blocked issues changed meanwhile. Another worker is active; check again.`
    }
  }
  const word = findings.length === 0 ? page.ink('green', 'OK') : page.ink('red', 'FAIL')
  yield `[issue-graph] compactness ${word} (findings=${findings.length})`
  for (const { class: name, issueId, dependsOnId, message } of findings) {
    yield visible(`  - ${issueId} -> ${dependsOnId} ${name} (${message})`)
  }
  if (findings.length > 0 && !compaction) yield `  → ${remedy}`
}
