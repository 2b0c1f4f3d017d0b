/** One issue, for people. */
import { twoColumns, wrap } from './columns.ts'
import type { Dependent, ShownIssue } from './issue-show.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

export function issuePage(shown: ShownIssue, page: Page): string {
  const { issue } = shown
  return [
    page.ink('bold', visible(`${issue.id}: ${issue.title}`)),
    twoColumns(
      facts(shown).map(([name, text]) => [name, visible(text)] as const),
      page.columns,
    ),
    ...section('description', issue.description, page),
    ...section('design', issue.design, page),
    ...section('acceptance', issue.acceptanceCriteria, page),
    ...section('notes', issue.notes, page),
    ...list('waits for', waitsFor(shown), page),
    ...list('depends on', dependsOn(shown), page),
    ...list('other issues depend on it', shown.dependents.map(dependentLine), page),
    '',
  ].join('\n')
}

/** What there is to say in a line each; what is blank goes unsaid. */
function facts({ issue, ready, reclaim }: ShownIssue): (readonly [string, string])[] {
  const { lease } = issue
  const all: readonly (readonly [string, string])[] = [
    ['status', `${issue.status}${ready ? ', ready' : ''}${reclaim ? ', left behind' : ''}`],
    ['type', issue.issueType],
    ['priority', String(issue.priority)],
    ['assignee', issue.assignee],
    ['owner', issue.owner],
    ['labels', issue.labels.join(', ')],
    ['specs', issue.specs.join(', ')],
    ['lease', lease ? leaseLine(lease) : ''],
    ['fence', issue.fence > 0 ? String(issue.fence) : ''],
    ['created', issue.createdAt ?? ''],
    ['updated', issue.updatedAt ?? ''],
    ['closed', issue.closedAt ?? ''],
  ]
  return all.filter(([, text]) => text !== '')
}

function leaseLine(lease: NonNullable<ShownIssue['issue']['lease']>): string {
  const { leaseId, owner, expiresAt, state, contended } = lease
  const until = state === 'active' ? `until ${expiresAt}` : `ran out at ${expiresAt}`
  return `${leaseId} of ${owner}, ${state}${contended ? ' and contended' : ''}, ${until}`
}

const waitsFor = ({ blockers }: ShownIssue) =>
  blockers.map(
    ({ dependsOnId, type, blockerStatus }) =>
      `${dependsOnId} (${type}, ${blockerStatus ?? 'missing'})`,
  )

const dependsOn = ({ issue, blockers }: ShownIssue) =>
  issue.dependencies
    .filter(({ dependsOnId, type }) => !blockers.some(isEdge(dependsOnId, type)))
    .map(({ dependsOnId, type }) => `${dependsOnId} (${type})`)

const isEdge = (dependsOnId: string, type: string) => (blocker: ShownIssue['blockers'][number]) =>
  blocker.dependsOnId === dependsOnId && blocker.type === type

const dependentLine = ({ issueId, type, status, title }: Dependent) =>
  `${issueId} (${type}, ${status}): ${title}`

/** Lines stay lines; only those that are too long are broken. */
function section(name: string, text: string, page: Page): string[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  return ['', page.ink('bold', name), ...lines.flatMap(line => indented(line, page))]
}

function list(name: string, lines: readonly string[], page: Page): string[] {
  if (lines.length === 0) return []
  return ['', page.ink('bold', name), ...lines.flatMap(line => indented(line, page))]
}

function indented(line: string, page: Page): string[] {
  const shown = visible(line.replaceAll('\t', '  ').replace(/\r$/, ''))
  const room = page.columns - 2
  return (shown.length <= room ? [shown] : wrap(shown, room)).map(part => `  ${part}`.trimEnd())
}
