import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup } from '../../test/a-spec-run.ts'

const cli = (id: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', `harness: {entrypoint: ${id}}`, ...lines)

/** Lets other cases go on while a command runs, and sees which ran at the same time. */
function watched(failing: readonly string[] = []) {
  const running = new Set<string>()
  const together: string[][] = []
  const script: NonNullable<SpecRunSetup['script']> = ({ command }) => ({
    exitCode: failing.includes(command[0] ?? '') ? 1 : 0,
    async effect() {
      const name = command[0] ?? ''
      running.add(name)
      together.push([...running].sort())
      for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
      running.delete(name)
    },
  })
  return { script, together }
}

const many = (count: number, more: (at: number) => readonly string[] = () => []) =>
  Array.from({ length: count }, (_, at) => cli(`C${at}`, ...more(at))).join('')

const idsOf = ({ outcomes }: Awaited<ReturnType<typeof aSpecRun>>) =>
  outcomes.map(({ raw, outcome }) => `${raw.id} ${outcome?.status}`)

describe('several at a time', () => {
  test('run no more than were asked for', async () => {
    const { script, together } = watched()
    await aSpecRun({ 'a.spec.md': many(10) }, { script, jobs: 3 })
    expect(Math.max(...together.map(one => one.length))).toBe(3)
  })

  test('come out in the order of the documents, whatever runs first', async () => {
    const { script } = watched(['C3'])
    const files = { 'b.spec.md': cli('LAST'), 'a.spec.md': many(6) }
    const alone = idsOf(await aSpecRun(files, { script, jobs: 1 }))
    expect(alone).toEqual(
      ['C0', 'C1', 'C2', 'C3', 'C4', 'C5', 'LAST'].map(
        id => `${id} ${id === 'C3' ? 'fail' : 'pass'}`,
      ),
    )
    for (const jobs of [2, 5, 100]) {
      expect(idsOf(await aSpecRun(files, { script, jobs }))).toEqual(alone)
    }
  })
})

describe('concurrency', () => {
  test('cases that share a key never run at the same time, and others do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.subarray(['x', 'y', 'z']), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        async (keys, jobs) => {
          const { script, together } = watched()
          const lines = (at: number) => [`concurrency: [${keys[at]?.join(', ')}]`]
          const found = await aSpecRun({ 'a.spec.md': many(keys.length, lines) }, { script, jobs })
          expect(idsOf(found)).toEqual(keys.map((_, at) => `C${at} pass`))
          for (const names of together) {
            const held = names.flatMap(name => keys[Number(name.slice(1))] ?? [])
            expect(new Set(held).size).toBe(held.length)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a case that must wait lets others pass', async () => {
    const { script, together } = watched()
    const lines = (at: number) => (at < 3 ? ['concurrency: db'] : [])
    await aSpecRun({ 'a.spec.md': many(4, lines) }, { script, jobs: 2 })
    expect(together).toContainEqual(['C0', 'C3'])
  })

  test('a chain to a case with the same key does not wait for itself', async () => {
    const host = block(
      'id: HOST',
      'type: cli.run',
      'concurrency: db',
      'harness: {entrypoint: HOST, chain: {steps: [{id: s, ref: "#C0"}]}}',
    )
    const found = await aSpecRun(
      { 'a.spec.md': host + many(1, () => ['concurrency: db']) },
      { ...watched(), jobs: 1 },
    )
    expect(idsOf(found)).toEqual(['HOST pass', 'C0 pass'])
  })
})

test('fail-fast begins nothing after a failure', async () => {
  const { script } = watched(['C1'])
  const found = await aSpecRun({ 'a.spec.md': many(5) }, { script, jobs: 1, failFast: true })
  expect(idsOf(found)).toEqual([
    'C0 pass',
    'C1 fail',
    'C2 undefined',
    'C3 undefined',
    'C4 undefined',
  ])
})
