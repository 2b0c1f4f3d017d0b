import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { namesakes, stepFolderName, stepIdOf } from './step-id.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a step is named by worker, issue, fence and attempt', () => {
  expect(stepIdOf('worker.1', 'bd-7', 3, 1)).toBe('worker.1.bd-7.3.1')
})

test('steps of other names can have the same ids only where a name has a dot', () => {
  expect(namesakes({ workerId: 'w', issueId: 'bd-7' })).toEqual([
    { workerId: 'w', issueId: 'bd-7' },
  ])
  expect(namesakes({ workerId: 'w.x', issueId: 'bd-7.1' })).toEqual([
    { workerId: 'w', issueId: 'x.bd-7.1' },
    { workerId: 'w.x', issueId: 'bd-7.1' },
    { workerId: 'w.x.bd-7', issueId: '1' },
  ])
})

test.each([
  ['worker.1.bd-7.3.1', 'worker.1.bd-7.3.1'],
  ['w.../../etc.1.1', 'w...%2f..%2fetc.1.1'],
  ['../x', '%2e%2e%2fx'],
  ['w.é.1.1', 'w.%e9.1.1'],
  ['a%2fb', 'a%252fb'],
])('%s has the folder %s', (stepId, folder) => {
  expect(stepFolderName(stepId, sha256)).toBe(folder)
})

test('[memory.5.case] ids that differ only in case have folders that differ in more', () => {
  const folders = ['w.bd-1.1.1', 'w.BD-1.1.1', 'W.bd-1.1.1'].map(id => stepFolderName(id, sha256))
  expect(folders[0]).toBe('w.bd-1.1.1')
  expect(new Set(folders.map(folder => folder.toLowerCase())).size).toBe(3)
})

test('two long names that begin alike have two folders', () => {
  const [one, other] = ['1', '2'].map(attempt =>
    stepFolderName(`${'x'.repeat(300)}.${attempt}`, sha256),
  )
  expect(one).not.toBe(other)
  expect(one?.length).toBeLessThan(200)
})
