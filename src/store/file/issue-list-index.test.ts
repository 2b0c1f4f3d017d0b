import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTorture } from '../../../test/sim/seeded.ts'
import { type Issue, printIssue, readIssue } from '../../kernel/issues/issue.ts'
import { type IssueTraits, traitFilter } from '../../kernel/issues/issue-list.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { shownIssue } from '../../render/issues/issue-page.ts'
import { readRows, rowsStart } from '../issue-rows.ts'
import { IssueIndex } from './issue-index.ts'
import { IndexDraft } from './issue-index-draft.ts'

const ids = ['bd-1', 'bd-01', 'bd-2', 'bd-10', 'bd-2.1', 'API-3', 'api-12', 'x', 'ä-1']
const statuses = ['open', 'in_progress', 'closed', 'someday']

const rows = fc.array(
  fc
    .record({
      id: fc.constantFrom(...ids),
      title: fc.string({ maxLength: 8, unit: 'binary' }),
      status: fc.constantFrom(...statuses),
      assignee: fc.constantFrom('', 'ada', 'Ada'),
      priority: fc.nat({ max: 2 }),
      labels: fc.subarray(['api', 'ui', 'a,b']),
      gaveWay: fc.boolean(),
      targets: fc.subarray([...ids, 'gone'], { maxLength: 3 }),
    })
    .map(({ targets, gaveWay, ...row }) =>
      issueOf({
        ...row,
        dependencies: targets.map(to => edge(row.id, to)),
        ...(gaveWay && { metadata: { premathMergeConflicts: [{ field: 'title', value: '' }] } }),
      }),
    ),
  { minLength: 1, maxLength: 24 },
)

const filters = fc.record({
  status: fc.option(fc.constantFrom(...statuses, 'OPEN'), { nil: undefined }),
  assignee: fc.option(fc.constantFrom('', 'ada'), { nil: undefined }),
  priority: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
  label: fc.subarray(['api', 'a,b']),
})

const edge = (from: string, to: string) => ({ issue_id: from, depends_on_id: to, type: 'blocks' })

const issueOf = (row: Parameters<typeof readIssue>[0]) => readIssue(row) as Issue

/** A file of rows, its index, and the rows that were read from the file by that index. */
function indexed(issues: readonly Issue[], damage = (bytes: Uint8Array) => bytes) {
  const file = new TextEncoder().encode(issues.map(issue => `${printIssue(issue)}\n`).join(''))
  const draft = new IndexDraft()
  const end = readRows(file, rowsStart, 'issues.jsonl', row => draft.take(row))
  const read: string[] = []
  const index = IssueIndex.open(damage(draft.print(end)), (at, length) => {
    read.push(`${length} bytes at ${at}`)
    return file.subarray(at, at + length)
  })
  if (!index) throw new Error('the index does not open')
  return { memory: new IssueMemory(index), read }
}

function memoryOf(issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const issue of issues) memory.put(issue)
  return memory
}

const answers = (memory: IssueMemory, ...asked: Parameters<IssueMemory['matching']>) => ({
  shown: ids.map(id => {
    const issue = memory.get(id)
    return issue && shownIssue(issue, memory, { now: 0n, failed: undefined })
  }),
  list: memory.matching(...asked),
})

test('[memory.6.questions] lists and pages from an index are those of all rows, also with later rows', () => {
  fc.assert(
    fc.property(rows, rows, filters, fc.nat({ max: 12 }), (covered, later, filter, limit) => {
      const { memory } = indexed(covered)
      for (const issue of later) memory.put(issue)
      const plain = memoryOf([...covered, ...later])
      const gaveWay = (traits: IssueTraits) => traits.gaveWay
      for (const isWanted of [traitFilter(filter), gaveWay]) {
        expect(answers(memory, isWanted, limit)).toEqual(answers(plain, isWanted, limit))
      }
    }),
    { numRuns: isTorture ? 5_000 : 40 },
  )
})

const many = Array.from({ length: 100 }, (_, at) =>
  issueOf({
    id: `bd-${at + 1}`,
    title: 'one of many',
    status: at % 10 === 0 ? 'open' : 'closed',
    ...(at === 40 && { dependencies: [edge('bd-41', 'bd-7'), edge('bd-41', 'bd-9')] }),
  }),
)

test('[memory.6.questions] a list reads the rows that it prints', () => {
  const { memory, read } = indexed(many)
  const isOpen = traitFilter({
    status: 'open',
    assignee: undefined,
    priority: undefined,
    label: [],
  })
  const { first, total } = memory.matching(isOpen, 3)
  expect(first.map(({ id }) => id)).toEqual(['bd-1', 'bd-11', 'bd-21'])
  expect(total).toBe(10)
  expect(read).toHaveLength(3)
})

test('[memory.6.questions] a page of an issue reads its row and those around it', () => {
  const { memory, read } = indexed(many)
  const issue = memory.get('bd-7') as Issue
  const { dependents } = shownIssue(issue, memory, { now: 0n, failed: undefined })
  expect(dependents).toMatchObject([{ issueId: 'bd-41' }])
  // No read of many rows at once is among them.
  expect(new Set(read).size).toBe(2)
  expect(read.join()).not.toMatch(/\d{5} bytes/)
})

test('a list whose part of the index is damaged comes from all rows', () => {
  const { memory } = indexed(many, bytes => bytes.with(bytes.length - 1, 7))
  expect(memory.matching(() => true, 2)).toEqual(memoryOf(many).matching(() => true, 2))
})
