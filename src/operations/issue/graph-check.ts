import type { Page } from '../../answer.ts'
import { checkFields } from '../../input/issue-fields.ts'
import {
  type CompactnessFinding,
  compactnessFindings,
} from '../../kernel/issues/graph/graph-compactness.ts'
import { checkIssues, type IssueCheckReport } from '../../kernel/issues/issue-check.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type Compaction, removeRedundantEdges } from '../../project/issues/issue-graph-fix.ts'
import { openProject } from '../../project/open.ts'
import { openIssues, talkOf } from '../../project/open-issues.ts'
import { exitOfRefusal, rejected } from '../../render/issues/issue-answer.ts'
import { checkPage } from '../../render/issues/issue-check-page.ts'
import { operation } from '../operation.ts'

const action = 'issue-graph.check'
const remedy = 'premath issue-graph-check --fix'

export const issueGraphCheck = operation({
  group: 'dep',
  summary: 'Check all issues, and find dependencies that say nothing new.',
  description:
    'Does what premath issue check does, and looks at the blocks edges of active issues: one to a closed issue blocks nothing any more, and one that a longer way implies is redundant. --fix removes those edges, each only if what is ready, what is blocked and who waits for whom stays the same; an edge of an issue that somebody holds stays. Exits 1 when there is an error or a finding, 4 when an edge stayed because of a lease.',
  effect: 'mutation',
  input: {
    fix: { type: 'flag', describe: 'Remove the redundant edges.' },
    reason: {
      type: 'text',
      describe: 'Why, for the record; a policy of human-override asks for it.',
      placeholder: 'text',
    },
    ...checkFields,
  },
  examples: [
    { command: 'premath issue-graph-check', shows: 'errors, and edges that can go' },
    { command: 'premath issue-graph-check --fix', shows: 'the edges that went' },
  ],

  async run({ fix, noteWarnThreshold, ...rest }, context) {
    const project = await openProject(context)
    const open = await openIssues(project, rest)
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
      ...talkOf(open),
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
      yield `  ${orderChanged}: what is ready or blocked changed meanwhile. Somebody else is at work; check again.`
    }
  }
  const word = findings.length === 0 ? page.ink('green', 'OK') : page.ink('red', 'FAIL')
  yield `[issue-graph] compactness ${word} (findings=${findings.length})`
  for (const { class: name, issueId, dependsOnId, message } of findings) {
    yield visible(`  - ${issueId} -> ${dependsOnId} ${name} (${message})`)
  }
  if (findings.length > 0 && !compaction) yield `  → ${remedy}`
}
