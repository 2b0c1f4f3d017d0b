import { expect, test } from 'vitest'
import { type IssueSources, resolveIssueContext } from './issue-context.ts'

const active = { PREMATH_ACTIVE_ISSUE_ID: 'bd-1' }
const issue = { PREMATH_ISSUE_ID: 'bd-2' }
const session = { path: '.premath/harness_session.json', issueId: 'bd-3' }
const ready = (...ids: string[]) => ({ path: '.premath/issues.jsonl', ids })
const resolve = (sources: Partial<IssueSources>) =>
  resolveIssueContext({ env: {}, ready: ready('bd-4'), ...sources })

test('[runtime.1.1.issue-context-order] environment before session before the only ready issue', () => {
  expect(resolve({ env: active, session })).toEqual({
    issueId: 'bd-1',
    source: 'env:PREMATH_ACTIVE_ISSUE_ID',
  })
  expect(resolve({ env: issue, session })).toEqual({
    issueId: 'bd-2',
    source: 'env:PREMATH_ISSUE_ID',
  })
  expect(resolve({ session })).toEqual({
    issueId: 'bd-3',
    source: 'session:.premath/harness_session.json',
  })
  expect(resolve({})).toEqual({ issueId: 'bd-4', source: 'ready:.premath/issues.jsonl' })
})

test('a blank name counts as absent', () => {
  const env = { PREMATH_ACTIVE_ISSUE_ID: ' ', PREMATH_ISSUE_ID: '' }
  expect(resolve({ env, session: { path: 's', issueId: ' ' } })).toMatchObject({ issueId: 'bd-4' })
  expect(resolve({ env, session: { path: 's', issueId: undefined } })).toMatchObject({
    issueId: 'bd-4',
  })
  expect(resolve({ env: { PREMATH_ACTIVE_ISSUE_ID: '', ...issue } })).toMatchObject({
    issueId: 'bd-2',
  })
})

test('equal names are one name; different names are none', () => {
  expect(resolve({ env: { ...active, PREMATH_ISSUE_ID: ' bd-1 ' } })).toMatchObject({
    issueId: 'bd-1',
  })
  expect(resolve({ env: { ...active, ...issue }, session })).toMatchObject({
    failureClass: 'escalation_issue_context_ambiguous',
    diagnostic: expect.stringContaining('bd-2'),
  })
})

test('[tusk.9.issue-context] more than one ready issue is ambiguous, and none is unbound', () => {
  expect(resolve({ ready: ready('bd-4', 'bd-5') })).toMatchObject({
    failureClass: 'escalation_issue_context_ambiguous',
  })
  expect(resolve({ ready: ready() })).toMatchObject({
    failureClass: 'escalation_issue_context_unbound',
  })
})
