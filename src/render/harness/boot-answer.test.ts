import { expect, test } from 'vitest'
import { recoveredLine } from './boot-answer.ts'

test.each([
  ['lease_fence_stale', 'its lease was gone by then'],
  ['close_proof_missing', 'what showed that its work was done is gone or was changed'],
  ['failed_issue_missing', 'what it came to is refused by now'],
])('a step that nothing came of says what is the matter: %s', (resultClass, words) => {
  const line = recoveredLine({ how: 'lost', stepId: 'w.bd-1.1.1', issueId: 'bd-1', resultClass })
  expect(line).toContain(words)
  expect(line).toContain(resultClass)
})
