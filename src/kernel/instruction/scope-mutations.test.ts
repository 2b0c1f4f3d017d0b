import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { mutationsAllowed, scopeMutations } from './scope-mutations.ts'

const listed = [{ action: 'issue_update', issueId: 'bd-1' }, { action: 'issue_add' }]

test('entries are identified by their position, so that each can be used once', () => {
  expect(scopeMutations({ mutations: listed })).toEqual([
    { entry: 0, action: 'issue_update', issueId: 'bd-1' },
    { entry: 1, action: 'issue_add' },
  ])
})

test.each<[string, Json]>([
  ['text', 'the whole repository'],
  ['a list', [1]],
  ['an object without mutations', { kind: 'repo' }],
])('a scope that is %s allows no change', (_, scope) => {
  expect(scopeMutations(scope)).toEqual([])
})

test('entries for claims and comments may be standing', () => {
  const mutations = [
    { action: 'issue_comment', standing: true },
    { action: 'issue_claim', standing: false },
  ]
  expect(scopeMutations({ mutations })).toEqual([
    { entry: 0, action: 'issue_comment', standing: true },
    { entry: 1, action: 'issue_claim' },
  ])
})

test.each<[string, Json]>([
  [
    '[0] cannot be standing: issue_update is good once',
    [{ action: 'issue_update', standing: true }],
  ],
  ['[0].standing', [{ action: 'issue_claim', standing: 'yes' }]],
  ['is not a list', {}],
  ['is not a list', null],
  ['[0] is not an object', ['issue_update']],
  ['[0].action', [{}]],
  ['[0].action', [{ action: 'Issue Update' }]],
  ['[0] knows no "issue"', [{ action: 'issue_update', issue: 'bd-1' }]],
  ['[0].issueId', [{ action: 'issue_update', issueId: null }]],
  ['[0].issueId', [{ action: 'issue_update', issueId: ' bd-1' }]],
  ['more than 1000', Array.from({ length: 1001 }, () => ({ action: 'issue_add' }))],
])('scope.mutations %s: refused', (message, mutations) => {
  expect(scopeMutations({ mutations })).toMatchObject({
    failureClass: 'instruction_scope_invalid',
    message: expect.stringContaining(message),
  })
})

test('only an accepted witness allows the changes of its scope', () => {
  const scope = { mutations: listed }
  expect(mutationsAllowed({ verdictClass: 'accepted', scope })).toHaveLength(2)
  expect(mutationsAllowed({ verdictClass: 'rejected', scope })).toEqual([])
  expect(mutationsAllowed({ verdictClass: 'accepted', scope: { mutations: [{}] } })).toEqual([])
})
