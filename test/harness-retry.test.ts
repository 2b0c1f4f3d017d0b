/** Retry and escalation as commands, in real processes on real files; `npm test` builds first. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { retryPolicyPath } from '../src/kernel/harness/retry/retry-policy.ts'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { Escalation } from '../src/wire/harness/escalation.ts'
import { RetryDecision } from '../src/wire/harness/retry-decision.ts'
import { aProject, leased, open, type Setup } from './a-project.ts'
import { retryPolicyWith } from './a-retry-policy.ts'
import { checkedOperations } from './checked-answers.ts'

const project = aProject()
const { asked, done, given, premath, rowsById } = project

function wrote(path: string, content: string | Uint8Array): string {
  const whole = join(project.folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, content)
  return whole
}

describe('premath harness-retry', () => {
  const retry = (...args: string[]) => {
    const { status, json } = asked(['harness-retry', ...args])
    return [status, json.matchedFailureClass, json.backoffMs, json.escalationAction]
  }

  test('[tusk.5.max-attempts] allows a retry until the attempts are used up, and then names the escalation', () => {
    const attempts = ['1', '2', '3'].map(n => retry('--failure-class', 'flaky_io', '--attempt', n))
    expect(attempts).toEqual([
      [0, 'flaky_io', 1_000, 'issue_discover'],
      [0, 'flaky_io', 2_000, 'issue_discover'],
      [1, 'flaky_io', 0, 'issue_discover'],
    ])
  })

  test('answers as its schema says, and in text', () => {
    const { json } = asked(['harness-retry', '--failure-class', 'flaky_io'])
    expect(mustMatchShape(RetryDecision, json)).toEqual(json)
    expect(premath(['harness-retry', '--failure-class', 'flaky_io']).stdout).toBe(
      'Retry after 1 s: attempt 2 of 3\n  flaky_io, by rule transient_retry\n',
    )
    expect(premath(['harness-retry', '--exit-code', '1', '--attempt', '3']).stdout).toBe(
      'No attempt is left after 3 of 3: mark_blocked\n  check_failed, by rule check_retry\n',
    )
  })

  /** Runs it in a shell, and asks about how it ended. */
  function retryOf(script: string) {
    const { status, signal, stderr, error } = spawnSync('sh', ['-c', script], {
      cwd: project.folder,
      encoding: 'utf8',
      timeout: script.includes('sleep') ? 50 : undefined,
    })
    return retry(
      '--stderr',
      wrote('err.txt', stderr),
      ...(status === null ? [] : ['--exit-code', String(status)]),
      ...(signal === null ? [] : ['--signal', signal]),
      ...(error ? ['--timed-out'] : []),
    ).slice(0, 2)
  }

  test.each<[string, number, string]>([
    ['exit 1', 0, 'check_failed'],
    ['no-such-command', 0, 'executor_unavailable'],
    ['touch not-executable; ./not-executable', 0, 'executor_unavailable'],
    ['sh ./no-such-script', 0, 'executor_unavailable'],
    ['kill -9 $$', 0, 'flaky_execution'],
    ['sleep 60', 0, 'command_timeout'],
    ['echo "governance.eval_gate_unmet: 0.2" >&2; exit 1', 1, 'governance.eval_gate_unmet'],
    ['echo "flaky_io: x" >&2; echo "and then this" >&2; exit 3', 0, 'check_failed'],
  ])(
    '[tusk.5.verification-classes] classifies a real command: %s',
    (script, status, failureClass) => {
      expect(retryOf(script)).toEqual([status, failureClass])
    },
  )

  test('reads the end of a long text, of any bytes, from a file or from stdin', () => {
    const text = Buffer.concat([
      Buffer.alloc(300_000, 'noise\n'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\nnetwork_timeout: gone\n'),
    ])
    wrote('err.txt', text)
    expect(retry('--stderr', 'err.txt').slice(0, 2)).toEqual([0, 'network_timeout'])
    const piped = asked(['harness-retry', '--stderr', '-'], { input: 'network_timeout: gone' })
    expect(piped.json.matchedFailureClass).toBe('network_timeout')
    wrote('out.txt', '{"failureClasses": ["flaky_io"]}')
    expect(retry('--stdout', 'out.txt', '--exit-code', '1')[1]).toBe('flaky_io')
    expect(retry('--passed-on-rerun', '--exit-code', '1')[1]).toBe('flaky_execution')
  })

  test('prefers named classes to the exit of the command', () => {
    const { json } = asked([
      'harness-retry',
      ...['--failure-class', 'x_y', '--failure-class', 'flaky_io', '--exit-code', '1'],
    ])
    expect(json).toMatchObject({
      matchedFailureClass: 'flaky_io',
      failureClasses: ['check_failed', 'flaky_io', 'x_y'],
    })
  })

  test.each<[string, string[], RegExp]>([
    ['no failure is given', [], /no failure is given/],
    ['the command passed', ['--exit-code', '0'], /the command passed/],
    ['a class of two words', ['--failure-class', 'a b'], /is not a failure class/],
    ['attempt 0', ['--failure-class', 'a_b', '--attempt', '0'], /the attempt 0 is not valid/],
    ['no such text', ['--stderr', 'gone.txt'], /no file or folder/],
  ])('is bad usage: %s', (_, args, message) => {
    const { status, stderr } = premath(['harness-retry', ...args])
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) })
  })

  test('[tusk.5.backoff] waits by the clock of its world', async () => {
    const waited = async (...args: string[]) => {
      const files = { [`/package/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8') }
      const world = simWorld({ files })
      const began = world.clock.now()
      await runCommand(['harness-retry', '--attempt', '2', ...args], checkedOperations, world)
      return Number((world.clock.now() - began) / 1_000_000_000n)
    }
    const asking = await waited('--failure-class', 'flaky_io')
    expect((await waited('--failure-class', 'flaky_io', '--wait')) - asking).toBe(2)
    expect((await waited('--failure-class', 'check_failed', '--wait')) - asking).toBe(0)
  })

  describe('[runtime.1.1.retry-policy-digest] follows a policy that is bound by its digest', () => {
    const once = { ruleId: 'mine', failureClasses: ['flaky_io'], maxAttempts: 9 }
    const own = { rules: [{ ...once, backoffClass: 'none', escalationAction: 'stop' }] }

    test('the named one, then the one of the project, then the shipped one', () => {
      const ruleOf = (...args: string[]) =>
        asked(['harness-retry', '--failure-class', 'flaky_io', ...args]).json.ruleId
      wrote('mine.json', retryPolicyWith(own))
      expect([ruleOf(), ruleOf('--policy', 'mine.json')]).toEqual(['transient_retry', 'mine'])
      given(open('bd-1'))
      wrote(retryPolicyPath, retryPolicyWith(own))
      expect(ruleOf()).toBe('mine')
    })

    test.each<[string, string | undefined, number]>([
      ['retry_policy_missing', undefined, 2],
      ['retry_policy_invalid_json', '{', 2],
      ['retry_policy_invalid_shape', retryPolicyWith({ defaultRule: {} }), 2],
      [
        'retry_policy_invalid_shape',
        retryPolicyWith({ rules: [{ ...own.rules[0], backoffClass: 'forever' }] }),
        2,
      ],
      [
        'retry_policy_invalid_digest',
        retryPolicyWith(own).replace('"maxAttempts":9', '"maxAttempts":8'),
        5,
      ],
    ])('[runtime.1.1.retry-policy-digest] %s', (failureClass, content, status) => {
      if (content !== undefined) wrote('mine.json', content)
      const args = ['harness-retry', '--failure-class', 'flaky_io', '--policy', 'mine.json']
      const answer = asked(args)
      expect(answer).toMatchObject({
        status,
        json: { error: { detail: { failureClass, path: 'mine.json' } } },
        stderr: expect.stringContaining(`(${failureClass})`),
      })
    })

    test('a folder in place of the file', () => {
      const args = ['harness-retry', '--failure-class', 'flaky_io', '--policy', '.']
      expect(asked(args)).toMatchObject({
        status: 3,
        json: { error: { detail: { failureClass: 'retry_policy_io_error' } } },
      })
    })
  })
})

describe('premath harness-escalate', () => {
  const words = (failureClass: string, ...more: string[]) => [
    ...['harness-escalate', '--scope', 'worker.loop', '--failure-class', failureClass],
    ...['--attempt', '3', ...more],
  ]
  const escalate = (failureClass: string, setup?: Setup) => asked(words(failureClass), setup)
  const on = (id: string) => ({ env: { PREMATH_ACTIVE_ISSUE_ID: id } })
  const session = (issueId: string, more: object = {}) =>
    JSON.stringify({
      schema: 1,
      sessionKind: 'premath.harness.session.v1',
      sessionId: 'hs1',
      state: 'stopped',
      startedAt: '2026-02-22T00:00:00Z',
      updatedAt: '2026-02-22T00:00:00Z',
      issueId,
      ...more,
    })

  const sound = { description: 'Acceptance: done.\n\n`npm test`' }

  test('[tusk.5.escalation-path] adds an issue that passes the check, and adds it once', () => {
    given(open('bd-1', sound), open('bd-2', sound))
    const more = ['--witness-ref', join(project.folder, 'artifacts/steps/s1')]
    const { status, json } = asked(words('flaky_io', ...more), on('bd-1'))
    expect(mustMatchShape(Escalation, json)).toEqual(json)
    expect([status, json]).toMatchObject([
      0,
      {
        escalationAction: 'issue_discover',
        outcome: 'applied',
        issueId: 'bd-1',
        issueSource: 'env:PREMATH_ACTIVE_ISSUE_ID',
        createdIssueId: 'bd-3',
        issuesPath: '.premath/issues.jsonl',
        witnessRef: 'artifacts/steps/s1',
      },
    ])
    expect(rowsById()['bd-3']).toMatchObject({
      title: '[HarnessEscalation] worker.loop retry exhausted (flaky_io)',
      description: json.note,
      dependencies: [{ depends_on_id: 'bd-1', type: 'discovered-from' }],
    })
    expect(done('issue', 'check')).toMatchObject({ errors: [], warnings: [] })

    expect(escalate('flaky_io', on('bd-1')).json).toMatchObject({
      outcome: 'already_applied',
      createdIssueId: 'bd-3',
    })
    expect(escalate('flaky_io', on('bd-2')).json).toMatchObject({ createdIssueId: 'bd-4' })
    done('issue', 'update', 'bd-3', '--status', 'closed', '--force', '--reason', 'done')
    expect(escalate('flaky_io', on('bd-1')).json).toMatchObject({
      outcome: 'applied',
      createdIssueId: 'bd-5',
    })
    expect(done('doctor')).toMatchObject({ findings: [] })
  })

  test('adds one issue when several processes escalate the same failure', async () => {
    given(open('bd-1', sound))
    wrote('.premath/harness_session.json', session('bd-1'))
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => project.started(...words('flaky_io'))),
    )
    expect(answers.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0])
    expect(answers.map(({ json }) => json.createdIssueId)).toEqual(Array(6).fill('bd-2'))
    expect(answers.filter(({ json }) => json.outcome === 'applied')).toHaveLength(1)
    expect(Object.keys(rowsById())).toEqual(['bd-1', 'bd-2'])
  })

  test('[tusk.5.escalation-path] marks the active issue blocked, with one note', () => {
    given(open('bd-1', { notes: 'Mine.' }))
    const { status, json } = escalate('check_failed')
    expect([status, json.outcome, json.createdIssueId]).toEqual([0, 'applied', null])
    const row = rowsById()['bd-1']
    expect(row).toMatchObject({ status: 'blocked', notes: `Mine.\n\n${json.note}` })
    expect(escalate('check_failed', on('bd-1')).json.outcome).toBe('already_applied')
    expect(rowsById()['bd-1']).toEqual(row)
  })

  test('needs the lease of a held issue', () => {
    given(leased('bd-1', 'me', 3600))
    const before = readFileSync(project.issues, 'utf8')
    for (const failureClass of ['check_failed', 'flaky_io']) {
      expect(escalate(failureClass, on('bd-1'))).toMatchObject({
        status: 4,
        json: { failureClasses: ['lease_proof_missing'], result: 'rejected' },
      })
    }
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
    const env = { PREMATH_ISSUE_ID: 'bd-1', PREMATH_LEASE_ID: 'lease1_bd-1_me' }
    expect(escalate('flaky_io', { env }).status).toBe(0)
    expect(rowsById()['bd-1'].lease).toBeTruthy()
    expect(escalate('check_failed', { env }).status).toBe(0)
    expect(rowsById()['bd-1']).toMatchObject({ status: 'blocked' })
    expect(rowsById()['bd-1'].lease).toBeUndefined()
  })

  test('[runtime.1.1.escalation-mapping] stops for a class of a gate under every policy', () => {
    given(open('bd-1'))
    const before = readFileSync(project.issues, 'utf8')
    const blocking = { maxAttempts: 1, backoffClass: 'none', escalationAction: 'mark_blocked' }
    const failureClasses = ['tool.result_missing', 'check_failed']
    wrote('lax.json', retryPolicyWith({ rules: [{ ruleId: 'lax', failureClasses, ...blocking }] }))
    for (const more of [[], ['--policy', 'lax.json'], ['--failure-class', 'check_failed']]) {
      const { status, json } = asked(words('tool.result_missing', ...more), on('bd-1'))
      expect(mustMatchShape(Escalation, json)).toEqual(json)
      expect([status, json]).toMatchObject([
        0,
        { outcome: 'stop', escalationAction: 'stop', issueId: null, createdIssueId: null },
      ])
    }
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
  })

  test('stops without an issue memory', () => {
    expect(escalate('anything_else')).toMatchObject({ status: 0, json: { outcome: 'stop' } })
    expect(premath(words('anything_else')).stdout).toBe(
      'Stop: anything_else. Issue memory is unchanged.\n',
    )
  })

  test('[runtime.1.1.issue-context-order] finds the issue by environment, session or the only ready issue', () => {
    given(open('bd-1'), open('bd-2'), open('bd-3'))
    wrote('.premath/harness_session.json', session('bd-2'))
    wrote('other/session.json', session('bd-3'))
    const sourceOf = (setup?: Setup) => {
      const { json } = escalate('flaky_io', setup)
      return [json.issueId, json.issueSource]
    }
    const elsewhere = { PREMATH_HARNESS_SESSION_PATH: 'other/session.json' }
    expect(sourceOf({ env: { PREMATH_ISSUE_ID: 'bd-1', ...elsewhere } })).toEqual([
      'bd-1',
      'env:PREMATH_ISSUE_ID',
    ])
    expect(sourceOf()).toEqual(['bd-2', 'session:.premath/harness_session.json'])
    expect(sourceOf({ env: elsewhere })).toEqual(['bd-3', 'session:other/session.json'])

    project.forgetAcknowledged()
    given(open('bd-1'), open('bd-2', { status: 'closed' }))
    wrote('.premath/harness_session.json', session('', { issueId: undefined }))
    expect(sourceOf()).toEqual(['bd-1', 'ready:.premath/issues.jsonl'])
  })

  test('[tusk.9.issue-context] changes nothing if the issue is unknown', () => {
    given(open('bd-1'), open('bd-2'))
    const before = readFileSync(project.issues, 'utf8')
    const both = { PREMATH_ACTIVE_ISSUE_ID: 'bd-1', PREMATH_ISSUE_ID: 'bd-2' }
    const rejected = (failureClass: string) => ({
      status: 1,
      json: { action: 'harness-escalate', failureClasses: [failureClass], result: 'rejected' },
    })
    expect(escalate('flaky_io')).toMatchObject(rejected('escalation_issue_context_ambiguous'))
    expect(escalate('flaky_io', { env: both })).toMatchObject(
      rejected('escalation_issue_context_ambiguous'),
    )
    expect(escalate('check_failed', on('bd-9'))).toMatchObject(rejected('issue_not_found'))
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
    project.forgetAcknowledged()
    given(open('bd-1', { status: 'closed' }))
    expect(escalate('flaky_io')).toMatchObject(rejected('escalation_issue_context_unbound'))
    expect(escalate('check_failed', on('bd-1'))).toMatchObject(rejected('issue_closed'))
  })

  test.each<[string, string | undefined, number]>([
    ['escalation_session_invalid', '{', 2],
    ['escalation_session_invalid', session('bd-1', { sessionKind: 'x' }), 2],
    ['escalation_session_read_failed', undefined, 3],
  ])('refuses an unreadable session: %s', (failureClass, content, status) => {
    given(open('bd-1'))
    if (content === undefined) mkdirSync(join(project.folder, '.premath/harness_session.json'))
    else wrote('.premath/harness_session.json', content)
    expect(escalate('flaky_io')).toMatchObject({
      status,
      json: { error: { detail: { failureClass } } },
    })
    expect(escalate('flaky_io', on('bd-1')).status).toBe(0)
  })

  test('[tusk.5.no-silent-pass] refuses while an attempt is left, and if nothing failed', () => {
    given(open('bd-1'))
    const early = ['harness-escalate', '--scope', 's', '--failure-class', 'flaky_io']
    expect(asked(early)).toMatchObject({
      status: 1,
      json: { failureClasses: ['escalation_attempts_left'] },
    })
    expect(premath(['harness-escalate', '--scope', 's']).status).toBe(2)
    expect(premath([...early, '--scope', ' ']).status).toBe(2)
    expect(Object.keys(rowsById())).toEqual(['bd-1'])
  })

  test('is refused if people may not change issues', () => {
    given(open('bd-1'))
    const surfaces = { cli: { mode: 'human-override' } }
    wrote('.premath/policy.json', JSON.stringify({ schema: 1, surfaces }))
    expect(escalate('check_failed')).toMatchObject({
      status: 1,
      json: { failureClasses: ['mutation_not_granted'] },
    })
    expect(asked(words('check_failed', '--reason', 'the check is down')).status).toBe(0)
    expect(rowsById()['bd-1'].metadata.premathOverride.reason).toBe('the check is down')
  })

  test('is reported in text', () => {
    given(open('bd-1'))
    const title = '[HarnessEscalation] worker.loop retry exhausted (flaky_io)'
    expect(premath(words('flaky_io'), on('bd-1')).stdout).toBe(`Added bd-2: ${title}\n`)
    expect(premath(words('flaky_io'), on('bd-1')).stdout).toBe(`Already open: bd-2: ${title}\n`)
    expect(premath(words('check_failed'), on('bd-1')).stdout).toBe('Blocked bd-1: Issue bd-1\n')
    expect(premath(words('check_failed'), on('bd-1')).stdout).toBe(
      'Already blocked: bd-1: Issue bd-1\n',
    )
  })
})
