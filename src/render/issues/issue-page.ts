import { endWords, outputRef, shownLines, shownOutput } from '../../kernel/harness/feedback.ts'
import { allowancesOf } from '../../kernel/issues/allowances.ts'
import { type Blocker, openBlockersOf } from '../../kernel/issues/graph/blocked.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import { commentsOf, withoutComments } from '../../kernel/issues/issue-comment.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { type Landing, landingOf } from '../../kernel/issues/landing/landing-state.ts'
import { revertedOf } from '../../kernel/issues/landing/revert.ts'
import { isContended, leaseStateAt } from '../../kernel/issues/lease-state.ts'
import { acknowledgeCommand, gaveWayIn, gaveWayLine } from '../../kernel/issues/merge/gave-way.ts'
import { isJsonObject, type Json } from '../../kernel/json.ts'
import { forcedReason, isImported } from '../../kernel/proof/close-kind.ts'
import { landedOf } from '../../kernel/proof/proof-chain.ts'
import { briefOf, leaseOf } from './issue-answer.ts'
/** Renders one issue. */

import type { Page } from '../../answer.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { Feedback } from '../../wire/harness/feedback.ts'
import type { CloseProgress } from '../../wire/landing/close-request.ts'
import { twoColumns, wrap } from '../columns.ts'

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
    ...list('comments', (issue.comments ?? []).flatMap(commentLines), page),
    ...list('gave way in a merge', gaveWayLines(shown), page),
    ...list('queued close', closeLines(shown), page),
    ...list('last failure', failureLines(shown), page),
    ...list('waits for', waitsFor(shown), page),
    ...list('depends on', dependsOn(shown), page),
    ...list('other issues depend on it', shown.dependents.map(dependentLine), page),
    '',
  ].join('\n')
}

/** One line per fact; blank ones are left out. */
function facts({ issue, ready, reclaim }: ShownIssue): (readonly [string, string])[] {
  const { lease, landing, landed, reverted } = issue
  const all: readonly (readonly [string, string])[] = [
    ['status', `${issue.status}${ready ? ', ready' : ''}${reclaim ? ', expired claim' : ''}`],
    ['type', issue.issueType],
    ['priority', String(issue.priority)],
    ['assignee', issue.assignee],
    ['owner', issue.owner],
    ['labels', issue.labels.join(', ')],
    ['specs', issue.specs.join(', ')],
    ['may change', mayChangeLine(issue)],
    ['lease', lease ? leaseLine(lease) : ''],
    ['fence', issue.fence > 0 ? String(issue.fence) : ''],
    [landing?.reverts ? 'reverting' : 'landing', landing ? landingLine(landing) : ''],
    ['created', issue.createdAt ?? ''],
    ['updated', issue.updatedAt ?? ''],
    ['closed', closedLine(issue)],
    ['landed', landed ? `as ${landed.commit} on ${landed.target}` : ''],
    ['reverted', reverted ? `by ${reverted.commit} on ${reverted.target}` : ''],
  ]
  return all.filter(([, text]) => text !== '')
}

const mayChangeLine = ({ mayChange = [], writesSpecs }: ShownIssue['issue']) =>
  [...mayChange, ...(writesSpecs ? ['its own specs'] : [])].join(', ')

function closedLine({ closedAt, forced, imported, metadata }: ShownIssue['issue']): string {
  const how = [
    ...(closedAt === null ? [] : proofWords(metadata)),
    ...(forced ? [`by force: ${forced.reason}`] : []),
    ...(imported ? ['before it was imported, so it has no proof'] : []),
  ]
  return [...(closedAt === null ? [] : [closedAt]), ...how].join(', ')
}

/** As recorded: premath witness verify checks it. The record has no text of the command. */
function proofWords(metadata: Json): readonly string[] {
  const close = isJsonObject(metadata) ? metadata['premathClose'] : undefined
  const by = isJsonObject(close) ? close['by'] : undefined
  if (by === 'specs') return ['recorded proof: its specs passed']
  return by === 'verification' ? ['recorded proof: a verify command passed'] : []
}

const landingLine = ({ commit, target, reverts }: ReturnType<typeof planOf>) =>
  reverts === undefined ? `${commit} on ${target}` : `${reverts} by ${commit} on ${target}`

function leaseLine(lease: NonNullable<ShownIssue['issue']['lease']>): string {
  const { leaseId, owner, expiresAt, state, contended } = lease
  const until = state === 'active' ? `until ${expiresAt}` : `expired at ${expiresAt}`
  return `${leaseId} of ${owner}, ${state}${contended ? ' and contended' : ''}, ${until}`
}

function closeLines({ close }: ShownIssue): readonly string[] {
  if (close === undefined) return []
  const { state, fence, queuedAt, failureClasses = [], diagnostic, remedy, lastLines } = close
  const since = queuedAt === undefined ? '' : `, queued at ${queuedAt}`
  return [
    `${state}, under fence ${fence}${since}`,
    ...(diagnostic === undefined ? [] : [`${diagnostic} (${failureClasses.join(', ')})`]),
    ...(remedy === undefined ? [] : [remedy]),
    ...shownOutput({ lastLines }),
  ]
}

function failureLines({ lastFailure }: ShownIssue): readonly string[] {
  if (lastFailure === undefined) return []
  const { command, failureClasses, lastLines, output, stepId, summary } = lastFailure
  const outputs = shownOutput({ lastLines, outputRef: outputRef({ output }) })
  return [
    `${failureClasses.join(', ') || 'unknown'} in step ${stepId}`,
    ...(summary === null ? [] : [summary]),
    ...(command === null ? [] : [`${command.phase}: ${command.command} (${endWords(command)})`]),
    ...outputs,
  ]
}

const commentLines = ({ author, createdAt, text }: CommentOnPage) => [
  `${author || 'unknown'}${createdAt === null ? '' : `, ${createdAt}`}`,
  ...text.split('\n').map(line => `  ${line}`),
]

/** All of them: the text has the losing values nowhere else. */
function gaveWayLines({ issue }: ShownIssue): readonly string[] {
  const values = gaveWayIn(issue)
  if (values.length === 0) return []
  const lines = values.map(value => gaveWayLine(value, Number.POSITIVE_INFINITY))
  return [...lines, `${acknowledgeCommand(issue.id, issue.lease?.leaseId, issue.fence)} ends this.`]
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

/** Keeps line breaks and wraps long lines. */
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

interface CommentOnPage {
  readonly author: string
  readonly createdAt: string | null
  readonly text: string
}

/** An issue that depends on this one. */
interface Dependent {
  readonly issueId: string
  readonly type: string
  readonly status: string
  readonly title: string
}

type ShownIssue = ReturnType<typeof shownIssue>

interface Shown {
  readonly now: bigint
  /** The last attempt, if it failed. */
  readonly failed: Feedback | undefined
  /** The close that its holder asked for. */
  readonly close?: CloseProgress | undefined
}

export function shownIssue(issue: Issue, memory: IssueMemory, { now, failed, close }: Shown) {
  const blockers: readonly Blocker[] = openBlockersOf(memory, issue)
  const state = leaseStateAt(issue.lease, now)
  const landing = landingOf(issue)
  const landed = landedOf(issue)
  const reason = forcedReason(issue)
  const { mayChange, writesSpecs } = allowancesOf(issue)
  const comments = commentsOf(issue).map(({ author, createdAt, id, text }) => ({
    author,
    createdAt: createdAt ?? null,
    id,
    text,
  }))
  const reverted = issue.status === 'closed' ? undefined : revertedOf(issue)
  const isLeft = issue.status === 'in_progress' && state === 'stale' && landing === undefined
  return {
    blockers,
    ...(close && { close }),
    dependents: dependentsOf(issue.id, memory),
    issue: {
      ...briefOf(issue),
      acceptanceCriteria: issue.acceptance_criteria,
      closedAt: issue.closed_at ?? null,
      ...(comments.length > 0 && { comments }),
      createdAt: issue.created_at ?? null,
      dependencies: issue.dependencies.map(({ depends_on_id, type, created_by }) => ({
        createdBy: created_by,
        dependsOnId: depends_on_id,
        issueId: issue.id,
        type,
      })),
      description: issue.description,
      design: issue.design,
      ephemeral: issue.ephemeral,
      fence: fenceOf(issue),
      ...(reason !== undefined && { forced: { reason } }),
      ...(isImported(issue) && { imported: true }),
      labels: issue.labels,
      ...(landed && { landed }),
      ...(landing && { landing: planOf(landing) }),
      ...(reverted && { reverted }),
      lease: issue.lease
        ? { ...leaseOf(issue.lease, issue), contended: isContended(issue, now), state }
        : null,
      metadata: issue.metadata ?? null,
      molType: issue.mol_type,
      notes: issue.notes,
      others: withoutComments(issue.others) ?? null,
      specs: specsOf(issue),
      ...(mayChange.length > 0 && { mayChange }),
      ...(writesSpecs && { writesSpecs }),
      updatedAt: issue.updated_at ?? null,
    },
    ...(failed && { lastFailure: failureOf(failed) }),
    ready: memory.isReady(issue),
    reclaim: isLeft && blockers.length === 0,
  }
}

/** Without the record of the close, which is not made yet. */
const planOf = ({ base, commit, target, tree, revert }: Landing) => ({
  base,
  commit,
  target,
  tree,
  reverts: revert?.landed,
})

const failureOf = (failed: Feedback) => ({
  command: failed.command,
  failureClasses: failed.failureClasses,
  lastLines: shownLines(failed),
  output: failed.output,
  stepId: failed.stepId,
  summary: failed.summary,
})

const dependentsOf = (id: string, memory: IssueMemory): readonly Dependent[] =>
  memory
    .dependentsOf(id)
    .flatMap(({ id: issueId, status, title, dependencies }) =>
      dependencies
        .filter(edge => edge.depends_on_id === id)
        .map(({ type }) => ({ issueId, status, title, type })),
    )
