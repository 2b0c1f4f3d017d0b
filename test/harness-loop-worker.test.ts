/** One worker in a loop, as people run it: real processes, real files, and runs that go wrong. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aLoop, does, named, premathInShell, type RunningLoop } from './a-loop.ts'
import { leased, open, at as timeIn } from './a-project.ts'
import { oneAttempt } from './a-retry-policy.ts'
import { block } from './a-spec-run.ts'
import { evidence } from './a-turn.ts'

const loop = aLoop()
const { add, at, show, worker } = loop

/** How often a matter is reported as an event, and how often it is a row. */
const reports = (about: string, events: readonly { readonly about?: string }[]) => ({
  events: events.filter(one => one.about === about).length,
  rows: loop.attention().filter(one => one.about === about).length,
})

/** One that has ended and that nobody has asked after yet is gone, too. */
const isGone = (pid: number) => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return /^(Z.*)?$/.test(stdout.trim())
}

/** The process ids that a work command recorded. */
const pidsIn = (name: string) => readFileSync(at(name), 'utf8').trim().split('\n').map(Number)

/** Says what it is, leaves a child behind it, and goes on until it is ended. */
const endless = 'sleep 1000 & echo $! > pids.new; echo $$ >> pids.new; mv pids.new pids; wait'

describe('a run', () => {
  test('takes ready issues one after the other until all are closed', () => {
    const first = add('First')
    const second = add('Second')
    loop.done('dep', 'add', first, second)
    const { status, stderr, events } = worker(does('echo hi'))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(named(events, 'claimed').map(({ issueId }) => issueId)).toEqual([second, first])
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'done', closed: [second, first], failed: [], refused: [], left: 0, steps: 2 },
    ])
    expect(loop.steps()).toMatchObject([
      { issueId: second, resultClass: 'completed' },
      { issueId: first, resultClass: 'completed' },
    ])
    expect(loop.session()).toMatchObject({ state: 'stopped' })
    expect(loop.session()).not.toHaveProperty('premathBudget')
  })

  test.each([
    ['true', 1],
    ['test -f .premath/issues.jsonl', 0],
  ])('tells once if its verify command %j cannot fail', (verify, times) => {
    add('First')
    add('Second')
    const { events } = worker(does('echo hi', verify))
    const notes = named(events, 'note').filter(({ message }) => /cannot fail/.test(message))
    expect(notes).toHaveLength(times)
    expect(named(events, 'claimed')).toHaveLength(2)
  })

  test('names for each command the issue it runs for, if there is one', () => {
    add('One')
    const quiet = ['--quiet-warning', '1', '--startup-cmd', 'true']
    const work = 'until [ -s .premath/harness_attention.jsonl ]; do sleep 0.1; done'
    const { events } = worker(does(work, 'true', ...quiet))
    const phases = [
      ['startup', undefined],
      ['work', 'bd-1'],
      ['verify', 'bd-1'],
    ]
    const saidOf = (event: string) =>
      named(events, event).map(({ phase, issueId }) => [phase, issueId])
    expect(saidOf('phase')).toEqual(phases)
    expect(saidOf('quiet')).toContainEqual(['work', 'bd-1'])
    // On a busy machine the others are quiet for a second too.
    for (const event of saidOf('quiet')) expect(phases).toContainEqual(event)
  })

  test('without work ends at once with exit code 0', () => {
    loop.given()
    const { status, events } = worker(does('false'))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', steps: 0 }])
  })

  test('skips failed issues, continues with the rest, and exits 1', () => {
    for (const title of ['One', 'Two', 'Three']) add(title)
    const { status, events } = worker(does('test "$PREMATH_ISSUE_ID" != bd-1'))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([
      {
        why: 'idle',
        closed: ['bd-2', 'bd-3'],
        failed: [{ issueId: 'bd-1', failureClasses: ['check_failed'] }],
      },
    ])
    expect(loop.steps()).toHaveLength(5)
  })

  test('leaves an issue that a gate refuses unchanged, and reports it once', () => {
    add('One')
    add('Two')
    const turn = JSON.stringify({ evidence: evidence(['tc-1'], { toolResults: [] }) })
    writeFileSync(at('turn.json'), `${turn}\n`)
    const work = `[ "$PREMATH_ISSUE_ID" = bd-2 ] || cat turn.json > "$PREMATH_TURN_EVIDENCE"`
    const { status, events } = worker(does(work))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([
      { closed: ['bd-2'], refused: [{ issueId: 'bd-1' }], failed: [] },
    ])
    expect(show('bd-1')).toMatchObject({ status: 'in_progress' })
    expect(reports('gate_refused', events)).toEqual({ events: 1, rows: 1 })
  })

  test('ends even if every failure adds an issue', () => {
    add('One')
    const failing = 'echo "pipeline_missing_witness: no" >&2; false'
    const { status, stderr, events } = worker(does(failing))
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(named(events, 'claimed')).toHaveLength(1)
    expect(named(events, 'run.ended')).toMatchObject([
      {
        why: 'idle',
        left: 2,
        failed: [{ issueId: 'bd-1', resultClass: 'pipeline_missing_witness' }],
      },
    ])
    expect(show('bd-2').title).toContain('retry exhausted (pipeline_missing_witness)')
    // Another run takes it as any other.
    expect(named(worker(does('true')).events, 'run.ended')).toMatchObject([{ why: 'done' }])
  })

  test('waits for work for the given time, and takes issues that become ready', () => {
    add('One')
    const isOver = '[ -s .premath/harness_trajectory.jsonl ]'
    const more = `until ${isOver}; do sleep 0.05; done; ${premathInShell} issue add Later`
    // In a session of its own: a step ends whatever its work leaves behind.
    const work = `[ -e more ] || { touch more; unset PREMATH_STEP_ID; cd "$PREMATH_ROOT"; setsid sh -c '${more.replaceAll("'", `'\\''`)}' > /dev/null 2>&1 & }`
    const { status, events } = worker(does(work, 'true', '--idle-seconds', '10'))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', steps: 2, left: 0 }])
  })

  test('prints its events and its result in plain lines', () => {
    add('One')
    add('Two')
    const { status, stdout } = loop.premath([
      'harness-loop',
      'worker',
      ...does('test $PREMATH_ISSUE_ID = bd-1'),
    ])
    expect(status).toBe(1)
    expect(stdout.replaceAll(/\d\d:\d\d:\d\d|\d+\.\d s/g, '_')).toContain(
      ['_  worker  claims bd-1: One', '_  worker  work: test $PREMATH_ISSUE_ID = bd-1'].join('\n'),
    )
    expect(stdout).toMatch(/Run ended: no open issue can be claimed\n {2}1 closed, 1 failed/)
    expect(stdout).toContain('Next: bd-2 is blocked. See what failed: premath show bd-2.')
  })
})

describe('verified by specs', () => {
  const spec = block(
    'id: DONE',
    'type: text.file',
    'path: /done.txt',
    'assert: [{target: text, must: [{contain: [yes]}]}]',
  )

  test('an issue closes when they pass, with a witness of the tree', () => {
    loop.repository()
    mkdirSync(at('specs'))
    writeFileSync(at('specs/done.spec.md'), spec)
    const issue = add('Say yes')
    const args = ['--verify-spec', 'specs/done.spec.md', '--work-cmd']
    const failing = worker([...args, 'echo no > done.txt'])
    expect(failing.status).toBe(1)
    expect(show(issue).status).not.toBe('closed')
    const other = add('Say it at last')
    const { status } = worker([...args, 'echo yes > done.txt'])
    expect([status, show(other).status]).toEqual([0, 'closed'])
    const witnesses = readdirSync(at('artifacts/ciwitness/spec')).map(name =>
      JSON.parse(readFileSync(at(`artifacts/ciwitness/spec/${name}`), 'utf8')),
    )
    expect(witnesses.map(({ result }) => result).sort()).toEqual(['accepted', 'rejected'])
  })

  test('documents without a case close no issue', () => {
    loop.repository()
    mkdirSync(at('specs'))
    writeFileSync(at('specs/later.spec.md'), '# To be written\n')
    const issue = add('Say yes')
    const { status, events } = worker(['--verify-spec', 'specs', '--work-cmd', 'true'])
    expect([status, show(issue).status]).toEqual([1, 'blocked'])
    expect(named(events, 'run.ended')).toMatchObject([{ closed: [], failed: [{ issueId: issue }] }])
  })

  test('and by a command too, a run is refused', () => {
    add('One')
    const { status, stderr } = loop.premath(
      ['harness-loop', 'worker', '--work-cmd', 'true', '--verify-cmd', 'true'].concat(
        '--verify-spec',
        'specs',
      ),
    )
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('--verify-cmd and --verify-spec exclude each other'),
    ])
  })
})

describe('a worker that stops answering', () => {
  /** Its node is stopped, its work goes on; then its lease is over, as the clock would have it. */
  async function zombie(): Promise<RunningLoop> {
    const work = 'echo half done; while [ ! -e go ]; do sleep 0.05; done'
    const running = loop.begin('worker', does(work, 'true', '--worker', 'zombie'))
    const output = at('artifacts/steps/zombie.bd-1.2.1/work.stdout')
    // Made with its first byte, which may come later than what the command did after it.
    await running.until(() => existsSync(output) && statSync(output).size > 0)
    running.signal('SIGSTOP')
    const row = loop.rowsById()['bd-1']
    const lease = { ...row.lease, expires_at: timeIn(-1) }
    writeFileSync(loop.project.issues, `${loop.memory()}${JSON.stringify({ ...row, lease })}\n`)
    return running
  }

  test('loses its lease: the next worker gets its attempts, and its late write is refused and reported', async () => {
    add('One')
    writeFileSync(at('retry.json'), oneAttempt())
    const once = ['--retry-policy', at('retry.json')]
    worker(does('echo why >&2; false', 'true', '--worker', 'ann', ...once))
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    const running = await zombie()

    const own = ['--worker', 'next', '--session', '.premath/next.json']
    const next = worker(does('cp "$PREMATH_HANDOFF_FILE" packet.json', 'true', ...own))
    expect(next.status).toBe(0)
    expect(named(next.events, 'claimed')).toMatchObject([
      { issueId: 'bd-1', fence: 3, takenOverFrom: 'zombie' },
    ])
    const packet = JSON.parse(readFileSync(at('packet.json'), 'utf8'))
    expect(packet).toEqual({
      schema: 1,
      packetKind: 'premath.harness.handoff_packet.v1',
      issueId: 'bd-1',
      stepId: 'next.bd-1.3.1',
      takenOverFrom: 'zombie',
      unfinished: {
        stepId: 'zombie.bd-1.2.1',
        workerId: 'zombie',
        startedAt: expect.stringMatching(/Z$/),
        output: ['artifacts/steps/zombie.bd-1.2.1/work.stdout'],
      },
      tried: [
        {
          stepId: 'ann.bd-1.1.1',
          workerId: 'ann',
          attempt: 1,
          startedAt: expect.stringMatching(/Z$/),
          finishedAt: expect.stringMatching(/Z$/),
          resultClass: 'check_failed',
          failureClasses: ['check_failed'],
          summary: 'the work command ended with exit code 1',
          output: ['artifacts/steps/ann.bd-1.1.1/work.stderr'],
        },
      ],
      feedback: {
        stepId: 'ann.bd-1.1.1',
        failureClasses: ['check_failed'],
        summary: 'the work command ended with exit code 1',
        command: {
          phase: 'work',
          command: 'echo why >&2; false',
          exitCode: 1,
          timedOut: false,
        },
        lines: ['why'],
        output: ['artifacts/steps/ann.bd-1.1.1/work.stderr'],
        findings: [],
      },
      next: 'The lease of zombie expired, and its work may be half done: check the tree before you continue. The last attempt ended as check_failed, and its output is in artifacts/steps/ann.bd-1.1.1/work.stderr. Find the cause before you try the same again.',
    })
    for (const file of [...packet.unfinished.output, ...packet.tried[0].output]) {
      expect(readFileSync(at(file), 'utf8')).toMatch(/^(half done|why)\n$/)
    }

    const closed = loop.memory()
    writeFileSync(at('go'), '')
    running.signal('SIGCONT')
    expect(await running.ended).toMatchObject({ status: 1, signal: null })
    // Not a byte of what it did too late.
    expect(loop.memory()).toBe(closed)
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
    const late = loop.steps().find(({ workerId }) => workerId === 'zombie')
    expect(late).toMatchObject({
      stepId: 'zombie.bd-1.2.1',
      resultClass: expect.stringMatching(/^lease_/),
      failureClasses: [expect.stringMatching(/^lease_/)],
      summary: expect.stringContaining('the change was refused'),
    })
    expect(reports('lease_lost', running.events)).toEqual({ events: 1, rows: 1 })
    expect(loop.attention().find(({ about }) => about === 'lease_lost')).toMatchObject({
      workerId: 'zombie',
      issueId: 'bd-1',
      stepId: 'zombie.bd-1.2.1',
    })
    expect(named(running.events, 'run.ended')).toMatchObject([{ closed: [], failed: [] }])
  })

  test('whose lease expired long ago is replaced, whichever tool wrote the lease', () => {
    loop.given(leased('bd-1', 'earlier', -60), open('bd-2'))
    const { status, events } = worker(
      does('test "$PREMATH_ISSUE_ID" = bd-2 || test -s "$PREMATH_HANDOFF_FILE"'),
    )
    expect(status).toBe(0)
    expect(named(events, 'claimed')).toMatchObject([
      { issueId: 'bd-1', takenOverFrom: 'earlier' },
      { issueId: 'bd-2' },
    ])
    expect(loop.packet('worker.bd-1.1.1')).toMatchObject({
      takenOverFrom: 'earlier',
      unfinished: null,
      tried: [],
    })
  })

  test('leaves the last of several attempts in one second', () => {
    loop.given(leased('bd-1', 'earlier', -60))
    const once = timeIn(-90)
    for (const [attempt, resultClass] of ['timeout', 'check_failed', 'rate_limit'].entries()) {
      const of = ['--issue-id', 'bd-1', '--action', 'harness.step', '--result-class', resultClass]
      const step = ['--step-id', `earlier.bd-1.1.${attempt + 9}`, '--finished-at', once]
      loop.done('harness-trajectory', 'append', ...step, ...of)
    }
    expect(loop.premath(['prime', '--issue', 'bd-1']).stdout).toContain('earlier.bd-1.1.11')
    expect(worker(does('true')).status).toBe(0)
    const { tried, next } = loop.packet('worker.bd-1.1.1')
    expect(tried.map(({ resultClass }: { resultClass: string }) => resultClass)).toEqual([
      'rate_limit',
      'check_failed',
      'timeout',
    ])
    expect(next).toContain('The last attempt ended as rate_limit.')
  })

  test('while its lease lasts keeps its issue', () => {
    loop.given(leased('bd-1', 'earlier', 60))
    const before = loop.memory()
    const { status, events } = worker(does('true'))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'idle', steps: 0, left: 1 }])
    expect(loop.memory()).toBe(before)
  })
})

describe('the loop reports stuck work as one line, one event and one row', () => {
  /** The same run twice, in two projects: for a program, and in lines. */
  const each = (prepare: () => void, args: readonly string[], about: string, line: RegExp) => {
    prepare()
    const { events } = worker(args)
    expect(reports(about, events)).toEqual({ events: 1, rows: 1 })
    const matter = loop.attention().find(one => one.about === about)
    loop.project.begin()
    prepare()
    const { stdout } = loop.premath(['harness-loop', 'worker', ...args])
    expect(stdout.match(new RegExp(line, 'g'))).toHaveLength(1)
    expect(stdout.split('\n').filter(one => one.includes('Attention: '))).toHaveLength(
      loop.attention().length,
    )
    return matter
  }

  test('a command that prints nothing for long', () => {
    // Silent until it was reported, and for a while after that.
    const work = 'until [ -s .premath/harness_attention.jsonl ]; do sleep 0.1; done; sleep 2.5'
    const matter = each(
      () => add('One'),
      does(work, 'true', '--quiet-warning', '1'),
      'worker_quiet',
      /Attention: worker has printed nothing for \d+ s in work of bd-1\n/,
    )
    expect(matter).toMatchObject({ workerId: 'worker', issueId: 'bd-1' })
  })

  test('three failures of one class in a row', () => {
    const matter = each(
      () => ['One', 'Two', 'Three', 'Four', 'Five'].map(title => add(title)),
      does('false'),
      'repeated_failure',
      /Attention: worker failed 3 times in a row with check_failed, last on bd-3\n/,
    )
    expect(matter).toMatchObject({ issueId: 'bd-3', failureClasses: ['check_failed'] })
  })

  test('no ready work while issues are blocked, with the blockers named', () => {
    const matter = each(
      () => {
        loop.given(
          open('bd-1', { status: 'blocked' }),
          open('bd-2', {
            dependencies: [{ issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }],
          }),
          open('bd-3', {
            dependencies: [{ issue_id: 'bd-3', depends_on_id: 'gone', type: 'blocks' }],
          }),
        )
      },
      // Looked at again and again meanwhile.
      does('true', 'true', '--idle-seconds', '3'),
      'work_blocked',
      /Attention: no issue is ready: bd-2 waits for bd-1; bd-3 waits for gone; bd-1 is marked as blocked\n/,
    )
    expect(matter).toMatchObject({ blockers: ['bd-1', 'gone'] })
  })

  test('issues that wait for each other', () => {
    const edge = (id: string, on: string) => ({
      dependencies: [{ issue_id: id, depends_on_id: on, type: 'blocks' }],
    })
    loop.given(open('bd-1', edge('bd-1', 'bd-2')), open('bd-2', edge('bd-2', 'bd-1')), open('bd-3'))
    const before = loop.memory()
    const { status, events } = worker(does('true'))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([
      { why: expect.stringMatching(/cycle|failed/) },
    ])
    expect(loop.attention()).toHaveLength(1)
    expect(loop.attention()[0].message).toContain('active issues form a dependency cycle')
    expect(loop.memory()).toBe(before)
  })
})

describe('a budget', () => {
  const issues = (count: number) => Array.from({ length: count }, (_, made) => add(`Issue ${made}`))
  const endOf = (events: readonly never[]) => named(events, 'run.ended')[0]

  test('of steps ends the run after the last of them, and the next run begins with none left', () => {
    issues(3)
    const first = worker(does('true', 'true', '--max-steps', '2'))
    expect(first.status).toBe(0)
    expect(named(first.events, 'run.ended')).toMatchObject([
      {
        why: 'budget',
        steps: 2,
        left: 1,
        nextStep:
          'the budget is used up (2 of 2 steps are used); start a new one with --new-budget',
      },
    ])
    expect(loop.session().premathBudget).toMatchObject({ steps: 2, maxSteps: 2 })
    const again = worker(does('true', 'true', '--max-steps', '2'))
    expect(named(again.events, 'run.ended')).toMatchObject([{ why: 'budget', steps: 0, left: 1 }])
    const anew = worker(does('true', 'true', '--max-steps', '2', '--new-budget'))
    expect(named(anew.events, 'run.ended')).toMatchObject([{ why: 'done', steps: 1, left: 0 }])
    expect(loop.session()).not.toHaveProperty('premathBudget')
  })

  test('of one step does one; finishing the last issue does not count as running out', () => {
    issues(1)
    const { status, events } = worker(does('true', 'true', '--max-steps', '1'))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', steps: 1, left: 0 }])
    expect(loop.session()).not.toHaveProperty('premathBudget')
  })

  test('of failures ends the run with exit code 1', () => {
    issues(3)
    const { status, events } = worker(does('false', 'true', '--max-failures', '1'))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'budget', steps: 1, left: 3, budget: { failures: 1, maxFailures: 1 } },
    ])
    // Also one that only finds it spent.
    expect(worker(does('true', 'true', '--max-failures', '1')).status).toBe(1)
    expect(show('bd-2')).toMatchObject({ status: 'open' })
  })

  test('of minutes lets the running step end, and starts no other', () => {
    issues(2)
    const used = { steps: 1, failures: 0, milliseconds: 30_000 }
    worker(does('true', 'true', '--max-steps', '1'))
    const path = at('.premath/harness_session.json')
    writeFileSync(path, JSON.stringify({ ...loop.session(), premathBudget: used }))
    issues(1)
    const later = { laterFrom: { path: at('late'), ms: 31_000, hasPassed: true } as const }
    const { status, events } = worker(does('touch late', 'true', '--max-minutes', '1'), later)
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'budget', closed: ['bd-2'], left: 1, budget: { steps: 2 } },
    ])
  })

  test('of a killed run is not reset', async () => {
    issues(3)
    const limits = ['--max-steps', '2', '--max-failures', '9', '--max-minutes', '9']
    const running = loop.begin('worker', does(`touch began; ${endless}`, 'true', ...limits))
    await running.until(() => existsSync(at('pids')))
    running.signal('SIGKILL')
    await running.ended
    expect(loop.session().premathBudget).toMatchObject({ steps: 1, maxSteps: 2 })

    const resumed = worker(does('true', 'true', ...limits))
    expect(resumed.status).toBe(0)
    expect(named(resumed.events, 'recovered')).toMatchObject([
      { stepId: 'worker.bd-1.1.1', how: 'undone' },
    ])
    expect(named(resumed.events, 'run.started')).toMatchObject([{ budget: { steps: 1 } }])
    expect(named(resumed.events, 'run.ended')).toMatchObject([{ why: 'budget', steps: 1, left: 2 }])
    expect(pidsIn('pids').every(isGone)).toBe(true)

    const anew = worker(does('true', 'true', ...limits, '--new-budget'))
    expect(named(anew.events, 'run.ended')).toMatchObject([{ why: 'done', steps: 2, left: 0 }])
  })

  test.each(['--max-steps', '--max-minutes', '--max-failures', '--quiet-warning'])(
    '%s 0 is refused before anything starts',
    flag => {
      issues(1)
      const before = loop.memory()
      const { status, stderr, stdout } = worker(does('true', 'true', flag, '0'))
      expect(status).toBe(2)
      expect(`${stdout}${stderr}`).toContain(`${flag} must be at least 1, not 0`)
      expect(loop.memory()).toBe(before)
      expect(existsSync(at('.premath/harness_session.json'))).toBe(false)
    },
  )

  test('that cannot be read is refused with a hint, and --new-budget continues', () => {
    issues(2)
    worker(does('true', 'true', '--max-steps', '1'))
    const path = at('.premath/harness_session.json')
    writeFileSync(path, JSON.stringify({ ...loop.session(), premathBudget: { steps: 'few' } }))
    const before = loop.memory()
    const { status, stderr } = worker(does('true'))
    expect(status).toBe(2)
    expect(stderr).toContain('its budget cannot be read')
    expect(stderr).toContain('--new-budget')
    expect(loop.memory()).toBe(before)
    const anew = worker(does('true', 'true', '--new-budget'))
    expect(anew.status).toBe(0)
    expect(endOf(anew.events as never)).toMatchObject({ why: 'done' })
  })
})

describe('asked to stop', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s during work, a worker releases the issue and leaves nothing running',
    async signal => {
      add('One')
      add('Two')
      const running = loop.begin('worker', does(endless))
      await running.until(() => existsSync(at('pids')))
      running.signal(signal)
      expect(await running.ended).toEqual({ status: 1, signal: null, stderr: '' })
      expect(pidsIn('pids').map(isGone)).toEqual([true, true])
      expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
      expect(loop.rowsById()['bd-1']).not.toHaveProperty('lease')
      expect(show('bd-2')).toMatchObject({ status: 'open' })
      expect(loop.steps()).toMatchObject([
        { resultClass: 'interrupted_by_signal', failureClasses: ['interrupted_by_signal'] },
      ])
      expect(named(running.events, 'run.ended')).toMatchObject([
        {
          why: 'stopped',
          failed: [],
          nextStep: expect.stringContaining('continue with the remaining budget'),
        },
      ])
      expect(loop.session()).toMatchObject({
        state: 'stopped',
        nextStep: expect.stringMatching(/\w/),
      })
      expect(readdirSync(at('.premath/steps')).filter(name => name.endsWith('.jsonl'))).toEqual([])
      const next = worker(does('true'))
      expect(next.status).toBe(0)
      expect(named(next.events, 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
    },
  )

  test('while it waits for work, a worker ends at once with success', async () => {
    add('One')
    const running = loop.begin('worker', does('true', 'true', '--idle-seconds', '1000'))
    await running.until(() => named(running.events, 'attempt.ended').length > 0)
    running.signal('SIGTERM')
    expect(await running.ended).toEqual({ status: 0, signal: null, stderr: '' })
    expect(loop.session()).toMatchObject({ state: 'stopped' })
  })

  test('twice, a worker ends at once, and the next start recovers', async () => {
    add('One')
    // Does not end when it is asked to.
    const deaf = `trap 'touch asked' TERM; echo $$ > pids; touch began; while :; do sleep 0.05; done`
    const running = loop.begin('worker', does(deaf))
    await running.until(() => existsSync(at('began')))
    running.signal('SIGINT')
    await running.until(() => existsSync(at('asked')))
    // One that comes right after the first is the same one, passed on by whoever started us.
    await new Promise(settle => setTimeout(settle, 300))
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ status: null, signal: 'SIGINT' })
    await expect.poll(() => isGone(pidsIn('pids')[0] ?? 0)).toBe(true)
    expect(show('bd-1')).toMatchObject({ status: 'in_progress' })

    const next = worker(does('true'))
    expect(next.status).toBe(0)
    expect(named(next.events, 'recovered')).toMatchObject([
      { stepId: 'worker.bd-1.1.1', how: 'undone' },
    ])
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
    expect(loop.steps().map(({ resultClass }) => resultClass)).toEqual([
      'retry_needed_interrupted',
      'completed',
    ])
  })
})

describe('a work command that kills its parent', () => {
  test('with SIGKILL ends the run, and the next run recovers', () => {
    add('One')
    add('Two')
    const killed = worker(does('kill -9 $PPID; sleep 1000'), { isSpawned: true })
    expect(killed.status).toBe(null)
    const { status, events } = worker(does('true'))
    expect(status).toBe(0)
    expect(named(events, 'recovered')).toMatchObject([{ issueId: 'bd-1', how: 'undone' }])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
    expect(loop.steps().map(({ stepId }) => stepId)).toEqual([
      'worker.bd-1.1.1',
      'worker.bd-1.2.1',
      'worker.bd-2.1.1',
    ])
    expect(loop.premath(['doctor']).status).toBe(0)
  })

  test('with SIGTERM stops it like any other SIGTERM', () => {
    add('One')
    const { status, events } = worker(does('kill -TERM $PPID; sleep 1000'), { isSpawned: true })
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'stopped' }])
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(loop.steps()).toMatchObject([{ resultClass: 'interrupted_by_signal' }])
  })
})

describe('bad input', () => {
  test('a missing project, with the way to create one', () => {
    const { status, stderr } = worker(does('true'))
    expect(status).toBe(2)
    expect(stderr).toContain('premath init')
    expect(readdirSync(loop.project.folder)).toEqual([])
  })

  test('a missing command for work or verification', () => {
    add('One')
    const { status, stderr } = worker(['--work-cmd', 'true'])
    expect(status).toBe(2)
    expect(stderr).toContain('--verify-cmd is missing')
  })

  test('a lease term out of bounds, and nothing is claimed', () => {
    add('One')
    const before = loop.memory()
    for (const term of ['29', '86401']) {
      const { status, events } = worker(does('true', 'true', '--lease-ttl-seconds', term))
      expect(status).toBe(2)
      expect(events).toMatchObject([{ exitCode: 2, error: { code: 'usage' } }])
    }
    expect(loop.memory()).toBe(before)
  })

  test('a second worker of the same name or session, and the first continues', async () => {
    add('One')
    const running = loop.begin('worker', does('touch began; until [ -e go ]; do sleep 0.05; done'))
    await running.until(() => existsSync(at('began')))
    const before = loop.memory()
    expect(worker(does('true'))).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('--worker'),
    })
    expect(worker(does('true', 'true', '--worker', 'other'))).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('--session'),
    })
    expect(loop.memory()).toBe(before)
    writeFileSync(at('go'), '')
    expect(await running.ended).toMatchObject({ status: 0 })
  })

  test('a failing startup command, before the worker claims anything', () => {
    add('One')
    const before = loop.memory()
    const startup = 'echo no >&2; exit 3'
    const { status, events } = worker(does('true', 'true', '--startup-cmd', startup))
    expect(status).toBe(1)
    expect(named(events, 'attention')).toMatchObject([
      { next: expect.stringMatching(/ Its output is in artifacts\/steps\/worker\.boot\.$/) },
    ])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'failed', steps: 0 }])
    expect(reports('worker_ended', events)).toEqual({ events: 1, rows: 1 })
    expect(loop.memory()).toBe(before)
  })

  test('a worktree that vanishes during the run, and memory stays consistent', () => {
    loop.repository()
    add('One')
    add('Two')
    const tree = join(loop.project.folder, 'tree')
    loop.git('worktree', 'add', '--quiet', '-b', 'own', tree)
    const ended = loop.worker(does('rm -rf "$PWD"'), { cwd: tree })
    expect(ended.status).toBe(3)
    expect(named(ended.events, 'worker.ended')).toMatchObject([
      { why: 'quit', message: expect.stringMatching(/tree/) },
    ])
    expect(loop.statuses()).not.toContain('in_progress')
    expect(loop.attention()).toMatchObject([
      { about: 'worker_ended', next: expect.stringContaining('git worktree') },
    ])
    expect(named(worker(does('true')).events, 'run.ended')).toMatchObject([{ why: 'done' }])
  })

  test('in a linked worktree session and ledger are kept there, memory and trajectory in the project', () => {
    loop.repository()
    add('One')
    const tree = join(loop.project.folder, 'tree')
    loop.git('worktree', 'add', '--quiet', '-b', 'own', tree)
    const { status, events } = loop.worker(does('true'), { cwd: tree })
    expect(status).toBe(0)
    expect(named(events, 'claimed')).toMatchObject([{ workerId: 'worker.tree' }])
    expect(readdirSync(join(tree, '.premath/worker'))).toEqual(
      expect.arrayContaining(['harness_feature_ledger.json', 'harness_session.json']),
    )
    expect(existsSync(at('.premath/harness_session.json'))).toBe(false)
    expect(loop.steps()).toMatchObject([{ workerId: 'worker.tree', resultClass: 'completed' }])
    expect(loop.git('-C', tree, 'status', '--porcelain', '--', '.premath/worker')).toBe('')
  })
})
