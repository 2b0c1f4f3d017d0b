import { expect, test } from 'vitest'
import { type Issue, readIssue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { IssueIndex } from './issue-index.ts'
import { IndexDraft } from './issue-index-draft.ts'

const issueOf = (id: string, targets: readonly string[], status = 'open') => {
  const edges = targets.map(to => ({ issue_id: id, depends_on_id: to, type: 'related' }))
  return readIssue({ id, title: id, status, dependencies: edges }) as Issue
}

function indexOf(...issues: readonly Issue[]) {
  const draft = new IndexDraft()
  for (const issue of issues) draft.take({ issue, at: 0, bytes: 1, line: 1 })
  const printed = draft.print({ bytes: 1, lines: issues.length, unfinished: false })
  const readRow = () => {
    throw new Error('a row was looked up')
  }
  const index = IssueIndex.open(printed, readRow)
  if (!index) throw new Error('the index does not open')
  return index
}

test('the index knows without rows if edges may lead to an issue, for every type and status', () => {
  const index = indexOf(issueOf('a', ['b']), issueOf('b', ['c'], 'closed'), issueOf('c', []))
  expect(index.mayLead('a', 'c', [])).toBe(true)
  expect(index.mayLead('c', 'a', [])).toBe(false)
  expect(index.mayLead('b', 'a', [])).toBe(false)
})

test('edges of later rows count', () => {
  const index = indexOf(issueOf('a', ['b']), issueOf('b', []), issueOf('c', []))
  const later = [issueOf('b', ['d']), issueOf('d', ['c'])]
  expect(index.mayLead('a', 'c', [])).toBe(false)
  expect(index.mayLead('a', 'c', later)).toBe(true)
})

test('a new id has the prefix of the indexed rows and of the later ones', () => {
  const memory = (...ids: readonly string[]) =>
    new IssueMemory(indexOf(...ids.map(id => issueOf(id, [], 'closed'))))
  expect(memory('api-1', 'api-x').idPrefix).toBe('api')
  expect(memory('api-1', 'web-1').idPrefix).toBe('bd')
  const later = memory('api-1', 'api-x')
  expect(indexOf(issueOf('api-1', []), issueOf('api-2', [])).countedFrom('api')).toBe(3)
  later.put(issueOf('web-1', []))
  expect(later.idPrefix).toBe('bd')
})
