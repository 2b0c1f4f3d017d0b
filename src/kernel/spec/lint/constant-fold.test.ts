import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { SpecRegex } from '../../../runner/regex/spec-regex.ts'
import { fromJson } from '../../../testing/spec-value.ts'
import { type Json, JsonNumber } from '../../json.ts'
import { defaultBudget } from '../lang/budget.ts'
import { builtinNamed } from '../lang/builtins.ts'
import { compileExpression } from '../lang/compile.ts'
import { evaluate, isSpecError } from '../lang/evaluate.ts'
import { isTruthy } from '../lang/item.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { plainScope } from '../lang/scope.ts'
import { fold } from './constant-fold.ts'
import { alwaysMatches, foldRules } from './fold-rules.ts'
import { anyKind, type StaticValue } from './static-value.ts'

const regex = new SpecRegex()
afterAll(() => regex.close())

const evaluation = { budget: { ...defaultBudget, timeoutMs: 0 }, startTimer: () => () => 0, regex }
const text: StaticValue = { kinds: ['string'], mayFail: false, isData: true }
const anything: StaticValue = { kinds: anyKind, mayFail: false, isData: true }

function certain(expression: Json, subject: StaticValue) {
  const { truth, mayFail } = fold(fromJson(expression), {
    subject,
    scope: plainScope,
    evaluation,
  })
  return truth === true && !mayFail ? 'always' : truth === false ? 'never' : 'perhaps'
}

const s = { var: 'subject' }
const len = { len: [s] }

describe('the fold of a text', () => {
  test.each<[Json, string]>([
    [{ eq: [s, s] }, 'always'],
    [{ equals: [{ trim: [s] }, { trim: [s] }] }, 'always'],
    [{ neq: [s, { subject: [] }] }, 'perhaps'],
    [{ neq: [s, s] }, 'never'],
    [{ lt: [len, len] }, 'never'],
    [{ gte: [s, s] }, 'always'],
    [{ gte: [len, 0] }, 'always'],
    [{ lte: [0, len] }, 'always'],
    [{ gt: [len, -1] }, 'always'],
    [{ lt: [len, 0] }, 'never'],
    [{ eq: [len, -1] }, 'never'],
    [{ eq: [len, 1.5] }, 'never'],
    [{ gt: [len, new JsonNumber('-1.0')] }, 'always'],
    [{ lt: [len, new JsonNumber('0.0')] }, 'never'],
    [{ eq: [len, new JsonNumber('-1.0')] }, 'never'],
    [{ equals: [len, new JsonNumber('3.0')] }, 'never'],
    [{ equals: [new JsonNumber('3.0'), len] }, 'never'],
    [{ eq: [len, new JsonNumber('3.0')] }, 'perhaps'],
    [{ neq: [len, new JsonNumber('3.0')] }, 'perhaps'],
    [{ gt: [len, 0] }, 'perhaps'],
    [{ gte: [len, 1] }, 'perhaps'],
    [{ eq: [s, 3] }, 'never'],
    [{ lt: [s, 3] }, 'never'],
    [{ contains: [''] }, 'always'],
    [{ starts_with: [s, ''] }, 'always'],
    [{ contains: ['a'] }, 'perhaps'],
    [{ or: [{ contains: ['a'] }, true] }, 'always'],
    [{ or: [{ contains: ['a'] }, { not: [{ contains: ['a'] }] }] }, 'always'],
    [{ and: [{ contains: ['a'] }, { eq: [1, 2] }] }, 'never'],
    [{ and: [{ contains: ['a'] }, { not: [{ contains: ['a'] }] }] }, 'never'],
    [{ not: [{ eq: [s, s] }] }, 'never'],
    [{ if: [{ contains: ['a'] }, true, 1] }, 'always'],
    [{ is_string: [s] }, 'always'],
    [{ json_type: ['list'] }, 'never'],
    [{ regex_match: [s, 'x?'] }, 'always'],
    [{ matches_lines: [s, '(any*)\n(any*)\n'] }, 'always'],
    [{ matches_lines: [s, '(any)\n(any*)\n'] }, 'perhaps'],
    [{ matches_lines: [s, ''] }, 'perhaps'],
    [{ eq: [{ json_parse: [s] }, { json_parse: [s] }] }, 'perhaps'],
    [{ eq: [{ call: [{ fn: [['subject'], s] }, 1] }, 1] }, 'always'],
    [{ let: [[['subject', 0]], { gt: [s, { len: ['a'] }] }] }, 'never'],
    [{ eq: [{ var: 'std.math.add' }, s] }, 'perhaps'],
  ])('%j is %s so', (expression, expected) => {
    expect(certain(expression, text)).toBe(expected)
  })
})

test('every fold rule names a builtin', () => {
  expect(Object.keys(foldRules).filter(name => !builtinNamed(name))).toEqual([])
})

test('the fold claims no order and no length for a value of unknown kind', () => {
  expect(certain({ gte: [s, s] }, anything)).toBe('perhaps')
  expect(certain({ gte: [len, 0] }, anything)).toBe('perhaps')
  expect(certain({ eq: [s, s] }, anything)).toBe('always')
})

test.each([
  ...['', '^', '$', '.*', '(?:)', 'a*', 'x?', '(a|)', '^a*', 'a{0,3}', '\\Z', '(?m)^', '()\\1'],
])('every text matches %j', pattern => {
  expect(alwaysMatches(pattern, regex, unlimitedMeter())).toBe(true)
})

test.each(['a', '^$', '^.*$', '\\b', '\\B', '(?=a)|', '(?!a)', '(?<=a)', '.', 'a+', '(', '(^|$)a'])(
  'not every text is known to match %j',
  pattern => {
    expect(alwaysMatches(pattern, regex, unlimitedMeter())).toBe(false)
  },
)

test('a pattern that is reported to match every text does so', () => {
  const pieces = ['a', '.', '[^a]', '(a)', '(?:b|)', '^', '$', '\\b', '\\Z', '(?=a)', '\\1', '|']
  const signs = ['', '', '*', '?', '+', '{0,2}', '*?']
  const piece = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...signs))
  const patterns = fc.array(piece, { maxLength: 4 }).map(all => all.flat().join(''))
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), { minLength: 4 })
  fc.assert(
    fc.property(patterns, texts, (pattern, all) => {
      fc.pre(alwaysMatches(pattern, regex, unlimitedMeter()))
      for (const one of all)
        expect([pattern, one, regex.test(pattern, one, unlimitedMeter())]).toEqual([
          pattern,
          one,
          true,
        ])
    }),
  )
})

/** Expressions of all that there are rules for, and of some that there are not. */
const { expression } = fc.letrec<{ expression: Json; part: Json }>(tie => {
  const one = (names: readonly string[]) =>
    fc.tuple(fc.constantFrom(...names), tie('part')).map(([name, a]) => ({ [name]: [a] }))
  const two = (names: readonly string[]) =>
    fc
      .tuple(fc.constantFrom(...names), tie('part'), tie('part'), fc.boolean())
      .map(([name, a, b, isSame]) => ({ [name]: [a, isSame ? a : b] }))
  const logic = ['and', 'or', 'xor', 'eq', 'equals', 'neq', 'lt', 'lte', 'gt', 'gte']
  const texts = [
    'contains',
    'starts_with',
    'ends_with',
    'regex_match',
    'matches_lines',
    'json_type',
    'has_key',
    'get',
  ]
  const kinds = ['is_null', 'is_bool', 'is_number', 'is_string', 'is_list', 'is_dict', 'is_empty']
  const made = ['trim', 'lower', 'json_stringify', 'json_parse', 'len', 'count', 'identity', 'keys']
  return {
    expression: fc.oneof(
      two(logic),
      two(texts),
      one(['not', ...kinds]),
      fc.tuple(tie('part'), tie('part'), tie('part')).map(parts => ({ if: parts })),
      fc
        .tuple(fc.constantFrom('and', 'or'), tie('part'))
        .map(([name, a]) => ({ [name]: [a, { not: [a] }] })),
    ) as fc.Arbitrary<Json>,
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(
        s,
        s,
        { subject: [] },
        '',
        'a',
        'x*',
        'list',
        0,
        -1,
        1,
        new JsonNumber('1.0'),
        new JsonNumber('-1.0'),
        0.5,
        true,
        null,
      ),
      fc.constantFrom<Json>({ lit: [] }, { lit: { a: 1 } }, { var: 'std.math.inc' }),
      tie('expression'),
      one(made),
      tie('part').map(a => ({ call: [{ fn: [['subject'], a] }, 1] })),
    ) as fc.Arbitrary<Json>,
  }
})

test('an expression folded as certain has that value for every subject', () => {
  const subjects = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('', 'a', 'xx', '[]', '1'))
  fc.assert(
    fc.property(
      expression,
      fc.array(subjects as fc.Arbitrary<Json>, { minLength: 6 }),
      (form, all) => {
        for (const subject of all) {
          const compiled = compileExpression(fromJson(form), { path: '' })
          if ('length' in compiled) return
          const outcome = evaluate(compiled, { ...evaluation, subject: fromJson(subject) })
          const holds = !isSpecError(outcome) && isTruthy(outcome.value)
          for (const kind of typeof subject === 'string' ? [text, anything] : [anything]) {
            const verdict = certain(form, kind)
            if (verdict !== 'perhaps')
              expect([form, subject, holds]).toEqual([form, subject, verdict === 'always'])
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})
