import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSchemaOf } from '../../wire/json-schema.ts'
import { Digest, NonEmpty, Timestamp } from '../../wire/primitives.ts'
import {
  amount,
  any,
  count,
  digest,
  flag,
  list,
  literal,
  map,
  nothing,
  nullable,
  openRecord,
  optional,
  partial,
  positive,
  record,
  type Shape,
  text,
  union,
  variant,
  whole,
  word,
} from '../../wire/shape.ts'
import { Flaw, flawIn, shaped } from './flaw.ts'

const Rule = record({ ruleId: NonEmpty, attempts: positive, note: optional(text) })
const Change = variant('action', [
  record({ action: literal('open') }),
  record({ action: literal('close'), at: Timestamp }),
])

describe('a flaw names its place and the expected value', () => {
  test.each<[Shape, unknown, string]>([
    [Rule, null, 'it must be an object'],
    [Rule, [], 'it must be an object'],
    [Rule, { attempts: 1 }, 'ruleId is missing'],
    [Rule, { ruleId: ' ', attempts: 1 }, 'ruleId must not be blank'],
    [Rule, { ruleId: 7, attempts: 1 }, 'ruleId must be text'],
    [Rule, { ruleId: 'a', attempts: 0 }, 'attempts must be a whole number from 1'],
    [Rule, { ruleId: 'a', attempts: 1.5 }, 'attempts must be a whole number from 1'],
    [Rule, { ruleId: 'a', attempts: 1, note: null }, 'note must be text'],
    [
      Rule,
      { ruleId: 'a', attempts: 1, notes: '' },
      'it has an unknown member "notes"; did you mean note?',
    ],
    [list(Rule), {}, 'it must be a list'],
    [list(Rule), [{ ruleId: 'a', attempts: 1 }, {}], '[1].ruleId is missing'],
    [record({ rules: list(Rule) }), { rules: [{}] }, 'rules[0].ruleId is missing'],
    [list(text, { least: 1 }), [], 'it must not be empty'],
    [list(text, { least: 2 }), ['a'], 'it must have at least 2 entries'],
    [list(text, { most: 1 }), ['a', 'b'], 'it must have at most 1 entries'],
    [map(count), { a: 1, 'b.c': -1 }, '["b.c"] must be a whole number from 0'],
    [map(count), 7, 'it must be an object'],
    [map(count), { ' ': 7 }, 'it has a blank key'],
    [flag, 'true', 'it must be true or false'],
    [whole, 2 ** 53, 'it must be a whole number'],
    [amount, -1, 'it must be 0 or more'],
    [{ is: 'number', above: 0 }, 0, 'it must be more than 0'],
    [amount, '1', 'it must be a number'],
    [literal(1), 2, 'it must be 1, not 2'],
    [literal('a'), 'b', 'it must be "a", not "b"'],
    [word(['a', 'b']), 'c', 'it must be one of a, b, not "c"'],
    [nothing, 1, 'it must be absent'],
    [nullable(text), 1, 'it must be text'],
    [Digest, 'sha256:0', 'it must match ^sha256:[0-9a-f]{64}$'],
    [Timestamp, 'yesterday', 'it must be an RFC 3339 time, not "yesterday"'],
    [union([text, count]), -1, 'it must be text'],
    [Change, 1, 'it must be an object'],
    [Change, { action: 'move' }, 'action must be one of open, close, not "move"'],
    [Change, { action: 'close' }, 'at is missing'],
    [
      record({ change: Change }),
      { change: { action: 'close', at: '' } },
      'change.at must be an RFC 3339 time, not ""',
    ],
  ])('%j: %j', (shape, value, flaw) => {
    expect(String(flawIn(shape, value))).toBe(flaw)
  })
})

test('a valid value is returned with its type', () => {
  const value = { ruleId: 'a', attempts: 3 }
  const rule = shaped(Rule, value)
  expect(rule).toBe(value)
  expect(rule instanceof Flaw ? undefined : rule.attempts).toBe(3)
  expect(shaped(Rule, {})).toBeInstanceOf(Flaw)
})

test('an open record keeps unknown members, a closed one refuses them', () => {
  expect(flawIn(openRecord(Rule.members), { ruleId: 'a', attempts: 1, theirs: [] })).toBeUndefined()
  expect(flawIn(Rule, { ruleId: 'a', attempts: 1, theirs: [] })).toBeDefined()
})

describe('the check and the published JSON Schema accept the same values', () => {
  const members = { id: NonEmpty, size: optional(count), kind: word(['a', 'b']) }
  const shapes: readonly Shape[] = [
    any,
    nothing,
    flag,
    text,
    NonEmpty,
    { is: 'text', leastChars: 2 },
    whole,
    count,
    positive,
    amount,
    { is: 'number', above: 1 },
    literal('a'),
    literal(1),
    word(['a', 'b']),
    digest('a'),
    list(count),
    list(any, { least: 1, most: 2 }),
    map(count),
    record(members),
    openRecord(members),
    partial(record(members)),
    nullable(record(members)),
    union([flag, list(text)]),
    variant('kind', [
      record({ kind: literal('a'), id: text }),
      openRecord({ kind: literal('b'), size: optional(flag) }),
    ]),
  ]
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const scalar = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      'a',
      'b',
      'ab',
      '\u0085',
      '\ufeff',
      0,
      1,
      2,
      -1,
      0.5,
      null,
      true,
      false,
    ),
    fc.string({ maxLength: 2 }),
    fc.integer(),
  )
  const document = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('id', 'size', 'kind', 'a', ' '), scalar, { maxKeys: 4 }),
  )
  test.each(shapes)('%j', shape => {
    const isValid = ajv.compile(jsonSchemaOf(shape))
    fc.assert(
      fc.property(document, value => {
        expect(flawIn(shape, value) === undefined).toBe(isValid(value))
      }),
      { numRuns: 300 },
    )
  })
})
