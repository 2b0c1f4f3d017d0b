/** Leases and the lock, by the built command in real processes. `npm test` builds first. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { aLanding } from './a-landing.ts'
import { aProject, at, leased, open } from './a-project.ts'

const project = aProject()
const { asked, done, given, refused, rowsById } = project

describe('a lease', () => {
  const proof = ['--lease-id', 'lease1_bd-1_alpha', '--fence', '1']

  test.each([
    ['29', 'lease_invalid_ttl'],
    ['30', undefined],
    ['86400', undefined],
    ['86401', 'lease_invalid_ttl'],
  ])('of %s seconds', (seconds, failureClass) => {
    given(open('bd-1'))
    const claim = ['issue', 'claim', 'bd-1', '--assignee', 'a', '--lease-ttl-seconds', seconds]
    if (failureClass) expect(refused(claim)).toEqual([failureClass, 1])
    else expect(done(...claim).issue.status).toBe('in_progress')
  })

  test('takes its id and its end from the claim', () => {
    given(open('bd-1'))
    const claim = ['issue', 'claim', 'bd-1', '--assignee', 'alpha', '--lease-id', 'mine']
    const soon = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
    expect(done(...claim, '--lease-expires-at', `${soon}-01:00`).issue.lease).toMatchObject({
      expiresAt: `${new Date(Date.parse(`${soon}-01:00`)).toISOString().slice(0, 19)}+00:00`,
      leaseId: 'mine',
    })
  })

  test.each([
    [
      'an end in the past',
      ['--lease-expires-at', '2020-01-01T00:00:00Z'],
      'lease_invalid_expires_at',
    ],
    ['an end that is no time', ['--lease-expires-at', 'soon'], 'lease_invalid_expires_at'],
    [
      'an end too far away',
      ['--lease-expires-at', '2999-01-01T00:00:00Z'],
      'lease_invalid_expires_at',
    ],
    [
      'a term and an end',
      ['--lease-ttl-seconds', '60', '--lease-expires-at', '2999-01-01T00:00:00Z'],
      'lease_binding_ambiguous',
    ],
  ])('with %s is refused', (_, flags, failureClass) => {
    given(open('bd-1'))
    const claim = ['issue', 'claim', 'bd-1', '--assignee', 'a', ...flags]
    expect(refused(claim)).toEqual([failureClass, 1])
  })

  test('that expired goes to the next claim; one that did not stays', () => {
    given(leased('bd-1', 'alpha', -1), leased('bd-2', 'alpha', 600))
    expect(done('issue', 'claim', 'bd-1', '--assignee', 'beta')).toMatchObject({
      issue: { assignee: 'beta', lease: { leaseId: 'lease1_bd-1_beta' } },
      previousHolder: { owner: 'alpha' },
    })
    expect(refused(['issue', 'claim', 'bd-2', '--assignee', 'beta'])).toEqual([
      'lease_contention_active',
      4,
    ])
    const again = ['issue', 'claim', 'bd-2', '--assignee', 'alpha', '--lease-id', 'another']
    expect(done(...again).issue.lease).toMatchObject({
      leaseId: 'lease1_bd-2_alpha',
      renewedAt: expect.any(String),
    })
  })

  test('of an earlier tool is renewed and released by owner and id', () => {
    given(leased('bd-1', 'alpha', 600))
    const own = ['--assignee', 'alpha', '--lease-id', 'lease1_bd-1_alpha']
    expect(done('issue', 'lease-renew', 'bd-1', ...own).issue).toMatchObject({
      status: 'in_progress',
      lease: { leaseId: 'lease1_bd-1_alpha', renewedAt: expect.any(String) },
    })
    expect(done('issue', 'lease-release', 'bd-1', ...own)).toMatchObject({
      action: 'issue.lease_release',
      changed: true,
      issue: { status: 'open', assignee: '' },
    })
    expect(rowsById()['bd-1']).not.toHaveProperty('lease')
    expect(done('issue', 'lease-release', 'bd-1').changed).toBe(false)
  })

  test('of premath also needs the fence, by flag or from the environment', () => {
    given(open('bd-1'))
    done('issue', 'claim', 'bd-1', '--assignee', 'alpha')
    const renew = ['issue', 'lease-renew', 'bd-1', '--assignee', 'alpha']
    const [, leaseId = '', , fence = ''] = proof
    expect(refused(renew)).toEqual(['lease_id_mismatch', 4])
    expect(refused([...renew, '--lease-id', leaseId])).toEqual(['lease_proof_missing', 4])
    expect(done(...renew, ...proof).issue.lease.fence).toBe(1)
    const env = { PREMATH_LEASE_ID: leaseId, PREMATH_FENCE: fence }
    expect(asked(renew, { env }).status).toBe(0)
    expect(asked(['issue', 'update', 'bd-1', '--notes', 'x'], { env }).status).toBe(0)
    expect(asked(['issue', 'lease-release', 'bd-1'], { env }).json.issue.status).toBe('open')
    expect(rowsById()['bd-1'].metadata).toEqual({ premathFence: 1 })
    expect(done('issue', 'claim', 'bd-1', '--assignee', 'beta').issue.lease.fence).toBe(2)
  })

  test.each([
    ['renewed when it ran out', leased('bd-1', 'alpha', -1), 'lease-renew', 'alpha', 'lease_stale'],
    [
      'released by another',
      leased('bd-1', 'beta', 600),
      'lease-release',
      'alpha',
      'lease_owner_mismatch',
    ],
    [
      'released by another id',
      leased('bd-1', 'alpha', 600, {
        lease: { ...leased('bd-1', 'alpha', 600).lease, lease_id: 'x' },
      }),
      'lease-release',
      'alpha',
      'lease_id_mismatch',
    ],
  ])('is not %s', (_, row, verb, assignee, failureClass) => {
    given(row)
    const own = ['--assignee', assignee, '--lease-id', 'lease1_bd-1_alpha']
    expect(refused(['issue', verb, 'bd-1', ...own])).toEqual([failureClass, 4])
  })

  test('of an issue that is landing goes to nobody, also after it expired', () => {
    const metadata = { premathFence: 1, premathLanding: aLanding }
    given(leased('bd-1', 'alpha', -1, { metadata }))
    const before = readFileSync(project.issues, 'utf8')
    for (const change of [
      ['claim', 'bd-1', '--assignee', 'beta'],
      ['update', 'bd-1', '--status', 'open'],
      ['update', 'bd-1', '--status', 'closed', '--force', '--reason', 'done', ...proof],
      ['comment', 'bd-1', 'Wait'],
      ['lease-release', 'bd-1'],
    ]) {
      expect(refused(['issue', ...change])).toEqual(['issue_landing', 4])
    }
    expect(done('issue', 'claim-next', '--assignee', 'beta').issue).toBeNull()
    expect(done('issue', 'ready').items).toEqual([])
    expect(done('issue', 'show', 'bd-1').issue.landing).toMatchObject({ target: 'main' })
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
  })

  test('cannot be used by an expired holder', () => {
    given(leased('bd-1', 'alpha', -1, { metadata: { premathFence: 1 } }))
    const close = [
      'issue',
      'update',
      'bd-1',
      '--status',
      'closed',
      '--force',
      '--reason',
      'done',
      ...proof,
    ]
    expect(refused(close)).toEqual(['lease_stale', 4])
    done('issue', 'claim', 'bd-1', '--assignee', 'alpha')
    expect(refused(close)).toEqual(['lease_fence_stale', 4])
    const discover = ['issue', 'discover', 'bd-1', 'Late', ...proof]
    expect(refused(discover)).toEqual(['lease_fence_stale', 4])
    const release = ['issue', 'lease-release', 'bd-1', ...proof]
    expect(refused(release)).toEqual(['lease_fence_stale', 4])
  })

  test('does not bind a worker on other issues', () => {
    given(open('bd-1'), open('bd-2'))
    const env = {
      PREMATH_ISSUE_ID: 'bd-1',
      PREMATH_LEASE_ID: 'lease1_bd-1_alpha',
      PREMATH_FENCE: '1',
    }
    done('issue', 'claim', 'bd-1', '--assignee', 'alpha')
    expect(asked(['issue', 'update', 'bd-2', '--notes', 'x'], { env }).status).toBe(0)
    expect(asked(['issue', 'update', 'bd-1', '--notes', 'x'], { env }).status).toBe(0)
    const wrong = asked(['issue', 'update', 'bd-1', '--notes', 'x'], {
      env: { ...env, PREMATH_FENCE: 'one' },
    })
    expect([wrong.status, wrong.json.error.message]).toEqual([2, 'PREMATH_FENCE cannot be "one"'])
  })

  test('is projected as expired or contended', () => {
    given(
      leased('bd-stale', 'alpha', -60),
      leased('bd-contended', 'beta', 600, { status: 'open', assignee: 'gamma' }),
      leased('bd-healthy', 'alpha', 600),
      open('bd-free'),
    )
    expect(done('issue', 'lease-projection')).toMatchObject({
      action: 'issue.lease_projection',
      count: 3,
      items: [
        { id: 'bd-contended', contended: true, lease: { state: 'active' } },
        { id: 'bd-healthy', contended: false, lease: { state: 'active', fence: 0 } },
        { id: 'bd-stale', contended: false, lease: { state: 'stale' } },
      ],
      projection: {
        contendedCount: 1,
        contendedIssueIds: ['bd-contended'],
        staleCount: 1,
        staleIssueIds: ['bd-stale'],
      },
    })
  })
})

describe('the lock', () => {
  let holder: ChildProcess | undefined
  afterEach(() => holder?.kill())

  async function hold() {
    mkdirSync(dirname(project.issues), { recursive: true })
    const script = `
      const fs = require('node:fs')
      const file = fs.openSync(${JSON.stringify(`${project.issues}.lock`)}, 'a+')
      if (!require('fs-native-extensions').tryLock(file)) process.exit(1)
      fs.writeSync(file, 'pid: 4711\\nhost: here\\ncommand: held by a test\\nsince: today\\n')
      console.log('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    holder = child
    await new Promise(settle => child.stdout.once('data', settle))
  }

  test('of another process is a conflict that says who holds it, never "no work"', async () => {
    given(open('bd-1'))
    done('config', 'set', 'lockWaitSeconds', '1')
    await hold()
    const before = readFileSync(project.issues, 'utf8')
    const { status, stderr } = asked(['issue', 'claim-next', '--assignee', 'a'])
    expect(status).toBe(4)
    expect(stderr).toContain('issue-memory lock busy')
    expect(stderr).toContain('4711')
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
    expect(done('issue', 'ready').count).toBe(1)
    expect(asked(['doctor']).json).toMatchObject({
      findings: [{ check: 'lock', what: expect.stringContaining('4711') }],
    })
  })

  test('left as a file by a dead process blocks nobody', () => {
    // Decided otherwise: an earlier implementation took the file itself for the lock.
    given(open('bd-1'))
    writeFileSync(`${project.issues}.lock`, '4711\n')
    expect(done('issue', 'claim-next', '--assignee', 'a').claimed).toBe(true)
  })
})

describe('a lease proof from the environment', () => {
  const env = { PREMATH_LEASE_ID: 'lease1_bd-1_a', PREMATH_FENCE: '1' }

  test('is ignored if nobody holds the issue, and counts if somebody does', () => {
    given(open('bd-1'), open('bd-2'))
    done('issue', 'claim', 'bd-1', '--assignee', 'a')
    const retitle = (id: string) => asked(['issue', 'update', id, '--title', 'x'], { env })
    expect(retitle('bd-2').status).toBe(0)
    expect(retitle('bd-1').status).toBe(0)
    done('issue', 'claim', 'bd-2', '--assignee', 'b')
    expect(retitle('bd-2')).toMatchObject({ status: 4 })
  })

  test('may come from the session of the step that holds the issue', () => {
    given(open('bd-1'))
    done('issue', 'claim', 'bd-1', '--assignee', 'a')
    const session = {
      schema: 1,
      sessionKind: 'premath.harness.session.v1',
      sessionId: 's',
      state: 'active',
      issueId: 'bd-1',
      startedAt: at(0),
      updatedAt: at(0),
      premathLease: { leaseId: 'lease1_bd-1_a', fence: 1 },
    }
    const path = join(project.folder, '.premath/harness_session.json')
    writeFileSync(path, JSON.stringify(session))
    expect(asked(['issue', 'update', 'bd-1', '--title', 'x']).status).toBe(0)
    const stale = { ...session, premathLease: { leaseId: 'lease1_bd-1_a', fence: 0 } }
    writeFileSync(path, JSON.stringify(stale))
    expect(asked(['issue', 'update', 'bd-1', '--title', 'y']).status).toBe(4)
  })
})
