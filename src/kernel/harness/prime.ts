/** The prime page: context for a fresh agent within a fixed number of tokens. */

import type { Session } from '../../wire/harness/session.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { fenceOf, type Issue } from '../issues/issue.ts'
import { commentsOf } from '../issues/issue-comment.ts'
import { specsOf } from '../issues/issue-edit.ts'
import { acknowledgeCommand, gaveWayIn, gaveWayLine } from '../issues/merge/gave-way.ts'
import { clip } from '../text/clean.ts'
import { isOfRun, nextStepAtStart } from './run/run-session.ts'

export const primeTokensMax = 1_200

/**
 * An upper bound. Common tokenizers use at most one token per three ASCII characters, and at worst
 * one token per other character.
 */
export function tokensAtMost(text: string): number {
  let wide = 0
  for (const character of text) if ((character.codePointAt(0) ?? 0) > 0x7f) wide++
  return Math.ceil((text.length - wide) / 3) + 2 * wide
}

export interface PrimeFacts {
  /** True if the caller may change issue memory. */
  readonly mayChange: boolean
  readonly session: Session | undefined
  /** True if issues have changed since the session was written. */
  readonly hasMoved?: boolean | undefined
  /** The claimed issue, if there is one. */
  readonly issue: Issue | undefined
  /** Open issues that block it. */
  readonly blockers: readonly Issue[]
  readonly lastFailure: StepRow | undefined
  /** The file with the failed command and its output, if a step wrote one. */
  readonly feedbackPath?: string | undefined
  /** The next step from the handoff packet, and the path of the packet. */
  readonly handoff?: { readonly next: string; readonly path: string } | undefined
  readonly readyCount: number
  /** Counted only where no issue is ready. */
  readonly blockedCount: number
  /** Other issues of which values gave way in a merge: the first ones, and the number of all. */
  readonly gaveWay: { readonly first: readonly Issue[]; readonly total: number }
}

/**
 * Sections in order of importance. Long texts are shortened, but headings and commands are kept.
 */
export function primeText(facts: PrimeFacts): string {
  for (const charsMax of [1_200, 800, 500, 300, 150, 60, 20]) {
    const text = `${[...sections(facts, charsMax)].join('\n\n')}\n`
    if (tokensAtMost(text) <= primeTokensMax) return text
  }
  return `${[...commandLines(facts)].join('\n')}\n`
}

function* sections(facts: PrimeFacts, charsMax: number): Iterable<string> {
  const short = (text: string) => clip(text.trim(), charsMax)
  const { session, issue, blockers, lastFailure, feedbackPath, handoff } = facts
  if (issue) yield issueSection(issue, short)
  else yield `# No issue is claimed\n${readyLine(facts)}`
  if (issue) yield* commentSection(issue, charsMax)
  if (issue) yield* gaveWaySection(issue, charsMax)
  if (blockers.length > 0) {
    const few = blockers.slice(0, 5).map(({ id, title }) => `- ${id}: ${clip(title, 80)}`)
    const more = blockers.length > 5 ? [`- and ${blockers.length - 5} more`] : []
    yield ['## Blocked by', ...few, ...more].join('\n')
  }
  if (lastFailure) {
    const more =
      feedbackPath === undefined ? '' : `\nIts command and output: ${clip(feedbackPath, 300)}`
    yield `${failureSection(lastFailure, short)}${more}`
  }
  if (handoff) yield `## Handoff\n${short(handoff.next)}\nMore in ${clip(handoff.path, 300)}`
  if (session) yield sessionSection(session, facts.hasMoved === true, short)
  yield* otherGaveWaySection(facts, charsMax)
  yield [...commandLines(facts)].join('\n')
}

function issueSection(issue: Issue, short: (text: string) => string): string {
  const specs = specsOf(issue)
  return [
    `# ${clip(issue.id, 80)}: ${clip(issue.title, 160)}`,
    `Priority ${issue.priority}, ${clip(issue.issue_type, 40)}, ${clip(issue.status, 40)}.`,
    ...(issue.description === '' ? [] : [short(issue.description)]),
    ...(issue.acceptance_criteria === '' ? [] : ['## Done when', short(issue.acceptance_criteria)]),
    ...(specs.length === 0
      ? []
      : [
          `## Specs\n${specs
            .slice(0, 8)
            .map(spec => `- ${clip(spec, 120)}`)
            .join('\n')}`,
        ]),
  ].join('\n')
}

/** Enough to know what people said last. The issue has all of it. */
const commentsShown = 3

function readyLine({ readyCount, blockedCount }: PrimeFacts): string {
  const areOf = (count: number) => `${count} ${count === 1 ? 'is' : 'are'}`
  if (readyCount > 0) return `${areOf(readyCount)} ready.`
  return blockedCount > 0 ? `None is ready: ${areOf(blockedCount)} blocked.` : 'None is ready.'
}

/** One line each, so that no comment looks like a section of this page. */
function* commentSection(issue: Issue, charsMax: number): Iterable<string> {
  const last = commentsOf(issue).slice(-commentsShown)
  if (last.length === 0) return
  const lines = last.map(({ author, createdAt, text }) => {
    const by = `${clip(oneLine(author), Math.min(charsMax, 40))}${createdAt === undefined ? '' : ` (${createdAt})`}`
    return `- ${by}: ${clip(oneLine(text), Math.min(charsMax, 500))}`
  })
  yield ['## Last comments', ...lines].join('\n')
}

/** A merge may have ended a claim, or taken another title than the agent knows. */
function* gaveWaySection(issue: Issue, charsMax: number): Iterable<string> {
  const values = gaveWayIn(issue)
  if (values.length === 0) return
  const few = values.slice(0, 5).map(value => `- ${oneLine(gaveWayLine(value, charsMax))}`)
  const more = values.length > few.length ? [`- and ${values.length - few.length} more`] : []
  const end = `${clip(acknowledgeCommand(issue.id, issue.lease?.lease_id, fenceOf(issue)), 240)} ends this.`
  yield ['## Gave way in a merge', ...few, ...more, end].join('\n')
}

/** An agent whose claim a merge ended has no issue, and would not learn why. */
function* otherGaveWaySection(
  { gaveWay: { first, total } }: PrimeFacts,
  charsMax: number,
): Iterable<string> {
  if (total === 0) return
  const lines = first.map(issue => {
    const fields = gaveWayIn(issue).map(({ field }) => field)
    return `- ${clip(issue.id, Math.min(charsMax, 80))}: ${clip(oneLine(fields.join(', ')), charsMax)}`
  })
  const more = total > first.length ? [`- and ${total - first.length} more`] : []
  const command =
    '`premath issue show <id>` shows the values, and the command that acknowledges them.'
  yield ['## Values of these issues gave way in a merge', ...lines, ...more, command].join('\n')
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ')

function failureSection(row: StepRow, short: (text: string) => string): string {
  const attempt = row.attempt === undefined ? '' : `, attempt ${row.attempt}`
  const next = row.nextStep === undefined ? '' : `\n${short(row.nextStep)}`
  return `## Last failure\n${row.resultClass} (step ${clip(row.stepId, 120)}${attempt}, ${row.finishedAt})${next}`
}

function sessionSection(
  session: Session,
  hasMoved: boolean,
  short: (text: string) => string,
): string {
  const { state, updatedAt, summary, nextStep } = session
  // A run speaks of the issues there were. What an agent left stays true.
  const isOutdated = hasMoved && isOfRun(session)
  return [
    `## Session\n${state} since ${updatedAt}.`,
    ...(summary === undefined ? [] : [short(summary)]),
    ...(isOutdated ? ['Issues have changed since.'] : []),
    ...(nextStep === undefined || isOutdated
      ? []
      : [`Next: ${short(nextStep === nextStepAtStart ? 'claim a ready issue' : nextStep)}`]),
  ].join('\n')
}

function* commandLines({ issue, mayChange }: PrimeFacts): Iterable<string> {
  yield '## Commands'
  if (!mayChange) yield* lookingLines(issue)
  else yield* changingLines(issue)
}

/** For a caller that may not change issues, so that its findings are not lost. */
function* lookingLines(issue: Issue | undefined): Iterable<string> {
  const id = issue ? clip(issue.id, 80) : '<id>'
  const [spec] = issue ? specsOf(issue) : []
  yield `- \`premath issue show ${id}\`: show ${issue ? 'the issue' : 'an issue'}`
  yield `- \`premath harness-trajectory query --issue ${id}\`: list earlier attempts`
  yield spec === undefined
    ? '- `premath issue ready`: list other ready issues'
    : `- \`premath spec run ${clip(spec, 120)}\`: check whether it is done`
  yield 'Issues change here only under an instruction. Report findings and new work in your answer.'
}

function* changingLines(issue: Issue | undefined): Iterable<string> {
  if (!issue) {
    yield '- `premath issue ready`: list ready issues'
    yield '- `premath issue claim-next --assignee <you> --json`: claim the first one'
    yield '- `premath issue show <id>`: show an issue'
    return
  }
  const id = clip(issue.id, 80)
  const proof = issue.lease
    ? ` --lease-id ${clip(issue.lease.lease_id, 120)} --fence ${fenceOf(issue)}`
    : ''
  yield `- \`premath issue show ${id}\`: show the issue`
  yield `- \`premath issue update ${id} --notes-file -${proof}\`: record findings`
  yield `- \`premath issue discover ${id} "<title>"${proof}\`: add new work`
}
