import { describe, expect, test } from 'vitest'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import {
  decideKpi,
  KpiTally,
  printFloat,
  ratiosOf,
  roundedToSix,
  slotCount,
  windowBefore,
} from './kpi.ts'

const step = (stepId: string, row: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId,
  action: 'worker.loop',
  resultClass: 'completed',
  issueId: 'bd-1',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt: '2026-02-22T00:00:00Z',
  ...row,
})

const end = finishedAtOf(step(''))

function tallyOf(hours: number, rows: readonly StepRow[]) {
  const tally = new KpiTally(windowBefore(end, hours))
  for (const row of rows) tally.take(row)
  return tally
}

describe('workers', () => {
  test.each([
    ['worker.1.bd-1.1', {}, 'worker.1'],
    ['worker.2.bd-1.7', {}, 'worker.2'],
    ['worker.bd-1.bd-1.1', {}, 'worker.bd-1'],
    ['worker.1.bd-1', {}, 'worker.1'],
    ['worker.1.bd-10.1', {}, 'worker'],
    ['s1', {}, 's1'],
    ['.x', {}, 'unknown'],
    ['worker.1.bd-1.1', { workerId: 'ada' }, 'ada'],
  ])('%s is a step of %o by %s', (stepId, row, worker) => {
    expect(tallyOf(24, [step(stepId, row)]).counts().workerIds).toEqual([worker])
  })

  test('are those who worked on an issue', () => {
    const { issueId: _, ...idle } = step('worker.3.x.1')
    expect(tallyOf(24, [idle, step('w.2.bd-1.1'), step('w.1.bd-1.1')]).counts()).toEqual({
      activeWorkers: 2,
      completedRows: 2,
      failedRows: 1,
      windowRows: 3,
      workerIds: ['w.1', 'w.2'],
    })
  })
})

test('the window ends with the newest step, and both its ends belong to it [tusk.13.window]', () => {
  const tally = tallyOf(24, [
    step('a'),
    step('b', { finishedAt: '2026-02-21T00:00:00Z', resultClass: 'failed' }),
    step('c', { finishedAt: '2026-02-20T23:59:59.999999999Z' }),
    step('d', { finishedAt: '2026-02-22T00:00:00.000000001Z' }),
    step('e', { finishedAt: '2026-02-21T12:00:00Z' }),
  ])
  expect(tally.counts().windowRows).toBe(3)
  expect(tally.slots[0]).toEqual({ completed: 0, failed: 1 })
  expect(tally.slots[slotCount / 2]).toEqual({ completed: 1, failed: 0 })
  expect(tally.slots.at(-1)).toEqual({ completed: 1, failed: 0 })
})

test('a step that the environment broke is not counted, and says nothing about workers', () => {
  const failed = (stepId: string, ...failureClasses: string[]) =>
    step(stepId, { resultClass: 'retry_needed_x', failureClasses })
  const counts = tallyOf(24, [
    step('w.1.bd-1.1'),
    failed('w.2.bd-1.1', 'executor_unavailable'),
    failed('w.3.bd-1.1', 'worktree_gone'),
    failed('w.4.bd-1.1', 'check_failed'),
    failed('w.5.bd-1.1', 'check_failed', 'executor_unavailable'),
    failed('w.6.bd-1.1'),
  ]).counts()
  expect(counts).toMatchObject({ completedRows: 1, failedRows: 3 })
  expect(counts.workerIds).toEqual(['w.1', 'w.4', 'w.5', 'w.6'])
})

test('a window begins no earlier than the first representable time', () => {
  expect(windowBefore(0n, 876_000).start).toBeLessThan(0n)
  const first = finishedAtOf(step('', { finishedAt: '0000-01-01T00:00:00Z' }))
  expect(windowBefore(first, 24)).toEqual({ hours: 24, start: first, end: first })
  expect(tallyOf(24, []).counts().windowRows).toBe(0)
})

test('kpi is throughput a worker and day, times the share that passed [tusk.13.formula]', () => {
  const rows = [
    ...Array.from({ length: 5 }, (_, at) => step(`w.${at % 2}.bd-1.${at}`)),
    step('w.0.bd-1.9', { resultClass: 'failed' }),
  ]
  const ratios = ratiosOf(tallyOf(48, rows).counts(), 48)
  expect(ratios).toEqual({
    gatePassRate: 5 / 6,
    throughputPerWorkerPerDay: 1.25,
    kpi: 1.25 * (5 / 6),
  })
  expect(ratiosOf(tallyOf(24, []).counts(), 24)).toEqual({
    gatePassRate: 0,
    throughputPerWorkerPerDay: 0,
    kpi: 0,
  })
})

test.each([
  [2, 9, 'insufficient_data', 'window row count below minimum sample threshold'],
  [3, 0.39999, 'rollback', 'kpi below rollback threshold'],
  [3, 0.4, 'watch', 'kpi below target threshold'],
  [3, 0.79999999, 'watch', 'kpi below target threshold'],
  [3, 0.8, 'pass', 'kpi at or above target threshold'],
])('%d rows with a kpi of %d are %s [tusk.13.decision]', (windowRows, kpi, state, reason) => {
  const counts = { ...tallyOf(24, []).counts(), windowRows }
  const ratios = { gatePassRate: 1, throughputPerWorkerPerDay: kpi, kpi }
  const thresholds = { targetKpi: 0.8, rollbackKpi: 0.4, minSampleRows: 3 }
  expect(decideKpi(counts, ratios, thresholds)).toEqual({ state, reason })
})

/** The values of `round(value, 6)` in Python 3. */
test.each([
  [1 / 128, 0.007812],
  [3 / 128, 0.023438],
  [5 / 128, 0.039062],
  [-1 / 128 + 1, 0.992188],
  [25 / 18, 1.388889],
  [2 / 3, 0.666667],
  [0.0000005, 0],
  [0.0000015, 0.000002],
  [1.0000005, 1.000001],
  [2.0000005, 2.000001],
  [123456789012.5078, 123456789012.5078],
  [1e21, 1e21],
])('%d rounds to %d', (value, rounded) => {
  expect(roundedToSix(value)).toBe(rounded)
})

test.each([
  [0, '0.0'],
  [1, '1.0'],
  [0.8, '0.8'],
  [1.388889, '1.388889'],
])('%d is printed as %s', (value, text) => {
  expect(printFloat(value)).toBe(text)
})
