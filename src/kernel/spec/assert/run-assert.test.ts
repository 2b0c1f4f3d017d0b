import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import { type Json, JsonNumber } from '../../json.ts'
import { Secrets } from '../../text/secrets.ts'
import { defaultBudget } from '../lang/budget.ts'
import { plainScope } from '../lang/scope.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { compileAssert } from './compile-assert.ts'
import { runAssert } from './run-assert.ts'

const setting = (subjects: Readonly<Record<string, Json | SpecError>>) => ({
  caseId: 'A',
  budget: defaultBudget,
  startTimer: () => () => 0,
  regex: { test: (pattern: string, text: string) => new RegExp(pattern, 'u').test(text) },
  subjectOf(name: string) {
    const found = subjects[name]
    if (found === undefined) throw new Error(`nobody offers ${name}`)
    return isError(found) ? found : { value: fromJson(found) }
  },
})

const isError = (found: Json | SpecError): found is SpecError =>
  typeof found === 'object' && found !== null && 'category' in found

const compiled = (assert: Json) => compileAssert(fromJson(assert), plainScope)

function judged(
  assert: Json,
  subjects: Readonly<Record<string, Json | SpecError>> = { text: 'x' },
) {
  const { root, errors } = compiled(assert)
  expect(errors).toEqual([])
  return runAssert(root, setting(subjects))
}

const failure = (assert: Json, subjects?: Readonly<Record<string, Json | SpecError>>) =>
  judged(assert, subjects).failure?.message

const text = (kind: 'must' | 'can' | 'cannot', ...children: Json[]): Json => [
  { target: 'text', [kind]: children },
]
const evaluate = (...expressions: Json[]): Json => ({ evaluate: expressions })
const yes = evaluate(true)
const no = evaluate(false)
const broken = evaluate({ std: [] })

describe('groups', () => {
  test('an empty list of assertions passes', () => {
    expect(judged([])).toEqual({ failure: undefined, evaluated: 0 })
    expect(compileAssert(undefined, plainScope).root.children).toEqual([])
  })

  test('must stops at the first failing branch', () => {
    expect(judged(text('must', yes, no, broken))).toMatchObject({
      failure: { category: 'assertion', assertPath: 'assert[0].must[1]' },
      evaluated: 2,
    })
  })

  test('can stops at the first passing branch', () => {
    expect(judged(text('can', no, yes, broken))).toEqual({ failure: undefined, evaluated: 2 })
  })

  test('can reports the failing branches, at most five', () => {
    expect(failure(text('can', no, no))).toBe(
      [
        '[case_id=A assert_path=assert[0].can] no branch holds',
        '  [case_id=A assert_path=assert[0].can[0] target=text op=evaluate] evaluate assertion failed',
        '    expected: false',
        '    actual: "x"',
        '  [case_id=A assert_path=assert[0].can[1] target=text op=evaluate] evaluate assertion failed',
        '    expected: false',
        '    actual: "x"',
      ].join('\n'),
    )
    expect(failure(text('can', no, no, no, no, no, no, no))?.match(/expected/g)).toHaveLength(5)
  })

  test('cannot evaluates every branch and reports those that passed', () => {
    expect(failure(text('cannot', yes, no, yes))).toBe(
      [
        '[case_id=A assert_path=assert[0].cannot] expected no branch to hold, got 2 of 3',
        '  assert[0].cannot[0]',
        '  assert[0].cannot[2]',
      ].join('\n'),
    )
  })

  test('a leaf is one branch: every predicate in it must pass', () => {
    expect(failure(text('cannot', evaluate(true, false)))).toBeUndefined()
    expect(failure(text('cannot', evaluate(true, true)))).toContain('got 1 of 1')
  })

  test.each(['can', 'cannot'] as const)('%s does not hide an error', kind => {
    expect(judged(text(kind, broken, no)).failure).toMatchObject({
      category: 'schema',
      path: `assert[0].${kind}[0].evaluate[0].std`,
    })
  })

  test('an inner target wins, and a blank one is inherited', () => {
    const inner = { target: 'other', must: [evaluate({ eq: [{ var: 'subject' }, 'o'] })] }
    const blank = { target: ' ', must: [evaluate({ eq: [{ var: 'subject' }, 't'] })] }
    expect(failure(text('must', inner, blank), { text: 't', other: 'o' })).toBeUndefined()
  })

  test('a list may stand anywhere, and means must', () => {
    expect(failure(text('can', [no, yes], [yes, [yes]]))).toBeUndefined()
    expect(judged(text('must', [yes, no])).failure?.assertPath).toBe('assert[0].must[0][1]')
  })

  test('the verdict of any tree is that of its logic', () => {
    type Tree = boolean | { kind: 'must' | 'can' | 'cannot'; children: Tree[] }
    const { tree } = fc.letrec<{ tree: Tree }>(tie => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.boolean(),
        fc.record({
          kind: fc.constantFrom('must' as const, 'can' as const, 'cannot' as const),
          children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
        }),
      ),
    }))
    const written = (one: Tree): Json =>
      typeof one === 'boolean'
        ? evaluate(one)
        : { [one.kind]: one.children.map(written), target: 'text' }
    const logic = (one: Tree): boolean => {
      if (typeof one === 'boolean') return one
      if (one.kind === 'must') return one.children.every(logic)
      return one.children.some(logic) === (one.kind === 'can')
    }
    fc.assert(
      fc.property(tree, one => {
        expect(judged(text('must', written(one))).failure === undefined).toBe(logic(one))
      }),
    )
  })
})

describe('failures', () => {
  test('report the expected and the actual value', () => {
    const contains = { 'std.string.contains': [{ var: 'subject' }, 'Install'] }
    expect(failure(text('must', evaluate(contains)), { text: 'Remove' })).toBe(
      [
        '[case_id=A assert_path=assert[0].must[0] target=text op=evaluate] evaluate assertion failed',
        '  expected: to contain "Install"',
        '  actual: "Remove"',
      ].join('\n'),
    )
  })

  test.each<[Json, string]>([
    [{ eq: [{ var: 'subject' }, 'b'] }, 'expected: to equal "b"'],
    [{ eq: ['b', { subject: [] }] }, 'expected: to equal "b"'],
    [{ equals: [{ var: 'subject' }, { lit: [1] }] }, 'expected: to equal [1]'],
    [{ contains: ['b'] }, 'expected: to contain "b"'],
    [{ starts_with: [{ var: 'subject' }, 'b'] }, 'expected: to start with "b"'],
    [{ matches: [{ var: 'subject' }, '^b'] }, 'expected: to match "^b"'],
    [{ gt: [1, 2] }, 'expected: {gt: [1, 2]}'],
    [
      { eq: [{ lower: [{ var: 'subject' }] }, 'b'] },
      'expected: {lower: [{var: "subject"}]} to equal "b"\n  actual: "a"\n  subject: "a"',
    ],
    [{ contains: ['b', { var: 'subject' }] }, 'expected: {contains: ["b", {var: "subject"}]}'],
  ])('%j is described in words', (expression, words) => {
    expect(failure(text('must', evaluate(expression)), { text: 'a' })).toContain(words)
  })

  const one = new JsonNumber('1.0')

  test('show the fraction if only that differs, and say so', () => {
    const equals = { equals: [{ var: 'subject' }, one] }
    expect(failure(text('must', evaluate(equals)), { text: 1 })).toBe(
      [
        '[case_id=A assert_path=assert[0].must[0] target=text op=evaluate] evaluate assertion failed',
        '  expected: to equal 1.0',
        '  actual: 1',
        '  only the number types differ: 1.0 is not an integer; eq compares by value',
      ].join('\n'),
    )
    const eq = { eq: [{ var: 'subject' }, one] }
    expect(judged(text('must', evaluate(eq)), { text: 1 }).failure).toBeUndefined()
    const other = failure(text('must', evaluate(eq)), { text: 2 })
    expect(other).toContain('expected: to equal 1.0')
    expect(other).not.toContain('kinds')
  })

  test('show the fractions inside a compared value', () => {
    const prop = { prop_eq: ['total', 3, { var: 'subject' }] }
    const total = { total: new JsonNumber('3.0') }
    const failed = failure(text('must', evaluate(prop)), { text: total })
    expect(failed).toContain('expected: {prop_eq: ["total", 3, {var: "subject"}]}')
    expect(failed).toContain('actual: {"total":3.0}')
  })

  test('say what to write if an integer is needed', () => {
    expect(judged(text('must', evaluate({ range: [0, one] }))).failure).toMatchObject({
      category: 'schema',
      message: expect.stringContaining('spec_lang range expects integer args'),
      hint: '1.0 is not an integer: write 1, or round it.',
    })
  })

  test('name the failing predicate and its place', () => {
    const { failure: found } = judged(text('must', evaluate(true, true, false)))
    expect(found).toMatchObject({ path: 'assert[0].must[0].evaluate[2]', op: 'evaluate' })
    expect(found?.message).toContain('(number 3)')
  })

  test('long values are shown around their difference', () => {
    const long = `${'a'.repeat(5_000)}HERE${'b'.repeat(5_000)}`
    const wanted = `${'a'.repeat(5_000)}THERE${'b'.repeat(5_000)}`
    const message = failure(text('must', evaluate({ eq: [{ var: 'subject' }, wanted] })), {
      text: long,
    })
    expect(message).toContain('aaaHEREbbb')
    expect(message).toContain('aaaTHEREbbb')
    expect(message?.length).toBeLessThan(1_500)
  })

  const lines = (...all: string[]) => all.map(line => `${line}\n`).join('')
  const subject = { var: 'subject' }

  /** Without the head. */
  const details = (leaf: Json, value: Json) =>
    failure(text('must', leaf), { text: value })?.split('\n').slice(1)

  test('a text of several lines is compared line by line', () => {
    const [wanted, there] = [lines('a', '"b"', 'c'), lines('a', 'B\t', 'c')]
    expect(details(evaluate({ eq: [subject, wanted] }), there)).toEqual([
      '  expected: to equal these lines (- expected, + actual)',
      '    @@ -1,3 +1,3 @@',
      '     a',
      '    -"b"',
      '    +B\t',
      '     c',
    ])
    const { failure: found } = judged(text('must', evaluate({ eq: [subject, wanted] })), {
      text: there,
    })
    expect(found?.diff).toEqual(['@@ -1,3 +1,3 @@', ' a', '-"b"', '+B\t', ' c'])
  })

  test('so are large JSON values', () => {
    const value = (b: string) => ({ list: [1, { b }], filler: 'x'.repeat(70), none: [] })
    expect(details(evaluate({ equals: [subject, { lit: value('p') }] }), value('q'))).toEqual([
      '  expected: to equal these lines (- expected, + actual)',
      '    @@ -3,7 +3,7 @@',
      '       "list": [',
      '         1,',
      '         {',
      '    -      "b": "p"',
      '    +      "b": "q"',
      '         }',
      '       ],',
      '       "none": []',
    ])
  })

  test('a part of several lines is compared where it was expected', () => {
    const there = lines(...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(at => `line ${at}`))
    expect(details({ contain: ['ne 4\nline five\nline 6'] }, there)).toEqual([
      '  expected: to contain these lines (- expected, + actual)',
      '    @@ -1,3 +4,3 @@',
      '     line 4',
      '    -line five',
      '    +line 5',
      '     line 6',
    ])
    expect(details({ contain: ['other\ntext'] }, 'a\nb')).toEqual([
      '  expected: to contain:',
      '    | other',
      '    | text',
      '  actual:',
      '    | a',
      '    | b',
    ])
  })

  test('a long output is shown around the likely place, else with its start and its end', () => {
    const there = lines(...Array.from({ length: 100 }, (_, at) => `line ${at}`))
    expect(details({ contain: ['line 55!'] }, there)).toMatchObject({
      2: '    … 47 lines …',
      23: '    … 33 lines …',
    })
    expect(details({ contain: ['absent'] }, there)).toMatchObject({
      9: '    | line 7',
      10: '    … 80 lines …',
      22: '    | line 99',
    })
  })

  test('lines are neither quoted nor escaped', () => {
    expect(details({ contain: ['x'] }, '{"a": 1}\n\tb\\n\n')).toEqual([
      '  expected: to contain "x"',
      '  actual:',
      '    | {"a": 1}',
      '    | \tb\\n',
    ])
    expect(details({ contain: ['x'] }, '{"a": 1}\n')?.[1]).toBe('  actual: "{"a": 1}\\n"')
  })

  const length = { len: [subject] }

  test.each<[Json, readonly string[]]>([
    [{ gt: [length, 3] }, ['{len: [{var: "subject"}]} is 2']],
    [{ lt: [length, { len: ['a'] }] }, ['{len: [{var: "subject"}]} is 2', '{len: ["a"]} is 1']],
    [
      { and: [{ gt: [length, 1] }, { lt: [length, 1] }, { std: [] }] },
      ['{lt: [{len: [{var: "subject"}]}, 1]} is false', '{len: [{var: "subject"}]} is 2'],
    ],
    [
      { or: [{ gt: [length, 9] }, { contains: [subject, 'z'] }] },
      [
        '{gt: [{len: [{var: "subject"}]}, 9]} is false',
        '{len: [{var: "subject"}]} is 2',
        '{contains: [{var: "subject"}, "z"]} is false',
      ],
    ],
    [{ not: [{ is_string: [subject] }] }, ['{is_string: [{var: "subject"}]} is true']],
    [{ let: [[['n', length]], { gt: [{ var: 'n' }, 3] }] }, ['{var: "n"} is 2']],
    [
      { if: [{ gt: [length, 1] }, { gt: [length, 2] }, { std: [] }] },
      ['{gt: [{len: [{var: "subject"}]}, 1]} is true', '{len: [{var: "subject"}]} is 2'],
    ],
    [{ any: [{ fn: [['x'], false] }, { lit: [1] }] }, []],
  ])('the operands of %j are shown with their values', (expression, operands) => {
    expect(details(evaluate(expression), 'ab')?.slice(1, -1)).toEqual(
      operands.map(one => `    ${one}`),
    )
    const { failure: found } = judged(text('must', evaluate(expression)), { text: 'ab' })
    expect(found?.operands?.map(one => `${one.expression} is ${one.value}`) ?? []).toEqual(operands)
  })

  test('a computed value is compared with the literal beside it', () => {
    const parsed = { json_parse: [subject] }
    const equals = { equals: [{ lit: { a: 1 } }, parsed] }
    expect(details(evaluate(equals), '{"a": 2}')).toEqual([
      '  expected: {json_parse: [{var: "subject"}]} to equal {"a":1}',
      '  actual: {"a":2}',
      '  subject: "{"a": 2}"',
    ])
  })

  test('secrets are hidden in operands and diffs', () => {
    const secrets = new Secrets()
    secrets.hide('TOKEN', 'hunter2-hunter2')
    const failureOf = (expression: Json, value: string) => {
      const { root } = compiled(text('must', evaluate(expression)))
      return runAssert(root, { ...setting({ text: value }), secrets }).failure
    }
    const value = 'a\nhunter2-hunter2\n'
    const computed = { gt: [{ split: [subject, 'a'] }, { concat: ['x', 'hunter2-hunter2'] }] }
    for (const expression of [
      { eq: [subject, 'b\nc\n'] },
      { not: [{ trim: [subject] }] },
      computed,
    ]) {
      expect(JSON.stringify(failureOf(expression, value))).not.toContain('hunter2')
    }
    expect(failureOf({ not: [{ trim: [subject] }] }, value)?.operands?.[0]?.value).toContain(
      '$TOKEN',
    )
  })

  test('an unavailable subject fails with its category', () => {
    const gone = { category: 'runtime', message: 'it is gone' } as const
    expect(judged(text('must', yes), { text: gone }).failure).toMatchObject({
      category: 'runtime',
      message: '[case_id=A assert_path=assert[0].must[0] target=text op=evaluate] it is gone',
      path: 'assert[0].must[0].evaluate[0]',
    })
  })
})

describe('sugar', () => {
  const one = (target: string, leaf: Json): Json => [{ target, must: [leaf] }]

  test.each<[string, Json, Json, boolean]>([
    ['text', { contain: ['b', 'c'] }, 'abc', true],
    ['text', { contain: ['b', 'z'] }, 'abc', false],
    ['text', { contain: [1] }, 'a1', true],
    ['body_json', { contain: ['"a":1'] }, { a: 1 }, true],
    ['text', { regex: ['^a'] }, 'abc', true],
    ['body_json', { regex: ['^.a'] }, ['a'], false],
    ['text', { json_type: ['object'] }, '{}', true],
    ['text', { json_type: [' List '] }, '{}', false],
    ['body_json', { json_type: ['dict'] }, {}, true],
    ['body_json', { json_type: [null] }, null, true],
    ['text', { exists: [true] }, ' x', true],
    ['text', { exists: [null] }, ' \n', false],
    ['body_json', { exists: [true] }, null, false],
    ['body_json', { exists: [true] }, false, true],
    ['stdout_path.exists', { exists: [true] }, false, false],
    ['stdout_path.exists', { json_type: ['bool'] }, false, true],
    ['exit_code', { json_type: ['number'] }, 1, true],
  ])('[spec.4.sugar] %s %j on %j is %s', (target, leaf, subject, holds) => {
    expect(judged(one(target, leaf), { [target]: subject }).failure === undefined).toBe(holds)
  })

  test('exists of stdout_path checks that the file exists', () => {
    const { root } = compiled(one('stdout_path', { exists: [true] }))
    expect([...root.subjects]).toEqual(['stdout_path.exists'])
    const outcome = runAssert(root, setting({ 'stdout_path.exists': false }))
    expect(outcome.failure?.message).toContain('target=stdout_path op=exists')
  })

  test.each<[Json, string]>([
    [{ json_type: ['integer'] }, 'unsupported json_type'],
    [{ exists: [false] }, 'exists must be true or null'],
    [{ evaluate: [{}] }, 'expression mapping must have exactly one operator key'],
  ])('%j does not compile', (leaf, message) => {
    const [operator] = Object.keys(leaf as object)
    expect(compiled(one('text', leaf)).errors).toEqual([
      {
        category: 'schema',
        message: expect.stringContaining(message),
        path: `assert[0].must[0].${operator}[0]`,
      },
    ])
  })
})
