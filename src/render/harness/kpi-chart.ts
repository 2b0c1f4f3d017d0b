/** Draws completed and failed steps per slot of the window as bars that fit the page. */

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
  // On a narrow page the bars stay and the counts are omitted.
  const counts = beside - widest(counted) >= roomMin ? counted : []
  const room = beside - widest(counts)
  const legend = hung('  ', `${completedMark} completed / ${failedMark} failed`, page.columns)
  const lines = slots.map(
    (slot, at) =>
      page.ink('dim', labels[at] ?? '') +
      // One column less, because every count above zero gets at least one.
      bar(slot, (room - 1) / most, page) +
      page.ink('dim', counts[at] ?? ''),
  )
  return `${[...legend, ...lines].join('\n')}\n`
}

const roomMin = 4

const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length))

/** The start of the slot as an hour, or as a day if the slot is longer than a day. */
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
