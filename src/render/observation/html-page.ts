/** The page of the server: the surface for a person with a browser. */
import type { Fault } from '../../fault.ts'
import { visible } from '../../kernel/text/visible.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import type { HarnessView, ObservationSurface } from '../../wire/observation/surface.ts'
import { escaped } from '../reports/xml.ts'
import { attentionEntries } from './attention-entries.ts'
import { leaseWords, stateWords } from './observation-page.ts'

export interface ShownSurface {
  /** The name of the project's folder. */
  readonly name: string
  readonly digest: string
  readonly now: { readonly surface: ObservationSurface } | { readonly fault: Fault }
}

export function observationHtml({ name, digest, now }: ShownSurface): string {
  const title = 'surface' in now ? stateWords[now.surface.summary.state] : 'not readable'
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    `<title>${safe(`${name}: ${title}`)}</title>`,
    '<link rel="stylesheet" href="/page.css"/>',
    '<script src="/page.js" defer="defer"></script>',
    '</head>',
    '<body>',
    `<p class="tool">premath · ${safe(name)} · <span id="live" role="status"></span></p>`,
    `<main data-digest="${safe(digest)}">`,
    ...('surface' in now ? contentOf(now.surface) : faultLines(now.fault)),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const safe = (text: string) => escaped(visible(text))

const faultLines = ({ message, hint }: Fault): readonly string[] => [
  '<h1 class="error">The project cannot be observed</h1>',
  `<p>${safe(message)}</p>`,
  ...(hint === undefined ? [] : [`<p class="next">${safe(hint)}</p>`]),
]

function contentOf(surface: ObservationSurface): readonly string[] {
  const { summary, harness, evaluatedAt = '' } = surface
  const now = instantOf(evaluatedAt) ?? 0n
  return [
    `<h1>State: <span class="${summary.state}">${stateWords[summary.state]}</span></h1>`,
    `<p class="facts">Evaluated ${time(evaluatedAt)}</p>`,
    ...attentionOf(surface),
    ...(harness ? [...figuresOf(harness), ...tablesOf(harness, now)] : []),
    ...verdictsOf(surface),
  ]
}

function attentionOf(surface: ObservationSurface): readonly string[] {
  const entries = attentionEntries(surface)
  if (entries.length === 0) return ['<p>Nothing needs attention.</p>']
  return [
    '<section aria-labelledby="attention">',
    `<h2 id="attention" class="attention">Needs attention (${entries.length})</h2>`,
    '<ul class="entries">',
    ...entries.map(
      ({ message, next }) => `<li>${safe(message)}<p class="next">→ ${safe(next)}</p></li>`,
    ),
    '</ul>',
    '</section>',
  ]
}

function figuresOf({ issues, kpi, trajectory, specRuns, proofs }: HarnessView): readonly string[] {
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['Ready', String(issues.ready)],
    ['In progress', String(issues.inProgress)],
    ['Blocked', String(issues.blocked)],
    ['Closed', String(issues.closed)],
    ['With proof', `${proofs.provenCount} of ${issues.closed}`],
    ['Steps', `${trajectory.totalCount} (${trajectory.failedCount} failed)`],
    ['KPI', `${kpi.kpi.toFixed(2)} ${kpiWords[kpi.state] ?? kpi.state}`],
    ['Spec runs', `${specRuns.acceptedCount} of ${specRuns.witnessCount} passed`],
  ]
  return [
    '<dl>',
    ...figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${safe(value)}</dd></div>`),
    '</dl>',
  ]
}

const kpiWords: Readonly<Record<string, string>> = {
  pass: '(on target)',
  watch: '(below target)',
  rollback: '(too low)',
  insufficient_data: '(too few steps)',
}

const tablesOf = (harness: HarnessView, now: bigint): readonly string[] => [
  ...table(
    'In progress',
    ['Issue', 'Title', 'Worker', 'Lease'],
    harness.leases.map(lease => [
      cell(lease.issueId, 'id'),
      cell(lease.title),
      cell(lease.workerId),
      cell(leaseWords(lease, now), lease.state),
    ]),
    'Nobody works on an issue.',
  ),
  ...(harness.landingQueue === null
    ? []
    : table(
        'Landing queue',
        ['Issue', 'Title', 'State', 'Branch', 'Commits'],
        harness.landingQueue.map(item => [
          cell(item.issueId, 'id'),
          cell(item.title),
          cell(item.state),
          cell(item.branch),
          cell(String(item.commits)),
        ]),
        'No work waits to land.',
      )),
  ...table(
    'Recent steps',
    ['Issue', 'Result', 'Worker', 'Finished'],
    harness.trajectory.recent.map(step => [
      cell(step.issueId ?? '', 'id'),
      cell(step.resultClass),
      cell(step.workerId ?? ''),
      `<td class="time">${time(step.finishedAt)}</td>`,
    ]),
    'No step has ended yet.',
  ),
  ...table(
    'Refusals of the last seven days',
    ['Class', 'Count', 'Last'],
    harness.refusals.map(({ failureClass, count, lastAt }) => [
      `<td><code>${safe(failureClass)}</code></td>`,
      cell(String(count)),
      `<td class="time">${time(lastAt ?? '')}</td>`,
    ]),
    'Nothing was refused.',
  ),
  ...table(
    'Sessions',
    ['Session', 'State', 'Issue', 'Next step'],
    harness.sessions.map(session => [
      `<td><code>${safe(session.path)}</code></td>`,
      cell(session.state),
      cell(session.issueId ?? '', 'id'),
      cell(session.nextStep ?? session.summary ?? ''),
    ]),
    'No session was written.',
  ),
]

function verdictsOf({ latest: { required, decision } }: ObservationSurface): readonly string[] {
  if (!required && !decision) return []
  const checks = required?.requiredChecks ?? decision?.requiredChecks ?? []
  return table(
    'Required checks',
    ['Verdict', 'Decision', 'Checks', 'Projection'],
    [
      [
        cell(required?.verdictClass ?? ''),
        cell([decision?.decision, decision?.reasonClass].filter(Boolean).join(': ')),
        cell(checks.join(', ')),
        `<td><code>${safe((required ?? decision)?.projectionDigest ?? '')}</code></td>`,
      ],
    ],
    '',
  )
}

const cell = (text: string, kind?: string) =>
  `<td${kind === undefined ? '' : ` class="${kind}"`}>${safe(text)}</td>`

/** In UTC, to the second, as in every artifact. */
function time(text: string): string {
  const shown = text.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '')
  return text === '' ? '' : `<time datetime="${safe(text)}">${safe(shown)} UTC</time>`
}

function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): readonly string[] {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${title}</h2>`,
    ...(rows.length === 0
      ? [`<p class="facts">${none}</p>`]
      : [
          '<div class="scroll"><table>',
          `<thead><tr>${head.map(name => `<th scope="col">${name}</th>`).join('')}</tr></thead>`,
          '<tbody>',
          ...rows.map(cells => `<tr>${cells.join('')}</tr>`),
          '</tbody></table></div>',
        ]),
    '</section>',
  ]
}
