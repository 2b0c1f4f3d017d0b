import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../../test/an-expression.ts'
import { fromJson } from '../../../testing/spec-value.ts'
import type { Json } from '../../json.ts'
import { compileExpression } from './compile.ts'

const schema = (token: string) => ({ category: 'schema', message: expect.stringContaining(token) })
const runtime = (token: string) => ({
  category: 'runtime',
  message: expect.stringContaining(`spec_lang budget exceeded: ${token}`),
})

const x = { var: 'x' }
const plus1 = { fn: [['x'], { add: [x, 1] }] }
const add = { var: 'std.math.add' }

/** `{call: [loop, count, 0]}` counts down in tail calls. */
const counting = (count: number): Json => ({
  let: [
    [
      [
        'loop',
        {
          fn: [
            ['left', 'sum'],
            {
              if: [
                { gt: [{ var: 'left' }, 0] },
                {
                  call: [
                    { var: 'loop' },
                    { sub: [{ var: 'left' }, 1] },
                    { add: [{ var: 'sum' }, 1] },
                  ],
                },
                { var: 'sum' },
              ],
            },
          ],
        },
      ],
    ],
    { call: [{ var: 'loop' }, count, 0] },
  ],
})

/** `n + (n-1) + … + 1`, each call waiting for the next. */
const summing = (count: number): Json => ({
  let: [
    [
      [
        'sum',
        {
          fn: [
            ['n'],
            {
              if: [
                { gt: [{ var: 'n' }, 0] },
                { add: [{ var: 'n' }, { call: [{ var: 'sum' }, { sub: [{ var: 'n' }, 1] }] }] },
                0,
              ],
            },
          ],
        },
      ],
    ],
    { call: [{ var: 'sum' }, count] },
  ],
})

describe('forms', () => {
  test.each<[Json, Json]>([
    ['subject', 'subject'],
    [{ lit: { if: [1] } }, { if: [1] }],
    [{ if: [{ lit: [] }, { nope: [] }, 2] }, 2],
    [{ call: [plus1, 2] }, 3],
    [{ call: [{ fn: [[], 7] }] }, 7],
    [{ call: [{ call: [{ fn: [['x'], { fn: [['y'], { sub: [x, { var: 'y' }] }] }] }, 5] }, 2] }, 3],
    [{ map: [plus1, { lit: [1, 2] }] }, [2, 3]],
    [{ and: [1, 'a', { lit: [0] }] }, true],
    [{ or: [0, { and: [1, 2] }, { nope: [] }] }, true],
    [{ coalesce: [null, '', { add: [1, 1] }, { nope: [] }] }, 2],
  ])('%j is %j', (expression, value) => {
    expect(outcomeOf(expression)).toEqual(value)
  })

  test('the subject is a variable and an operator', () => {
    for (const form of [{ var: 'subject' }, { subject: [] }, { 'std.core.subject': [] }]) {
      expect(outcomeOf(form, { subject: [1] })).toEqual([1])
    }
  })

  test('five builtins take the subject as their first argument', () => {
    const subject = { a: 1 }
    expect(outcomeOf({ contains: ['"a":1'] }, { subject })).toBe(true)
    expect(outcomeOf({ starts_with: ['{'] }, { subject })).toBe(true)
    expect(outcomeOf({ ends_with: ['}'] }, { subject })).toBe(true)
    expect(outcomeOf({ json_type: ['dict'] }, { subject })).toBe(true)
    expect(outcomeOf({ has_key: ['a'] }, { subject })).toBe(true)
    expect(outcomeOf({ equals: [1] }, { subject })).toMatchObject(schema('arity error'))
  })

  test('an error names the form that failed', () => {
    expect(outcomeOf({ and: [true, { not: [{ 'std.math.div': [1, 0] }] }] })).toEqual({
      category: 'schema',
      message: 'spec_lang div expects non-zero divisor',
      path: 'evaluate[0].and[1].not[0].std.math.div',
    })
  })

  test('a function is no result', () => {
    const refused = schema('got a function')
    expect(outcomeOf(plus1)).toMatchObject(refused)
    expect(outcomeOf({ append: [add, { lit: [] }] })).toMatchObject(refused)
    expect(outcomeOf({ json_stringify: [add] })).toMatchObject(schema('got a function'))
  })
})

describe('let', () => {
  test.each<[Json, Json]>([
    [{ let: [[['x', 1]], x] }, 1],
    [{ let: [[], 1] }, 1],
    [
      {
        let: [
          [
            ['x', 1],
            ['y', { add: [x, 1] }],
          ],
          { lit: 'y' },
        ],
      },
      'y',
    ],
    [{ add: [{ let: [[['x', 1]], x] }, { let: [[['x', 2]], x] }] }, 3],
    [{ let: [[['x', 1]], { let: [[['x', 2]], x] }] }, 2],
    [{ let: [[['subject', 1]], { var: 'subject' }] }, 1],
  ])('%j is %j', (expression, value) => {
    expect(outcomeOf(expression)).toEqual(value)
  })

  test.each<[Json, string]>([
    [{ let: [{ lit: [['x', 1]] }, x] }, 'spec_lang let binding must be [name, expr]'],
    [{ let: [[['x']], x] }, 'spec_lang let binding must be [name, expr]'],
    [{ let: [[[1, 2]], x] }, 'spec_lang let binding must be [name, expr]'],
    [{ let: [{ x: [1] }, x] }, 'spec_lang let binding must be [name, expr]'],
    [{ let: [[['x', x]], 1] }, 'read before it has a value: x'],
    [
      {
        let: [
          [
            ['x', 1],
            ['x', 2],
          ],
          1,
        ],
      },
      'duplicate let binding: x',
    ],
    [{ let: [1] }, 'arity error for let'],
  ])('%j is refused: %s', (expression, token) => {
    expect(outcomeOf(expression)).toMatchObject(schema(token))
  })

  test('a bad binding fails only if it is evaluated', () => {
    expect(outcomeOf({ if: [true, 1, { let: [{ lit: [] }, 1] }] })).toBe(1)
  })
})

describe('currying', () => {
  test.each<[Json, Json]>([
    [{ call: [add, 1, 2] }, 3],
    [{ call: [{ call: [add, 1] }, 2] }, 3],
    [{ call: [{ call: [{ call: [add] }, 1] }, 2] }, 3],
    [{ call: [{ var: 'std.fn.always' }, { var: 'std.math.inc' }, 0, 4] }, 5],
    [{ call: [{ call: [{ var: 'std.collection.map' }, plus1] }, { lit: [1] }] }, [2]],
    [{ call: [{ call: [{ var: 'std.fn.compose' }, plus1, plus1] }, 1] }, 3],
    [{ call: [{ var: 'std.logic.and' }, 1, 0] }, false],
    [{ call: [{ var: 'std.core.subject' }] }, 'S'],
    [{ map: [{ call: [add, 1] }, { lit: [1, 2] }] }, [2, 3]],
  ])('%j is %j', (expression, value) => {
    expect(outcomeOf(expression, { subject: 'S' })).toEqual(value)
  })

  test.each<[Json, string]>([
    [{ call: [add, 1, 2, 3] }, 'over-application error'],
    [{ add: [1] }, 'arity error for add: expected 2 got 1'],
    [{ add: [1, 2, 3] }, 'arity error for add: expected 2 got 3'],
    [{ call: [plus1] }, 'call argument count mismatch'],
    [{ call: ['std.math.add', 1, 2] }, 'callable expects'],
    [{ call: [] }, 'arity error for call'],
    [{ and: [] }, 'arity error for and'],
    [{ var: 'add' }, 'undefined variable: add'],
    [{ nope: [] }, 'unsupported spec_lang symbol: nope'],
    [{ 'std.string.nope': [] }, 'unsupported spec_lang symbol: std.string.nope'],
    [{ 'std.nope': [] }, 'unsupported spec_lang symbol: std.nope'],
    [{ map: [add, 'abc'] }, 'map expects list'],
  ])('%j is refused: %s', (expression, token) => {
    expect(outcomeOf(expression)).toMatchObject(schema(token))
  })
})

describe('budgets', () => {
  test('a million tail calls do not grow the stack', () => {
    const budget = { maxSteps: 100_000_000, maxDepth: 2, timeoutMs: 0 }
    expect(outcomeOf(counting(1_000_000), { budget })).toBe(1_000_000)
  })

  test('a step limit ends an endless evaluation', () => {
    expect(outcomeOf(counting(1_000_000))).toMatchObject(runtime('steps'))
  })

  test('nested calls are counted and use no native stack', () => {
    const budget = { maxSteps: 10_000_000, maxDepth: 1_000_000 }
    expect(outcomeOf(summing(100_000), { budget })).toBe(5_000_050_000)
    expect(outcomeOf(summing(100), { budget: { maxDepth: 50 } })).toMatchObject(runtime('depth'))
    expect(outcomeOf(summing(100_000), { budget: { maxSteps: 10_000_000 } })).toMatchObject(
      runtime('depth'),
    )
  })

  test('functions that builtins call are counted too', () => {
    const descend: Json = {
      let: [
        [['down', { fn: [['x'], { map: [{ var: 'down' }, { append: [x, { lit: [] }] }] }] }]],
        { call: [{ var: 'down' }, 0] },
      ],
    }
    const budget = { maxSteps: 100_000_000 }
    expect(outcomeOf(descend, { budget })).toMatchObject(runtime('depth'))
  })

  test('the clock is checked while steps are left', () => {
    let time = 0
    const startTimer = () => () => time++
    const budget = { maxSteps: 1_000_000_000, timeoutMs: 50 }
    expect(outcomeOf(counting(1_000_000), { budget, startTimer })).toMatchObject(runtime('timeout'))
  })

  test('nodes and literals are counted before anything runs', () => {
    expect(outcomeOf({ add: [1, 2] }, { budget: { maxNodes: 3 } })).toMatchObject(runtime('nodes'))
    expect(outcomeOf({ add: [1, 2] }, { budget: { maxNodes: 4 } })).toBe(3)
    const text = { len: ['ü€😀'] }
    expect(outcomeOf(text, { budget: { maxLiteralBytes: 11 } })).toMatchObject(
      runtime('literal_size'),
    )
    expect(outcomeOf(text, { budget: { maxLiteralBytes: 12 } })).toBe(3)
  })

  const huge = 1_000_000_000
  test.each<[Json]>([
    [{ repeat: ['x', huge] }],
    [{ range: [0, huge] }],
    [{ pad_left: ['x', huge, 'y'] }],
    [{ pad_right: ['x', huge, 'y'] }],
    [{ len: [{ repeat: [{ repeat: ['x', 1000] }, huge] }] }],
  ])('%j ends at once, whatever the steps', expression => {
    const budget = { maxSteps: Number.MAX_SAFE_INTEGER, timeoutMs: 0 }
    expect(outcomeOf(expression, { budget })).toMatchObject(runtime('size'))
  })

  test('doubling does not escape the size budget', () => {
    const doubled = (builtin: string, times: number): Json =>
      times === 0
        ? { var: 'subject' }
        : { call: [{ fn: [['x'], { [builtin]: [x, x] }] }, doubled(builtin, times - 1)] }
    expect(outcomeOf(doubled('concat', 40), { subject: [1] })).toMatchObject({
      category: 'runtime',
    })
    const joined = (times: number): Json =>
      times === 0 ? 'ab' : { call: [{ fn: [['x'], { replace: [x, '', x] }] }, joined(times - 1)] }
    expect(outcomeOf(joined(20))).toMatchObject({ category: 'runtime' })
  })

  test.each([
    ['aaaa', 6],
    ['\u0000', 8],
    ['"', 4],
  ])('the JSON of %j takes a size of %i', (subject, size) => {
    const expression = { json_stringify: [{ var: 'subject' }] }
    const within = (maxSize: number) => outcomeOf(expression, { subject, budget: { maxSize } })
    expect(within(size)).toBe(JSON.stringify(subject))
    expect(within(size - 1)).toMatchObject(runtime('size'))
  })

  test('work inside builtins is paid in steps', () => {
    const subject = Array.from({ length: 2000 }, (_, at) => [at])
    const budget = { maxSteps: 100 }
    for (const name of ['distinct', 'json_stringify', 'reverse', 'flatten']) {
      const expression = { [name]: [{ var: 'subject' }] }
      expect(outcomeOf(expression, { subject, budget })).toMatchObject(runtime('steps'))
    }
    const same = {
      eq: [{ var: 'subject' }, { json_parse: [{ json_stringify: [{ subject: [] }] }] }],
    }
    expect(outcomeOf(same, { subject, budget: { maxSteps: 100_000 } })).toBe(true)
    expect(outcomeOf(same, { subject, budget })).toMatchObject(runtime('steps'))
  })
})

describe('nesting', () => {
  const nested = (depth: number): Json => {
    let expression: Json = true
    for (let level = 0; level < depth; level++) expression = { not: [expression] }
    return expression
  }

  test('an expression 100,000 deep is more than the usual budget allows', () => {
    expect(outcomeOf(nested(100_000))).toMatchObject(runtime('nodes'))
  })

  test('an expression 100,000 deep is evaluated when budgets allow it', () => {
    const budget = { maxNodes: 1_000_000, maxLiteralBytes: 1_000_000, maxSteps: 1_000_000 }
    expect(outcomeOf(nested(100_000), { budget })).toBe(true)
  })

  test('an error 100,000 deep knows its place', () => {
    let expression: Json = [1]
    for (let level = 0; level < 100_000; level++) expression = { not: [expression] }
    expect(outcomeOf(expression)).toMatchObject({
      ...schema('list expressions are not allowed'),
      hint: 'Write a list of values as {lit: […]}.',
      path: `evaluate[0]${'.not[0]'.repeat(100_000)}`,
    })
  })

  test('data 100,000 deep is read, compared and printed', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const budget = { maxSteps: 10_000_000 }
    const expression = {
      eq: [{ json_stringify: [{ json_parse: [{ subject: [] }] }] }, { subject: [] }],
    }
    expect(outcomeOf(expression, { subject: text, budget })).toBe(true)
    const parsed = { json_parse: [{ subject: [] }] }
    const compared = { eq: [parsed, parsed] }
    expect(outcomeOf(compared, { subject: text, budget })).toBe(true)
    const flat = { flatten: [parsed] }
    expect(outcomeOf(flat, { subject: text, budget })).toEqual([])
  })
})

describe('shape errors', () => {
  test.each<[Json, string]>([
    [[1, 2], 'list expressions are not allowed'],
    [{}, 'exactly one operator key'],
    [{ a: [1], b: [2] }, 'exactly one operator key'],
    [{ lit: 1, var: 'x' }, 'exactly one operator key'],
    [{ ' ': [1] }, 'operator key must be non-empty'],
    [{ add: 1 }, 'operator args must be a list'],
    [{ add: { lit: [1, 2] } }, 'operator args must be a list'],
    [{ var: ['x'] }, 'variable name must be a non-empty string'],
    [{ var: '' }, 'variable name must be a non-empty string'],
    [{ fn: [['x']] }, 'fn args must be [params, body]'],
    [{ fn: [{ lit: ['x'] }, 1] }, 'fn args must be [params, body]'],
    [{ fn: [['x', ''], 1] }, 'fn args must be [params, body]'],
    [{ fn: [['x', 'x'], 1] }, 'duplicate fn param: x'],
    [{ add: [Number.POSITIVE_INFINITY, 1] }, 'a number must be finite'],
    [{ lit: [Number.NaN] }, 'a number must be finite'],
    [{ if: [false, [1], 2] }, 'list expressions are not allowed'],
    [{ nope: [[1]] }, 'list expressions are not allowed'],
  ])('%j is refused: %s', (expression, token) => {
    const compiled = compileExpression(fromJson(expression), { path: 'evaluate[0]' })
    expect(compiled).toMatchObject([schema(token)])
  })

  test('all of them are reported at once, each with its place', () => {
    const expression = { and: [[1], { or: [{ var: 1 }, { not: true }] }] }
    const compiled = compileExpression(fromJson(expression), { path: 'evaluate[0]' })
    expect(compiled).toMatchObject([
      { path: 'evaluate[0].and[0]' },
      { path: 'evaluate[0].and[1].or[0].var' },
      { path: 'evaluate[0].and[1].or[1].not' },
    ])
  })

  test('an error that only an evaluation can show is a doubt', () => {
    const compiled = compileExpression(
      fromJson({ and: [false, { nope: [{ add: [1] }] }, { var: 'y' }] }),
      { path: 'e' },
    )
    expect(compiled).toMatchObject({
      doubts: [
        { path: 'e.and[1].nope', ...schema('unsupported spec_lang symbol') },
        { path: 'e.and[1].nope[0].add', ...schema('arity error') },
        { path: 'e.and[2].var', ...schema('undefined variable: y') },
      ],
    })
  })
})
