import type { Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import {
  decideKpi,
  type KpiTally,
  type KpiThresholds,
  kpiDefaults,
  printFloat,
  ratiosOf,
  roundedToSix,
  windowHoursMax,
} from '../../kernel/harness/run/kpi.ts'
import {
  type Expansion,
  expansionOf,
  type Remediation,
} from '../../kernel/harness/run/kpi-remediation.ts'
import { sessionPathDefault } from '../../kernel/harness/session.ts'
import { JsonNumber } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { measureKpi } from '../../project/loop/kpi-expansion.ts'
import { openProject, type Project } from '../../project/open.ts'
import { defaultIssuesPath } from '../../project/open-issues.ts'
import { messageOf, openTrajectory, reported } from '../../project/open-trajectory.ts'
import { resolvePath } from '../../project/paths.ts'
import { hung } from '../../render/columns.ts'
import { kpiChart } from '../../render/harness/kpi-chart.ts'
import { titledPage } from '../../render/titled-page.ts'
import { KpiReport } from '../../wire/run/kpi-report.ts'
import { operation } from '../operation.ts'

const pathField = (what: string, otherwise: string, also: readonly string[]) =>
  ({
    type: 'text',
    describe: `The ${what}. Defaults to ${otherwise} of the project.`,
    placeholder: 'file',
    path: true,
    also,
  }) as const

export const harnessKpi = operation({
  group: 'harness',
  summary: 'Measure the throughput of the workers.',
  description:
    'The KPI is the number of completed issues per worker per day, multiplied by the share of steps that passed. The window ends at the newest step, so the same trajectory always gives the same report. The state is pass at or above the target, watch below it, and rollback below the rollback threshold, with exit code 1. A rollback pauses the addition of workers until premath harness-kpi remediate. A coordinator uses the default window and thresholds. Steps that failed for a missing program or worktree are not counted. With too few steps the state is insufficient_data. The KPI changes no issue.',
  effect: 'read',
  opId: 'op/harness.kpi',
  input: {
    windowHours: {
      type: 'count',
      describe: 'The length of the window in hours.',
      default: kpiDefaults.windowHours,
    },
    targetKpi: { type: 'number', describe: 'The target.', default: kpiDefaults.targetKpi },
    rollbackKpi: {
      type: 'number',
      describe: 'The rollback threshold.',
      default: kpiDefaults.rollbackKpi,
    },
    minSampleRows: {
      type: 'count',
      describe: 'The minimum number of steps for a decision.',
      default: kpiDefaults.minSampleRows,
    },
    trajectoryPath: pathField('trajectory', '.premath/harness_trajectory.jsonl', [
      'trajectory',
      'path',
    ]),
    sessionPath: pathField('session file that the report names', sessionPathDefault, ['session']),
    issuesPath: pathField('issue memory file that the report names', defaultIssuesPath, ['issues']),
  },
  output: KpiReport,
  examples: {
    'premath harness-kpi': 'show the last day with a chart',
    'premath harness-kpi --window-hours 168 --target-kpi 1.5 --json':
      'measure the last week with a higher target',
    'premath harness-kpi remediate --reason "pinned the flaky test runner"':
      'record a remediation after a rollback',
  },

  async run({ windowHours, trajectoryPath, sessionPath, issuesPath, ...thresholds }, context) {
    mustMakeSense(windowHours, thresholds)
    const project = await openProject(context)
    const { log, path } = await openTrajectory(project, trajectoryPath, '--trajectory-path')
    const measure = await measureKpi(log, windowHours)
    const { tally, remediation, state } = measure
    const { window } = tally
    const counts = tally.counts()
    const ratios = ratiosOf(counts, windowHours)
    const decision = decideKpi(counts, ratios, thresholds)
    const expansion = expansionOf(measure.sinceRemediation, thresholds)
    const refs = {
      ...refsOf({ sessionPath, issuesPath }, project),
      trajectoryPath: log.path,
    }
    return {
      output: {
        ...reported(state),
        counts,
        decision,
        expansion: {
          paused: expansion.paused,
          workersAllowed: expansion.workersAllowed ?? null,
        },
        kpiKind: 'premath.multithread.throughput.v1',
        ratios: {
          gatePassRate: float(roundedToSix(ratios.gatePassRate)),
          kpi: float(roundedToSix(ratios.kpi)),
          throughputPerWorkerPerDay: float(roundedToSix(ratios.throughputPerWorkerPerDay)),
        },
        refs,
        remediation: remediation
          ? { at: timestampOf(remediation.at), reason: remediation.reason }
          : null,
        schema: 1,
        thresholds: {
          minSampleRows: thresholds.minSampleRows,
          rollbackKpi: float(thresholds.rollbackKpi),
          targetKpi: float(thresholds.targetKpi),
        },
        windowEnd: timestampOf(window.end),
        windowHours,
        windowStart: timestampOf(window.start),
      },
      yes: decision.state !== 'rollback' && state.bad.count === 0,
      ...messageOf(path, state),
      render: page => rendered({ path, tally, ratios, decision, expansion, remediation }, page),
    }
  },
})

/** With a fraction, as the earlier report prints it. */
const float = (value: number) => new JsonNumber(printFloat(value))

function mustMakeSense(windowHours: number, thresholds: KpiThresholds): void {
  const { minSampleRows, targetKpi, rollbackKpi } = thresholds
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    [
      windowHours >= 1 && windowHours <= windowHoursMax,
      `--window-hours must be 1 to ${windowHoursMax}`,
    ],
    [minSampleRows >= 1, '--min-sample-rows must be at least 1'],
    [targetKpi > 0, '--target-kpi must be greater than 0'],
    [rollbackKpi > 0, '--rollback-kpi must be greater than 0'],
    [targetKpi > rollbackKpi, '--target-kpi must be greater than --rollback-kpi'],
  ]
  const broken = rules.find(([holds]) => !holds)
  if (broken) throw new Fault('usage', `harness-kpi: ${broken[1]}`)
}

/** These files are only named, never opened. */
function refsOf(
  given: { readonly sessionPath: string | undefined; readonly issuesPath: string | undefined },
  { cwd, env, at }: Project,
) {
  const absolute = (flag: string | undefined, otherwise: string) =>
    flag ? resolvePath(cwd(), flag) : at(otherwise)
  const session = env['PREMATH_HARNESS_SESSION_PATH'] || sessionPathDefault
  const issues = env['PREMATH_ISSUES_PATH'] || defaultIssuesPath
  return {
    issuesPath: absolute(given.issuesPath, issues),
    sessionPath: absolute(given.sessionPath, session),
  }
}

interface Rendered {
  readonly path: string
  readonly tally: KpiTally
  readonly ratios: ReturnType<typeof ratiosOf>
  readonly decision: ReturnType<typeof decideKpi>
  readonly expansion: Expansion
  readonly remediation: Remediation | undefined
}

const inks = { pass: 'green', watch: 'yellow', rollback: 'red', insufficient_data: 'dim' } as const

function rendered({ path, tally, ratios, decision, ...rest }: Rendered, page: Page): string {
  const { windowRows, completedRows, failedRows, activeWorkers } = tally.counts()
  const { start, end, hours } = tally.window
  const shown = (value: number) => printFloat(roundedToSix(value))
  const percent = (share: number) => Number((share * 100).toFixed(1))
  const facts = [
    `Path: ${path}`,
    // Without a step the window is anywhere.
    `Window: ${hours} h${windowRows === 0 ? '' : `, ${timestampOf(start)} to ${timestampOf(end)}`}`,
    `Rows: ${windowRows} (completed=${completedRows}, failed=${failedRows}, workers=${activeWorkers})`,
    `KPI: ${shown(ratios.kpi)} (${shown(ratios.throughputPerWorkerPerDay)} issues per worker per day, ${percent(ratios.gatePassRate)} % passed)`,
  ]
  return (
    titledPage('premath harness-kpi', facts, page) +
    decisionLines(decision, page) +
    expansionLines(rest, page) +
    kpiChart(tally.slots, tally.window, page)
  )
}

/** Coloured after wrapping, because colour codes have no width. */
function decisionLines({ state, reason }: Rendered['decision'], page: Page): string {
  const lines = hung('  ', `Decision: ${state} (${reason})`, page.columns)
  return `${lines.join('\n').replace(state, word => page.ink(inks[state], word))}\n`
}

function expansionLines(
  { expansion, remediation }: Pick<Rendered, 'expansion' | 'remediation'>,
  page: Page,
): string {
  const texts = [
    remediation && `Remediated: ${timestampOf(remediation.at)} (${remediation.reason})`,
    expansion.paused && `Expansion: paused at ${expansion.workersAllowed} workers; ${lifting}`,
  ].filter(text => typeof text === 'string')
  const lines = texts.flatMap(text => hung('  ', visible(text), page.columns))
  return lines.map(line => `${line}\n`).join('')
}

const lifting = 'continue with premath harness-kpi remediate --reason <text>'
