import { expect, test } from 'vitest'
import { remediationRow } from '../../kernel/harness/run/kpi-remediation.ts'
import { finishedAtOf } from '../../kernel/harness/step/trajectory.ts'
import { TrajectoryLog } from '../../store/trajectory/trajectory-log.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { measureKpi, newestIn, openExpansion } from './kpi-expansion.ts'

const trajectory = () =>
  new TrajectoryLog({
    disk: new SimDisk({ files: { '/p/.premath/x': '' } }),
    path: '/p/.premath/harness_trajectory.jsonl',
    cache: { folder: '/p/.premath/cache', name: 'trajectory' },
  })

const failed = (second: number): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: `w.${second % 2}.bd-1.${second}`,
  action: 'worker.loop',
  resultClass: 'failed',
  issueId: 'bd-1',
  instructionRefs: [],
  witnessRefs: ['x'.repeat(2000)],
  lineageRefs: [],
  finishedAt: new Date(Date.UTC(2026, 1, 22) + second * 1000).toISOString(),
})

test('a missing trajectory pauses nothing', async () => {
  expect(await newestIn(trajectory())).toBe(0n)
  expect(await openExpansion(trajectory())).toEqual({
    paused: false,
    reason: 'window row count below minimum sample threshold',
  })
})

test('in a trajectory of many blocks, the rows after the remediation decide', async () => {
  const log = trajectory()
  for (let second = 0; second < 150; second++) await log.append(failed(second))
  expect(await openExpansion(log)).toMatchObject({ paused: true, workersAllowed: 2 })

  const newest = await newestIn(log)
  const row = remediationRow('mended it', { now: 0n, newest })
  if (row) await log.append(row)
  expect((await openExpansion(log)).paused).toBe(false)

  // Appended after the remediation, but with an earlier time.
  for (const second of [10, 20, 30, 149]) await log.append(failed(second))
  expect((await openExpansion(log)).paused).toBe(false)

  for (const second of [200, 202, 204]) await log.append(failed(second))
  expect(await openExpansion(log)).toMatchObject({ paused: true, workersAllowed: 1 })
  const { tally, sinceRemediation, remediation } = await measureKpi(log, 24)
  expect(tally.counts().windowRows).toBe(157)
  expect(sinceRemediation.counts().windowRows).toBe(3)
  expect(remediation).toEqual({ at: finishedAtOf(failed(149)), reason: 'mended it' })
})
