import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../../test/a-landing.ts'
import { type Issue, readIssue } from '../../issues/issue.ts'
import { IssueMemory } from '../../issues/issue-memory.ts'
import { isRefusal } from '../../issues/issue-refusal.ts'
import { claimNext } from '../../issues/lease.ts'
import { allHeldBy } from '../next-target.ts'
import { OfferShare } from './offer-share.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n
const issue = (id: string, more: object = {}) => readIssue({ id, title: id, ...more }) as Issue
const leased = (id: string, owner: string, until: string) =>
  issue(id, {
    status: 'in_progress',
    assignee: owner,
    lease: {
      lease_id: 'l',
      owner,
      acquired_at: '2026-02-22T10:00:00Z',
      expires_at: `2026-02-22T${until}:00Z`,
    },
  })

function memoryOf(rows: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

const shared = (
  rows: readonly Issue[],
  workers: readonly string[],
  aside: readonly string[] = [],
) => {
  const share = new OfferShare(memoryOf(rows), noon, new Set(aside))
  return workers.map(worker => share.takeFor(worker))
}

describe('an offer', () => {
  test('counts for one worker', () => {
    expect(shared([issue('bd-1'), issue('bd-2')], ['a', 'b', 'c'])).toEqual([true, true, false])
  })

  test('for an issue that was set aside counts for nobody', () => {
    expect(shared([issue('bd-1'), issue('bd-2')], ['a', 'b'], ['bd-1'])).toEqual([true, false])
  })

  test('is for its assignee, and waits while others ask', () => {
    const rows = [issue('bd-1', { assignee: 'b' }), issue('bd-2')]
    expect(shared(rows, ['a', 'b'])).toEqual([true, true])
    expect(shared(rows, ['b', 'a'])).toEqual([true, true])
    expect(shared([issue('bd-1', { assignee: 'x' })], ['a', 'b'])).toEqual([false, false])
  })

  test('of abandoned work is for anybody', () => {
    expect(shared([leased('bd-1', 'gone', '11:00')], ['a', 'b'])).toEqual([true, false])
  })

  test('is needed by a worker whose issue is landing', () => {
    const landing = { metadata: { premathLanding: aLanding } }
    const held = { ...leased('bd-1', 'a', '13:00'), ...landing }
    expect(shared([held], ['a'])).toEqual([false])
    expect(shared([held, issue('bd-2')], ['a', 'b'])).toEqual([true, false])
  })

  test('is not needed by a worker that holds an issue, unless that was set aside', () => {
    const rows = [leased('bd-1', 'a', '13:00'), issue('bd-2')]
    expect(shared(rows, ['a', 'b', 'c'])).toEqual([true, true, false])
    expect(shared(rows, ['a', 'b'], ['bd-1'])).toEqual([true, false])
  })

  test('of a blocked issue does not count', () => {
    const waits = { dependencies: [{ issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }] }
    expect(shared([issue('bd-1'), issue('bd-2', waits)], ['a', 'b'])).toEqual([true, false])
  })
})

const workers = ['a', 'b', 'c', 'd']

const anIssue = (at: number) =>
  fc
    .record({
      state: fc.constantFrom('open', 'closed', 'blocked', 'held', 'left', 'open', 'open'),
      who: fc.constantFrom(...workers, 'x'),
      named: fc.constantFrom('', '', '', ...workers, 'x'),
      priority: fc.integer({ min: 0, max: 2 }),
      waitsFor: fc.option(fc.nat({ max: Math.max(0, at - 1) }), { freq: 2, nil: undefined }),
    })
    .map(({ state, who, named, priority, waitsFor }) => {
      const id = `bd-${at}`
      const dependencies =
        waitsFor === undefined || at === 0
          ? []
          : [{ issue_id: id, depends_on_id: `bd-${waitsFor}`, type: 'blocks' }]
      if (state === 'held') return { ...leased(id, who, '13:00'), priority }
      if (state === 'left') return { ...leased(id, who, '11:00'), priority }
      return issue(id, { status: state, assignee: named, priority, dependencies })
    })

const rowsOf = fc
  .nat({ max: 9 })
  .chain(count => fc.tuple(...Array.from({ length: count }, (_, at) => anIssue(at))))

const order = fc.shuffledSubarray(workers)
const aside = fc.subarray(
  Array.from({ length: 9 }, (_, at) => `bd-${at}`),
  { maxLength: 3 },
)

/** True if the worker holds an issue or can claim one. */
function gets(memory: IssueMemory, worker: string, setAside: ReadonlySet<string>): boolean {
  if (allHeldBy(memory, worker, noon).some(({ id }) => !setAside.has(id))) return true
  const claimed = claimNext(memory, { assignee: worker, except: setAside }, noon)
  if (isRefusal(claimed) || !claimed.issue) return false
  for (const row of claimed.rows) memory.put(row)
  return true
}

describe('promised work', () => {
  test('can be claimed by those it was promised to, in the order they were asked', () => {
    fc.assert(
      fc.property(rowsOf, order, aside, (rows, asked, names) => {
        const setAside = new Set(names)
        const share = new OfferShare(memoryOf(rows), noon, setAside)
        const promised = asked.filter(worker => share.takeFor(worker))
        const memory = memoryOf(rows)
        expect(promised.filter(worker => gets(memory, worker, setAside))).toEqual(promised)
      }),
      { numRuns: 1000 },
    )
  })

  test('covers all claimable issues, so that no worker is dismissed too early', () => {
    fc.assert(
      fc.property(rowsOf, order, aside, (rows, asked, names) => {
        const setAside = new Set(names)
        const share = new OfferShare(memoryOf(rows), noon, setAside)
        const promised = new Set(asked.filter(worker => share.takeFor(worker)))
        const memory = memoryOf(rows)
        for (const worker of asked) if (promised.has(worker)) gets(memory, worker, setAside)
        const left = asked.filter(worker => !promised.has(worker))
        expect(left.filter(worker => gets(memory, worker, setAside))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})
