/** TAP 14: a line for each case, with a YAML block below those that have more to say. */
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import type { ReportedProblem } from './reported.ts'
import { type ReportedCase, type ReportedRun, remarksOf, whyNotRun } from './reported-run.ts'

export function tap({ cases, problems }: ReportedRun): string {
  const points = [...cases.map(casePoint), ...problems.map(problemPoint)]
  const plan = points.length === 0 ? '1..0 # SKIP no cases' : `1..${points.length}`
  const lines = points.flatMap(({ ok, description, directive, more }, at) => [
    `${ok ? 'ok' : 'not ok'} ${at + 1} - ${escaped(visible(description))}${directive ?? ''}`,
    ...yamlBlock(more),
  ])
  return ['TAP version 14', plan, ...lines, ''].join('\n')
}

interface Point {
  readonly ok: boolean
  readonly description: string
  readonly directive?: string
  readonly more: Diagnostics
}

type Diagnostics = Readonly<Record<string, string | number | readonly string[] | undefined>>

function casePoint(one: ReportedCase): Point {
  const { id, title, file, line, column, status, at, category, text, durationMs } = one
  const why = whyNotRun(one)
  const remarks = remarksOf(one)
  const place = at ?? { line, column }
  return {
    ok: status !== 'fail',
    description: `${id}${title && `: ${title}`} (${file}:${line})`,
    ...(why !== undefined && { directive: ` # SKIP ${why}` }),
    more: {
      ...(status === 'fail' && {
        category: category ?? undefined,
        at: `${file}:${place.line}:${place.column}`,
        assert_path: one.assertPath,
        target: one.target,
        op: one.op,
        message: text,
      }),
      ...(remarks.length > 0 && { remarks }),
      ...(why === undefined && { duration_ms: durationMs }),
    },
  }
}

const problemPoint = ({ file, line, column, code, message, text }: ReportedProblem): Point => ({
  ok: false,
  description: `${file}: ${message}`,
  more: { category: 'document', at: `${file}:${line}:${column}`, code, message: text },
})

/** In a description `#` would begin a directive. */
const escaped = (text: string) => text.replace(/[\\#]/g, '\\$&')

const margin = '  '

function yamlBlock(more: Diagnostics): readonly string[] {
  const entries = Object.entries(more).flatMap(([key, value]) =>
    value === undefined ? [] : yamlLines(key, value),
  )
  if (entries.length === 0) return []
  return ['---', ...entries, '...'].map(line => `${margin}${line}`)
}

/** JSON is YAML as well, once what a YAML stream may not hold is spelled out. */
function yamlLines(key: string, value: string | number | readonly string[]): readonly string[] {
  if (typeof value === 'object') return [`${key}:`, ...value.map(one => `  - ${quoted(one)}`)]
  if (typeof value === 'number') return [`${key}: ${value}`]
  if (!value.includes('\n')) return [`${key}: ${quoted(value)}`]
  // The indentation is stated, because the first line may begin with spaces.
  const lines = visibleLines(value).split('\n')
  return [`${key}: |2-`, ...lines.map(line => (line === '' ? '' : `${margin}${line}`))]
}

const quoted = (text: string) => JSON.stringify(visibleLines(text))
