/** Renders a checked turn as a table of calls, results and uses. */
import Table from 'cli-table3'
import type { Page } from '../../answer.ts'
import { widthOf } from '../../kernel/text/text-width.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { JoinReport } from '../../wire/turn/join-report.ts'
import type { RequestRow, ResultRow, UseRow } from '../../wire/turn/normalized-turn.ts'
import { rowColumns } from '../columns.ts'
import { type FittedColumn, fitColumns } from '../table.ts'
import { demandLines, findingLines, headline, indented } from './verdict-page.ts'

/** A longer table is not readable. Open calls come first, because readers look for those. */
const rowsMax = 200

export function explainPage(report: JoinReport, source: string, page: Page): string {
  return `${[
    headline(report, source, page),
    '',
    callTable(report, page),
    ...findingLines(report, page),
    ...demandLines(report, page),
    ...bindingLines(report, page),
  ].join('\n')}\n`
}

function callTable({ normalized }: JoinReport, page: Page): string {
  const ids = callIds(normalized)
  if (ids.length === 0) return 'The turn has no tool calls.'
  const head = ['call', 'tool', 'result', 'use', 'open'] as const
  const calls = {
    requests: byCall(normalized.toolRequests),
    results: byCall(normalized.toolResults),
    uses: byCall(normalized.toolUse),
  }
  const all = ids.map(id => rowOf(calls, id))
  const rows = all.length > rowsMax ? [...all].sort(openFirst).slice(0, rowsMax) : all
  const columns = fitted([head, ...rows], page)
  const table = new Table({
    head: columns.map(({ at }) => page.ink('bold', head[at] ?? '')),
    colWidths: columns.map(({ width }) => width + padding),
    style: { head: [], border: [] },
  })
  for (const row of rows) {
    const cells = inked(row, page)
    table.push(columns.map(({ at }) => cells[at] ?? ''))
  }
  const left = all.length - rows.length
  return left === 0 ? table.toString() : `${table.toString()}\n… and ${left} more calls`
}

const openFirst = (a: Row, b: Row) => Number(a[4] === closed) - Number(b[4] === closed)

type Normalized = JoinReport['normalized']

function callIds({ joinState }: Normalized): readonly string[] {
  const { requestedCallIds = [], resultCallIds = [], usedCallIds = [] } = joinState
  return [...new Set([...requestedCallIds, ...resultCallIds, ...usedCallIds])]
}

const byCall = <Row extends { readonly toolCallId: string }>(rows: readonly Row[] = []) =>
  new Map(rows.map(row => [row.toolCallId, row]))

type Row = readonly [call: string, tool: string, result: string, use: string, open: string]

const closed = 'closed'

/** Coloured after the widths are computed, because colour codes have no width. */
function inked([call, tool, result, use, open]: Row, page: Page): string[] {
  return [call, tool, result, use, page.ink(open === closed ? 'green' : 'red', open)]
}

interface Calls {
  readonly requests: ReadonlyMap<string, RequestRow>
  readonly results: ReadonlyMap<string, ResultRow>
  readonly uses: ReadonlyMap<string, UseRow>
}

function rowOf(calls: Calls, id: string): Row {
  const request = calls.requests.get(id)
  const result = calls.results.get(id)
  const use = calls.uses.get(id)
  const error =
    result?.error && `${result.error.errorCode}${result.error.retryable ? ', retryable' : ''}`
  const open = openParts(request, result, use)
  return [
    visible(id),
    visible(request?.toolName ?? '—'),
    visible(error ? `error: ${error}` : (result?.status ?? '—')),
    visible(use?.disposition ?? '—'),
    open === '' ? closed : open,
  ]
}

function openParts(request: unknown, result: unknown, use: unknown): string {
  const lacking = [!request && 'request', !result && 'result', !use && 'use']
  const names = lacking.filter(name => name !== false)
  return names.length === 0 ? '' : `no ${names.join(', no ')}`
}

/** Left and right of each cell. */
const padding = 2

/** As wide as the contents, including borders, up to the page width. */
function fitted(rows: readonly (readonly string[])[], page: Page): readonly FittedColumn[] {
  const wanted = [0, 1, 2, 3, 4].map(at =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0),
  )
  const border = 1
  return fitColumns(wanted, {
    columns: rowColumns(page) - padding - 2 * border,
    gap: padding + border,
    // The last column already says which of these are missing.
    leastFirst: [3, 2],
  })
}

function bindingLines({ unverifiedBindings, ignoredKeys }: JoinReport, page: Page): string[] {
  const sections: [string, readonly string[]][] = [
    ['Not verified (digest only):', unverifiedBindings],
    ['Unknown keys (ignored):', ignoredKeys],
  ]
  return sections
    .filter(([, names]) => names.length > 0)
    .flatMap(([title, names]) => ['', page.ink('dim', title), ...indented(names.join(', '), page)])
}
