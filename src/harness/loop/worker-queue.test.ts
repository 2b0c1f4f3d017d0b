import { describe, expect, test } from 'vitest'
import { WorkerQueue } from './worker-queue.ts'

describe('whoever waits', () => {
  test('is sent alone, and once', async () => {
    const turnstile = new WorkerQueue()
    const [a, b] = [turnstile.wait('a'), turnstile.wait('b')]
    turnstile.send('a')
    expect(await a).toBe('work')
    expect([turnstile.isWaiting('a'), turnstile.isWaiting('b')]).toEqual([false, true])
    // No worker waits.
    turnstile.send('a')
    turnstile.close()
    expect(await b).toBe('end')
  })

  test('is sent home when it is shut, and so is whoever comes later', async () => {
    const turnstile = new WorkerQueue()
    const early = turnstile.wait('a')
    turnstile.close()
    expect([await early, await turnstile.wait('b')]).toEqual(['end', 'end'])
    expect(turnstile.isWaiting('b')).toBe(false)
  })
})

describe('a change', () => {
  test('that came before anybody waited for it is not missed', async () => {
    const turnstile = new WorkerQueue()
    const seen = turnstile.changes
    turnstile.notice()
    await turnstile.changedSince(seen)
    expect(turnstile.changes).toBe(seen + 1)
  })

  test('wakes everybody who waits for one', async () => {
    const turnstile = new WorkerQueue()
    const seen = turnstile.changes
    const woken = Promise.all([turnstile.changedSince(seen), turnstile.changedSince(seen)])
    turnstile.notice()
    await woken
  })

  test('is that somebody begins to wait', async () => {
    const turnstile = new WorkerQueue()
    const changed = turnstile.changedSince(turnstile.changes)
    const sent = turnstile.wait('a')
    await changed
    turnstile.close()
    await sent
  })

  test('is awaited as long as there is none', async () => {
    const turnstile = new WorkerQueue()
    let isWoken = false
    const changed = turnstile.changedSince(turnstile.changes).then(() => {
      isWoken = true
    })
    await new Promise(done => setImmediate(done))
    expect(isWoken).toBe(false)
    turnstile.notice()
    await changed
  })
})
