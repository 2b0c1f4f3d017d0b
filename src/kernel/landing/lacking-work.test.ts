import { expect, test } from 'vitest'
import type { Issue } from '../issues/issue.ts'
import { readIssueLine } from '../issues/issue.ts'
import { IssueMemory } from '../issues/issue-memory.ts'
import { lostWords, lostWork, nextOfWaiting, waitingIssues, waitWords } from './lacking-work.ts'

const [here, there] = ['a'.repeat(40), 'b'.repeat(40)]
const close = { by: 'verification', tree: 'e'.repeat(40), target: 'topic' }

function memoryOf(...rows: readonly object[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) {
    memory.put(readIssueLine(JSON.stringify({ title: 'x', status: 'open', ...row })) as Issue)
  }
  return memory
}

const closed = (commit: string) => ({
  status: 'closed',
  metadata: { premathClose: { ...close, commit } },
})
const edge = (id: string, on: string, type = 'blocks') => ({
  id,
  dependencies: [{ issue_id: id, depends_on_id: on, type }],
})
const lack = (target = 'topic', isGone = false) => ({
  branch: 'main',
  work: [{ id: 'lib', commit: there, target, isGone }],
})

test('open issues wait for a blocker whose commit the target lacks', () => {
  const memory = memoryOf(
    { id: 'lib', ...closed(there) },
    edge('use', 'lib'),
    edge('part', 'lib', 'related'),
    { ...edge('done', 'lib'), status: 'closed' },
  )
  const waiting = waitingIssues(memory, lack())
  expect(waiting.map(one => waitWords(one, 'main'))).toEqual([
    'use waits for lib, which landed on topic, not on main',
  ])
  expect(waiting.map(one => nextOfWaiting(one, 'main'))).toEqual([
    'Merge topic into main: git merge topic. Or have its work done again: premath reopen lib.',
  ])
})

test.each([
  ['was opened again', { status: 'open' }],
  ['landed again', closed(here)],
  ['was closed again without landing', { status: 'closed' }],
])('nothing waits for a blocker that %s', (_, state) => {
  const memory = memoryOf({ id: 'lib', ...state }, edge('use', 'lib'))
  expect(waitingIssues(memory, lack())).toEqual([])
  expect(lostWork(memory, lack('main'))).toEqual([])
})

test('work is lost if its branch is gone or lacks it, and not if it is on another branch', () => {
  const memory = memoryOf({ id: 'lib', ...closed(there) }, edge('use', 'lib'))
  expect(lostWork(memory, lack())).toEqual([])
  for (const one of [lack('main'), lack('topic', true)]) {
    expect(lostWork(memory, one).map(({ id }) => id)).toEqual(['lib'])
    const [waiting] = waitingIssues(memory, one)
    expect(waiting && nextOfWaiting(waiting, 'main')).toContain(
      `git cherry-pick ${'b'.repeat(12)}.`,
    )
  }
  expect(lostWords(['lib'], 'main')).toBe('1 issue is closed, but main lacks its work: lib')
})
