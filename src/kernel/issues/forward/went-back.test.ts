import { expect, test } from 'vitest'
import { blankIssue } from '../issue.ts'
import { wentBackWords } from './went-back.ts'

const rows = (...ids: readonly string[]) => ids.map(id => blankIssue(id, id))

test.each([
  [['a'], ['a'], 'has an older version of 1 issue (a)'],
  [['a', 'b', 'c'], ['a', 'b', 'c'], 'has older versions of 3 issues (a, b, c)'],
  [['a', 'b'], [], 'lacks 2 issues (a, b)'],
  [['a', 'b', 'c', 'd'], [], 'lacks 4 issues'],
  [['a', 'b'], ['b'], 'lacks 1 issue (a) and has an older version of 1 issue (b)'],
])('newer rows of %j than a file with %j', (newer, there, words) => {
  expect(wentBackWords(rows(...newer), new Set(there), 'has')).toBe(words)
})

test('what it was, after the rows are written', () => {
  expect(wentBackWords(rows('a', 'b'), new Set(['b']), 'had')).toBe(
    'lacked 1 issue (a) and had an older version of 1 issue (b)',
  )
})
