import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LandingQueue, type Made } from './landing-queue.ts'

/** A target as a list of names. A candidate is the list with its own name added. */
class Target {
  readonly landed: string[] = []
  readonly queue = new LandingQueue()
  verifications = 0
  /** The candidates that conflict with each other, unless one of them has landed and was merged. */
  readonly conflicts = new Map<string, string>()

  /** `isRed`: fails wherever it is verified, and so does everything that contains it. */
  async land(
    name: string,
    { red = new Set<string>(), wait = async () => {} } = {},
  ): Promise<boolean> {
    const stacked = await this.queue.enter({
      make: async (base): Promise<Made<readonly string[]>> => {
        await wait()
        const below = base === undefined ? this.landed : base.split(' ')
        if (below.includes(this.conflicts.get(name) ?? '')) return { conflict: [name] }
        const candidate = [...below, name]
        return { candidate, commit: candidate.join(' ') }
      },
      verify: async candidate => {
        this.verifications++
        await wait()
        return !candidate.some(one => red.has(one))
      },
    })
    if ('failure' in stacked) return false
    const { candidate, verdict, place } = stacked
    // It lands only if the target is at its base.
    expect(candidate.slice(0, -1)).toEqual(this.landed)
    if (verdict) this.landed.push(name)
    place.end(verdict ? 'landed' : 'failed')
    return verdict
  }
}

test('candidates land in the order in which they came', async () => {
  const target = new Target()
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map(name => target.land(name)))
  expect(target.landed).toEqual(names)
  expect(target.verifications).toBe(4)
})

test('of eight candidates with a red third one, seven land after at most 13 verifications', async () => {
  const target = new Target()
  const names = ['1', '2', '3', '4', '5', '6', '7', '8']
  const ended = await Promise.all(names.map(name => target.land(name, { red: new Set(['3']) })))
  expect(ended).toEqual([true, true, false, true, true, true, true, true])
  expect(target.landed).toEqual(['1', '2', '4', '5', '6', '7', '8'])
  expect(target.verifications).toBeLessThanOrEqual(13)
})

test('a conflict with a candidate that fails is no conflict', async () => {
  const target = new Target()
  target.conflicts.set('b', 'a')
  const ended = await Promise.all([target.land('a', { red: new Set(['a']) }), target.land('b')])
  expect(ended).toEqual([false, true])
  expect(target.landed).toEqual(['b'])
})

test('a conflict with the target is an answer', async () => {
  const target = new Target()
  target.conflicts.set('b', 'a')
  expect(await Promise.all([target.land('a'), target.land('b'), target.land('c')])).toEqual([
    true,
    false,
    true,
  ])
  expect(target.landed).toEqual(['a', 'c'])
})

test('a fault of one does not stop the others', async () => {
  const target = new Target()
  const broken = target.queue.enter({
    make: async () => ({ candidate: 'x', commit: 'x' }),
    verify: async () => {
      throw new Error('the disk is full')
    },
  })
  const others = [target.land('a'), target.land('b')]
  await expect(broken).rejects.toThrow('the disk is full')
  expect(await Promise.all(others)).toEqual([true, true])
  expect(target.landed).toEqual(['a', 'b'])
})

test('whatever the speed of each, all that is green lands, and nothing that is red', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 }),
      fc.subarray(['a', 'b', 'c', 'd', 'e', 'f']),
      async (scheduler, names, reds) => {
        const target = new Target()
        const red = new Set(reds)
        const wait = () => scheduler.schedule(Promise.resolve())
        const landing = Promise.all(names.map(name => target.land(name, { red, wait })))
        await scheduler.waitFor(landing)
        expect(target.landed).toEqual(names.filter(name => !red.has(name)))
      },
    ),
  )
})
