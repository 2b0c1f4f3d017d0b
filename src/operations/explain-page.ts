/** A judged turn, laid open: who was called, what came back, what became of it. */
import Table from 'cli-table3'
import type { JoinReport } from '../wire/join-report.ts'
import type { RequestRow, ResultRow, UseRow } from '../wire/normalized-turn.ts'
import type { Page } from './operation.ts'
import { demandLines, findingLines, headline, indented } from './verdict-page.ts'
import { visible } from './visible.ts'

const columnsMin = 40
/** More is no table any more; the open calls come first, since they are what one looks for. */
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
  if (ids.length === 0) return 'No tool was called.'
  const head = ['call', 'tool', 'result', 'use', 'open'] as const
  const calls = {
    requests: byCall(normalized.toolRequests),
    results: byCall(normalized.toolResults),
    uses: byCall(normalized.toolUse),
  }
  const all = ids.map(id => rowOf(calls, id))
  const rows = all.length > rowsMax ? [...all].sort(openFirst).slice(0, rowsMax) : all
  const table = new Table({
    head: head.map(title => page.ink('bold', title)),
    colWidths: widths([head, ...rows], page.columns),
    style: { head: [], border: [] },
  })
  for (const row of rows) table.push(inked(row, page))
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

/** Coloured after the widths are known, since colours take room only in the text. */
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
    result?.error && `${result.error.errorCode}${result.error.retryable ? ', may retry' : ''}`
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

/** As wide as the contents ask for; the first two columns give way when the page is narrow. */
function widths(rows: readonly (readonly string[])[], columns: number): number[] {
  const padding = 2
  const wanted = [0, 1, 2, 3, 4].map(
    at => rows.reduce((most, row) => Math.max(most, (row[at] ?? '').length), 0) + padding,
  )
  const borders = wanted.length + 1
  const room = Math.max(columns, columnsMin) - borders
  while (sum(wanted) > room) {
    const widest = wanted.indexOf(Math.max(...wanted))
    wanted[widest] = (wanted[widest] ?? 0) - 1
  }
  return wanted
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, next) => total + next, 0)

function bindingLines({ unverifiedBindings, ignoredKeys }: JoinReport, page: Page): string[] {
  const said: [string, readonly string[]][] = [
    ['Bound by digest, document not seen:', unverifiedBindings],
    ['Keys that nothing reads:', ignoredKeys],
  ]
  return said
    .filter(([, names]) => names.length > 0)
    .flatMap(([title, names]) => ['', page.ink('dim', title), ...indented(names.join(', '), page)])
}
