/** A run that another process pauses, resumes or drains. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aLoop, does, named, type RunningLoop, writes } from './a-loop.ts'
import { fewOf } from './sim/seeded.ts'

const loop = aLoop()
const { add, at } = loop

const requestPath = '.premath/steps/run-request'

/** Changes a file, and works until the test creates the file of its issue. */
const waitsForGo =
  'date > "$PREMATH_ISSUE_ID.txt"; touch "$PREMATH_ROOT/began.$PREMATH_ISSUE_ID"; until [ -e "$PREMATH_ROOT/go.$PREMATH_ISSUE_ID" ]; do sleep 0.05; done'

const projectWith = (issues: number) => {
  loop.repository()
  loop.git('config', 'user.name', 'a')
  loop.git('config', 'user.email', 'a@example.org')
  for (let made = 1; made <= issues; made++) add(`Issue ${made}`)
}

const hasBegun = (issueId: string) => existsSync(at(`began.${issueId}`))
const letGo = (issueId: string) => writeFileSync(at(`go.${issueId}`), '')
const ask = (request: string) => loop.premath(['run', `--${request}`])
const requestsOf = ({ events }: RunningLoop) =>
  named(events, 'request').map(({ request }) => request)

/** Each kind of run, with one worker. */
const runs = [
  ['premath run', () => loop.beginRun(does(waitsForGo, 'true', '--workers', '1', '--no-baseline'))],
  [
    'premath harness-loop coordinator',
    () => loop.begin('coordinator', does(waitsForGo, 'true', '--create-worktrees', '1')),
  ],
] as const

describe.each(fewOf(runs))('%s', (_, begin) => {
  test('claims next what got the highest priority meanwhile', async () => {
    projectWith(4)
    const run = begin()
    await run.until(() => hasBegun('bd-1'))
    loop.done('issue', 'update', 'bd-4', '--priority', '0')
    loop.done('issue', 'update', 'bd-2', '--priority', '3')
    for (const id of ['bd-1', 'bd-4', 'bd-3', 'bd-2']) letGo(id)
    expect(await run.ended).toEqual({ status: 0, signal: null, stderr: '' })
    const claims = named(run.events, 'claimed').map(({ issueId }) => issueId)
    expect(claims).toEqual(['bd-1', 'bd-4', 'bd-3', 'bd-2'])
  })

  test('starts no new step while it is paused, and continues after that', async () => {
    projectWith(2)
    const run = begin()
    await run.until(() => hasBegun('bd-1'))
    expect(ask('pause')).toMatchObject({
      status: 0,
      stdout: 'The run starts no new step until premath run --resume. Running steps go on.\n',
    })
    await run.until(() => requestsOf(run).length === 1)
    letGo('bd-1')
    await run.until(() => named(run.events, 'attempt.ended').length === 1)
    // The loop looks at the file again and again, and does not take the ready issue.
    writeFileSync(at('go.bd-2'), '')
    await run.until(() => loop.show('bd-1').status === 'closed')
    expect(named(run.events, 'claimed')).toHaveLength(1)
    expect(hasBegun('bd-2')).toBe(false)
    expect(ask('resume')).toMatchObject({ status: 0, stdout: 'The run continues.\n' })
    expect(await run.ended).toEqual({ status: 0, signal: null, stderr: '' })
    expect(requestsOf(run)).toEqual(['pause', 'resume'])
    const [ended] = named(run.events, 'run.ended')
    expect(ended).toMatchObject({ why: 'done', closed: ['bd-1', 'bd-2'] })
    expect(ended).not.toHaveProperty('request')
    const order = run.events.map(({ event }) => event)
    expect(order.indexOf('claimed', order.indexOf('request'))).toBeGreaterThan(
      order.lastIndexOf('request'),
    )
  })

  test('ends after its running step while it drains', async () => {
    projectWith(2)
    const run = begin()
    await run.until(() => hasBegun('bd-1'))
    expect(ask('drain').status).toBe(0)
    await run.until(() => requestsOf(run).length === 1)
    expect(ask('resume')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the run is draining, which cannot be undone (run_draining)'),
    })
    letGo('bd-1')
    expect(await run.ended).toEqual({ status: 0, signal: null, stderr: '' })
    expect(named(run.events, 'run.ended')).toMatchObject([
      { why: 'drained', closed: ['bd-1'], left: 1, request: 'drain' },
    ])
    expect(loop.statuses()).toEqual(['closed', 'open'])
    expect(existsSync(at(requestPath))).toBe(false)
  })
})

test('a run whose step fails while it drains exits 1, as always', async () => {
  projectWith(1)
  const work = `${waitsForGo}; false`
  const args = does(work, 'true', '--workers', '1', '--no-baseline')
  const run = loop.beginRun(args)
  await run.until(() => hasBegun('bd-1'))
  expect(ask('drain').status).toBe(0)
  letGo('bd-1')
  expect((await run.ended).status).toBe(1)
  expect(named(run.events, 'run.ended')).toMatchObject([
    { why: 'drained', failed: [{ issueId: 'bd-1' }] },
  ])
})

test('[gate.4.stop-policy] a paused run begins no retry, and tries again after that', async () => {
  projectWith(1)
  const verify = `[ -e '${at('fixed')}' ]`
  const run = loop.beginRun(does(waitsForGo, verify, '--workers', '1', '--no-baseline'))
  await run.until(() => hasBegun('bd-1'))
  expect(ask('pause').status).toBe(0)
  await run.until(() => requestsOf(run).length === 1)
  letGo('bd-1')
  await run.until(() => named(run.events, 'attempt.dropped').length === 1)
  expect(named(run.events, 'attempt.dropped')).toMatchObject([
    { issueId: 'bd-1', why: 'run_paused' },
  ])
  expect(named(run.events, 'attempt.ended')).toHaveLength(1)
  writeFileSync(at('fixed'), '')
  expect(ask('resume').status).toBe(0)
  expect((await run.ended).status).toBe(0)
  expect(named(run.events, 'run.ended')).toMatchObject([{ closed: ['bd-1'] }])
})

test('the request is a file: touch pauses, and removing it resumes', async () => {
  projectWith(2)
  const run = runs[0][1]()
  await run.until(() => hasBegun('bd-1'))
  writeFileSync(at(requestPath), '')
  await run.until(() => requestsOf(run).length === 1)
  letGo('bd-1')
  letGo('bd-2')
  await run.until(() => named(run.events, 'attempt.ended').length === 1)
  expect(loop.git('status', '--porcelain', '--untracked-files=all')).not.toContain('run-request')
  rmSync(at(requestPath))
  expect((await run.ended).status).toBe(0)
  expect(requestsOf(run)).toEqual(['pause', 'resume'])
})

test('a request that a killed run left does not concern the next run', () => {
  projectWith(1)
  loop.done('issue', 'list')
  expect(loop.premath(['run', '--pause']).status).toBe(1)
  expect(loop.coordinator(does(writes, 'true', '--create-worktrees', '1')).status).toBe(0)
  add('Later')
  writeFileSync(at(requestPath), 'drain\n')
  const { status, events } = loop.coordinator(does(writes, 'true', '--create-worktrees', '1'))
  expect(status).toBe(0)
  expect(named(events, 'run.ended')).toMatchObject([{ why: 'done' }])
  expect(existsSync(at(requestPath))).toBe(false)
})

test('a paused run that is stopped says so in its summary', async () => {
  projectWith(2)
  const run = runs[0][1]()
  await run.until(() => hasBegun('bd-1'))
  expect(ask('pause').status).toBe(0)
  await run.until(() => requestsOf(run).length === 1)
  run.signal('SIGINT')
  expect((await run.ended).status).toBe(1)
  expect(named(run.events, 'run.ended')).toMatchObject([{ why: 'stopped', request: 'pause' }])
})

describe('a request is refused', () => {
  test.each(['pause', 'resume', 'drain'])('as --%s if no run is running', request => {
    projectWith(1)
    const { status, stdout, stderr } = ask(request)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('no run of this project is running (run_not_running)')
    expect(existsSync(at(requestPath))).toBe(false)
    const printed = loop.premath(['run', `--${request}`, '--json']).stdout
    expect(printed.trimEnd()).not.toContain('\n')
    expect(JSON.parse(printed)).toMatchObject({
      result: 'rejected',
      error: { code: 'run_not_running' },
    })
  })

  test('if there are two', () => {
    projectWith(1)
    const { status, stderr } = loop.premath(['run', '--pause', '--drain'])
    expect(status).toBe(2)
    expect(stderr).toContain('--pause and --drain exclude each other')
  })

  test('from the work of a step', () => {
    projectWith(1)
    const { status, stderr } = loop.premath(['run', '--drain'], { env: { PREMATH_STEP_ID: 's' } })
    expect(status).toBe(1)
    expect(stderr).toContain('the work of a step may not drain the run')
  })
})

test('an accepted request is one line of JSON', async () => {
  projectWith(1)
  const run = runs[0][1]()
  await run.until(() => hasBegun('bd-1'))
  const { stdout } = loop.premath(['run', '--pause', '--json'])
  expect(stdout.trimEnd()).not.toContain('\n')
  expect(JSON.parse(stdout)).toEqual({
    action: 'run',
    request: 'pause',
    requestPath,
    result: 'accepted',
  })
  expect(readFileSync(at(requestPath), 'utf8')).toBe('pause\n')
  letGo('bd-1')
  // Paused or not, there is nothing left to wait for.
  expect((await run.ended).status).toBe(0)
})
