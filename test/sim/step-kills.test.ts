/** A step killed before and after calls of the disk, each of them in torture: the next start makes it whole. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { retryPolicyPath } from '../../src/kernel/harness/retry/retry-policy.ts'
import { SimDisk, type SimFault } from '../../src/testing/sim-disk.ts'
import { SimProcesses } from '../../src/testing/sim-processes.ts'
import { simWorld } from '../../src/testing/sim-world.ts'
import { checkedOperations } from '../checked-answers.ts'
import { callStep } from './seeded.ts'

const folder = '/p/.premath'
const policy = readFileSync(retryPolicyPath, 'utf8')

let second = 1_800_000_000
const clock = {
  now: () => BigInt(second++) * 1_000_000_000n,
  steady: () => BigInt(second++) * 1_000_000_000n,
  sleep: async (ms: number) => {
    second += Math.ceil(ms / 1000)
  },
}

/** Advances the clock by `lateSeconds` during the verification, before the decision. */
function project(lateSeconds = 0) {
  const kill: { at: number; how: SimFault } = { at: 0, how: 'crash' }
  const disk: SimDisk = new SimDisk({
    files: {
      [`${folder}/issues.jsonl`]: '{"id":"bd-1","title":"One"}\n',
      [`/p/${retryPolicyPath}`]: policy,
    },
    fault(call, what, path) {
      if (what === 'write' && path.endsWith('/turn.json')) second += lateSeconds
      return call === kill.at ? kill.how : undefined
    },
  })
  const processes = new SimProcesses({ disk, script: () => ({ exitCode: 0 }) })
  const run = async (...words: string[]) => {
    const world = simWorld({ disk, processes, clock, cwd: '/p', env: { NO_COLOR: '1' } })
    const exit = await runCommand([...words, '--json'], checkedOperations, world)
    const { out, err } = world.printed
    return { exit, json: out === '' ? undefined : JSON.parse(out), message: err }
  }
  const linesOf = (name: string) =>
    new TextDecoder()
      .decode(disk.contents().get(`${folder}/${name}`))
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => JSON.parse(line))
  return { kill, disk, run, linesOf }
}

const step = ['harness-step', '--work-cmd', 'work', '--verify-cmd', 'check']

test.each(['crash', 'crash after'] as const)(
  '[tusk.4.restart] a killed step is finished or undone, recorded once and closed once: %s',
  async how => {
    const seen = { finished: 0, undone: 0 }
    for (let at = 1; ; at += callStep) {
      const { kill, disk, run, linesOf } = project()
      Object.assign(kill, { at, how })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      const boot = await run('harness-boot')
      expect({ at, exit: boot.exit }).toEqual({ at, exit: 0 })
      const recovered: 'finished' | 'undone' | undefined = boot.json.recovered?.how
      if (recovered) seen[recovered]++
      // The killed step holds nothing any more.
      expect({ at, lease: linesOf('issues.jsonl').at(-1).lease }).toEqual({ at, lease: undefined })
      for (let round = 0; round < 3; round++) expect((await run(...step)).exit).toBe(0)

      const rows = linesOf('harness_trajectory.jsonl')
      const stepIds = rows.map(({ stepId }) => stepId)
      expect({ at, stepIds }).toEqual({ at, stepIds: [...new Set(stepIds)] })
      const done = rows.filter(({ resultClass }) => resultClass === 'completed')
      expect({ at, done: done.map(({ issueId }) => issueId) }).toEqual({ at, done: ['bd-1'] })
      // Rows decide; the log may be behind them until the next change.
      const states = linesOf('issues.jsonl').map(({ status = 'open' }) => status)
      const closings = states.filter(
        (state, row) => state === 'closed' && states[row - 1] !== state,
      )
      expect({ at, closings: closings.length }).toEqual({ at, closings: 1 })
      const fences = linesOf('issues.jsonl').flatMap(({ metadata }) => metadata?.premathFence ?? [])
      const acquired = [...new Set(fences)].map(fence => `worker.bd-1.${fence}.1`)
      expect({ at, lost: acquired.filter(id => !stepIds.includes(id)) }).toEqual({ at, lost: [] })
      expect(
        [...disk.contents().keys()].filter(
          path => /\/steps\/[^/]*\.jsonl$/.test(path) && path.startsWith('/p/.premath'),
        ),
      ).toEqual([])
      expect((await run('harness-session', 'read')).json.session.state).toBe('stopped')
    }
    expect(seen.finished).toBeGreaterThan(3)
    expect(seen.undone).toBeGreaterThan(3)
  },
)

test.each(['crash', 'crash after'] as const)(
  'a step that reacquired its expired lease is recorded with its result: %s',
  async how => {
    for (let at = 1; ; at += callStep) {
      const { kill, disk, run, linesOf } = project(100_000)
      Object.assign(kill, { at, how })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      for (let round = 0; round < 3; round++) expect((await run(...step)).exit).toBe(0)
      const results = linesOf('harness_trajectory.jsonl').map(({ resultClass }) => resultClass)
      const done = results.filter(result => result === 'completed')
      expect({ at, results, done: done.length }).toEqual({ at, results, done: 1 })
      const closings = linesOf('issues.jsonl').filter(({ status }) => status === 'closed')
      expect({ at, closings: closings.length }).toEqual({ at, closings: 1 })
    }
  },
)

test.each(['crash', 'crash after'] as const)(
  'an interrupted step whose files changed is not closed by its earlier verification: %s',
  async how => {
    const seen = { closed: 0, stale: 0 }
    for (let at = 1; ; at += callStep) {
      const { kill, disk, run, linesOf } = project()
      Object.assign(kill, { at, how })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      const isClosed = () => linesOf('issues.jsonl').at(-1)?.status === 'closed'
      const wasClosed = isClosed()
      await disk.replace('/p/said.txt', new TextEncoder().encode('something else\n'))
      const boot = await run('harness-boot')
      expect({ at, exit: boot.exit }).toEqual({ at, exit: 0 })
      expect({ at, closed: isClosed() }).toEqual({ at, closed: wasClosed })
      // An undone close leaves no proof.
      const { exit, json } = await run('witness', 'verify', '--all')
      expect({ at, exit, found: json.failureClasses }).toEqual({ at, exit: 0, found: [] })
      if (wasClosed) seen.closed++
      const { how: recovery, resultClass } = boot.json.recovered ?? {}
      if (resultClass === 'retry_needed_close_proof_stale') {
        seen.stale++
        expect({ at, recovery }).toEqual({ at, recovery: 'undone' })
        expect(linesOf('issues.jsonl').at(-1)).toMatchObject({ status: 'open' })
      }
      for (let round = 0; round < 2; round++) expect((await run(...step)).exit).toBe(0)
      expect({ at, closed: isClosed() }).toEqual({ at, closed: true })
      const done = linesOf('harness_trajectory.jsonl').filter(
        ({ resultClass: result }) => result === 'completed',
      )
      expect({ at, done: done.length }).toEqual({ at, done: 1 })
    }
    expect(seen.closed).toBeGreaterThan(3)
    expect(seen.stale).toBeGreaterThan(3)
  },
)

test('setting the clock back by an hour during a step is reported, and does not change the result', async () => {
  let warnings = 0
  for (let back = 1; back < 40; back += callStep) {
    const { run, linesOf } = project()
    const began = second
    let calls = 0
    let skew = 0
    const now = clock.now
    clock.now = () => {
      if (++calls === back) skew -= 3_600
      return BigInt(second++ + skew) * 1_000_000_000n
    }
    const { exit, json, message } = await run(...step)
    clock.now = now
    second = began + 100_000
    warnings += message.includes('the clock was set back by 3') ? 1 : 0
    expect({ back, exit, result: json.result }).toEqual({ back, exit: 0, result: 'completed' })
    expect(linesOf('issues.jsonl').at(-1)).toMatchObject({ status: 'closed' })
    expect(linesOf('harness_trajectory.jsonl')).toHaveLength(1)
    expect((await run('doctor')).exit).toBe(0)
  }
  // Not where it was set back before the step began.
  expect(warnings).toBeGreaterThan(5)
})
