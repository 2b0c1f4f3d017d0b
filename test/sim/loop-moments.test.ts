/** The loop over minutes and hours that take no time: who stops answering, and what breaks on the way. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { retryPolicyPath } from '../../src/kernel/harness/retry/retry-policy.ts'
import { SimDisk, type SimFault } from '../../src/testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../../src/testing/sim-processes.ts'
import { simWorld } from '../../src/testing/sim-world.ts'
import type { CommandSpec } from '../../src/world/world.ts'
import { linesIn, named } from '../a-loop.ts'
import { checkedOperations } from '../checked-answers.ts'
import { type DrivenClock, DrivenTime } from './driven-clock.ts'

const folder = '/p/.premath'
const issuesPath = `${folder}/issues.jsonl`
interface Setup {
  readonly issues: number
  /** How much anybody gets to do before time moves on. */
  readonly turns?: number
  fault?(what: string, path: string): SimFault | undefined
}

function project({ issues, turns, fault }: Setup) {
  const time = new DrivenTime(turns)
  const rows = Array.from({ length: issues }, (_, at) => `{"id":"bd-${at + 1}","title":"t"}\n`)
  const disk = new SimDisk({
    files: {
      [issuesPath]: rows.join(''),
      [`/p/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8'),
    },
    fault: (_call, what, path) => fault?.(what, path),
  })
  const linesOf = (name: string) =>
    linesIn(new TextDecoder().decode(disk.contents().get(`${folder}/${name}`)))

  /** One process of ours, with a clock of its own. */
  const processOf = (work: (command: CommandSpec, clock: DrivenClock) => SimScript) => {
    const clock = time.clock()
    const script = (command: CommandSpec): SimScript =>
      command.command === 'check' ? {} : work(command, clock)
    const processes = new SimProcesses({ disk, script })
    const run = async (half: string, ...more: readonly string[]) => {
      const env = { NO_COLOR: '1' }
      const world = simWorld({ disk, processes, clock, cwd: '/p', env })
      const words = ['harness-loop', half, '--work-cmd', 'work', '--verify-cmd', 'check', ...more]
      const exit = await runCommand(words, checkedOperations, world)
      return { exit, out: world.printed.out, err: world.printed.err }
    }
    return { clock, processes, run }
  }
  return {
    time,
    disk,
    processOf,
    rowOf: (id: string) => linesOf('issues.jsonl').findLast(row => row.id === id),
    memory: () => new TextDecoder().decode(disk.contents().get(issuesPath)),
    steps: () => linesOf('harness_trajectory.jsonl'),
    attention: () => linesOf('harness_attention.jsonl'),
  }
}

const never = new Promise<never>(() => {})

describe('a worker that stops answering', () => {
  test('does not verify work that ended after its lease expired', async () => {
    const { time, processOf, rowOf } = project({ issues: 1 })
    const zombie = processOf((_command, clock) => {
      clock.isStopped = true
      return { until: clock.sleep(1) }
    })
    const lost = zombie.run('worker', '--worker', 'zombie', '--json')
    const next = processOf(() => ({}))
    const own = ['--worker', 'next', '--session', '/p/.premath/next.json']
    await time.drive(next.run('worker', ...own, '--idle-seconds', '600', '--json'))
    expect(rowOf('bd-1')).toMatchObject({ status: 'closed', assignee: 'next' })
    zombie.clock.isStopped = false
    expect((await time.drive(lost)).exit).toBe(1)
    expect(zombie.processes.started.map(({ command }) => command)).toEqual(['work'])
  })

  test('loses its lease by the clock, and its work is stopped when it resumes', async () => {
    const { time, processOf, rowOf, memory, steps, attention } = project({ issues: 1 })
    const zombie = processOf((_command, clock) => {
      clock.isStopped = true
      return { stdout: 'half done\n', until: never }
    })
    const lost = zombie.run('worker', '--worker', 'zombie', '--json')
    const next = processOf(() => ({}))
    const own = ['--worker', 'next', '--session', '/p/.premath/next.json']
    const taken = await time.drive(next.run('worker', ...own, '--idle-seconds', '600', '--json'))
    expect(taken.exit).toBe(0)
    const [claimed] = named(linesIn(taken.out), 'claimed')
    expect(claimed).toMatchObject({ issueId: 'bd-1', fence: 2, takenOverFrom: 'zombie' })
    // Not a moment before the lease was over.
    expect(Date.parse(claimed.at)).toBeGreaterThanOrEqual(Date.parse('2027-01-15T08:05:00Z'))
    expect(rowOf('bd-1').status).toBe('closed')

    const before = memory()
    zombie.clock.isStopped = false
    const late = await time.drive(lost)
    expect(late.exit).toBe(1)
    expect(memory()).toBe(before)
    expect(steps().filter(({ workerId }) => workerId === 'zombie')).toMatchObject([
      { failureClasses: expect.arrayContaining(['lease_lost']) },
    ])
    expect(named(linesIn(late.out), 'run.ended')).toMatchObject([{ closed: [], failed: [] }])
    expect(attention().filter(({ about }) => about === 'lease_lost')).toMatchObject([
      { workerId: 'zombie', issueId: 'bd-1', stepId: 'zombie.bd-1.1.1' },
    ])
  })

  test('keeps its lease while it answers: the lease is renewed during the work', async () => {
    const { time, processOf, rowOf, attention } = project({ issues: 1 })
    const slow = processOf((_command, clock) => ({ until: clock.sleep(2_000_000) }))
    const working = slow.run(
      'worker',
      '--worker',
      'slow',
      '--work-timeout-seconds',
      '4000',
      '--quiet-warning',
      '4000',
    )
    const other = processOf(() => ({}))
    const own = ['--worker', 'other', '--session', '/p/.premath/other.json']
    const idle = await time.drive(other.run('worker', ...own, '--idle-seconds', '1000', '--json'))
    expect(named(linesIn(idle.out), 'claimed')).toEqual([])
    expect((await time.drive(working)).exit).toBe(0)
    expect(rowOf('bd-1').status).toBe('closed')
    expect(attention().filter(({ about }) => about !== 'work_blocked')).toEqual([])
  })
})

describe('a lease that is about to expire', () => {
  /** Somebody keeps issue memory locked for so long, and work goes on for longer. */
  const busy = async (seconds: number, json: boolean) => {
    // More than the store waits for a lock.
    const made = project({ issues: 1, turns: 20_000 })
    const { time, disk, processOf } = made
    const worker = processOf((_command, clock) => ({
      effect: async () => {
        const lock = await disk.lock(`${issuesPath}.lock`, 0)
        if (lock.held) void clock.sleep(seconds * 1000).then(() => lock.release())
      },
      until: clock.sleep(200_000),
    }))
    const args = ['--lease-ttl-seconds', '90', ...(json ? ['--json'] : [])]
    return { ...made, ended: await time.drive(worker.run('worker', ...args)) }
  }

  test('is reported as one event, one line and one row, and kept if it is renewed in time', async () => {
    const { ended, attention, rowOf } = await busy(75, true)
    expect(ended.exit).toBe(0)
    const events = linesIn(ended.out)
    expect(named(events, 'lease.ending')).toHaveLength(1)
    expect(named(events, 'attention')).toMatchObject([{ about: 'lease_ending', issueId: 'bd-1' }])
    expect(attention()).toMatchObject([{ about: 'lease_ending', issueId: 'bd-1' }])
    expect(rowOf('bd-1').status).toBe('closed')
    const lines = (await busy(75, false)).ended.out.split('\n')
    expect(
      lines.filter(line => line.includes('Attention: the lease of worker on bd-1')),
    ).toHaveLength(1)
  })

  test('stops the work when it expires, and the result waits until memory is free', async () => {
    const { ended, attention, steps, rowOf } = await busy(95, true)
    expect(ended.exit).toBe(4)
    expect(attention()).toMatchObject([
      { about: 'lease_ending' },
      { about: 'worker_ended', message: expect.stringContaining('lock busy') },
    ])
    expect(named(linesIn(ended.out), 'recovered')).toMatchObject([
      { how: 'finished', resultClass: 'lease_lost' },
    ])
    expect(steps()).toMatchObject([{ failureClasses: ['lease_lost'], durationMs: 90_000 }])
    expect(rowOf('bd-1')).toMatchObject({ status: 'open' })
    expect(rowOf('bd-1')).not.toHaveProperty('lease')
  })
})

test('a command that prints nothing for hours is reported once', async () => {
  const { time, processOf, attention } = project({ issues: 1 })
  const worker = processOf((_command, clock) => ({ until: clock.sleep(2_500_000) }))
  const { out, exit } = await time.drive(worker.run('worker', '--json'))
  expect(exit).toBe(0)
  expect(named(linesIn(out), 'quiet')).toHaveLength(1)
  expect(attention()).toMatchObject([
    { about: 'worker_quiet', message: 'worker has printed nothing for 600 s in work of bd-1' },
  ])
})

test('a budget of minutes is spent by time, and the running step may end', async () => {
  const { time, processOf, rowOf } = project({ issues: 3 })
  const worker = processOf((_command, clock) => ({ until: clock.sleep(45_000) }))
  const { out, exit } = await time.drive(worker.run('worker', '--max-minutes', '1', '--json'))
  expect(exit).toBe(0)
  expect(named(linesIn(out), 'run.ended')).toMatchObject([
    { why: 'budget', closed: ['bd-1', 'bd-2'], left: 1 },
  ])
  expect(rowOf('bd-3').status ?? 'open').toBe('open')
})

test('setting the clock back during work is reported, and does not change the result', async () => {
  const { time, processOf, rowOf, steps, attention } = project({ issues: 2 })
  let times = 0
  const worker = processOf((_command, clock) => ({
    effect: () => {
      if (times++ === 0) clock.skew -= 3_600_000_000_000n
    },
    until: clock.sleep(5_000),
  }))
  const limits = ['--max-minutes', '5', '--max-steps', '5']
  const { out, exit } = await time.drive(worker.run('worker', ...limits, '--json'))
  expect(exit).toBe(0)
  expect(named(linesIn(out), 'run.ended')).toMatchObject([{ why: 'done', left: 0, steps: 2 }])
  expect([rowOf('bd-1').status, rowOf('bd-2').status]).toEqual(['closed', 'closed'])
  for (const { durationMs } of steps()) expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(attention()).toMatchObject([
    { about: 'clock_set_back', message: expect.stringMatching(/set back by 35\d\d s/) },
  ])
})

test('a step that the run recovers counts, also if the next journal cannot be read', async () => {
  const other = `${folder}/steps/other.jsonl`
  let isBroken = false
  const { time, disk, processOf } = project({
    issues: 1,
    fault: (what, path) => {
      if (path === other && what === 'open') return 'EIO'
      if (!isBroken || path !== `${folder}/harness_trajectory.jsonl`) return undefined
      isBroken = false
      return 'EIO'
    },
  })
  const worker = processOf(() => ({
    effect: async () => {
      await disk.replaceLoosely(other, new TextEncoder().encode('{}\n'))
      isBroken = true
    },
  }))
  const { out, exit } = await time.drive(worker.run('worker', '--json'))
  expect(exit).toBe(3)
  const events = linesIn(out)
  expect(named(events, 'recovered')).toMatchObject([{ issueId: 'bd-1', how: 'finished' }])
  expect(named(events, 'run.ended')).toMatchObject([{ closed: ['bd-1'], steps: 1, left: 0 }])
})
