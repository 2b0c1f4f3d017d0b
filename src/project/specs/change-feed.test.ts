import { expect, test } from 'vitest'
import { Fault } from '../../fault.ts'
import { ChangeFeed } from './change-feed.ts'

const oneTurn = { sleep: () => new Promise<void>(resolve => setImmediate(resolve)) }

test('changes in quick succession are reported together, each path once', async () => {
  const feed = new ChangeFeed(oneTurn)
  const next = feed.next()
  feed.changed('/a')
  feed.changed('/b')
  feed.changed('/a')
  expect([...((await next) ?? [])]).toEqual(['/a', '/b'])
})

test('changes that never pause are still reported', async () => {
  let left = 1000
  const feed = new ChangeFeed({
    async sleep() {
      if (left-- > 0) feed.changed(`/${left}`)
    },
  })
  feed.changed('/first')
  expect((await feed.next())?.size).toBeLessThan(100)
})

test('changes are kept until somebody waits for them', async () => {
  const feed = new ChangeFeed(oneTurn)
  feed.changed('/a')
  await feed.next()
  feed.changed('/b')
  expect([...((await feed.next()) ?? [])]).toEqual(['/b'])
})

test('the end is reported before pending changes, and a fault after them', async () => {
  const feed = new ChangeFeed(oneTurn)
  feed.changed('/a')
  feed.failed(new Fault('unavailable', 'gone'))
  await expect(feed.next()).rejects.toThrow('gone')
  const next = feed.next()
  feed.stop()
  expect(await next.catch(() => undefined)).toBeUndefined()
})
