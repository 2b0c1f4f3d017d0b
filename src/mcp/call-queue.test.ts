import { describe, expect, test } from 'vitest'
import { CallQueue } from './call-queue.ts'

const never = new AbortController().signal

describe('the queue of calls', () => {
  test('[mcp.8.hostile] runs a few at a time, lets some wait and turns the rest away', async () => {
    const queue = new CallQueue()
    let running = 0
    let most = 0
    const endings: (() => void)[] = []
    const act = async () => {
      running++
      most = Math.max(most, running)
      await new Promise<void>(end => endings.push(end))
      running--
      return 'done'
    }
    const calls = Array.from({ length: 2_000 }, () => queue.run(never, act))
    let answers: readonly (string | undefined)[] | undefined
    void Promise.all(calls).then(all => {
      answers = all
    })
    while (answers === undefined) {
      for (const end of endings.splice(0)) end()
      await new Promise(go => setImmediate(go))
    }
    expect(most).toBe(8)
    expect(answers.filter(answer => answer === 'done')).toHaveLength(1_008)
    expect(answers.filter(answer => answer === undefined)).toHaveLength(992)
  })

  test('does not begin a call that was cancelled while it waited', async () => {
    const queue = new CallQueue()
    const ends: (() => void)[] = []
    const busy = Array.from({ length: 8 }, () =>
      queue.run(never, () => new Promise<void>(end => ends.push(end))),
    )
    const cancelled = new AbortController()
    const waiting = queue.run(cancelled.signal, async () => 'ran')
    cancelled.abort()
    for (const end of ends) end()
    await Promise.all(busy)
    expect(await waiting).toBeUndefined()
  })

  test('cancels what runs when it closes, and waits for its end', async () => {
    const queue = new CallQueue()
    const call = queue.run(
      never,
      signal => new Promise(end => signal.addEventListener('abort', () => end('cancelled'))),
    )
    await queue.close()
    expect(await call).toBe('cancelled')
    expect(await queue.run(never, async () => 'late')).toBeUndefined()
  })
})
