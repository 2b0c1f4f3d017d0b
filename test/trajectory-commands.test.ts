/**
 * The trajectory's commands, in real processes on real files: what an earlier implementation was
 * recorded to answer, and where we decided otherwise.
 */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { StepRow } from '../src/wire/harness/step-row.ts'
import { TrajectoryProjection } from '../src/wire/harness/trajectory-projection.ts'
import { KpiReport } from '../src/wire/run/kpi-report.ts'
import { aProject, at } from './a-project.ts'

const project = aProject()
const { asked, done, premath, started } = project

const path = '.premath/harness_trajectory.jsonl'
const file = () => join(project.folder, path)

const append = (stepId: string, resultClass: string, ...more: string[]) =>
  done(
    ...['harness-trajectory', 'append', '--action', 'worker.loop'],
    ...['--step-id', stepId, '--result-class', resultClass, ...more],
  )
const query = (...more: string[]) => asked(['harness-trajectory', 'query', ...more])
const ids = (...more: string[]) =>
  query(...more).json.items.map((one: { stepId: string }) => one.stepId)

/** Steps as the earlier implementation was asked to record them. */
function recorded() {
  const first = append(
    's1',
    'transient_failure',
    ...['--issue-id', 'bd-child', '--witness-ref', 'b', '--witness-ref', 'a'],
    ...['--lineage-ref', 'ctx://x', '--started-at', '2026-02-22T00:00:30Z'],
    ...['--finished-at', '2026-02-22T00:01:00Z'],
  )
  append('s2', 'policy_reject', '--finished-at', '2026-02-22T02:02:00+02:00')
  append('s3', 'accepted', '--finished-at', '2026-02-22T00:03:00Z')
  return first
}

describe('the recorded sequence', () => {
  test('gives the recorded answers, in every mode', () => {
    recorded()
    const counts = { totalCount: 3, failedCount: 2, retryNeededCount: 1 }
    expect(query('--limit', '2').json).toMatchObject({ ...counts, count: 2, mode: 'latest' })
    expect(ids('--limit', '2')).toEqual(['s3', 's2'])
    expect(ids('--mode', 'failed')).toEqual(['s2', 's1'])
    expect(query('--mode', 'retry-needed').json).toMatchObject({
      ...counts,
      count: 1,
      mode: 'retry_needed',
      items: [{ stepId: 's1', lineageRefs: ['ctx://x'], witnessRefs: ['a', 'b'] }],
    })
    expect(premath(['harness-trajectory', 'query', '--mode', 'retry-needed']).stdout).toBe(
      [
        'premath harness-trajectory query',
        `  Path: ${path}`,
        '  Mode: retry_needed',
        '  Count: 1 (total=3, failed=2, retry_needed=1)',
        '  - s1 [transient_failure] worker.loop (2026-02-22T00:01:00Z)',
        '',
      ].join('\n'),
    )
    expect(query('--limit', '0').json).toMatchObject({ ...counts, count: 0, items: [] })
  })

  test.each([
    [
      'finishedAt must be an RFC 3339 time, not "yesterday"',
      ['--step-id', 's4', '--finished-at', 'yesterday'],
    ],
    ['stepId must not be blank', ['--step-id', ' ']],
    ['attempt must be a whole number from 1', ['--step-id', 's4', '--attempt', '0']],
  ])('refuses a row: %s', (why, more) => {
    const args = ['harness-trajectory', 'append', '--action', 'a', '--result-class', 'ok', ...more]
    // Decided otherwise: bad usage exits with 2.
    expect(premath(args)).toEqual({
      status: 2,
      stdout: '',
      stderr: `error: failed to append harness trajectory row at ${path}: invalid trajectory row: ${why}\n  Nothing was written.\n`,
    })
    expect(existsSync(file())).toBe(false)
  })
})

describe('a damaged trajectory', () => {
  test('with a torn tail is readable, and after the next append the piece is a bad line', () => {
    recorded()
    appendFileSync(file(), '{"schema":1,"stepKi')
    expect(query()).toMatchObject({
      status: 0,
      stderr: `note: line 4 of ${path} was never finished, so it is not counted\n`,
      json: { totalCount: 3, tornTail: { line: 4, bytes: 19 } },
    })
    append('s4', 'ok', '--finished-at', '2026-02-22T00:04:00Z')
    const { status, stderr, json } = query()
    expect(status).toBe(1)
    expect(stderr).toContain(
      `error: ${path} has 1 bad line, passed over\n  line 4: not readable as JSON`,
    )
    expect(json).toMatchObject({ totalCount: 4, badLineCount: 1, badLines: [{ line: 4 }] })
    expect(json.items[0].stepId).toBe('s4')
    mustMatchShape(TrajectoryProjection, json)
  })

  test('that is a folder is an environment failure', () => {
    mkdirSync(file(), { recursive: true })
    expect(query().status).toBe(3)
  })

  test('behind a link out of the project is not touched', () => {
    mkdirSync(join(project.folder, '.premath'))
    writeFileSync(join(project.folders, 'outside'), '')
    symlinkSync(join(project.folders, 'outside'), file())
    const args = ['--step-id', 's', '--action', 'a', '--result-class', 'ok']
    expect(asked(['harness-trajectory', 'append', ...args]).status).toBe(3)
    expect(readFileSync(join(project.folders, 'outside'), 'utf8')).toBe('')
  })
})

describe('queries', () => {
  test('filter by issue or by time', () => {
    append('old', 'failed', '--issue-id', 'bd-1', '--finished-at', at(-7200))
    append('new', 'failed', '--issue-id', 'bd-1', '--finished-at', at(-60))
    append('other', 'ok', '--issue-id', 'bd-2')
    expect(ids('--issue', 'bd-1')).toEqual(['new', 'old'])
    expect(ids('--issue', ' bd-1 ', '--since', '1h')).toEqual(['new'])
    expect(ids('--since', at(-7300).replace('Z', '+00:00'))).toEqual(['other', 'new', 'old'])
    expect(query('--since', '1h').json).toMatchObject({ totalCount: 2, failedCount: 1 })
    mustMatchShape(
      TrajectoryProjection,
      query('--since', '1h', '--issue', 'bd-1', '--cluster').json,
    )
  })

  test('group failures by class', () => {
    append('s1', 'timeout', '--issue-id', 'bd-1')
    append('s2', 'timeout', '--issue-id', 'bd-2')
    append('s3', 'failed_verify', '--issue-id', 'bd-1')
    append('s4', 'completed', '--issue-id', 'bd-1')
    expect(query('--cluster').json).toMatchObject({
      clusterCount: 2,
      clusters: [
        { resultClass: 'timeout', count: 2, issueIds: ['bd-1', 'bd-2'] },
        { resultClass: 'failed_verify', count: 1, issueIds: ['bd-1'], lastStepId: 's3' },
      ],
    })
    const { stdout } = premath(['harness-trajectory', 'query', '--cluster'])
    expect(stdout).toMatch(/steps {2}issues {2}last +class\n2 +2 +\S+ +timeout\n/)
  })

  test.each([
    ['--since', 'soon'],
    ['--issue', ' '],
    ['--mode', 'retry_needed'],
    ['--limit=-1', undefined],
  ])('%s %s is bad usage', (flag, value) => {
    expect(query(...[flag, value].filter(word => word !== undefined)).status).toBe(2)
  })
})

test('a step names its worker, its attempt and the next step', () => {
  append('s1', 'ok', '--worker-id', 'w.1', '--attempt', '2', '--next-step', 'claim the next')
  const [item] = query().json.items
  expect(item).toMatchObject({ workerId: 'w.1', attempt: 2, nextStep: 'claim the next' })
  expect(item.finishedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  mustMatchShape(StepRow, JSON.parse(readFileSync(file(), 'utf8')))
})

test('a path is relative to the current folder; the default is that of the project, and an index never changes an answer', () => {
  const folder = join(project.folder, 'deep')
  mkdirSync(join(project.folder, '.premath'))
  mkdirSync(folder)
  const rows = Array.from({ length: 1_000 }, (_, number) => ({
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `s${number}`,
    action: 'x'.repeat(200),
    resultClass: number % 4 ? 'ok' : 'failed',
    finishedAt: new Date(number * 1000).toISOString(),
  }))
  writeFileSync(file(), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const ask = () => asked(['harness-trajectory', 'query', '--mode', 'failed'], { cwd: folder })
  const [first, second] = [ask(), ask()]
  expect(first.json).toMatchObject({ totalCount: 1_000, failedCount: 250, path })
  expect(second).toEqual(first)
  const cache = join(project.folder, '.premath/cache')
  expect(existsSync(join(cache, 'trajectory.index'))).toBe(true)
  rmSync(cache, { recursive: true })
  expect(ask()).toEqual(first)
  const here = asked(['harness-trajectory', 'query', '--path', 'mine.jsonl'], { cwd: folder })
  expect(here.json).toMatchObject({ totalCount: 0, path: 'mine.jsonl' })
})

test('concurrent appends lose nothing', async () => {
  const words = [
    'harness-trajectory',
    'append',
    '--action',
    'a',
    '--result-class',
    'ok',
    '--step-id',
  ]
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, number) => started(...words, `s${number}`)),
  )
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 0))
  expect(query().json.totalCount).toBe(8)
})

describe('kpi', () => {
  const kpi = (...more: string[]) => asked(['harness-kpi', ...more])
  const work = (worker: string, hour: number, resultClass: string) =>
    append(
      `${worker}.bd-1.${hour}`,
      resultClass,
      '--issue-id',
      'bd-1',
      '--finished-at',
      `2026-02-22T${String(hour).padStart(2, '0')}:00:00Z`,
    )

  test('of an empty trajectory is insufficient data, at the epoch', () => {
    const { status, json } = kpi()
    expect(status).toBe(0)
    expect(json).toEqual({
      counts: { activeWorkers: 0, completedRows: 0, failedRows: 0, windowRows: 0, workerIds: [] },
      decision: {
        reason: 'window row count below minimum sample threshold',
        state: 'insufficient_data',
      },
      expansion: { paused: false, workersAllowed: null },
      kpiKind: 'premath.multithread.throughput.v1',
      ratios: { gatePassRate: 0, kpi: 0, throughputPerWorkerPerDay: 0 },
      refs: {
        issuesPath: join(project.folder, '.premath/issues.jsonl'),
        sessionPath: join(project.folder, '.premath/harness_session.json'),
        trajectoryPath: file(),
      },
      remediation: null,
      schema: 1,
      thresholds: { minSampleRows: 3, rollbackKpi: 0.4, targetKpi: 0.8 },
      windowEnd: '1970-01-01T00:00:00Z',
      windowHours: 24,
      windowStart: '1969-12-31T00:00:00Z',
    })
  })

  test('exits 1 for rollback, and 0 for watch', () => {
    work('w', 1, 'completed')
    for (const hour of [2, 3, 4, 5]) work('w', hour, 'failed')
    expect(kpi()).toMatchObject({ status: 1, json: { decision: { state: 'rollback' } } })
    expect(kpi('--rollback-kpi', '0.1')).toMatchObject({
      status: 0,
      json: { decision: { state: 'watch' } },
    })
    expect(kpi('--min-sample-rows', '6').json.decision.state).toBe('insufficient_data')
  })

  test.each([
    ['--window-hours', '0'],
    ['--window-hours', '1.5'],
    ['--min-sample-rows', '0'],
    ['--target-kpi', '0'],
    ['--target-kpi', 'high'],
    ['--rollback-kpi', '0.9'],
    ['--rollback-kpi', '0'],
  ])('%s %s is bad usage', (flag, value) => {
    expect(kpi(flag, value).status).toBe(2)
  })

  test.each([40, 80, 200])('draws a chart that fits %d columns', columns => {
    for (const hour of [1, 2, 3, 9]) work('w', hour, 'completed')
    work('w', 20, 'failed')
    const env = { COLUMNS: String(columns), NO_COLOR: '1' }
    const { status, stdout } = premath(['harness-kpi'], { env })
    expect(status).toBe(0)
    const bars = stdout.split('\n').filter(line => /^ {2}\d\d-\d\d \d\d:\d\d /.test(line))
    expect(bars).toHaveLength(12)
    expect(Math.max(...bars.map(({ length }) => length))).toBeLessThanOrEqual(columns)
    expect(bars.at(-1)).toMatch(/░+ {2}0 \/ 1$/)
    expect(stdout).toContain('█ completed / ░ failed')
    expect(stdout).not.toContain('\u001b')
  })

  test('skips a bad line, and says so', () => {
    recorded()
    appendFileSync(file(), 'junk\n')
    expect(kpi()).toMatchObject({ status: 1, json: { badLineCount: 1, badLines: [{ line: 4 }] } })
  })

  describe('after a rollback', () => {
    const remediate = (...more: string[]) => asked(['harness-kpi', 'remediate', ...more])
    const badly = () => {
      for (const hour of [1, 2, 3]) work(`worker.${hour % 2}`, hour, 'failed')
    }
    const page = () => premath(['harness-kpi'], { env: { COLUMNS: '100' } }).stdout

    test('more workers are paused, and the page names the remedy', () => {
      badly()
      const { status, json } = kpi()
      expect(status).toBe(1)
      expect(mustMatchShape(KpiReport, json)).toMatchObject({
        expansion: { paused: true, workersAllowed: 2 },
        remediation: null,
      })
      expect(page()).toContain(
        '  Expansion: paused at 2 workers; continue with premath harness-kpi remediate --reason <text>\n',
      )
    })

    test('a remediation ends the item about the KPI that needs attention', () => {
      badly()
      const items = () => {
        done('observe-build')
        return done('observe', '--mode', 'needs_attention').attention
      }
      expect(items()).toMatchObject([{ about: 'kpi_rollback' }])
      expect(remediate('--reason', 'pinned the runner').status).toBe(0)
      expect(items()).toEqual([])
    })

    test('a remediation is one more row, and lifts the pause', () => {
      badly()
      const before = readFileSync(file(), 'utf8')
      const { status, stderr, json } = remediate('--reason', ' pinned \u001b the runner ')
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const row = {
        schema: 1,
        stepKind: 'premath.harness.step.v1',
        stepId: expect.stringMatching(/^harness\.kpi\.remediate\.\d+$/),
        action: 'harness.kpi.remediate',
        resultClass: 'ok',
        finishedAt: expect.stringMatching(/Z$/),
        reason: 'pinned \u001b the runner',
      }
      expect(json).toEqual({ action: 'harness-kpi.remediate', path, row })
      const after = readFileSync(file(), 'utf8')
      expect(after.startsWith(before)).toBe(true)
      expect(mustMatchShape(StepRow, JSON.parse(after.slice(before.length)))).toEqual(row)
      const report = mustMatchShape(KpiReport, kpi().json)
      expect(report).toMatchObject({
        expansion: { paused: false, workersAllowed: null },
        remediation: { at: json.row.finishedAt, reason: row.reason },
      })
      expect(page()).not.toContain('paused')
      expect(page()).toContain(`Remediated: ${json.row.finishedAt} (pinned \\u001b the runner)`)
      expect(query('--mode', 'failed').json.totalCount).toBe(4)
    })

    test('the KPI itself is unchanged, and later failures pause again', () => {
      badly()
      const mended = '2026-02-22T03:30:00Z'
      appendFileSync(
        file(),
        `${JSON.stringify({
          ...{ schema: 1, stepKind: 'premath.harness.step.v1', stepId: 'x' },
          ...{ action: 'harness.kpi.remediate', resultClass: 'ok' },
          ...{ finishedAt: mended, reason: 'mended' },
        })}\n`,
      )
      expect(kpi()).toMatchObject({
        status: 1,
        json: {
          counts: { windowRows: 3, workerIds: ['worker.0', 'worker.1'] },
          decision: { state: 'rollback' },
          expansion: { paused: false },
          remediation: { at: mended, reason: 'mended' },
        },
      })
      for (const hour of [4, 5, 6]) work('worker.7', hour, 'failed')
      expect(kpi().json.expansion).toEqual({ paused: true, workersAllowed: 1 })
      expect(kpi('--window-hours', '1').json).toMatchObject({
        counts: { windowRows: 2 },
        remediation: null,
      })
    })

    test('a reason must be given', () => {
      for (const args of [[], ['--reason', ''], ['--reason', ' ']]) {
        const { status, json } = remediate(...args)
        expect(status).toBe(2)
        expect(json.error).toMatchObject({
          message: expect.stringContaining('harness-kpi remediate: --reason'),
          hint: expect.stringContaining('premath harness-kpi remediate --reason "'),
        })
      }
      expect(existsSync(file())).toBe(false)
    })

    test('another trajectory is another KPI', () => {
      badly()
      done('harness-kpi', 'remediate', '--reason', 'x', '--trajectory-path', 'other.jsonl')
      expect(kpi().json.expansion.paused).toBe(true)
      expect(kpi('--trajectory-path', 'other.jsonl').json.remediation.reason).toBe('x')
    })
  })
})
