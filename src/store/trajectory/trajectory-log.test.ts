import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callStep, isTorture } from '../../../test/sim/seeded.ts'
import {
  BadStepRow,
  failureClassesIn,
  readStepLine,
  stepLineBytesMax,
} from '../../kernel/harness/step/step-row.ts'
import {
  belongsTo,
  NewestSteps,
  type PlacedStep,
  passes,
  trajectoryModes,
} from '../../kernel/harness/step/trajectory.ts'
import { SimCrash, SimDisk, type SimDiskSetup } from '../../testing/sim-disk.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import type { StepQuestion } from './step-answer.ts'
import { TrajectoryLog } from './trajectory-log.ts'

const path = '/p/.premath/harness_trajectory.jsonl'
const folder = '/p/.premath/cache'
const indexPath = `${folder}/trajectory.index`
const seenPath = `${folder}/trajectory.seen`
const cache = { folder, name: 'trajectory' }

const row = (stepId: string, second = 0, more: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId,
  action: 'worker.loop',
  resultClass: 'completed',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt: new Date(Date.UTC(2026, 1, 22) + second * 1000).toISOString(),
  ...more,
})

const diskOf = (content: string, setup: SimDiskSetup = {}) =>
  new SimDisk({ ...setup, files: { [path]: content, '/p/.premath/x': '' } })

const logOf = (disk: SimDisk, cached = true) =>
  new TrajectoryLog({ disk, path, cache: cached ? cache : undefined })

const text = (disk: SimDisk, at = path) => new TextDecoder().decode(disk.contents().get(at))

/** Replaces the content, in the same file or in a new one. */
async function edit(disk: SimDisk, change: (text: string) => string, inPlace: boolean) {
  const edited = new TextEncoder().encode(change(text(disk)))
  if (!inPlace) return await disk.replace(path, edited)
  const file = await disk.openToAppend(path)
  await file.cut(0)
  await file.append(edited)
}

/** Some rows of a few hundred bytes to some kilobytes: a few dozen fill a block. */
const bulk = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => line(from + at)).join('')

/** The same rows, finished at one instant. */
const atOnce = (content: string) =>
  content.replaceAll(/"finishedAt":"[^"]*"/g, '"finishedAt":"2026-02-22T00:00:00Z"')

function line(number: number): string {
  const failed = number % 7 === 0
  return `${JSON.stringify({
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `w.${number % 3}.bd-${number % 11}.${number}`,
    issueId: `bd-${number % 11}`,
    action: 'ä',
    resultClass: failed ? (number % 2 ? 'timeout' : 'failed') : 'completed',
    ...(number % 3 === 0 && { failureClasses: ['a.b', 'c.d', 'a.b'] }),
    witnessRefs: ['x'.repeat(2_000 + (number % 5) * 300)],
    finishedAt: new Date(Date.UTC(2026, 1, 22) + secondOf(number) * 1000).toISOString(),
  })}\n`
}

/** Times that are mostly in order, often equal, and sometimes far out of order. */
const secondOf = (number: number) =>
  number % 13 === 0 ? (number * 37) % 60 : Math.floor(number / 40)

/** The expected answer, from reading every line. */
function plainly(content: string, question: StepQuestion) {
  const lines = content.split('\n')
  const unfinished = lines.pop() ?? ''
  const read = lines.map((one, at) => ({ line: at + 1, one, row: readStepLine(one, at + 1) }))
  const last = { line: lines.length + 1, row: readStepLine(unfinished, lines.length + 1) }
  const good = [...read, last].filter(
    (one): one is PlacedStep & typeof one => !(one.row instanceof BadStepRow),
  )
  const bad = read.flatMap(({ line, one, row }) =>
    row instanceof BadStepRow && one.trim() !== '' ? [{ line, why: row.why }] : [],
  )
  const through = good.filter(one => passes(question, one.row))
  const newest = new NewestSteps(question.limit, question.order)
  for (const { row, line } of through) {
    if (belongsTo(question.mode, row.resultClass)) newest.offer({ row, line })
  }
  const count = (mode: StepQuestion['mode']) =>
    through.filter(({ row }) => belongsTo(mode, row.resultClass)).length
  const clusters = question.clusters ? clustersOf(through) : undefined
  const isTorn = last.row instanceof BadStepRow && unfinished.trim() !== ''
  const bytes = new TextEncoder().encode(unfinished).length
  return {
    rows: newest.rows(),
    totalCount: through.length,
    failedCount: count('failed'),
    retryNeededCount: count('retry-needed'),
    ...(clusters && { clusters }),
    bad: { count: bad.length, first: bad.slice(0, 20) },
    torn: isTorn ? { line: last.line, bytes } : undefined,
  }
}

/** The failed steps by class, as their definition says it. */
function clustersOf(steps: readonly PlacedStep[]) {
  const failed = steps.map(({ row }) => row).filter(row => belongsTo('failed', row.resultClass))
  const classesOf = (row: StepRow) => {
    const named = failureClassesIn(row)
    return named.length > 0 ? named : [row.resultClass]
  }
  const clusters = [...new Set(failed.flatMap(classesOf))].map(resultClass => {
    const rows = failed.filter(row => classesOf(row).includes(resultClass))
    const times = rows.map(row => Date.parse(row.finishedAt))
    const newest = rows[times.lastIndexOf(Math.max(...times))]
    const issueIds = [...new Set(rows.flatMap(row => row.issueId ?? []))].sort()
    return {
      resultClass,
      count: rows.length,
      issueCount: issueIds.length,
      issueIds: issueIds.slice(0, 20),
      lastAt: newest?.finishedAt,
      lastStepId: newest?.stepId,
    }
  })
  return clusters.sort((a, b) => b.count - a.count || (a.resultClass < b.resultClass ? -1 : 1))
}

const latest = { mode: 'latest', limit: 20 } as const
/** Reads no block. */
const counts = { mode: 'latest', limit: 0 } as const

test('the last of several attempts in one second is the one written last', async () => {
  const disk = diskOf('')
  for (const attempt of [9, 10, 11]) {
    const more = { issueId: 'bd-1', finishedAt: '2026-02-22T00:00:00Z' }
    await logOf(disk).append(row(`w.bd-1.1.${attempt}`, 0, more))
  }
  const idsOf = (rows: readonly StepRow[]) => rows.map(({ stepId }) => stepId)
  expect(idsOf(await logOf(disk).lastOf('bd-1', 2))).toEqual(['w.bd-1.1.11', 'w.bd-1.1.10'])
  const { rows } = await logOf(disk).query(latest)
  expect(idsOf(rows)).toEqual(['w.bd-1.1.10', 'w.bd-1.1.11', 'w.bd-1.1.9'])
})

describe('appending', () => {
  test('is one write, and never changes earlier rows [runtime.6.append-only] [tusk.6.one-record]', async () => {
    const calls: string[] = []
    const disk = diskOf(bulk(3), {
      fault: (_, what, at) => {
        if (at === path) calls.push(what)
        return undefined
      },
    })
    const before = text(disk)
    await logOf(disk).append(row('new'))
    expect(calls.filter(call => !['stamp', 'read', 'open to append'].includes(call))).toEqual([
      'write',
    ])
    expect(text(disk).startsWith(before)).toBe(true)
    expect(text(disk).slice(before.length)).toMatch(/^\{.*"stepId":"new".*\}\n$/)
  })

  test('of several processes at once leaves one whole row for each step [tusk.12.one-row-a-step]', async () => {
    const disk = diskOf('')
    const steps = Array.from({ length: 60 }, (_, at) => `w.${at % 6}.bd-1.${at}`)
    const logs = Array.from({ length: 6 }, () => logOf(disk.sharedWith({})))
    // No lock is taken: other writers run at each call of the disk.
    await Promise.all(steps.map((stepId, at) => logs[at % 6]?.append(row(stepId))))
    const lines = text(disk).split('\n').slice(0, -1)
    expect(lines.map(one => JSON.parse(one).stepId).toSorted()).toEqual(steps.toSorted())
    expect(await logOf(disk).query(counts)).toMatchObject({
      totalCount: steps.length,
      bad: { count: 0 },
      torn: undefined,
    })
  })

  test('makes the folder and the file', async () => {
    const disk = new SimDisk()
    await logOf(disk).append(row('first'))
    expect(await logOf(disk).query(latest)).toMatchObject({ totalCount: 1, bad: { count: 0 } })
  })

  test('a write that was torn by a crash becomes a bad line of its own', async () => {
    let tears = true
    const disk = diskOf(line(1), {
      fault: (_, what, at) => (tears && what === 'write' && at === path ? 'torn' : undefined),
      chance: () => 0.5,
    })
    const log = logOf(disk)
    await expect(log.append(row('torn'))).rejects.toMatchObject({ code: 'unavailable' })
    const torn = await log.query(latest)
    expect(torn).toMatchObject({ totalCount: 1, bad: { count: 0 }, torn: { line: 2 } })
    tears = false
    await log.append(row('after'))
    expect(await log.query(latest)).toMatchObject({
      totalCount: 2,
      bad: { count: 1, first: [{ line: 2, why: expect.stringContaining('not readable as JSON') }] },
      torn: undefined,
    })
  })

  test('a writer that is killed at any call of another append loses only its own row', async () => {
    const whole = diskOf(bulk(150))
    await logOf(whole).query(counts)
    const queried = whole.calls
    await logOf(whole).append(row('whole'))
    for (let killedAt = 1; killedAt <= whole.calls - queried; killedAt++) {
      const disk = diskOf(bulk(150))
      await logOf(disk).query(counts)
      const dying = disk.sharedWith({
        chance: () => 0.5,
        fault: (_, what, at) => (what === 'write' && at === path ? 'torn crash' : undefined),
      })
      let calls = 0
      const turn = async () => {
        if (++calls === killedAt) {
          await expect(logOf(dying).append(row('torn'))).rejects.toThrow(SimCrash)
        }
      }
      await logOf(disk.sharedWith({ turn })).append(row('whole'))
      expect(await logOf(disk).get('whole'), `call ${killedAt}`).toBeDefined()
      const found = await logOf(disk).query(counts)
      expect(found).toEqual(plainly(text(disk), counts))
      expect(found).toMatchObject({ totalCount: 151 })
    }
  })

  test('counts a row whose line feed an earlier tool has not written yet', async () => {
    const disk = diskOf(line(1) + line(2).trimEnd())
    expect(await logOf(disk).query(latest)).toMatchObject({ totalCount: 2, torn: undefined })
    await logOf(disk).append(row('after'))
    expect(await logOf(disk).query(latest)).toMatchObject({ totalCount: 3, bad: { count: 0 } })
  })

  test('refuses a row that could not be read', async () => {
    const disk = diskOf('')
    const huge = row('huge', 0, { witnessRefs: ['x'.repeat(1024 * 1024)] })
    await expect(logOf(disk).append(huge)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(text(disk)).toBe('')
  })
})

describe('reading', () => {
  test('treats a missing file as empty', async () => {
    const log = logOf(new SimDisk())
    expect(await log.query(latest)).toEqual({
      rows: [],
      totalCount: 0,
      failedCount: 0,
      retryNeededCount: 0,
      bad: { count: 0, first: [] },
      torn: undefined,
    })
    expect(await log.get('x')).toBeUndefined()
  })

  test.each([
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d, 0x0a])],
    ['NUL bytes', new Uint8Array([0, 0, 0, 0x0a])],
    ['a byte-order mark', new TextEncoder().encode(`\ufeff${line(9)}`)],
    ['a line that is far too long', new TextEncoder().encode(`"${'x'.repeat(5 * 1024 * 1024)}"\n`)],
  ])('skips a bad line with %s, and reads the rest', async (_, bytes) => {
    const [before, after] = [new TextEncoder().encode(line(1)), new TextEncoder().encode(line(2))]
    const disk = new SimDisk({ files: { [path]: Buffer.concat([before, bytes, after]) } })
    expect(await logOf(disk).query(latest)).toMatchObject({
      totalCount: 2,
      bad: { count: 1, first: [{ line: 2 }] },
    })
  })

  test('lines may end as on Windows, and be blank', async () => {
    const disk = diskOf(`\n${line(1).replace('\n', '\r\n')}  \n\r\n${line(2)}{}\n \t`)
    expect(await logOf(disk).query(latest)).toMatchObject({
      totalCount: 2,
      bad: { count: 1, first: [{ line: 6 }] },
      torn: undefined,
    })
  })

  test('counts all bad lines and reports the first ones', async () => {
    const { bad } = await logOf(diskOf(`${'x\n'.repeat(700)}${bulk(5)}`)).query(latest)
    expect([bad.count, bad.first.length, bad.first[19]?.line]).toEqual([700, 20, 20])
  })

  test('treats an oversized piece without a line feed as a torn tail', async () => {
    const disk = diskOf(bulk(2) + 'x'.repeat(6 * 1024 * 1024))
    expect(await logOf(disk).query(latest)).toMatchObject({
      totalCount: 2,
      torn: { line: 3, bytes: 6 * 1024 * 1024 },
    })
  })
})

/** Everything that can happen to the file or to the cache between two questions. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: fc.nat(60) }) },
  { weight: 3, arbitrary: fc.record({ bulk: fc.integer({ min: 1, max: 80 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ text: fc.constantFrom('junk\n', '\n', '{}\n', '{"schema":1,"st') }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'edit in place' as const,
      'edit anew' as const,
      'cut' as const,
      'drop a line' as const,
      'put a line in' as const,
      'forget index' as const,
      'forget note' as const,
      'break index' as const,
    ),
  },
)

type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never

const question: fc.Arbitrary<StepQuestion> = fc.record({
  order: fc.constantFrom(undefined, 'by-step', 'by-line'),
  mode: fc.constantFrom(...trajectoryModes),
  limit: fc.constantFrom(0, 1, 5, 20, 1_000),
  clusters: fc.boolean(),
  issueId: fc.option(fc.constantFrom('bd-1', 'bd-10', 'bd-99'), { nil: undefined }),
  since: fc.option(
    fc
      .integer({ min: -5, max: 505 })
      .map(second => BigInt(Date.UTC(2026, 1, 22) + second * 1000) * 1_000_000n),
    { nil: undefined },
  ),
})

const swapped = (content: string) => content.replace('"completed"', '"timed-out"')
const withoutOne = (content: string) => content.replace(/^[^\n]*\n/, '')

async function happen(what: Happening, disk: SimDisk, number: number) {
  if (typeof what === 'object') {
    if ('append' in what) return await logOf(disk).append(row(`w.${number}`, what.append))
    const added = 'bulk' in what ? bulk(what.bulk, number) : what.text
    return await (await disk.openToAppend(path)).append(new TextEncoder().encode(added))
  }
  if (what === 'edit in place') return await edit(disk, swapped, true)
  if (what === 'edit anew') return await edit(disk, swapped, false)
  if (what === 'drop a line') return await edit(disk, withoutOne, true)
  if (what === 'put a line in') return await edit(disk, content => line(7) + content, true)
  if (what === 'forget index') return await disk.remove(indexPath)
  if (what === 'forget note') return await disk.remove(seenPath)
  if (what === 'break index') return await breakIndex(disk, number)
  const file = await disk.openToAppend(path)
  await file.cut(Math.floor((await file.stamp()).size * 0.7))
}

async function breakIndex(disk: SimDisk, number: number): Promise<void> {
  const index = disk.contents().get(indexPath)?.slice()
  if (!index) return
  const at = (number * 7919) % index.length
  index[at] = (index[at] ?? 0) ^ 1
  await disk.replaceLoosely(indexPath, index)
}

describe('with an index and without', () => {
  test('every query has the answer of a full scan [tusk.6.replay] [memory.6.clusters]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(happening, question), { minLength: 1, maxLength: 10 }),
        async day => {
          const disk = diskOf(bulk(120))
          await logOf(disk).query(counts)
          let number = 120
          for (const [what, asked] of day) {
            await happen(what, disk, number)
            number += 100
            // First, because a question that reads a block finds an edit by itself.
            expect(await logOf(disk).query(counts)).toEqual(plainly(text(disk), counts))
            const expected = plainly(text(disk), asked)
            expect(await logOf(disk).query(asked)).toEqual(expected)
            expect(await logOf(disk, false).query(asked)).toEqual(expected)
            const { gathered } = await logOf(disk).gather(asked, () => new Ids())
            const { mode } = asked
            const all = plainly(text(disk), { ...asked, limit: Number.POSITIVE_INFINITY })
            expect([mode, gathered.ids.length]).toEqual([mode, all.rows.length])
            for (const id of ['w.1.bd-1.1', `w.${number - 100}`, 'w.1.bd-1.no']) {
              const has = text(disk)
                .split('\n')
                .some(one => isRow(one, id))
              expect([id, (await logOf(disk).get(id))?.stepId === id]).toEqual([id, has])
            }
          }
        },
      ),
      { numRuns: isTorture ? 25 : 8 },
    )
  })

  test.each([
    ['put in ahead', (content: string) => line(7) + content],
    ['taken out', withoutOne],
    ['changed', swapped],
  ])('a line that is %s in place is detected', async (_, change) => {
    const disk = diskOf(bulk(200))
    await logOf(disk).query(counts)
    await edit(disk, change, true)
    expect(await logOf(disk).query(counts)).toEqual(plainly(text(disk), counts))
  })

  test('queries find the first steps of one instant by name, in any position', async () => {
    const names = (content: string) =>
      content
        .split('\n')
        .map((one, number) => one.replace(/"stepId":"[^"]*"/, `"stepId":"s${100 + number}"`))
        .join('\n')
    const disk = diskOf(names(atOnce(bulk(200))))
    for (const _ of ['makes the index', 'uses it']) {
      expect(await logOf(disk).query(latest)).toEqual(plainly(text(disk), latest))
    }
  })

  test('the next append detects an edit that an append hides', async () => {
    const disk = diskOf(bulk(200))
    await logOf(disk).query(counts)
    await logOf(disk).append(row('one'))
    await edit(disk, swapped, true)
    await logOf(disk).append(row('two'))
    expect(await logOf(disk).query(counts)).toEqual(plainly(text(disk), counts))
  })
})

test('after a crash at any call, the log is readable and can be appended to', async () => {
  const day = async (disk: SimDisk) => {
    await logOf(disk).query(latest)
    await logOf(disk).append(row('one'))
    await (await disk.openToAppend(path)).append(new TextEncoder().encode(bulk(40, 300)))
    await logOf(disk).query(counts)
    await logOf(disk).append(row('two'))
  }
  const whole = diskOf(bulk(150))
  await day(whole)
  for (let crashAt = 1; crashAt <= whole.calls; crashAt += callStep) {
    let drawn = crashAt
    const disk = diskOf(bulk(150), {
      fault: call => (call === crashAt ? 'torn crash' : undefined),
      chance: () => (drawn++ * 0.37) % 1,
    })
    await expect(day(disk)).rejects.toThrow(SimCrash)
    const found = disk.afterCrash()
    expect(await logOf(found).query(latest)).toEqual(plainly(text(found), latest))
    await logOf(found).append(row('after'))
    expect(await logOf(found).get('after')).toBeDefined()
    expect(await logOf(found).query(counts)).toEqual(plainly(text(found), counts))
  }
})

class Ids {
  readonly ids: string[] = []
  take({ stepId }: StepRow) {
    this.ids.push(stepId)
  }
}

function isRow(one: string, id: string): boolean {
  const read = readStepLine(one, 1)
  return !(read instanceof BadStepRow) && read.stepId === id
}

describe('lines that are no steps', () => {
  const aside = `${path}.torn-1`

  test('[memory.7.injected] are kept in another file, and no other line moves', async () => {
    const long = `{"schema":1,"stepId":"${'x'.repeat(5 * stepLineBytesMax)}`
    const given = `${line(1)}{"schema":1,"st\n${bulk(200, 2)}\n{}\n${long}\n${line(900)}{"unfinished`
    const disk = diskOf(given)
    expect((await logOf(disk).query(latest)).bad.count).toBe(3)
    expect(await logOf(disk).setBadLinesAside(aside)).toBe(3)
    expect(text(disk, aside)).toBe(`{"schema":1,"st\n{}\n${long}\n`)
    const { bad, torn, totalCount } = await logOf(disk).query(latest)
    expect({ bad, totalCount }).toEqual({ bad: { count: 0, first: [] }, totalCount: 202 })
    expect(torn).toBeDefined()
    expect(text(disk).length).toBe(given.length)
    expect(text(disk).indexOf(line(900))).toBe(given.indexOf(line(900)))
    expect(await logOf(disk).setBadLinesAside(aside)).toBe(0)
  })

  test('leave room for the next row; a log that is not there has none', async () => {
    const disk = diskOf(`${line(1)}{"schema":1,"st\n${line(2)}`)
    expect(await logOf(new SimDisk({ files: {} })).setBadLinesAside(aside)).toBe(0)
    await logOf(disk).setBadLinesAside(aside)
    await logOf(disk).append(row('next'))
    expect((await logOf(disk).query(latest)).totalCount).toBe(3)
  })
})

describe('the index', () => {
  function watched(content: string) {
    const seen: string[] = []
    const disk = diskOf(content, {
      fault: (_, what, at) => {
        seen.push(`${what} ${at}`)
        return undefined
      },
    })
    return { disk, seen }
  }
  const reads = (seen: readonly string[]) => seen.filter(call => call === `read ${path}`).length

  test('is made by the first query, and saves the others most of the file', async () => {
    const { disk, seen } = watched(bulk(1_000))
    await logOf(disk).query(latest)
    expect(seen).toContain(`rename onto ${indexPath}`)
    expect(text(disk, `${folder}/.gitignore`)).toBe('*\n')
    const blocks = reads(seen)
    seen.length = 0
    const answer = await logOf(disk).query({ mode: 'latest', limit: 1 })
    expect(answer.totalCount).toBe(1_000)
    expect(reads(seen)).toBeLessThanOrEqual(4)
    expect(reads(seen)).toBeLessThan(blocks)
    expect(seen.filter(call => call.startsWith('rename'))).toEqual([])
  })

  test('groups failures by class without reading their blocks [memory.6.clusters]', async () => {
    const { disk, seen } = watched(bulk(1_000))
    const grouped = { ...counts, clusters: true }
    const cold = await logOf(disk).query(grouped)
    expect(cold).toEqual(plainly(text(disk), grouped))
    seen.length = 0
    expect(await logOf(disk).query(grouped)).toEqual(cold)
    // The newest step of each of four classes, the end of the index, and the lines after it.
    expect(reads(seen)).toBeLessThanOrEqual(6)
  })

  test('keeps the failures of the blocks that it has when more are added [memory.6.clusters]', async () => {
    const disk = diskOf(atOnce(bulk(200)))
    await logOf(disk).query(latest)
    for (const number of [200, 400, 600]) {
      const added = new TextEncoder().encode(atOnce(bulk(200, number)))
      await (await disk.openToAppend(path)).append(added)
      const grouped = { ...counts, clusters: true }
      expect(await logOf(disk).query(grouped)).toEqual(plainly(text(disk), grouped))
    }
  })

  test('grows with the file, a block at a time', async () => {
    const { disk, seen } = watched(bulk(100))
    await logOf(disk).query(latest)
    const first = disk.contents().get(indexPath)
    seen.length = 0
    await logOf(disk).append(row('one more'))
    await logOf(disk).query(latest)
    expect(disk.contents().get(indexPath)).toBe(first)
    await (await disk.openToAppend(path)).append(new TextEncoder().encode(bulk(60, 100)))
    await logOf(disk).query(latest)
    expect(disk.contents().get(indexPath)?.length).toBeGreaterThan(first?.length ?? 0)
  })

  test('is not made for a small file', async () => {
    const disk = diskOf(bulk(10))
    await logOf(disk).query(latest)
    expect(disk.contents().has(indexPath)).toBe(false)
  })

  test('that cannot be written is skipped', async () => {
    const disk = diskOf(bulk(200), {
      fault: (_, __, at) => (at.startsWith(folder) ? 'ENOSPC' : undefined),
    })
    expect((await logOf(disk).query(latest)).totalCount).toBe(200)
    await logOf(disk).append(row('x'))
    expect(await logOf(disk).get('x')).toBeDefined()
  })

  test('a file that changes at every read is a conflict, not a wrong answer', async () => {
    const disk: SimDisk = diskOf(bulk(200), {
      fault: (_, what, at) => {
        if (what === 'read' && at === path) swapLetters(disk.contents().get(path))
        return undefined
      },
    })
    await expect(logOf(disk).query({ ...latest, issueId: 'bd-1' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })
})

/** x for y and back, which leaves every row a row. */
function swapLetters(bytes: Uint8Array | undefined): void {
  bytes?.forEach((byte, at) => {
    if (byte === 0x78 || byte === 0x79) bytes[at] = byte ^ 1
  })
}
