import { describe, expect, test } from 'vitest'
import type { BudgetLimits } from '../../kernel/harness/run/budget.ts'
import { sessionAtEnd, sessionAtStart } from '../../kernel/harness/run/run-session.ts'
import { openContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { openHarness } from '../../project/open-harness.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { RunBudget } from './run-budget.ts'

const path = '/p/.premath/harness_session.json'
const owner = { mode: 'worker', workerId: 'w', issuesPath: '.premath/issues.jsonl' } as const
const limits: BudgetLimits = { maxSteps: 3, maxMinutes: 2, maxFailures: 2 }

/** One session that several runs open in turn, and a clock under the test's control. */
async function aSession() {
  let now = 1_800_000_000_000_000_000n
  let skew = 0n
  const clock = { now: () => now + skew, steady: () => now, sleep: async () => {} }
  const disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': '' } })
  const none = { session: undefined, ledger: undefined, trajectory: undefined }
  const { harness } = await openHarness(
    await openProject(openContext(simWorld({ disk, clock, cwd: '/p' }))),
    {
      ...none,
      worker: 'w',
      issues: undefined,
      reason: undefined,
    },
  )
  const open = async (max: BudgetLimits = limits, afresh = false) => {
    const budget = await RunBudget.open(harness, { limits: max, afresh })
    await budget.begin(before => sessionAtStart(before, owner, ['w'], now))
    return budget
  }
  return {
    open,
    pass: (milliseconds: number) => {
      now += BigInt(milliseconds) * 1_000_000n
    },
    /** Sets the system clock. */
    jump: (milliseconds: number) => {
      skew += BigInt(milliseconds) * 1_000_000n
    },
    kept: () => JSON.parse(new TextDecoder().decode(disk.contents().get(path))).premathBudget,
    keep: (premathBudget: unknown) =>
      harness.session.update(before => ({
        ...sessionAtStart(before, owner, ['w'], now),
        premathBudget,
      })),
    end: (budget: RunBudget, isFinished: boolean) =>
      budget.end(isFinished, before =>
        sessionAtEnd(
          before,
          owner,
          {
            runId: 'run1_0',
            why: 'idle',
            closed: [],
            failed: [],
            refused: [],
            lost: [],
            steps: 0,
            budget: budget.use,
            attention: 0,
            left: 0,
            milliseconds: 0,
            nextStep: 'go on',
          },
          now,
        ),
      ),
  }
}

describe('a run that was cut off', () => {
  test('records its use in advance, and the next run continues from there', async () => {
    const { open, pass, kept } = await aSession()
    const first = await open()
    pass(500)
    await first.beginStep()
    await first.countFailure()
    expect(kept()).toEqual({ ...limits, steps: 1, failures: 1, milliseconds: 500 })
    // The run does not end: its process was killed.
    pass(60_000)
    const second = await open()
    expect(second.use).toEqual({ ...limits, steps: 1, failures: 1, milliseconds: 500 })
    await second.beginStep()
    await second.beginStep()
    expect(second.spentWhy).toBe('3 of 3 steps are used')
    expect((await open()).spentWhy).toBe('3 of 3 steps are used')
  })

  test('continues under the current limits, or starts over when asked to', async () => {
    const { open } = await aSession()
    await (await open()).beginStep()
    expect((await open({ maxSteps: 1 })).spentWhy).toBe('1 of 1 steps are used')
    expect((await open({})).use).toEqual({ steps: 1, failures: 0, milliseconds: 0 })
    expect((await open(limits, true)).use).toEqual({
      ...limits,
      steps: 0,
      failures: 0,
      milliseconds: 0,
    })
  })
})

test('after a completed run the next one has a new budget', async () => {
  const { open, end, kept } = await aSession()
  const first = await open()
  await first.beginStep()
  await end(first, false)
  expect(kept()).toMatchObject({ steps: 1 })
  const second = await open()
  await end(second, true)
  expect(kept()).toBeUndefined()
  expect((await open()).use.steps).toBe(0)
})

test('a step without work is not counted', async () => {
  const { open, kept } = await aSession()
  const budget = await open()
  await budget.beginStep()
  await budget.takeBack()
  expect([budget.use.steps, kept().steps]).toEqual([0, 0])
})

test('a session with an unreadable budget is refused, and --new-budget starts over', async () => {
  const { open, keep, kept } = await aSession()
  await keep({ steps: 'many' })
  await expect(open()).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(path),
    hint: expect.stringContaining('--new-budget'),
  })
  expect(kept()).toEqual({ steps: 'many' })
  expect((await open(limits, true)).use.steps).toBe(0)
})

test('[memory.7.clock-durations] setting the clock frees no time, and takes none', async () => {
  const { open, pass, jump } = await aSession()
  const budget = await open()
  pass(90_000)
  expect(budget.use.milliseconds).toBe(90_000)
  jump(-3_600_000)
  expect(budget.use.milliseconds).toBe(90_000)
  jump(200 * 365 * 86_400_000)
  expect(budget.spentWhy).toBeUndefined()
  pass(30_000)
  expect(budget.use.milliseconds).toBe(120_000)
  expect(budget.spentWhy).toBe('2 minutes have passed')
})
