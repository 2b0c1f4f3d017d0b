import { expect, test } from 'vitest'
import { readTreeEdits } from './tree-edits.ts'

const blob = '0'.repeat(40)
const line = (before: string, after: string, status: string) =>
  `:${before} ${after} ${blob} ${blob} ${status}`

test('reads each path with what happened to it', () => {
  const fields = [
    line('000000', '100644', 'A'),
    'new',
    line('100644', '100755', 'M'),
    'changed',
    line('100644', '000000', 'D'),
    'gone',
    line('100644', '120000', 'T'),
    'now a link',
    line('000000', '160000', 'A'),
    'a submodule',
    '',
  ]
  expect(readTreeEdits(fields)).toEqual([
    { path: 'new', kind: 'added', isFile: true },
    { path: 'changed', kind: 'changed', isFile: true },
    { path: 'gone', kind: 'removed', isFile: true },
    { path: 'now a link', kind: 'changed', isFile: false },
    { path: 'a submodule', kind: 'added', isFile: false },
  ])
})
