import { expect, test } from 'vitest'
import { BadRow, type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isLogBehind } from './log-behind.ts'

function row(id: string, title: string, second: number): Issue {
  const issue = readIssue({ id, title, updated_at: `2026-02-22T00:00:0${second}Z` })
  if (issue instanceof BadRow) throw new Error(issue.why)
  return issue
}

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const issue of issues) memory.put(issue)
  return memory
}

test.each([
  ['has nothing yet', [], true],
  ['lacks an issue', [row('bd-1', 'New', 2)], true],
  ['has an older row', [row('bd-1', 'Old', 1), row('bd-2', 'T', 1)], true],
  ['has another row of the same time', [row('bd-1', 'Other', 2), row('bd-2', 'T', 1)], false],
  ['has a newer row', [row('bd-1', 'Newer', 3), row('bd-2', 'T', 1)], false],
  ['has an issue that the rows lost', [row('bd-3', 'Lost', 1)], false],
])('a log that %s: behind is %s', (_, logged, behind) => {
  const rows = memoryOf(row('bd-1', 'New', 2), row('bd-2', 'T', 1))
  expect(isLogBehind(memoryOf(...logged), rows)).toBe(behind)
})
