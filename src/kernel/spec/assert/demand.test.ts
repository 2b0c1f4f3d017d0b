import { expect, test } from 'vitest'
import { defaultBudget } from '../lang/budget.ts'
import { type Demand, unmetDemand } from './demand.ts'

const setting = {
  caseId: 'X',
  budget: defaultBudget,
  startTimer: () => () => 0,
  regex: { test: () => false },
}
const unmet = (demand: Demand, budget = defaultBudget) =>
  unmetDemand(demand, { ...setting, budget })

test('a met demand is no failure', () => {
  expect(unmet({ name: 'exit_code', expected: 0, actual: 0 })).toBeUndefined()
})

test('an unmet demand reports the expected and the actual value', () => {
  expect(unmet({ name: 'exit_code', expected: 0, actual: 2 })).toMatchObject({
    category: 'assertion',
    message: '[case_id=X] exit_code expected=0 actual=2',
    path: 'exit_code',
  })
})

test('an unmet demand quotes the output of the command, if there is any', () => {
  const streams = { stdout: '\n', stderr: 'no such flag' }
  expect(unmet({ name: 'exit_code', expected: 0, actual: 2, streams })).toMatchObject({
    message: '[case_id=X] exit_code expected=0 actual=2\n  stderr: "no such flag"',
    output: streams,
  })
})

test('the lines of an output are shown as they are, and reports keep its end', () => {
  const long = 'x'.repeat(9_000)
  const streams = { stdout: `a "b"\n\tc\n`, stderr: long }
  const failure = unmet({ name: 'exit_code', expected: 0, actual: 2, streams })
  expect(failure?.message).toContain('\n  stdout:\n    | a "b"\n    | \tc\n  stderr: "xxx')
  expect(failure?.output).toEqual({ ...streams, stderr: long.slice(-8_192) })
})

test('[spec.4.evaluator] the evaluator decides: without a budget a demand has no verdict', () => {
  const none = { ...defaultBudget, maxSteps: 1 }
  expect(unmet({ name: 'exit_code', expected: 0, actual: 0 }, none)).toMatchObject({
    category: 'runtime',
    message: '[case_id=X] spec_lang budget exceeded: steps',
  })
})
