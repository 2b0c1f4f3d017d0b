/** What was completed and what failed in each part of a window, as bars that fit the page. */

import type { Page } from '../../answer.ts'
import { type KpiSlot, type KpiWindow, slotCount } from '../../kernel/harness/run/kpi.ts'
import { seconds, timestampOf } from '../../kernel/timestamp.ts'
import { hung } from '../columns.ts'

const [completedMark, failedMark] = ['█', '░']

export function kpiChart(slots: readonly KpiSlot[], window: KpiWindow, page: Page): string {
  const most = Math.max(...slots.map(({ completed, failed }) => completed + failed))
  if (most === 0) return ''
  const labels = slots.map((_, at) => `  ${labelOf(window, at)}  `)
  const counted = slots.map(({ completed, failed }) => `  ${completed} / ${failed}`)
  const beside = page.columns - widest(labels)
  // The bars are what one looks at: on a narrow page they stay and the figures go.
  const counts = beside - widest(counted) >= roomMin ? counted : []
  const room = beside - widest(counts)
  const legend = hung('  ', `${completedMark} completed / ${failedMark} failed`, page.columns)
  const lines = slots.map(
    (slot, at) =>
      page.ink('dim', labels[at] ?? '') +
      // One less, because whatever there is of, shows.
      bar(slot, (room - 1) / most, page) +
      page.ink('dim', counts[at] ?? ''),
  )
  return `${[...legend, ...lines].join('\n')}\n`
}

const roomMin = 4

const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length))

/** When the part begins: the hour, or only the day where a part is longer than one. */
function labelOf({ start, end, hours }: KpiWindow, at: number): string {
  const begins = start + ((end - start) * BigInt(at)) / BigInt(slotCount)
  const text = timestampOf(begins < 0n ? begins : begins - (begins % seconds(1)))
  return hours > 24 * slotCount ? text.slice(0, 10) : text.slice(5, 16).replace('T', ' ')
}

function bar({ completed, failed }: KpiSlot, scale: number, page: Page): string {
  const length = (count: number) => (count === 0 ? 0 : Math.max(1, Math.floor(count * scale)))
  return (
    page.ink('green', completedMark.repeat(length(completed))) +
    page.ink('red', failedMark.repeat(length(failed)))
  )
}
