import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const commands = ['conformance run', 'harness-join-check', 'help', 'schema', 'version']

test.each([
  ['scema', 'schema'],
  ['shcema', 'schema'],
  ['harness-join-chekc', 'harness-join-check'],
  ['conformance rum', 'conformance run'],
  ['harness', 'harness-join-check'],
])('%s is close to %s', (typed, meant) => {
  expect(nearest(typed, commands)).toBe(meant)
})

test.each(['frobnicate', '', 'x', 'h'.repeat(10_000)])('%.12s is close to nothing', typed => {
  expect(nearest(typed, commands)).toBeUndefined()
})
