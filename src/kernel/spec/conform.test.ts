import { expect, test } from 'vitest'
import type { ExpectedOutcome } from './case/expect.ts'
import { type ActualOutcome, disagreements } from './conform.ts'

const failing = { status: 'fail', category: 'schema', message: 'the url is required' } as const
const expecting = (...messageTokens: readonly string[]) =>
  ({ status: 'fail', category: 'schema', messageTokens }) as const

test.each<[ExpectedOutcome | undefined, ActualOutcome, readonly string[]]>([
  [expecting('url', 'required'), failing, []],
  [expecting('gone'), failing, ['the message lacks "gone"']],
  [expecting('x'), { ...failing, message: null }, ['the message lacks "x"']],
  [
    expecting(),
    { status: 'pass', category: null, message: null },
    ['status is pass, expected fail', 'category is null, expected schema'],
  ],
  [undefined, failing, ['the case has no expect']],
])('%j of %j', (expected, actual, words) => {
  expect(disagreements(expected, actual)).toEqual(words)
})
