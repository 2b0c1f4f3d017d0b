/** One page that needs nothing else: no network, and no script but for its filter. */
import { counted } from '../../kernel/text/counted.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { version } from '../../project/version.ts'
import { script, style } from './html-assets.ts'
import type { ReportedProblem } from './reported.ts'
import {
  byFile,
  type ReportedCase,
  type ReportedRun,
  remarksOf,
  whyNotRun,
} from './reported-run.ts'
import { escaped } from './xml.ts'

/** Well-formed as XML too, so that any parser can read it. */
export function html(run: ReportedRun): string {
  const title = `${verdictOf(run)} · premath spec run`
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(run)}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="color-scheme" content="light dark"/>',
    `<title>${safe(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    ...headerOf(run),
    '<main>',
    ...failuresOf(run),
    ...problemsOf(run),
    ...documentsOf(run),
    '</main>',
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** A content security policy: only the built-in script and style may run. */
function policyOf({ sha256 }: ReportedRun): string {
  const source = (text: string) => `'sha256-${Buffer.from(sha256(text), 'hex').toString('base64')}'`
  return safe(
    `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; base-uri 'none'; form-action 'none'`,
  )
}

const words = { pass: 'passed', fail: 'failed', skip: 'skipped', 'not run': 'not run' } as const
const statuses = ['fail', 'pass', 'skip', 'not run'] as const
const classOf = (status: ReportedCase['status']) => status.replace(' ', '-')

function verdictOf({ json, problems }: ReportedRun): string {
  const wrong = [
    ...(json.failed > 0 ? [`${json.failed} failed`] : []),
    ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
  ]
  if (wrong.length > 0) return wrong.join(', ')
  return json.total === 0 ? 'No cases' : `${json.passed} passed`
}

function headerOf(run: ReportedRun): readonly string[] {
  const { json, startedMs, cases } = run
  const when = new Date(startedMs).toISOString()
  const kind = json.result === 'accepted' ? 'pass' : 'fail'
  const present = statuses.filter(status => countOf(status, cases) > 0)
  return [
    '<header>',
    `<p class="tool">premath spec run</p>`,
    `<h1 class="${kind}">${safe(verdictOf(run))}</h1>`,
    `<p class="facts"><span>${counted(json.total, 'case')}</span> <span>${time(json.durationMs)}</span> <time datetime="${when}">${when.slice(0, 16).replace('T', ' ')} UTC</time> <span>premath ${safe(version)}</span></p>`,
    ...barOf(cases),
    '<div id="filter" role="search" hidden="hidden">',
    '<input type="search" id="words" placeholder="Find an id, a title, a message…" aria-label="Show only cases with this text"/>',
    '<fieldset><legend>Show</legend>',
    ...present.map(
      status =>
        `<label class="${classOf(status)}"><input type="checkbox" value="${classOf(status)}" checked="checked"/>${words[status]} <b>${countOf(status, cases)}</b></label>`,
    ),
    '</fieldset>',
    '<p role="status" id="shown"></p>',
    '</div>',
    '</header>',
  ]
}

const countOf = (status: ReportedCase['status'], cases: readonly ReportedCase[]) =>
  cases.filter(one => one.status === status).length

/** A bar chart of the counts, which are also given as text. */
function barOf(cases: readonly ReportedCase[]): readonly string[] {
  let x = 0
  const parts = statuses.map(status => {
    const width = countOf(status, cases)
    x += width
    return `<rect class="${classOf(status)}" x="${x - width}" y="0" width="${width}" height="1"></rect>`
  })
  if (x === 0) return []
  const barLabel = statuses.map(status => `${countOf(status, cases)} ${words[status]}`).join(', ')
  return [
    `<svg class="bar" role="img" aria-label="${barLabel}" viewBox="0 0 ${x} 1" preserveAspectRatio="none">${parts.join('')}</svg>`,
  ]
}

/** Links to failures, for readers without scripts. */
function failuresOf({ cases }: ReportedRun): readonly string[] {
  const links = cases.flatMap(({ status, id, title }, at) =>
    status === 'fail' ? [`<li><a href="#case-${at}">${name(id, title)}</a></li>`] : [],
  )
  if (links.length === 0) return []
  return ['<nav aria-label="Failed cases">', '<h2>Failed</h2>', '<ul>', ...links, '</ul>', '</nav>']
}

const name = (id: string, title: string) =>
  `<span class="id">${safe(id)}</span>${title === '' ? '' : ` <span class="title">${safe(title)}</span>`}`

function problemsOf({ problems }: ReportedRun): readonly string[] {
  if (problems.length === 0) return []
  return [
    '<section class="problems" aria-labelledby="problems">',
    '<h2 id="problems">What could not be read</h2>',
    ...problems.map(problemOf),
    '</section>',
  ]
}

const problemOf = ({ file, line, column, code, text }: ReportedProblem) =>
  `<article class="fail"><p><span class="status">error</span> <span class="id">${safe(code)}</span> <span class="place">${safe(`${file}:${line}:${column}`)}</span></p><pre tabindex="0">${safeLines(text)}</pre></article>`

function documentsOf({ cases }: ReportedRun): readonly string[] {
  const files = [...byFile(cases.map((one, number) => ({ ...one, number })))]
  return files.flatMap(([file, own], number) => [
    `<section class="document" aria-labelledby="document-${number}">`,
    `<h2 id="document-${number}">${safe(file)}</h2>`,
    ...own.map(caseOf),
    '</section>',
  ])
}

function caseOf(one: ReportedCase & { readonly number: number }): string {
  const { number, status, id, title, file, line, column, durationMs, text } = one
  const place = one.at ?? { line, column }
  const why = whyNotRun(one)
  const head = [
    `<span class="status">${words[status]}</span>`,
    name(id, title),
    ...(one.flaky ? ['<span class="flaky">flaky</span>'] : []),
    `<span class="place">${safe(`${file}:${place.line}:${place.column}`)}</span>`,
    `<span class="time">${why === undefined ? time(durationMs) : ''}</span>`,
  ].join(' ')
  const more = [
    ...(text === '' ? [] : [`<pre tabindex="0">${safeLines(text)}</pre>`]),
    ...(why === undefined ? [] : [`<p>${safe(`${why}.`)}</p>`]),
    ...list(remarksOf(one)),
    `<p class="facts"><span>${safe(one.type)}</span> <span>${counted(one.assertions, 'assertion')}</span>${one.tags.map(tag => ` <span class="tag">${safe(tag)}</span>`).join('')}</p>`,
  ]
  const isOpen = status === 'fail' ? ' open="open"' : ''
  return `<details class="case ${classOf(status)}" id="case-${number}"${isOpen}><summary>${head}</summary>${more.join('')}</details>`
}

const list = (texts: readonly string[]) =>
  texts.length === 0
    ? []
    : [`<ul>${texts.map(text => `<li>${safeLines(text)}</li>`).join('')}</ul>`]

const time = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`)

const safe = (text: string) => escaped(visible(text))
const safeLines = (text: string) => escaped(visibleLines(text))
