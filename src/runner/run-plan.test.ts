import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup } from '../../test/a-spec-run.ts'
import { isFlaky } from './case-outcome.ts'

const cli = (id: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', `harness: {entrypoint: ${id}}`, ...lines)

/** Yields while a command runs, and records which commands overlap. */
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
  test('run no more than --jobs allows', async () => {
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

describe('fail-fast', () => {
  test('starts no case after a failure', async () => {
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

  test('stops running cases, which stay undecided like the ones after them', async () => {
    const endless = new Promise(() => {})
    const script: SpecRunSetup['script'] = ({ command }) =>
      command[0] === 'C1' ? { exitCode: 1 } : { until: endless }
    const host = cli('HOST').replace(
      '{entrypoint: HOST}',
      '{entrypoint: HOST, chain: {steps: [{id: s, ref: "#C0", allow_continue: true}]}}',
    )
    const found = await aSpecRun(
      { 'a.spec.md': host + many(3) },
      { script, jobs: 3, failFast: true, retry: 2 },
    )
    expect(idsOf(found)).toEqual(['HOST undefined', 'C0 undefined', 'C1 fail', 'C2 undefined'])
    expect(found.started.map(({ command }) => command[0])).toEqual(['C0', 'C1', 'C1', 'C1'])
  })
})

/** The number of first runs that fail, by command name. */
function failingAtFirst(times: Readonly<Record<string, number>>) {
  const ran = new Map<string, number>()
  const script: NonNullable<SpecRunSetup['script']> = ({ command: [name = ''] }) => {
    ran.set(name, (ran.get(name) ?? 0) + 1)
    return { exitCode: (ran.get(name) ?? 0) <= (times[name] ?? 0) ? 1 : 0 }
  }
  return { script, ran }
}

const host = (id: string, ref: string) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    `harness: {entrypoint: ${id}, chain: {steps: [{id: s, ref: "#${ref}"}]}}`,
  )

const attemptsOf = ({ outcomes }: Awaited<ReturnType<typeof aSpecRun>>) =>
  Object.fromEntries(
    outcomes.map(({ raw, outcome, attempts = [] }) => [
      raw.id,
      [outcome?.status, ...attempts.map(({ status }) => status), isFlaky(attempts)].join(' '),
    ]),
  )

describe('retry', () => {
  test('a case that passes on retry is passed and flaky; others are not retried', async () => {
    const { script, ran } = failingAtFirst({ C1: 2, C2: 9 })
    const found = await aSpecRun({ 'a.spec.md': many(3) }, { script, retry: 3 })
    expect(attemptsOf(found)).toEqual({
      C0: 'pass false',
      C1: 'pass fail fail pass true',
      C2: 'fail fail fail fail fail false',
    })
    expect([...ran]).toEqual([
      ['C0', 1],
      ['C1', 3],
      ['C2', 4],
    ])
  })

  test('runs its own chain again, and not the one that others share', async () => {
    const { script, ran } = failingAtFirst({ HOST: 1 })
    const files = { 'a.spec.md': host('HOST', 'C0') + host('OTHER', 'C0') + many(1) }
    const found = await aSpecRun(files, { script, retry: 1, jobs: 1 })
    expect(attemptsOf(found)).toEqual({
      HOST: 'pass fail pass true',
      OTHER: 'pass false',
      C0: 'pass false',
    })
    expect(Object.fromEntries(ran)).toEqual({ HOST: 2, C0: 2, OTHER: 1 })
  })

  test('a prerequisite that fails once makes its dependents flaky', async () => {
    const { script } = failingAtFirst({ C0: 1 })
    const found = await aSpecRun(
      { 'a.spec.md': host('HOST', 'C0') + many(1) },
      { script, retry: 1, jobs: 1 },
    )
    expect(attemptsOf(found)).toEqual({ HOST: 'pass fail pass true', C0: 'pass fail pass true' })
  })

  test('does not repeat a case that is itself invalid', async () => {
    const files = { 'a.spec.md': block('id: A', 'type: cli.run', 'harness: {entrypont: x}') }
    expect(attemptsOf(await aSpecRun(files, { retry: 5 }))).toEqual({ A: 'fail false' })
  })
})

describe('repeat', () => {
  test('runs each case that many times; one failure fails it and makes it flaky', async () => {
    const { script } = failingAtFirst({ C1: 1, C2: 9 })
    const found = await aSpecRun({ 'a.spec.md': many(3) }, { script, repeat: 3, jobs: 1 })
    expect(attemptsOf(found)).toEqual({
      C0: 'pass pass pass pass false',
      C1: 'fail fail pass pass true',
      C2: 'fail fail fail fail false',
    })
  })

  test('prerequisites run once for each repetition', async () => {
    for (const jobs of [1, 4]) {
      const { script, ran } = failingAtFirst({})
      const files = { 'a.spec.md': host('HOST', 'C0') + host('OTHER', 'C0') + many(1) }
      await aSpecRun(files, { script, repeat: 5, jobs })
      expect(Object.fromEntries(ran)).toEqual({ HOST: 5, C0: 5, OTHER: 5 })
    }
  })

  test('uses all jobs for one case alone', async () => {
    const { script, together } = watched()
    const names = new Set<string>()
    let most = 0
    const counted: typeof script = (command, disk) => {
      const made = script(command, disk)
      return {
        ...made,
        async effect() {
          const name = `${names.size}`
          names.add(name)
          most = Math.max(most, names.size)
          await made?.effect?.()
          names.delete(name)
        },
      }
    }
    await aSpecRun({ 'a.spec.md': many(1) }, { script: counted, repeat: 8, jobs: 4 })
    expect(together).toHaveLength(8)
    expect(most).toBe(4)
  })
})

describe('a stopped run', () => {
  const stopped = (setup: SpecRunSetup) =>
    aSpecRun({ 'a.spec.md': many(3) }, { script: () => ({}), jobs: 1, ...setup })

  test('leaves cases that it did not start undecided', async () => {
    expect(idsOf(await stopped({ stopAfter: 'C1' }))).toEqual([
      'C0 pass',
      'C1 pass',
      'C2 undefined',
    ])
  })

  test('leaves a case with missing repetitions undecided', async () => {
    const ids = idsOf(await stopped({ stopAfter: 'C0', repeat: 2 }))
    expect(ids).toEqual(['C0 pass', 'C1 undefined', 'C2 undefined'])
  })
})

test('each case is reported once, when its result is final', async () => {
  const reported: string[] = []
  const { script } = failingAtFirst({ C1: 1 })
  const onOutcome: NonNullable<SpecRunSetup['onOutcome']> = ({ id }, { status }) =>
    void reported.push(`${id} ${status}`)
  await aSpecRun({ 'a.spec.md': many(3) }, { script, jobs: 1, retry: 1, onOutcome })
  await aSpecRun({ 'a.spec.md': many(1) }, { script, jobs: 1, repeat: 3, onOutcome })
  expect(reported).toEqual(['C0 pass', 'C1 pass', 'C2 pass', 'C0 pass'])
})

test('the outcomes do not depend on the number of jobs', async () => {
  const anyCase = fc.record({
    fails: fc.boolean(),
    key: fc.constantFrom('', 'x', 'y'),
    needs: fc.option(fc.nat(7), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCase, { minLength: 1, maxLength: 10 }),
      fc.record({ retry: fc.nat(1) }),
      async (cases, { retry }) => {
        const text = cases.map(({ key, needs }, at) => {
          // Only earlier cases, so that chains have no cycle.
          const chain =
            needs !== undefined && needs < at
              ? `, chain: {steps: [{id: s, ref: "#C${needs}"}]}`
              : ''
          return block(
            `id: C${at}`,
            'type: cli.run',
            `harness: {entrypoint: C${at}${chain}}`,
            ...(key === '' ? [] : [`concurrency: ${key}`]),
          )
        })
        const failing = cases.flatMap(({ fails }, at) => (fails ? [`C${at}`] : []))
        const outcomes = async (jobs: number) => {
          const { script } = watched(failing)
          const found = await aSpecRun({ 'a.spec.md': text.join('') }, { script, jobs, retry })
          return found.outcomes.map(({ raw, outcome, attempts }) => ({
            id: raw.id,
            outcome,
            attempts,
          }))
        }
        const alone = await outcomes(1)
        for (let jobs = 2; jobs <= 8; jobs++) expect(await outcomes(jobs)).toEqual(alone)
      },
    ),
    { numRuns: 15 },
  )
})
