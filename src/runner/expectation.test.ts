import { expect, test } from 'vitest'
import { aSpecRun, block } from '../../test/a-spec-run.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { CaseOutcome } from './case-outcome.ts'
import { judgedByExpect } from './expectation.ts'

const asserting = (text: string, ...lines: readonly string[]) =>
  block(
    'id: A',
    'type: text.file',
    `assert: [{target: text, must: [{contain: ["${text}"]}]}]`,
    ...lines,
  )

const judge = (raw: RawCase, outcome: CaseOutcome) => judgedByExpect(raw, outcome, 'ts')

async function judged(document: string, setup: Parameters<typeof aSpecRun>[1] = {}) {
  const { outcomes } = await aSpecRun({ 'a.spec.md': document }, { judge, ...setup })
  return outcomes.at(-1)?.outcome
}

const absent = 'ab\\u0073ent'

test('a failure that the case expects is a pass', async () => {
  const lines = 'expect: {status: fail, category: assertion, message_tokens: [to contain]}'
  expect(await judged(asserting(absent, lines))).toMatchObject({
    status: 'pass',
    expectedFailure: { category: 'assertion' },
  })
  expect(await judged(asserting(absent, lines))).not.toHaveProperty('failure')
})

test('a pass against the expectation is a failure, at expect', async () => {
  const outcome = await judged(asserting('id: A', 'expect: {status: fail, category: schema}'))
  expect(outcome).toMatchObject({
    status: 'fail',
    failure: {
      category: 'assertion',
      path: 'expect',
      message:
        '[case_id=A] passed against its expect: status is pass, expected fail; category is null, expected schema',
    },
  })
})

test.each([
  ['category', '{status: fail, category: runtime}', 'category is assertion, expected runtime'],
  [
    'message',
    '{status: fail, category: assertion, message_tokens: ["oth\\u0065r"]}',
    'the message lacks "other"',
  ],
])('another %s than expected stays a failure and says so', async (_, expected, difference) => {
  expect(await judged(asserting(absent, `expect: ${expected}`))).toMatchObject({
    status: 'fail',
    failure: {
      category: 'assertion',
      message: expect.stringContaining(`\n  not as its expect says: ${difference}`),
      disagreements: [difference],
    },
  })
})

test.each([
  ['{portable: {status: pass}, impl: {ts: {status: fail, category: assertion}}}', 'pass'],
  ['{portable: {status: fail, category: assertion}, impl: {ts: {status: pass}}}', 'fail'],
  [
    '{portable: {status: pass}, overrides: [{runner: ts, status: fail, category: assertion}]}',
    'pass',
  ],
  ['{portable: {status: pass}, impl: {php: {status: fail, category: assertion}}}', 'fail'],
])('%s of a failing case is a %s', async (expected, status) => {
  expect((await judged(asserting(absent, `expect: ${expected}`)))?.status).toBe(status)
})

test('a case that expects a problem of its own passes with it', async () => {
  const expected =
    'expect: {status: fail, category: schema, message_tokens: ["unknown key: asert"]}'
  expect(await judged(block('id: A', 'type: text.file', 'asert: []', expected))).toMatchObject({
    status: 'pass',
  })
})

test('an expect that is malformed expects nothing', async () => {
  expect(await judged(asserting('id: A', 'expect: {status: fale}'))).toMatchObject({
    status: 'fail',
    failure: { category: 'schema', message: expect.not.stringContaining('not as its expect') },
  })
})

test('an expected skip says nothing about a case that runs, and a skipped case stays skipped', async () => {
  expect((await judged(asserting('id: A', 'expect: {status: skip}')))?.status).toBe('pass')
  expect((await judged(asserting(absent, 'expect: {status: skip}')))?.status).toBe('fail')
})

test('an expected failure is not retried, and an unexpected one is', async () => {
  const attempts = async (expected: string) => {
    const documents = { 'a.spec.md': asserting(absent, `expect: ${expected}`) }
    const { outcomes } = await aSpecRun(documents, { judge, retry: 2 })
    return outcomes[0]?.attempts?.length
  }
  expect(await attempts('{status: fail, category: assertion}')).toBeUndefined()
  expect(await attempts('{status: fail, category: runtime}')).toBe(3)
})

test('a chain sees the failure of a case that expects it', async () => {
  const failing = asserting(absent, 'expect: {status: fail, category: assertion}')
  const next = block(
    'id: B',
    'type: text.file',
    'harness: {chain: {steps: [{id: one, ref: "#A"}]}}',
  )
  expect(await judged(failing + next)).toMatchObject({
    status: 'fail',
    failure: { message: expect.stringContaining('chain step one') },
  })
})
