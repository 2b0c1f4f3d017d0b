import { expect, test } from 'vitest'
import { issueFiles } from './issue-files.ts'

test('the files of a memory lie beside its rows', () => {
  expect(issueFiles('/p/.premath/issues.jsonl')).toEqual({
    rows: '/p/.premath/issues.jsonl',
    lock: '/p/.premath/issues.jsonl.lock',
    events: '/p/.premath/memory/events.jsonl',
    folder: '/p/.premath',
    uses: '/p/.premath/memory/uses',
    proofs: '/p/.premath/proofs',
  })
})

test('two memories in one folder have an event log each', () => {
  expect(issueFiles('/p/other.jsonl').events).toBe('/p/memory/other.events.jsonl')
  expect(issueFiles('/p/other').events).toBe('/p/memory/other.events.jsonl')
})

test('a memory at the root of the disk has a folder', () => {
  expect(issueFiles('/issues.jsonl')).toMatchObject({ folder: '/', proofs: '/proofs' })
})
