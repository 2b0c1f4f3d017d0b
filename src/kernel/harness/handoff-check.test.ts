import { describe, expect, test } from 'vitest'
import { type HandoffEvidence, handoffClasses } from './handoff-check.ts'

const lineageRefs = [
  'cover://worker-loop/bd-1/c0',
  'ctx://issue/bd-1/c1',
  'refinement://worker-loop/bd-1/worker.1/c2',
]

type Stop = HandoffEvidence['stop']

function evidence(
  change: {
    stateBefore?: string
    mode?: string
    lineage?: readonly string[]
    stop?: Partial<Stop>
    row?: Partial<Stop['trajectoryRow']>
  } = {},
): HandoffEvidence {
  const { stateBefore = 'stopped', mode = 'resume', lineage = lineageRefs, stop, row } = change
  return {
    session: { stateBefore, bootstrap: { mode, lineageRefs: lineage } },
    stop: {
      issueId: 'bd-1',
      leaseState: 'active',
      sessionStateAfter: 'stopped',
      recommendedAction: 'issue_lease_renew',
      ...stop,
      trajectoryRow: {
        stepKind: 'premath.harness.step.v1',
        witnessRefs: ['lease://handoff/bd-1/active/d0'],
        lineageRefs,
        ...row,
      },
    },
  }
}

describe('a start and a stop', () => {
  test.each<[string, Parameters<typeof evidence>[0]]>([
    ['resume after a stop', {}],
    ['attach to what is active', { stateBefore: 'active', mode: 'attach' }],
    [
      'hand over a stale lease',
      {
        stop: { leaseState: 'stale', recommendedAction: 'issue_claim' },
        row: { witnessRefs: ['worker://x', 'lease://handoff/bd-1/stale/d0'] },
      },
    ],
  ])('fit together: %s', (_, change) => {
    expect(handoffClasses(evidence(change))).toEqual([])
  })

  test.each<[string, Parameters<typeof evidence>[0]]>([
    ['harness_bootstrap_mode_mismatch', { mode: 'attach' }],
    ['harness_stop_state_invalid', { stop: { sessionStateAfter: 'active' } }],
    ['harness_recovery_action_mismatch', { stop: { recommendedAction: 'stop' } }],
    ['harness_trajectory_kind_invalid', { row: { stepKind: 'premath.harness.step.v9' } }],
    [
      'harness_lineage_ref_missing',
      { lineage: lineageRefs.slice(1), row: { lineageRefs: lineageRefs.slice(1) } },
    ],
    [
      'harness_lineage_ref_malformed',
      {
        lineage: [...lineageRefs.slice(0, 2), 'refinement://x'],
        row: { lineageRefs: [...lineageRefs.slice(0, 2), 'refinement://x'] },
      },
    ],
    [
      'harness_lineage_ref_mismatch',
      { row: { lineageRefs: lineageRefs.map(ref => ref.replace('c2', 'c3')) } },
    ],
    ['harness_handoff_lease_ref_missing', { row: { witnessRefs: [] } }],
    ['harness_handoff_lease_ref_malformed', { row: { witnessRefs: ['lease://bd-1'] } }],
    [
      'harness_handoff_lease_ref_mismatch',
      { row: { witnessRefs: ['lease://handoff/bd-2/active/d0'] } },
    ],
  ])('do not fit together: %s', (failureClass, change) => {
    expect(handoffClasses(evidence(change))).toEqual([failureClass])
  })
})
