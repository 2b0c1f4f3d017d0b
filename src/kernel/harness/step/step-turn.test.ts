import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../json.ts'
import { governanceProfileId } from '../../turn/governance-claim.ts'
import { MutationReady } from '../../turn/mutation-ready.ts'
import { type StepWork, stepTurn } from './step-turn.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const digest = (text: string) => `sha256:${sha256(text)}`

const work: StepWork = {
  stepId: 'worker.1.bd-1.1.1',
  issueId: 'bd-1',
  command: 'make fix',
  workdir: '/home/me/project',
  sandbox: 'off',
  exitCode: 0,
  signal: null,
  timedOut: false,
  stdoutDigest: digest('out'),
  stderrDigest: digest(''),
  viewDigest: digest('view'),
  queueDigest: digest('queue'),
  witnessRef: 'witness://steps/worker.1.bd-1.1.1/abc',
  sessionRef: '.premath/harness_session.json',
  mutationPolicyDigest: digest('policy'),
  isGoverned: false,
}

describe('the turn of a step', () => {
  test('whose work ended may change its issue', () => {
    const ready = MutationReady.gate(stepTurn(work, 'issue_update', sha256), { sha256 })
    expect(ready).toMatchObject({ ready: true, action: 'issue_update', issueId: 'bd-1' })
  })

  test('is pinned to the policy at the start of the step, if governance is claimed', () => {
    const gate = (isGoverned: boolean, policyInForce: string | null) =>
      MutationReady.gate(stepTurn({ ...work, isGoverned }, 'issue_update', sha256), {
        sha256,
        registryClaims: [governanceProfileId],
        policyInForce,
      })
    expect(gate(true, digest('policy')).ready).toBe(true)
    expect(gate(false, digest('policy'))).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ failureClass: 'governance.policy_package_unpinned' }),
      ]),
    })
    for (const other of [digest('another'), null]) {
      expect(gate(true, other)).toMatchObject({
        findings: expect.arrayContaining([
          expect.objectContaining({ failureClass: 'governance.policy_package_mismatch' }),
        ]),
      })
    }
  })

  test('is named by the end of the work', () => {
    const digestOf = (more: Partial<StepWork>) => {
      const ready = MutationReady.gate(stepTurn({ ...work, ...more }, 'issue_update', sha256), {
        sha256,
      })
      return ready.ready && ready.witnessDigest
    }
    const digests = [
      {},
      { exitCode: 1 },
      { stdoutDigest: digest('x') },
      { command: 'make' },
      { sandbox: 'bubblewrap' as const },
      { stepId: 'w.b.1.2' },
    ].map(digestOf)
    expect(new Set(digests).size).toBe(digests.length)
  })

  test('is bound to the policy of the project', () => {
    const input = stepTurn(work, 'issue_update', sha256)
    const elsewhere = { ...input, activeMutationPolicyDigest: digest('another') }
    expect(MutationReady.gate(elsewhere, { sha256 })).toMatchObject({
      ready: false,
      findings: [{ failureClass: 'mutation.policy_digest_mismatch' }],
    })
  })

  test('is refused if the folder of the work cannot be named', () => {
    const input = stepTurn({ ...work, workdir: 'here' }, 'issue_update', sha256) as Json
    expect(MutationReady.gate(input, { sha256 })).toMatchObject({
      ready: false,
      findings: [{ failureClass: 'runtime.shell_boundary_violation' }],
    })
  })
})
