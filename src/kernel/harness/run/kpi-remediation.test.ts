import { describe, expect, test } from 'vitest'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import { KpiTally, kpiDefaults, windowBefore } from './kpi.ts'
import { expansionOf, LastRemediation, remediationOf, remediationRow } from './kpi-remediation.ts'

const step = (finishedAt: string, row: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: 'w.bd-1.1',
  action: 'worker.loop',
  resultClass: 'failed',
  issueId: 'bd-1',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt,
  ...row,
})

const remediated = (finishedAt: string, reason: unknown = 'mended it') =>
  step(finishedAt, {
    action: 'harness.kpi.remediate',
    resultClass: 'ok',
    reason,
  })

const hour = (at: number) => `2026-02-22T${String(at).padStart(2, '0')}:00:00Z`
const failures = (...hours: readonly number[]) => hours.map(at => step(hour(at)))

/** The decision from these rows. Their order does not matter. */
function decided(...rows: readonly StepRow[]) {
  const [newest = 0n] = rows.map(finishedAtOf).sort((a, b) => (a > b ? -1 : 1))
  const last = new LastRemediation()
  rows.forEach(row => {
    last.take(row)
  })
  const tally = new KpiTally(windowBefore(newest, 24), last.found)
  rows.forEach(row => {
    tally.take(row)
  })
  return expansionOf(tally, kpiDefaults)
}

describe('taking on more workers', () => {
  test('continues with too few steps to judge', () => {
    expect(decided(...failures(1, 2))).toEqual({
      paused: false,
      reason: 'window row count below minimum sample threshold',
    })
  })

  test('is paused by a rollback, at as many workers as there are [tusk.13.pause]', () => {
    const others = failures(4, 5).map(row => ({ ...row, workerId: 'v' }))
    expect(decided(...failures(1, 2, 3), ...others)).toEqual({
      paused: true,
      workersAllowed: 2,
      reason: 'kpi below rollback threshold',
    })
  })

  test('leaves one worker, even if no step had an issue', () => {
    const idle = failures(1, 2, 3).map(({ issueId: _, ...row }) => row)
    expect(decided(...idle)).toMatchObject({ paused: true, workersAllowed: 1 })
  })

  test('continues under a watch decision', () => {
    const rows = [step(hour(1), { resultClass: 'completed' }), ...failures(2)]
    const watched = [...rows, step(hour(3), { resultClass: 'completed', workerId: 'v' })]
    expect(decided(...watched)).toEqual({ paused: false, reason: 'kpi below target threshold' })
  })
})

describe('a remediation', () => {
  const since = ', since the remediation at 2026-02-22T03:00:00Z'

  test('lifts the pause, in any position among the rows [tusk.13.pause]', () => {
    const goesOn = { paused: false, reason: expect.stringContaining(since) }
    expect(decided(...failures(1, 2, 3), remediated(hour(3)))).toEqual(goesOn)
    expect(decided(remediated(hour(3)), ...failures(1, 2, 3))).toEqual(goesOn)
  })

  test('comes after the steps that finished at the same instant', () => {
    expect(decided(remediated(hour(3)), ...failures(3, 3, 3)).paused).toBe(false)
    const after = step('2026-02-22T03:00:00.000000001Z')
    expect(decided(remediated(hour(3)), after, after, after)).toEqual({
      paused: true,
      workersAllowed: 1,
      reason: `kpi below rollback threshold${since}`,
    })
  })

  test('counts as no step, passed or failed', () => {
    expect(decided(remediated(hour(3)), ...failures(4, 5)).reason).toContain('below minimum')
    expect(decided(...failures(4, 5), remediated(hour(6), '')).reason).toContain('below minimum')
  })

  test('holds until steps after it do badly; the next one lifts that too', () => {
    const rows = [...failures(1, 2), remediated(hour(3)), ...failures(4, 5, 6)]
    expect(decided(...rows).paused).toBe(true)
    expect(decided(remediated(hour(7)), ...rows).paused).toBe(false)
  })

  test.each(['', ' ', 7, null])('with %j as reason does not count', reason => {
    expect(remediationOf(remediated(hour(1), reason))).toBeUndefined()
  })

  test('needs a reason and its own action', () => {
    expect(remediationOf({ ...remediated(hour(1)), reason: undefined })).toBeUndefined()
    expect(remediationOf(step(hour(1), { reason: 'x' }))).toBeUndefined()
  })

  test('of two at one instant is the one written later', () => {
    const last = new LastRemediation()
    for (const reason of ['first', ' second ']) last.take(remediated(hour(3), reason))
    last.take(remediated(hour(2), 'older'))
    expect(last.found).toEqual({ at: finishedAtOf(step(hour(3))), reason: 'second' })
  })
})

describe('the row of a remediation', () => {
  const now = finishedAtOf(step('2026-02-22T05:00:00.75Z'))

  test('has a time and a reason, but no issue and no worker', () => {
    expect(remediationRow(' mended it\n', { now, newest: 0n })).toEqual({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: `harness.kpi.remediate.${now}`,
      action: 'harness.kpi.remediate',
      resultClass: 'ok',
      instructionRefs: [],
      witnessRefs: [],
      lineageRefs: [],
      finishedAt: '2026-02-22T05:00:00Z',
      reason: 'mended it',
    })
  })

  test.each([
    ['that a faster clock recorded', '2026-02-22T06:00:00.500Z'],
    ['of the same second', '2026-02-22T05:00:00.500Z'],
  ])('is not older than a step %s', (_, finishedAt) => {
    const newest = finishedAtOf(step(finishedAt))
    expect(remediationRow('x', { now, newest })?.finishedAt).toBe(finishedAt)
  })

  test.each(['', ' ', '\n\t'])('needs a reason, and refuses %j', reason => {
    expect(remediationRow(reason, { now, newest: 0n })).toBeUndefined()
  })
})
