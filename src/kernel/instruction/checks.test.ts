import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { readChecks } from './checks.ts'

const least = { schema: 1, checksKind: 'premath.checks.v1' }

test('a command stays as it is written, because its digest is recorded', () => {
  const checks = { unit: ' npm test ', lint: 'biome' }
  expect(readChecks({ ...least, checks })).toEqual(new Map(Object.entries(checks)))
})

test.each<[string, Json]>([
  ['it must be an object', null],
  ['schema is 2, written by a newer premath; this one reads 1', { ...least, schema: 2, check: {} }],
  ['it knows no "check"; did you mean checks?', { ...least, check: {} }],
  ['checks must be an object', { ...least, checks: [] }],
  ['checks["unit"] must not be blank', { ...least, checks: { lint: 'biome', unit: ' ' } }],
  ['checks["unit"] must be text', { ...least, checks: { unit: 1 } }],
])('%s', (flaw, document) => {
  expect(readChecks(document)).toBe(flaw)
})
