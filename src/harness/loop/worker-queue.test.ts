import { describe, expect, test } from 'vitest'
import { WorkerQueue } from './worker-queue.ts'

describe('a waiting worker', () => {
  test('is woken alone, and once', async () => {
    const queue = new WorkerQueue()
    const [a, b] = [queue.wait('a'), queue.wait('b')]
    queue.dispatch('a')
    expect(await a).toBe('work')
    expect([queue.isWaiting('a'), queue.isWaiting('b')]).toEqual([false, true])
    // No worker waits.
    queue.dispatch('a')
    queue.close()
    expect(await b).toBe('end')
  })

  test('is dismissed when the queue closes, and so is a worker that arrives later', async () => {
    const queue = new WorkerQueue()
    const early = queue.wait('a')
    queue.close()
    expect([await early, await queue.wait('b')]).toEqual(['end', 'end'])
    expect(queue.isWaiting('b')).toBe(false)
  })
})

describe('a change', () => {
  test('before anybody waits is not missed', async () => {
    const queue = new WorkerQueue()
    const seen = queue.changes
    queue.notice()
    await queue.changedSince(seen)
    expect(queue.changes).toBe(seen + 1)
  })

  test('wakes everybody who waits for one', async () => {
    const queue = new WorkerQueue()
    const seen = queue.changes
    const woken = Promise.all([queue.changedSince(seen), queue.changedSince(seen)])
    queue.notice()
    await woken
  })

  test('happens when a worker begins to wait', async () => {
    const queue = new WorkerQueue()
    const changed = queue.changedSince(queue.changes)
    const dispatched = queue.wait('a')
    await changed
    queue.close()
    await dispatched
  })

  test('is awaited until it happens', async () => {
    const queue = new WorkerQueue()
    let isWoken = false
    const changed = queue.changedSince(queue.changes).then(() => {
      isWoken = true
    })
    await new Promise(done => setImmediate(done))
    expect(isWoken).toBe(false)
    queue.notice()
    await changed
  })
})
