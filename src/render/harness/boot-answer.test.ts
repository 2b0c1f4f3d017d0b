import { expect, test } from 'vitest'
import { recoveredLine } from './boot-answer.ts'

test.each([
  ['lease_fence_stale', 'lost its lease'],
  ['close_proof_missing', 'its proof is missing or stale'],
  ['failed_issue_missing', 'its change is refused now'],
])('a step without a result names the problem: %s', (resultClass, words) => {
  const line = recoveredLine({ how: 'lost', stepId: 'w.bd-1.1.1', issueId: 'bd-1', resultClass })
  expect(line).toContain(words)
  expect(line).toContain(resultClass)
})
