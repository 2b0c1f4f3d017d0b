import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { clusterOf, FailureClusters } from '../retry/failure-clusters.ts'
import { belongsTo, NewestSteps, sinceOf, type TrajectoryMode } from './trajectory.ts'

const step = (stepId: string, finishedAt: string, row: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId,
  action: 'a',
  resultClass: 'completed',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt,
  ...row,
})

const newest = (wanted: number, rows: readonly StepRow[]) => {
  const steps = new NewestSteps(wanted)
  for (const [at, row] of rows.entries()) steps.offer({ row, line: at + 1 })
  return steps
}

describe('order', () => {
  test('is by instant and not by text, then by step, action and line [runtime.6.projection-order]', () => {
    const rows = [
      step('b', '2026-02-22T00:00:00Z', { action: 'z' }),
      step('b', '2026-02-22T02:00:00+02:00', { action: 'y', nextStep: 'first' }),
      step('b', '2026-02-22T00:00:00.000Z', { action: 'y', nextStep: 'second' }),
      step('\u{1f600}', '2026-02-22T00:00:00Z'),
      step('\uffff', '2026-02-22T00:00:00Z'),
      step('a', '2026-02-22T00:00:00.000000001Z'),
      step('c', '2026-02-21T23:59:59Z'),
    ]
    expect(
      newest(9, rows)
        .rows()
        .map(({ stepId, action, nextStep }) => `${stepId} ${action} ${nextStep ?? ''}`.trim()),
    ).toEqual(['a a', 'b y first', 'b y second', 'b z', '\uffff a', '\u{1f600} a', 'c a'])
  })

  test('by line puts the last written of equal instants last', () => {
    const steps = new NewestSteps(3, 'by-line')
    const rows = ['c', 'a', 'b', 'a'].map(stepId => step(stepId, '2026-02-22T00:00:00Z'))
    const all = [step('z', '2026-02-22T00:00:01Z'), ...rows]
    for (const [at, row] of all.entries()) steps.offer({ row, line: at + 1 })
    expect(steps.rows().map(({ stepId }) => stepId)).toEqual(['z', 'a', 'b'])
  })

  test('of the first few is a prefix of the order of all, however they arrive', () => {
    const rows = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('a', 'b', 'c'))
        .map(([second, stepId]) =>
          step(stepId, `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`),
        ),
      { maxLength: 700 },
    )
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 40 }), (some, wanted) => {
        const all = newest(some.length, some).rows()
        expect(newest(wanted, some).rows()).toEqual(all.slice(0, wanted))
      }),
    )
  })

  test('is final once no older row can be added, and not before', () => {
    const steps = newest(2, [step('a', '1970-01-01T00:00:05Z'), step('b', '1970-01-01T00:00:07Z')])
    expect(steps.isSettledAt(5_000_000_000n)).toBe(false)
    expect(steps.isSettledAt(4_999_999_999n)).toBe(true)
    expect(newest(3, steps.rows()).isSettledAt(0n)).toBe(false)
    expect(newest(0, []).isSettledAt(9n)).toBe(true)
  })
})

test.each<[TrajectoryMode, string, boolean]>([
  ['latest', 'anything', true],
  ['failed', 'Completed', false],
  ['failed', 'verified-accept', false],
  ['failed', 'policy_reject', true],
  ['failed', 'retry_needed_lease_active', true],
  ['retry-needed', 'RATE-LIMIT', true],
  ['retry-needed', 'failed_lease_missing', false],
  ['retry-needed', 'transient_failure', true],
])('%s takes a step that ended as %s: %s [runtime.6.projection-modes]', (mode, resultClass, is) => {
  expect(belongsTo(mode, resultClass)).toBe(is)
})

test('failures are grouped by class, by the class of the turn if there is one [tusk.6.clustering]', () => {
  const turn = {
    callSpecDigest: '',
    useSetDigest: '',
    joinSetDigest: '',
    joinClosed: false,
    mutationReady: false,
  }
  const clusters = new FailureClusters()
  const refused = ['tool.result_missing', 'tool.result_missing', 'tool.join_incomplete']
  const rows = [
    step('s1', '2026-02-22T00:00:01Z', { resultClass: 'failed', issueId: 'bd-2' }),
    step('s2', '2026-02-22T00:00:03Z', { resultClass: 'failed', issueId: 'bd-1' }),
    step('s3', '2026-02-22T00:00:02Z', { resultClass: 'failed' }),
    step('s1', '2026-02-22T00:00:03Z', { resultClass: 'failed', issueId: 'bd-1' }),
    step('s20', '2026-02-22T00:00:03Z', { resultClass: 'failed', issueId: 'bd-1' }),
    step('s4', '2026-02-22T00:00:04Z'),
    step('s5', '2026-02-22T00:00:05Z', {
      resultClass: 'gate_refused',
      turn: { ...turn, failureClasses: refused },
    }),
  ]
  for (const [line, row] of rows.entries()) clusters.take({ row, line })
  const last = { lastAt: '2026-02-22T00:00:05Z', lastStepId: 's5', issueCount: 0, issueIds: [] }
  const listed = clusters.list().map(one => clusterOf(one, rows[one.newest.line] as StepRow))
  expect(listed).toEqual([
    {
      resultClass: 'failed',
      count: 5,
      issueCount: 2,
      issueIds: ['bd-1', 'bd-2'],
      lastAt: '2026-02-22T00:00:03Z',
      lastStepId: 's20',
    },
    { resultClass: 'tool.join_incomplete', count: 1, ...last },
    { resultClass: 'tool.result_missing', count: 1, ...last },
  ])
})

test.each([
  ['24h', 86_400n],
  ['90s', 90n],
  ['2w', 1_209_600n],
  ['0d', 0n],
])('since %s means that long ago', (text, seconds) => {
  const now = 1_800_000_000_000_000_000n
  expect(sinceOf(text, now)).toBe(now - seconds * 1_000_000_000n)
})

test('since may also be an instant, and nothing else', () => {
  expect(sinceOf('1970-01-01T00:00:01Z', 0n)).toBe(1_000_000_000n)
  for (const text of ['', '24', 'h', '1.5h', '-1h', 'yesterday', '24 h', '2026-02-22']) {
    expect(sinceOf(text, 0n)).toBeUndefined()
  }
})
