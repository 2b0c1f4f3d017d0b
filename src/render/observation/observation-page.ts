/** Renders the observation surface as text. */
import type { Page } from '../../answer.ts'
import { visible } from '../../kernel/text/visible.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import type { HarnessView, ObservationSurface } from '../../wire/observation/surface.ts'
import { hung, wrap, wrapBroken } from '../columns.ts'
import { table } from '../table.ts'
import { ageOf } from '../witnesses.ts'
import { attentionEntries } from './attention-entries.ts'

/** Everything that the surface says, in sections. Sections without an entry are left out. */
export function observationPage(surface: ObservationSurface, page: Page): string {
  const { harness, evaluatedAt } = surface
  const now = instantOf(evaluatedAt ?? '')
  return [
    stateLines(surface, page),
    attentionSection(surface, page),
    ...(harness ? harnessSections(harness, now ?? 0n, page) : []),
    ...(harness ? [lines(wrap(closingWords(harness), page.columns))] : []),
  ].join('')
}

/** The state and what needs attention, and nothing else. */
export const attentionPage = (surface: ObservationSurface, page: Page): string =>
  `${stateLines(surface, page)}${attentionSection(surface, page)}`

const inks = {
  accepted: 'green',
  rejected: 'red',
  error: 'red',
  running: 'yellow',
  empty: 'dim',
} as const

/** For people: what the last check came to. */
export const stateWords = {
  accepted: 'accepted',
  rejected: 'rejected',
  error: 'no readable verdict',
  running: 'checks passed, no decision yet',
  empty: 'no check has run',
} as const

function stateLines({ summary, evaluatedAt }: ObservationSurface, page: Page): string {
  const { state, needsAttention, topFailureClass } = summary
  const attention = needsAttention
    ? page.ink('yellow', `yes${topFailureClass === null ? '' : ` (${visible(topFailureClass)})`}`)
    : 'no'
  return lines([
    `State: ${page.ink(inks[state], stateWords[state])}`,
    `Needs attention: ${attention}`,
    ...(evaluatedAt === undefined ? [] : [`Evaluated: ${evaluatedAt}`]),
    '',
  ])
}

/** More would push the rest off the screen; `--json` has all of them. */
const attentionShown = 10

function attentionSection(surface: ObservationSurface, page: Page): string {
  const entries = attentionEntries(surface)
  const more = entries.length - attentionShown
  const text = lines([
    ...entries
      .slice(0, attentionShown)
      .flatMap(({ message, next }) => [
        ...hung('- ', visible(message), page.columns, wrapBroken),
        ...hung('  → ', visible(next), page.columns, wrapBroken).map(line => page.ink('dim', line)),
      ]),
    ...(more > 0 ? [`and ${more} more: premath observe --mode needs_attention --json`] : []),
  ])
  return section('Needs attention', entries.length === 0 ? '' : text, page)
}

const harnessSections = (harness: HarnessView, now: bigint, page: Page): readonly string[] => [
  section('In progress', leaseTable(harness, now, page), page),
  section('To land', landingTable(harness, page), page),
  section('Recent steps', stepTable(harness, page), page),
  section('Refusals', refusalTable(harness, page), page),
]

const leaseTable = ({ leases }: HarnessView, now: bigint, page: Page) =>
  table(
    ['issue', 'worker', 'lease', 'title'],
    leases.map(lease => [lease.issueId, lease.workerId, leaseWords(lease, now), lease.title]),
    page,
    ['title'],
  )

export function leaseWords(
  { expiresAt, state }: HarnessView['leases'][number],
  now: bigint,
): string {
  if (expiresAt === null) return 'none'
  const end = instantOf(expiresAt) ?? now
  return state === 'stale' ? `expired ${ageOf(end, now)} ago` : `${ageOf(now, end)} left`
}

const landingTable = ({ landingQueue }: HarnessView, page: Page) =>
  table(
    ['issue', 'state', 'commits', 'title'],
    (landingQueue ?? []).map(item => [item.issueId, item.state, String(item.commits), item.title]),
    page,
    ['commits', 'title'],
  )

const stepsShown = 5

const stepTable = ({ trajectory }: HarnessView, page: Page) =>
  table(
    ['finished', 'issue', 'worker', 'result', 'step'],
    trajectory.recent
      .slice(0, stepsShown)
      .map(step => [
        step.finishedAt,
        step.issueId ?? '',
        step.workerId ?? '',
        step.resultClass,
        step.stepId,
      ]),
    page,
    ['step', 'worker', 'finished'],
  )

const refusalTable = ({ refusals }: HarnessView, page: Page) =>
  table(
    ['count', 'last', 'class'],
    refusals.map(({ count, lastAt, failureClass }) => [String(count), lastAt ?? '', failureClass]),
    page,
    ['last'],
  )

export function closingWords({ issues, trajectory, kpi, specRuns, proofs }: HarnessView): string {
  return [
    `${issues.ready} ready, ${issues.inProgress} in progress, ${issues.blocked} blocked, ${issues.closed} closed (${proofs.provenCount} with proof, ${proofs.forcedCount} by force).`,
    `${trajectory.totalCount} steps, ${trajectory.failedCount} failed.`,
    `KPI ${kpi.kpi}: ${kpi.state}.`,
    `${specRuns.acceptedCount} of ${specRuns.witnessCount} runs of specs passed.`,
  ].join(' ')
}

const section = (title: string, text: string, page: Page): string =>
  text === '' ? '' : `${page.ink('bold', title)}\n${text}\n`

const lines = (texts: readonly string[]) => texts.map(text => `${text}\n`).join('')
