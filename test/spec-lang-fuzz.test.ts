/**
 * Expressions nobody would write, and what must hold for each of them. A short form runs with all
 * other tests; `npm run fuzz` goes on for longer.
 */
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { canonicalJson } from '../src/kernel/canonical.ts'
import { type Json, JsonNumber } from '../src/kernel/json.ts'
import { builtins } from '../src/kernel/spec/lang/builtins.ts'
import { toJson } from '../src/kernel/spec/lang/value.ts'
import { SpecRegex } from '../src/runner/regex/spec-regex.ts'
import { fromJson } from '../src/testing/spec-value.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { outcomeOf } from './an-expression.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 1_000)
/** The same in every `npm test`; `npm run fuzz` begins elsewhere each time. */
const first = process.env['FUZZ_RUNS'] === undefined ? 20_261_115 : Date.now() % 2 ** 31
const seed = Number(process.env['FUZZ_SEED'] ?? first)
const regex = new SpecRegex()
afterAll(() => regex.close())

const setting = { regex, startTimer: nodeWorld().startTimer }
const assertAll = (property: fc.IProperty<[Json, Json]>) =>
  fc.assert(property, { numRuns: runs, seed })

/** Small whole numbers, so that sums stay exact and indices are met. */
const scalar = fc.oneof(
  fc.constantFrom<Json>(null, true, false, '', 'a', 'b', 'ab,a', 'é😀', '[1,{"a":2}]', '^a', '('),
  fc.integer({ min: -3, max: 12 }),
  fc.constantFrom('0.0', '1.0', '-2.0', '12.0').map(text => new JsonNumber(text)),
  // The language has one zero.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(one => one + 0),
)

const { json } = fc.letrec<{ json: Json }>(tie => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', '__proto__', 'type', 'items'), tie('json'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}))

const variables = ['x', 'y', 'subject', 'f', 'nope']
const heads = builtins.map(({ short, arity }) => ({ short, arity }))

const { form } = fc.letrec<{ form: Json }>(tie => {
  const operand = tie('form')
  return {
    form: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      scalar,
      json.map((lit): Json => ({ lit })),
      fc.constantFrom(...variables, ...builtins.map(({ name }) => name)).map(name => ({
        var: name,
      })),
      fc
        .constantFrom(...heads)
        .chain(({ short, arity }) =>
          fc
            .array(operand, { minLength: Math.max(0, arity - 1), maxLength: arity + 1 })
            .map((operands): Json => ({ [short]: operands })),
        ),
      fc
        .constantFrom(...heads)
        .chain(({ short, arity }) =>
          fc
            .array(operand, { minLength: arity, maxLength: arity })
            .map((operands): Json => ({ [short]: operands })),
        ),
      fc.array(operand, { minLength: 1, maxLength: 4 }).map(
        (operands): Json => ({
          call: operands,
        }),
      ),
      fc.tuple(operand, operand, operand).map((operands): Json => ({ if: operands })),
      fc
        .tuple(fc.uniqueArray(fc.constantFrom('x', 'y', 'f'), { maxLength: 2 }), operand)
        .map((parts): Json => ({ fn: parts })),
      fc
        .tuple(fc.constantFrom('x', 'f'), operand, operand)
        .map(([name, value, body]): Json => ({ let: [[[name, value]], body] })),
    ),
  }
})

const categories = ['schema', 'runtime']

const isError = (outcome: unknown): outcome is { category: string; message: string } =>
  typeof outcome === 'object' && outcome !== null && 'category' in outcome && 'path' in outcome

test('any JSON as an expression has a value or an error of a known category', () => {
  assertAll(
    fc.property(fc.jsonValue() as fc.Arbitrary<Json>, json, (expression, subject) => {
      const outcome = outcomeOf(expression, { ...setting, subject })
      if (isError(outcome)) expect(categories).toContain(outcome.category)
    }),
  )
})

test('any form has a value or an error with a place, and the same one again', () => {
  assertAll(
    fc.property(form, json, (expression, subject) => {
      const before = canonicalJson(subject)
      const outcome = outcomeOf(expression, { ...setting, subject })
      if (isError(outcome)) {
        expect(categories).toContain(outcome.category)
        expect(outcome).toMatchObject({ path: expect.stringMatching(/^evaluate\[0\]/) })
      }
      expect(outcomeOf(expression, { ...setting, subject })).toEqual(outcome)
      expect(canonicalJson(subject)).toBe(before)
    }),
  )
})

test('a smaller budget gives the same outcome or ends it', () => {
  assertAll(
    fc.property(form, json, (expression, subject) => {
      const outcome = outcomeOf(expression, { ...setting, subject })
      const budget = { maxSteps: 20, maxSize: 30, maxDepth: 3 }
      const bounded = outcomeOf(expression, { ...setting, subject, budget })
      const ended = isError(bounded) && bounded.message.startsWith('spec_lang budget exceeded')
      if (!ended) expect(bounded).toEqual(outcome)
    }),
  )
})

test('values survive conversion to JSON and back, in text too', () => {
  assertAll(
    fc.property(json, json, (value, _) => {
      expect(toJson(fromJson(value))).toEqual(value)
      const text = { json_stringify: [{ var: 'subject' }] }
      const same = { eq: [{ json_parse: [text] }, { var: 'subject' }] }
      const outcome = outcomeOf(same, { ...setting, subject: value })
      // A large float is written as digits, of which the last ones were never there.
      if (!isError(outcome)) expect(outcome).toBe(true)
    }),
  )
})

test('JSON text is printed as it was read, with every number as written', () => {
  assertAll(
    fc.property(json, json, (value, _) => {
      const text = canonicalJson(value)
      const again = outcomeOf({ json_stringify: [{ json_parse: [text] }] }, setting)
      // As above: a number without an exact value is an error.
      if (!isError(again)) expect(again).toBe(text)
    }),
  )
})

/** Values that differ in little: the kind of a number, at any depth. */
const { near } = fc.letrec<{ near: Json }>(tie => ({
  near: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(0, 1, new JsonNumber('0.0'), new JsonNumber('1.0'), '1', '1.0', true),
    fc.array(tie('near'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('near'), { maxKeys: 2, noNullPrototype: true }),
  ),
}))

const holds = (name: string, ...operands: readonly Json[]) =>
  outcomeOf({ [name]: operands.map(lit => ({ lit })) }, setting)

test('equals is an equivalence, finer than eq, and decides in sets and lists', () => {
  const property = fc.property(near, near, near, (a, b, c) => {
    const same = holds('equals', a, b)
    expect(holds('equals', a, a)).toBe(true)
    expect(holds('equals', b, a)).toBe(same)
    if (same && holds('equals', b, c)) expect(holds('equals', a, c)).toBe(true)
    if (same) expect(holds('eq', a, b)).toBe(true)
    expect(holds('includes', [a], b)).toBe(same)
    expect(holds('contains_any', [a], [b])).toBe(same)
    expect(holds('set_equals', [a], [b])).toBe(same)
    expect(holds('prop_eq', 'k', a, { k: b })).toBe(same)
    expect(holds('where', { k: a }, { k: b })).toBe(same)
    expect(holds('schema_match', a, { const: b })).toBe(same)
    expect(holds('distinct', [a, b])).toEqual(same ? [a] : [a, b])
    expect(canonicalJson(a) === canonicalJson(b)).toBe(same)
    expect(holds('in', a, [b])).toBe(holds('eq', a, b))
  })
  fc.assert(property, { numRuns: Math.ceil(runs / 4), seed })
})

const curried = builtins.filter(({ arity, operatorOnly }) => arity > 1 && !operatorOnly)

test.each(curried)('$name curries', ({ name, arity, lazy }) => {
  const given = fc.array(
    fc.oneof(
      json.map((lit): Json => ({ lit })),
      fc.constantFrom('std.math.inc', 'std.math.add', 'std.type.is_string').map(one => ({
        var: one,
      })),
    ),
    { minLength: arity, maxLength: arity },
  )
  const messageOf = (outcome: unknown) => (isError(outcome) ? outcome.message : outcome)
  const property = fc.property(given, fc.integer({ min: 0, max: arity }), (operands, split) => {
    const callee = { var: name }
    const at = (expression: Json) => messageOf(outcomeOf(expression, setting))
    const whole = at({ call: [callee, ...operands] })
    const [first, rest] = [operands.slice(0, split), operands.slice(split)]
    if (split < arity) expect(at({ call: [{ call: [callee, ...first] }, ...rest] })).toEqual(whole)
    if (lazy === undefined) expect(at({ [name]: operands })).toEqual(whole)
  })
  fc.assert(property, { numRuns: Math.ceil(runs / 100), seed })
})
