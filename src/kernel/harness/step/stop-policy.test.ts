import { describe, expect, test } from 'vitest'
import { stateViewKind } from '../../../wire/harness/state-view.ts'
import type { SeenState } from './state-view.ts'
import { stopOf } from './stop-policy.ts'

const view = (more: Partial<SeenState> = {}): SeenState => ({
  schema: 1,
  viewKind: stateViewKind,
  stepId: 'w.bd-1.2.1',
  attempt: 1,
  readAt: '2026-02-22T12:00:00Z',
  claim: { workerId: 'w', leaseId: 'l-1', fence: 2 },
  issue: { id: 'bd-1', status: 'in_progress', rowDigest: `sha256:${'a'.repeat(64)}` },
  blockers: [],
  lease: { owner: 'w', leaseId: 'l-1', fence: 2, expiresAt: '2026-02-22T12:00:01Z' },
  policy: { digest: 'sha256:p', boundDigest: 'sha256:p', mode: 'open', refusal: null },
  asked: null,
  ...more,
})

const lease = (more: Partial<NonNullable<SeenState['lease']>>): Partial<SeenState> => ({
  lease: { owner: 'w', leaseId: 'l-1', fence: 2, expiresAt: '2026-02-22T12:00:01Z', ...more },
})
const issue = (status: string): Partial<SeenState> => ({
  issue: { id: 'bd-1', status, rowDigest: `sha256:${'a'.repeat(64)}` },
})
const policy = (more: Partial<SeenState['policy']>): Partial<SeenState> => ({
  policy: { ...view().policy, ...more },
})

describe('the stop policy', () => {
  test('lets an attempt begin when the view has nothing against it', () => {
    expect(stopOf(view())).toBeUndefined()
  })

  test.each<[string, Partial<SeenState>, string, string]>([
    ['the process is asked to stop', { asked: 'stop' }, 'interrupted_by_signal', 'asked to stop'],
    ['the run is paused', { asked: 'pause' }, 'run_paused', 'paused'],
    ['the run drains', { asked: 'drain' }, 'run_draining', 'ends after'],
    ['the issue is gone', { issue: null }, 'issue_missing', 'does not exist'],
    ['the issue was closed', issue('closed'), 'issue_closed', 'closed elsewhere'],
    ['a person blocked it', issue('blocked'), 'issue_blocked', 'its status is blocked'],
    [
      'a blocker appeared',
      { blockers: [{ issueId: 'bd-7', status: 'open' }] },
      'issue_blocked',
      'it waits for bd-7',
    ],
    ['the lease is gone', { lease: null }, 'lease_lost', 'belongs to nobody'],
    ['another worker has it', lease({ owner: 'x' }), 'lease_lost', 'belongs to x'],
    ['it was claimed again', lease({ leaseId: 'l-2' }), 'lease_lost', 'belongs to w'],
    ['the fence has moved', lease({ fence: 3 }), 'lease_lost', 'belongs to w'],
    ['it expired', lease({ expiresAt: '2026-02-22T12:00:00Z' }), 'lease_lost', 'expired at'],
    ['the policy changed', policy({ digest: 'sha256:q' }), 'policy_changed', 'has changed'],
    ['the policy refuses', policy({ refusal: 'no caller may' }), 'policy_changed', 'no caller may'],
  ])('[gate.4.stop-policy] stops because %s', (_, more, failureClass, why) => {
    const stop = stopOf(view(more))
    expect(stop).toMatchObject({ failureClass, why: expect.stringContaining(why) })
    expect(stop?.next).toMatch(/\.$/)
  })

  test('names the request before everything else, since it is about all issues', () => {
    expect(stopOf(view({ asked: 'stop', issue: null, lease: null }))).toMatchObject({
      failureClass: 'interrupted_by_signal',
    })
  })
})
