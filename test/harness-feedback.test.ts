/** What a failed attempt leaves to the next one, to the screen and to a person who asks later. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aLoop, does, named, writes } from './a-loop.ts'
import { oneAttempt } from './a-retry-policy.ts'
import { evidence } from './a-turn.ts'

const loop = aLoop()
const { add, at, show, worker } = loop

const step = (work: string, verify: string, ...more: readonly string[]) =>
  loop.premath(['harness-step', ...does(work, verify, ...more)])

/** Keeps the variable and the file of each attempt. */
const keeping =
  'echo "[$PREMATH_FEEDBACK_FILE]" >> files; [ -z "$PREMATH_FEEDBACK_FILE" ] || cat "$PREMATH_FEEDBACK_FILE" > feedback'

const once = () => {
  writeFileSync(at('retry.json'), oneAttempt())
  return ['--retry-policy', at('retry.json')]
}

describe('the next attempt', () => {
  test('gets the output of the failed one, in a file and in the packet', () => {
    add('One')
    const verify = 'echo 3 failed; echo "Error: no hello" >&2; test -e hello'
    const work = `${keeping}; [ ! -e feedback ] || touch hello`
    expect(step(work, verify).status).toBe(0)
    const [first, second] = readFileSync(at('files'), 'utf8').trimEnd().split('\n')
    const folder = at('artifacts/steps/worker.bd-1.1')
    expect([first, second]).toEqual(['[]', `[${folder}.2/feedback.txt]`])
    expect(readFileSync(at('feedback'), 'utf8')).toBe(
      [
        'The last attempt (step worker.bd-1.1.1) failed: check_failed',
        'the verification ended with exit code 1',
        '',
        `Command (verify-again): ${verify}`,
        'It ended with exit code 1.',
        '',
        'The last 2 lines of its output:',
        '',
        '3 failed',
        'Error: no hello',
        '',
        `The whole output: ${folder}.1/verify-again.stdout and ${folder}.1/verify-again.stderr`,
        '',
      ].join('\n'),
    )
    expect(loop.packet('worker.bd-1.1.2').feedback).toMatchObject({
      stepId: 'worker.bd-1.1.1',
      failureClasses: ['check_failed'],
      command: { phase: 'verify-again', command: verify, exitCode: 1, timedOut: false },
      lines: ['3 failed', 'Error: no hello'],
    })
  })

  test('continues in the same worktree with the work of the one before', () => {
    add('One')
    const { status } = step('echo more >> work', 'test $(wc -l < work) -ge 3')
    expect(status).toBe(0)
    expect(readFileSync(at('work'), 'utf8')).toBe('more\nmore\nmore\n')
    expect(loop.steps().map(({ resultClass }) => resultClass)).toEqual([
      'retry_needed_check_failed',
      'retry_needed_check_failed',
      'completed',
    ])
  })

  test('gets the last 200 lines, without what a terminal would obey', () => {
    add('One')
    const noise = `seq 1 5000; printf '\\033[31mred\\033[0m\\007\\n'; exit 1`
    step(keeping, noise)
    const text = readFileSync(at('feedback'), 'utf8')
    expect(text).toContain('\nThe last 200 lines of its output:\n\n4802\n')
    expect(text).toContain('\n5000\nred\\u0007\n')
  })

  test('may be that of another worker, who claims the issue later', () => {
    add('One')
    step('echo why >&2; exit 3', 'true', '--worker', 'ann', ...once())
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    const own = ['--worker', 'bob', '--session', '.premath/bob.json']
    expect(worker(does(keeping, 'true', ...own)).status).toBe(0)
    const text = readFileSync(at('feedback'), 'utf8')
    expect(text).toContain('The last attempt (step ann.bd-1.1.1) failed: check_failed\n')
    expect(text).toContain('Command (work): echo why >&2; exit 3\nIt ended with exit code 3.\n')
    expect(text).toContain('\nwhy\n')
  })

  test('gets the findings of the gate', () => {
    add('One')
    const turn = JSON.stringify({ evidence: evidence(['tc-1'], { toolResults: [] }) })
    writeFileSync(at('turn.json'), `${turn}\n`)
    expect(step('cat turn.json > "$PREMATH_TURN_EVIDENCE"', 'true').status).toBe(1)
    expect(step(keeping, 'true', '--issue', 'bd-1').status).toBe(0)
    expect(readFileSync(at('feedback'), 'utf8')).toMatch(
      /failed: tool\.[\s\S]*\nFindings of the gate:\n {2}\S/,
    )
  })

  test('is told of a timeout', () => {
    add('One')
    const work = `${keeping}; [ -e feedback ] || { echo slow; sleep 30; }`
    const { status } = step(work, 'true', '--work-timeout-seconds', '1')
    expect(status).toBe(0)
    expect(readFileSync(at('feedback'), 'utf8')).toMatch(
      /failed: command_timeout\n[\s\S]*It timed out\.\n[\s\S]*\nslow\n/,
    )
  })

  test.each([
    ['was changed', (path: string) => writeFileSync(path, '{"lines": 3}')],
    ['is no JSON', (path: string) => writeFileSync(path, 'x')],
    ['is gone', (path: string) => rmSync(path)],
  ])('has the row alone if the file of the failed one %s', (_, spoil) => {
    add('One')
    step('echo why >&2; exit 3', 'true', ...once())
    spoil(at('artifacts/steps/worker.bd-1.1.1/failure.json'))
    expect(loop.done('issue', 'show', 'bd-1').lastFailure).toMatchObject({
      failureClasses: ['check_failed'],
      command: null,
      lastLines: [],
    })
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    expect(step(keeping, 'true').status).toBe(0)
    expect(readFileSync(at('feedback'), 'utf8')).toBe(
      'The last attempt (step worker.bd-1.1.1) failed: check_failed\nthe work command ended with exit code 3\n',
    )
  })

  test('of an issue that was done in between gets none', () => {
    add('One')
    step('exit 3', 'true', ...once())
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    expect(step('true', 'true').status).toBe(0)
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    step(keeping, 'true')
    expect(readFileSync(at('files'), 'utf8')).toBe('[]\n')
  })
})

describe('a person sees the end of the output', () => {
  const noisy = 'seq 1 30; echo "Error: no" >&2; exit 1'
  const shown = [...Array.from({ length: 19 }, (_, n) => String(n + 12)), 'Error: no']
  const ref = 'artifacts/steps/worker.bd-1.1.1'

  test('in the events and in the lines of a run', () => {
    add('One')
    const { events } = worker(does(noisy, 'true', ...once()))
    expect(named(events, 'attempt.ended')).toMatchObject([
      { exitCode: 1, lastLines: shown, outputRef: ref },
    ])
    loop.project.begin()
    add('One')
    const { stdout } = loop.premath(['harness-loop', 'worker', ...does(noisy, 'true', ...once())])
    const lines = shown.map(line => `    | ${line}\n`).join('')
    expect(stdout).toContain(`${lines}    whole output: ${ref}\n`)
  })

  test('in the progress and in the report of a step', () => {
    add('One')
    const { stderr } = step(noisy, 'true', ...once())
    const lines = shown.map(line => `    | ${line}\n`).join('')
    expect(stderr).toContain(`check_failed\n${lines}    whole output: ${ref}\n`)
    loop.project.begin()
    add('One')
    const { json } = loop.asked(['harness-step', ...does(noisy, 'true', ...once())])
    expect(json).toMatchObject({ lastLines: shown, outputRef: ref })
  })

  test('in the issue, until it is closed', () => {
    add('One')
    step('echo half >&2; exit 3', 'true', ...once())
    expect(loop.done('issue', 'show', 'bd-1').lastFailure).toEqual({
      command: { phase: 'work', command: 'echo half >&2; exit 3', exitCode: 3, timedOut: false },
      failureClasses: ['check_failed'],
      lastLines: ['half'],
      output: [`${ref}/work.stderr`],
      stepId: 'worker.bd-1.1.1',
      summary: 'the work command ended with exit code 3',
    })
    expect(loop.premath(['issue', 'show', 'bd-1']).stdout).toContain(
      [
        '\nlast failure',
        '  check_failed in step worker.bd-1.1.1',
        '  the work command ended with exit code 3',
        '  work: echo half >&2; exit 3 (exit code 3)',
        '  | half',
        `  whole output: ${ref}/work.stderr\n`,
      ].join('\n'),
    )
    loop.done('issue', 'update', 'bd-1', '--status', 'open')
    step('true', 'true')
    expect(loop.done('issue', 'show', 'bd-1')).not.toHaveProperty('lastFailure')
    expect(loop.premath(['issue', 'show', 'bd-1']).stdout).not.toContain('last failure')
  })
})

describe('a broken environment', () => {
  const six = () => ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map(title => add(title))
  const allOpen = Array.from({ length: 6 }, () => 'open')

  test.each([
    ['--work-cmd', does('agnet run')],
    ['--verify-cmd', does('true', 'agnet run')],
  ])('with a typo in %s claims nothing, and says what is missing', (flag, args) => {
    six()
    const before = loop.memory()
    for (const command of [['harness-step'], ['harness-loop', 'worker']]) {
      const { status, stdout, stderr } = loop.premath([...command, ...args])
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: '',
        stderr: `error: ${flag} starts with "agnet", which is not on PATH\n  No issue was claimed. Correct the command, or install the program.\n`,
      })
    }
    expect(loop.memory()).toBe(before)
    expect(existsSync(at('.premath/harness_trajectory.jsonl'))).toBe(false)
  })

  test('with a typo makes no worktree', () => {
    loop.repository()
    six()
    const { status, stderr } = loop.coordinator(does('agnet', 'true', '--create-worktrees', '2'))
    expect([status, stderr]).toEqual([2, expect.stringContaining('"agnet", which is not on PATH')])
    expect(loop.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(loop.statuses()).toEqual(allOpen)
  })

  test('with a program that the worktrees lack claims nothing, and removes them', () => {
    loop.repository()
    six()
    writeFileSync(at('agent.sh'), '#!/bin/sh\n')
    chmodSync(at('agent.sh'), 0o755)
    const args = does('./agent.sh', 'true', '--create-worktrees', '1')
    const { status, stderr } = loop.coordinator(args)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/"\.\/agent\.sh", which is not an executable file in .*worktrees/),
    ])
    expect(loop.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(loop.statuses()).toEqual(allOpen)
    // In its own folder the worker finds it.
    expect(worker(does('./agent.sh')).status).toBe(0)
  })

  test('is not assumed if a startup command may install the program', () => {
    add('One')
    const startup = 'printf "#!/bin/sh\\n" > agent.sh; chmod +x agent.sh'
    expect(worker(does('./agent.sh', 'true', '--startup-cmd', startup)).status).toBe(0)
  })

  test('inside a program that was found ends the run, and no issue is added or blocked', () => {
    six()
    mkdirSync(at('bin'))
    writeFileSync(at('bin/agent'), '#!/bin/sh\nno-such-model --fast\n')
    chmodSync(at('bin/agent'), 0o755)
    const PATH = `${at('bin')}:${process.env['PATH']}`
    const { status, events, stderr } = worker(does('agent'), { env: { PATH } })
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
    expect(named(events, 'claimed')).toMatchObject([{ issueId: 'bd-1' }])
    expect(named(events, 'attempt.ended')).toMatchObject([
      {
        resultClass: 'executor_unavailable',
        exitCode: 127,
        lastLines: [expect.stringContaining('no-such-model')],
      },
    ])
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'environment', closed: [], left: 6, steps: 1 },
    ])
    expect(loop.statuses()).toEqual(allOpen)
    expect(loop.holders()).toEqual([])
    expect(loop.attention()).toMatchObject([{ about: 'environment_failed', issueId: 'bd-1' }])
    // The next run starts where this one did.
    expect(worker(does('true')).status).toBe(0)
  })

  test('that no shell confirms ends the run at the second attempt in a row', () => {
    six()
    const { status, events } = worker(does('true', 'sh ./no-such-script'))
    expect(status).toBe(3)
    expect(named(events, 'attempt.ended')).toMatchObject([
      { resultClass: 'retry_needed_executor_unavailable', issueId: 'bd-1' },
      { resultClass: 'executor_unavailable', issueId: 'bd-1' },
    ])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'environment', left: 6 }])
    expect(loop.statuses()).toEqual(allOpen)
    expect(loop.attention()).toHaveLength(1)
  })

  test('ends a run of several workers when each has finished its step', () => {
    loop.repository()
    six()
    const work = `echo > '${at('began')}'.$PREMATH_ISSUE_ID; until [ -e '${at('began.bd-1')}' -a -e '${at('began.bd-2')}' ]; do sleep 0.05; done; [ $PREMATH_ISSUE_ID = bd-2 ] || exit 126; sleep 1; ${writes}`
    const { status, events } = loop.coordinator(does(work, 'true', '--create-worktrees', '2'))
    expect(status).toBe(3)
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'environment', closed: ['bd-2'], left: 5 },
    ])
    expect(loop.attention().filter(({ about }) => about === 'environment_failed')).toHaveLength(1)
    expect(loop.holders()).toEqual([])
  })

  test('releases the issue of a single step, with exit code 3', () => {
    add('One')
    const { status, stdout } = step('exit 127', 'true')
    expect([status, show('bd-1').status]).toEqual([3, 'open'])
    expect(stdout).toContain('Not closed bd-1')
    expect(loop.steps()).toHaveLength(1)
  })
})
