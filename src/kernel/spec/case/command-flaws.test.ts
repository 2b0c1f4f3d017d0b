import { expect, test } from 'vitest'
import { caseTypes } from '../../../runner/cases/index.ts'
import { readDocument } from '../document/read-document.ts'
import { caseProblems } from './check-case.ts'

const flaws = (entries: string) => {
  const text = `{id: A, type: cli.run, ${entries}}`
  const [one] = readDocument(text, 'a.spec.yaml').cases
  return one && caseProblems(one, caseTypes).map(({ place, message }) => [place.column, message])
}

const nul = 'contains a NUL character, which cannot be passed to a program'

test.each([
  ['argv: ["a", "b\\0"], harness: {entrypoint: a}', 36, `argv[1] ${nul}`],
  ['argv: "b\\0", harness: {entrypoint: a}', 30, `argv ${nul}`],
  ['harness: {entrypoint: "a\\0"}', 46, `harness.entrypoint ${nul}`],
  ['harness: {entrypoint: ["a", "\\0"]}', 52, `harness.entrypoint[1] ${nul}`],
  ['harness: {entrypoint: a, hook_after: "\\0b"}', 61, `harness.hook_after ${nul}`],
  ['harness: {entrypoint: a, env: {A: "\\0"}}', 58, `harness.env.A ${nul}`],
  [
    'harness: {entrypoint: a, env: {A=B: x}}',
    55,
    'harness.env has an invalid variable name: "A=B"',
  ],
])('%s is refused before anything runs', (entries, column, message) => {
  expect(flaws(entries)).toEqual([[column, message]])
})

test('the stdin of a program may hold any character', () => {
  expect(flaws('harness: {entrypoint: a, stdin_text: "\\0"}')).toEqual([])
})
