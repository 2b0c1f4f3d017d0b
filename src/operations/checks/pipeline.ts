import type { Page } from '../../answer.ts'
import { choiceField, textField } from '../../field.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { summaryPlace, writeSummary } from '../../project/checks/summary-file.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, type Project } from '../../project/open.ts'
import { markdownSummary } from '../../render/ci-summary.ts'
import { table } from '../../render/table.ts'
import { PipelineReport } from '../../wire/checks/check-report.ts'
import { TimeSpan } from '../../world/time-span.ts'
import { operation } from '../operation.ts'

const action = 'ci-pipeline-test'

/** The checks in order. Each is a command whose answer has a result. */
const checks = {
  hygiene: 'ci-hygiene-check',
  docs: 'docs-coherence-check',
  doctrine: 'doctrine-check',
  coherence: 'coherence-check',
  specs: 'spec run',
} as const

type Check = keyof typeof checks

const names = Object.keys(checks) as Check[]

export const ciPipelineTest = operation({
  group: 'checks',
  opId: 'op/ci.pipeline_test',
  summary: 'Run all checks of a project and its specs, for CI.',
  description:
    'Runs premath ci-hygiene-check, docs-coherence-check, doctrine-check, coherence-check and spec run, one after the other, and prints one table. The specs are those in --spec, else those in the setting verifySpecs, else the folder specs. Every check runs, whatever the ones before it answered. It adds a summary in Markdown to the file that GITHUB_STEP_SUMMARY names. Exits with the highest exit code of the checks.',
  effect: 'projection',
  input: {
    spec: textField('path', 'A spec document or folder to run.', { many: true, path: true }),
    skip: choiceField(names, 'A check to leave out.', { many: true }),
    summaryOut: textField('file', 'A file for the summary in Markdown.', { path: true }),
  },
  output: PipelineReport,
  examples: {
    'premath ci-pipeline-test': 'one line for each check',
    'premath ci-pipeline-test --skip specs --json': 'the same without running specs, as JSON',
  },

  async run({ spec, skip, summaryOut }, context) {
    const project = await openProject(context)
    const summary = await summaryPlace(summaryOut, project)
    const done: PipelineReport['checks'][number][] = []
    for (const check of names) {
      const args = skip.includes(check) ? undefined : await argumentsOf(check, spec, project)
      done.push(args ? await ran(check, args, context) : skipped(check))
    }
    const exitCode = Math.max(0, ...done.map(one => one.exitCode)) as 0
    const result = exitCode === 0 ? 'accepted' : 'rejected'
    const rows = done.map(one => [one.check, one.result, `${one.durationMs}`, one.summary])
    const title = `Checks: ${result}`
    await writeSummary(markdownSummary({ title, facts: [], head, rows }), summary, context)
    return {
      output: {
        schema: 1,
        checkKind: 'premath.pipeline.v1',
        action,
        result,
        failureClasses: [...new Set(done.flatMap(one => one.failureClasses))].sort(),
        checks: done,
      },
      yes: exitCode === 0,
      exitCode,
      render: page => table(head, rows, page) + nextSteps(done, page),
    }
  },
})

const head = ['check', 'result', 'ms', 'summary']

/** `undefined` if there is nothing to run. */
async function argumentsOf(
  check: Check,
  given: readonly string[],
  project: Project,
): Promise<JsonObject | undefined> {
  if (check !== 'specs') return {}
  const { config } = await project.config()
  if (given.length > 0) return { path: [...given] }
  if (config.verifySpecs.length > 0) return { path: config.verifySpecs.map(project.at) }
  const folder = project.at('specs')
  return (await project.files.kindOf(folder)) === 'folder' ? { path: [folder] } : undefined
}

async function ran(check: Check, args: JsonObject, context: OperationContext) {
  const { callOperation } = await import('../call.ts')
  const span = new TimeSpan(context.clock)
  const { output, exitCode } = await callOperation(checks[check], args, context)
  return {
    check,
    result: exitCode === 0 ? ('accepted' as const) : ('rejected' as const),
    exitCode,
    durationMs: Math.floor(span.ms),
    summary: summaryOf(output),
    failureClasses: textsIn(output['failureClasses']),
  }
}

const skipped = (check: Check) => ({
  ...{ check, result: 'skipped' as const, exitCode: 0, durationMs: 0 },
  ...{ summary: '', failureClasses: [] },
})

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []

/** The classes of a check, the counts of specs, or why there is no answer. */
function summaryOf(output: JsonObject): string {
  const { error, failureClasses, obligations, passed, total } = output
  if (typeof error === 'object' && error !== null && 'message' in error) return `${error.message}`
  if (typeof total === 'number') return `${passed} of ${total} cases passed`
  const classes = textsIn(failureClasses)
  if (classes.length > 0) return classes.join(', ')
  return Array.isArray(obligations) ? `${obligations.length} rules hold` : ''
}

function nextSteps(done: PipelineReport['checks'], page: Page): string {
  const failed = done.filter(({ result }) => result === 'rejected')
  return failed
    .map(({ check }) => page.ink('dim', `→ premath ${checks[check as Check]} says more\n`))
    .join('')
}
