/** Steps and turns where governance is claimed: each is pinned to the policy in force, or refused. */
import { beforeEach, describe, expect, test } from 'vitest'
import { governedDocument } from '../src/kernel/governance/governed-document.ts'
import type { Json } from '../src/kernel/json.ts'
import { promotionOf } from './a-promotion.ts'
import { sha256 } from './an-instruction.ts'
import { instructionPath } from './an-instruction-project.ts'
import { main } from './built-command.ts'
import { byAnother } from './by-another.ts'
import { aDoor, checks, policy, under } from './mutation-surfaces.ts'

const { project, put, has, json, text, worked, leaseOf, close } = aDoor()
const { asked, premath, done, rowsById } = project

const forPeople = { override: 'script', schema: 1, surfaces: { cli: { mode: 'open' } } }

function digestOf(document: object): string {
  const read = governedDocument(document as Json, sha256)
  if (typeof read === 'string') throw new Error(read)
  return read.digest
}

/** Everything that a step's work would need to do the same, but for the names of the files. */
function promoted(document: object) {
  put('artifacts/new.json', document)
  put('artifacts/evidence.json', promotionOf(digestOf(document)))
  const flags = ['--promotion', 'artifacts/evidence.json', '--reason', 'reviewed']
  expect(premath(['policy', 'set', '--input', 'artifacts/new.json', ...flags]).stderr).toBe('')
}

const yes = "printf 'yes\\n' > said.txt; > artifacts/worked"
const works = (work = yes) => ['--work-cmd', work, '--verify-cmd', 'true']
const step = (...more: readonly string[]) => asked(['harness-step', '--issue', 'bd-1', ...more])
const status = (issueId = 'bd-1') => rowsById()[issueId].status

beforeEach(() => {
  put('.premath/capability-registry.json', {
    profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
  })
})

describe('a step under the policy in force', () => {
  test('[runtime.3.2.provenance] closes its issue for a person, and its turn names the pinned policy', () => {
    promoted(forPeople)
    const { status: code, json: answer } = step(...works())
    expect([code, answer.failureClasses, status()]).toEqual([0, [], 'closed'])
    const { stepId } = answer.attempts[0]
    expect(json(`artifacts/steps/${stepId}/turn.json`).governanceProfile.policyProvenance).toEqual({
      pinned: true,
      packageRef: '.premath/policy.json',
      expectedDigest: digestOf(forPeople),
      boundDigest: digestOf(forPeople),
    })
  })

  test('closes its issue under an accepted instruction', () => {
    promoted(policy)
    promoted(checks)
    premath(['instruction-run', '--instruction', instructionPath])
    const { status: code, json: answer } = step(...under, ...works())
    expect([code, answer.failureClasses, status()]).toEqual([0, [], 'closed'])
    expect(done('witness', 'verify', 'bd-1').result).toBe('accepted')
  })

  test('closes one issue after the other in the loop', () => {
    promoted(forPeople)
    const { status: code } = premath(['harness-loop', 'worker', ...works()])
    expect([code, status('bd-1'), status('bd-2')]).toEqual([0, 'closed', 'closed'])
  })
})

describe('without a policy in force', () => {
  const isUntouched = () => {
    expect(rowsById()['bd-1']).toMatchObject({ status: 'open' })
    expect(rowsById()['bd-1'].lease).toBeUndefined()
    expect(has('artifacts/worked')).toBe(false)
  }

  beforeEach(() => {
    put('.premath/policy.json', forPeople)
  })

  test('a step is refused before it claims, with the command to run first', () => {
    const { status: code, json: answer } = step(...works())
    expect([code, answer.result, answer.failureClasses]).toEqual([
      1,
      'rejected',
      ['governance.policy_package_unpinned'],
    ])
    const { stdout } = premath(['harness-step', ...works()])
    expect(stdout).toContain('.premath/policy.json was never put in force')
    expect(stdout).toContain('premath policy set --input .premath/policy.json --promotion')
    isUntouched()
  })

  test('a worker of the loop is refused too', () => {
    const { status: code, stdout } = premath(['harness-loop', 'worker', ...works(), '--json'])
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('governance.policy_package_unpinned'),
    ])
    isUntouched()
  })
})

describe('a policy that is put in force while a step is under way', () => {
  const other = { ...forPeople, witnessTtlSeconds: 99 }
  // Acts as a person outside the step, since the work of a step may not do this.
  const meanwhile = () => {
    put('artifacts/other.json', other)
    put('artifacts/evidence-other.json', promotionOf(digestOf(other)))
    const flags = '--promotion artifacts/evidence-other.json --reason reviewed'
    return `${yes}; ${byAnother} "$PREMATH" "$MAIN" policy set --input artifacts/other.json ${flags}`
  }

  test('refuses its close', () => {
    promoted(forPeople)
    const env = { PREMATH: process.execPath, MAIN: main }
    const args = ['harness-step', '--issue', 'bd-1', ...works(meanwhile())]
    const { status: code } = asked(args, { env })
    expect([code, status()]).toEqual([1, 'in_progress'])
    expect(text('.premath/harness_trajectory.jsonl')).toContain(
      'governance.policy_package_mismatch',
    )
  })

  test('stops a worker of the loop before its next claim', () => {
    promoted(forPeople)
    const env = { PREMATH: process.execPath, MAIN: main }
    const { stdout } = premath(['harness-loop', 'worker', ...works(meanwhile()), '--json'], { env })
    expect(stdout).toContain('was put in force after this had begun')
    expect(rowsById()['bd-2'].status).toBe('open')
  })
})

describe('the turn of an agent', () => {
  const pinnedTo = (digest: string) => ({
    claimed: true,
    policyProvenance: {
      pinned: true,
      packageRef: 'package://any',
      expectedDigest: digest,
      boundDigest: digest,
    },
  })

  beforeEach(() => {
    promoted(policy)
    promoted(checks)
  })

  test('is accepted if it is pinned to the policy in force', () => {
    worked({ turn: { governanceProfile: pinnedTo(digestOf(policy)) } })
    expect(close(leaseOf())).toMatchObject({ status: 0 })
  })

  test('is refused if it is pinned to another policy, even if it is consistent', () => {
    const { joined } = worked({ turn: { governanceProfile: pinnedTo('sha256:made-up') } })
    // By itself it is closed: which policy is in force is asked at the door.
    expect(joined.status).toBe(0)
    const { status: code, json: answer } = close(leaseOf())
    expect([code, answer.failureClasses]).toEqual([
      1,
      expect.arrayContaining(['turn_not_closed', 'governance.policy_package_mismatch']),
    ])
    expect(answer.diagnostic).toContain(digestOf(policy))
    expect(status()).toBe('in_progress')
  })
})
