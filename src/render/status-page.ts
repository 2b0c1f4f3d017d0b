/** Renders the state of a project. */
import type { Page } from '../answer.ts'
import type { AttentionItem, Working } from '../kernel/harness/project-status.ts'
import type { IssueCounts } from '../kernel/issues/issue-counts.ts'
import { visible } from '../kernel/text/visible.ts'
import { instantOf } from '../kernel/timestamp.ts'
import { nextOf, type Unlanded } from '../project/loop/landing-status.ts'
import type { ProjectStatus } from '../project/project-status.ts'
import { hung, wrap, wrapBroken } from './columns.ts'
import { table } from './table.ts'
import { ageOf } from './witnesses.ts'

export function statusPage(status: ProjectStatus, now: bigint, page: Page): string {
  const { working, landing, attention, counts } = status
  if (counts.total === 0)
    return lines(wrap('No issues yet. Next: premath add <title>', page.columns))
  return [
    ...section('Working', workingTable(working, now, page), page),
    ...section('To land', landingTable(landing ?? [], page), page),
    ...section('Needs attention', attentionLines(attention, now, page), page),
    lines(wrap(countWords(counts), page.columns)),
  ].join('')
}

const section = (title: string, text: string, page: Page): readonly string[] =>
  text === '' ? [] : [`${page.ink('bold', title)}\n`, text, '\n']

const lines = (texts: readonly string[]) => texts.map(text => `${text}\n`).join('')

const workingTable = (working: readonly Working[], now: bigint, page: Page) =>
  table(
    ['issue', 'worker', 'for', 'lease', 'title'],
    working.map(({ issueId, workerId, since, title, ...lease }) => [
      issueId,
      workerId,
      since === null ? '' : ageOf(instantOf(since) ?? now, now),
      leaseWords(lease, now),
      title,
    ]),
    page,
    ['for', 'title'],
  )

function leaseWords(
  { leaseExpiresAt, isExpired }: Pick<Working, 'leaseExpiresAt' | 'isExpired'>,
  now: bigint,
): string {
  if (leaseExpiresAt === null) return 'none'
  const end = instantOf(leaseExpiresAt) ?? now
  return isExpired ? `expired ${ageOf(end, now)} ago` : `${ageOf(now, end)} left`
}

const landingTable = (landing: readonly Unlanded[], page: Page) =>
  table(
    ['issue', 'state', 'commits', 'next', 'title'],
    landing.map(item => [item.issueId, item.state, String(item.commits), nextOf(item), item.title]),
    page,
    ['commits', 'title'],
  )

/** More would push the counts off the screen; `--json` has all of them. */
const attentionShown = 10

function attentionLines(items: readonly AttentionItem[], now: bigint, page: Page): string {
  const more = items.length - attentionShown
  return lines([
    ...items.slice(0, attentionShown).flatMap(item => itemLines(item, now, page)),
    ...(more > 0 ? wrap(`and ${more} more: premath status --json`, page.columns) : []),
  ])
}

function itemLines(item: AttentionItem, now: bigint, page: Page): readonly string[] {
  const { issueId, title, message, next, at } = item
  const name = at !== null || issueId === null ? '' : `${issueId} ${JSON.stringify(title ?? '')}: `
  const age = at === null ? '' : ` (${ageOf(instantOf(at) ?? now, now)} ago)`
  return [
    ...hung('- ', visible(`${name}${message}${age}`), page.columns, wrapBroken),
    ...hung('  → ', visible(next), page.columns, wrapBroken).map(line => page.ink('dim', line)),
  ]
}

function countWords(counts: IssueCounts): string {
  const { ready, inProgress, blocked, inReview, other, closed, forced } = counts
  return [
    `${ready} ready`,
    `${inProgress} in progress`,
    `${blocked} blocked`,
    ...(inReview > 0 ? [`${inReview} in review`] : []),
    ...(other > 0 ? [`${other} with another status`] : []),
    `${closed} closed${forced > 0 ? ` (${forced} by force)` : ''}`,
  ].join(', ')
}
