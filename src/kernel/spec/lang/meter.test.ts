import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../../test/an-expression.ts'
import type { Json } from '../../json.ts'
import { defaultBudget } from './budget.ts'
import { Meter } from './meter.ts'

const subject = { var: 'subject' }
const late = { category: 'runtime', message: 'spec_lang budget exceeded: timeout' }

const many = 100_000
const numbers = Array.from({ length: many }, (_, at) => at)
const texts = numbers.map(String)
const members = Object.fromEntries(texts.map(text => [`k${text}`, 1]))
const identity = { fn: [['x'], { var: 'x' }] }

/** A clock that advances by one at each reading. */
function outcomeWithin(looks: number, expression: Json, given: Json): unknown {
  let time = 0
  const budget = { maxSteps: Number.MAX_SAFE_INTEGER, maxSize: 2 ** 25, timeoutMs: looks }
  return outcomeOf(expression, { subject: given, budget, startTimer: () => () => time++ })
}

/** Long values: comparing them takes longer than making them. */
const errorOf = (outcome: unknown) => (outcome as Partial<typeof late> | null)?.message

const left = { first: [subject] }
const right = { last: [subject] }
const twice = <T extends Json>(value: T): Json => [value, structuredClone(value)]
const shape = (key: string): Json => ({ assoc: [key, subject, { lit: {} }] })

test('the start-up time is not counted', () => {
  let time = 0
  const meter = new Meter({ ...defaultBudget, timeoutMs: 20 }, () => () => time)
  time = 5
  meter.uncounted(() => {
    time += 1000
  })
  expect(meter.leftMs()).toBe(15)
  time += 16
  expect(meter.isInTime()).toBe(false)
})

test('the time in which the case makes an offered value is not counted', () => {
  let time = 0
  const offered = {
    get: () => {
      time += 1000
      return 'made'
    },
  }
  const setting = { offered, budget: { timeoutMs: 20 }, startTimer: () => () => time }
  expect(outcomeOf({ var: 'chain' }, setting)).toBe('made')
})

describe('the clock is checked inside', () => {
  test.each<[Json, Json]>([
    [{ repeat: ['a', many] }, null],
    [{ range: [0, many] }, null],
    [{ sort: [subject] }, numbers.toReversed()],
    [{ sort: [subject] }, texts],
    [{ sort_by: [subject, identity] }, numbers],
    [{ sort_by: [subject, 'k'] }, numbers.map(k => ({ k }))],
    [{ distinct: [subject] }, numbers],
    [{ uniq_by: [identity, subject] }, numbers],
    [{ map: [identity, subject] }, numbers],
    [{ filter: [identity, subject] }, numbers],
    [{ reject: [identity, subject] }, numbers],
    [{ partition: [identity, subject] }, numbers],
    [{ group_by: [identity, subject] }, numbers],
    [{ find: [{ fn: [['x'], false] }, subject] }, numbers],
    [{ reduce: [{ fn: [['a', 'b'], { var: 'b' }] }, 0, subject] }, numbers],
    [{ zip_with: [{ fn: [['a', 'b'], { var: 'b' }] }, subject, subject] }, numbers],
    [{ zip: [subject, subject] }, numbers],
    [{ flatten: [subject] }, numbers.map(number => [number])],
    [{ any: [subject] }, numbers.map(() => false)],
    [{ all: [subject] }, numbers.map(() => true)],
    [{ none: [subject] }, numbers.map(() => false)],
    [{ in: [-1, subject] }, numbers],
    [{ includes: [subject, -1] }, numbers],
    [{ contains_all: [subject, subject] }, numbers],
    [{ contains_any: [subject, { lit: [-1] }] }, numbers],
    [{ union: [subject, subject] }, numbers],
    [{ intersection: [subject, subject] }, numbers],
    [{ difference: [subject, subject] }, numbers],
    [{ symmetric_difference: [subject, subject] }, numbers],
    [{ is_subset: [subject, subject] }, numbers],
    [{ is_superset: [subject, subject] }, numbers],
    [{ set_equals: [subject, subject] }, numbers],
    [{ sum: [subject] }, numbers],
    [{ min: [subject] }, numbers],
    [{ max: [subject] }, numbers],
    [{ eq: [left, right] }, twice(numbers)],
    [{ lt: [left, right] }, twice(numbers)],
    [{ equals: [left, right] }, twice(members)],
    [{ join: [subject, ''] }, texts],
    [{ split: [subject] }, 'a '.repeat(many)],
    [{ split: [subject, ' '] }, 'a '.repeat(many)],
    [{ replace: [subject, ' ', ''] }, 'a '.repeat(many)],
    [{ replace: [subject, '', '-'] }, 'a'.repeat(many)],
    [{ json_stringify: [subject] }, numbers],
    [{ json_stringify: [subject] }, members],
    [{ json_parse: [subject] }, JSON.stringify(numbers)],
    [{ merge: [subject, subject] }, members],
    [{ merge_deep: [subject, subject] }, members],
    [{ pick: [{ lit: [] }, subject] }, members],
    [{ omit: [{ lit: [] }, subject] }, members],
    [{ keys_include: [{ lit: {} }, subject] }, texts],
    [{ pluck: [subject, 'k'] }, numbers],
    [{ schema_match: [{ lit: {} }, shape('required')] }, texts],
    [{ schema_match: [null, shape('enum')] }, numbers],
    [{ schema_match: [subject, { lit: { items: { type: 'number' } } }] }, numbers],
    [{ identity: [left] }, twice(numbers)],
  ])('%j', (expression, given) => {
    expect(errorOf(outcomeWithin(1_000_000, expression, given))).toBeUndefined()
    expect(errorOf(outcomeWithin(10, expression, given))).toBe(late.message)
  })
})

describe('the clock is checked after', () => {
  /** A clock that reaches the timeout after this many readings. */
  const outcomeOnceLate = (looks: number, expression: Json, given: Json) => {
    let seen = 0
    const startTimer = () => () => (seen++ < looks ? 0 : 1000)
    return outcomeOf(expression, { subject: given, budget: { maxSteps: 1e9 }, startTimer })
  }

  test('a long builtin, before the next one begins', () => {
    // Only the reading before the copy: a later one would fail the expression.
    const expression = { nth: [{ concat: [subject, subject] }, 'no integer'] }
    expect(outcomeOnceLate(1, expression, numbers)).toMatchObject(late)
    expect(outcomeOnceLate(9, expression, numbers)).toMatchObject({ category: 'schema' })
  })

  test('the end of every evaluation', () => {
    expect(outcomeOnceLate(0, { add: [1, 2] }, null)).toMatchObject(late)
    expect(outcomeOnceLate(1, { add: [1, 2] }, null)).toBe(3)
  })
})
