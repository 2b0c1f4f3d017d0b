import { expect, test } from 'vitest'
import { defaultBudget, depthCeiling, readBudget, sizeCeiling } from './budget.ts'

test('absent limits have their defaults', () => {
  expect(readBudget(new Map())).toEqual(defaultBudget)
  expect(readBudget(new Map([['max_steps', 5]]))).toEqual({ ...defaultBudget, maxSteps: 5 })
  expect(readBudget(new Map([['timeout_ms', 0]]))).toEqual({ ...defaultBudget, timeoutMs: 0 })
})

test.each([
  ['max_steps', 0],
  ['max_nodes', 1.5],
  ['max_literal_bytes', '5'],
  ['timeout_ms', -1],
  ['max_depth', true],
  ['max_size', null],
  ['max_size', sizeCeiling + 1],
  ['max_depth', depthCeiling + 1],
])('%s: %j is a schema error', (key, value) => {
  expect(readBudget(new Map([[key, value]]))).toMatchObject([
    { category: 'schema', path: `harness.spec_lang.${key}` },
  ])
})

test('limits may reach their ceiling', () => {
  const limits = new Map([
    ['max_size', sizeCeiling],
    ['max_depth', depthCeiling],
  ])
  const highest = { maxSize: sizeCeiling, maxDepth: depthCeiling }
  expect(readBudget(limits)).toEqual({ ...defaultBudget, ...highest })
})
