import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  byCodePoint,
  canonicalJson,
  digestOf,
  prettyAsOrdered,
  prettyJson,
  utf8Bytes,
} from './canonical.ts'
import { type Json, JsonNumber, parseJson } from './json.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the digest of a value is the one the earlier implementation gives', () => {
  test.each([
    ['the empty set', '[]', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'],
    [
      'a payload',
      '{"b":[1,2],"a":"x"}',
      '721ef82f2d6c0997bffb7a8ab3f40f8fb45b0b52ce2af3afa6b0f05efbdc317f',
    ],
    [
      'a set of uses',
      '[{"toolCallId":"c1","disposition":"consumed"},{"disposition":"discarded","toolCallId":"c2"}]',
      '6d85e24e95e8a4d60a4e7124fba4f5a3d3085438d13ebeae0af6b81473fd88aa',
    ],
  ])('%s', (_, text, hex) => {
    expect(digestOf(parseJson(text), sha256)).toBe(`sha256:${hex}`)
  })
})

test('keys stand in code-point order at every depth', () => {
  const text = '{"😀":1,"\uffff":2,"\ue000":3,"é":4,"b":{"B":5,"A":6},"":7,"10":8,"9":9,"Z":10}'
  expect(canonicalJson(parseJson(text))).toBe(
    '{"":7,"10":8,"9":9,"Z":10,"b":{"A":6,"B":5},"é":4,"\ue000":3,"\uffff":2,"😀":1}',
  )
})

test('only quotes, backslashes and control characters are escaped', () => {
  const raw = '/\u007f\u0080\u2028\u2029é😀\u{10ffff}'
  expect(canonicalJson(raw)).toBe(`"${raw}"`)
  expect(canonicalJson('"\\\b\f\n\r\t\u0000\u000b\u001f')).toBe(
    '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u000b\\u001f"',
  )
})

test('canonical text has no whitespace and keeps empty containers', () => {
  expect(
    canonicalJson(parseJson(' { "a" : [ ] , "b" : { } , "c" : [ null , true , 1.0 ] } ')),
  ).toBe('{"a":[],"b":{},"c":[null,true,1.0]}')
})

test('a member that is undefined is left out', () => {
  const value = { b: undefined, a: 1, c: undefined } as unknown as Json
  expect(canonicalJson(value)).toBe('{"a":1}')
  expect(prettyJson(value)).toBe('{\n  "a": 1\n}')
  expect(prettyJson({ b: undefined } as unknown as Json)).toBe('{}')
})

test('pretty text indents by two spaces, has one member a line, and keeps the order', () => {
  const value = parseJson('{"b":[1,{"d":1.0,"c":[]}],"a":{},"e":"x"}')
  expect(prettyJson(value)).toBe(`{
  "a": {},
  "b": [
    1,
    {
      "c": [],
      "d": 1.0
    }
  ],
  "e": "x"
}`)
})

describe('code-point order', () => {
  test.each([
    ['', 'a'],
    ['a', 'aa'],
    ['A', 'a'],
    ['z', 'é'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['\uffff', '😀'],
    ['a\uffff', 'a😀'],
    ['😀', '😁'],
    ['\u{10000}', '\u{10ffff}'],
  ])('%j comes before %j', (first, second) => {
    expect(Math.sign(byCodePoint(first, second))).toBe(-1)
    expect(Math.sign(byCodePoint(second, first))).toBe(1)
    expect(byCodePoint(second, second)).toBe(0)
  })

  const text = fc.string({ unit: 'binary', maxLength: 6 })

  test('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 2000 },
    )
  })

  test('the size of a text is that of its UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, some => {
        expect(utf8Bytes(some)).toBe(Buffer.byteLength(some))
      }),
      { numRuns: 1000 },
    )
  })
})

/** Everything but floats: their canonical text is misread anew, see `number.ts`. */
const value = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc
      .constantFrom('1.0', '-0.0', '18446744073709551615', '1e+16', '0.5')
      .map(text => new JsonNumber(text)),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), tie('value'), { maxKeys: 5 }),
  ),
})).value

test('canonical text reads back to the same canonical text', () => {
  fc.assert(
    fc.property(value, some => {
      const text = canonicalJson(some)
      expect(canonicalJson(parseJson(text))).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test('the text for people reads back to the same canonical text', () => {
  fc.assert(
    fc.property(value, some => {
      expect(canonicalJson(parseJson(prettyJson(some)))).toBe(canonicalJson(some))
    }),
    { numRuns: 500 },
  )
})

test('the native and the own printer give the same text in member order', () => {
  const ordered = (some: string) => prettyAsOrdered(parseJson(some))
  const text = '{"b":[1,{"d":2,"c":[]}],"a":{},"__proto__":"\\u0007é","e":null}'
  const natively = ordered(text)
  expect(natively).toBe(ordered(text.replace('2', '2.0')).replace('2.0', '2'))
  expect(natively.indexOf('"b"')).toBeLessThan(natively.indexOf('"a"'))
  expect(prettyAsOrdered({ b: undefined, a: 1 } as unknown as Json)).toBe('{\n  "a": 1\n}')
})

test('the order members are given in never matters', () => {
  const reversed = (some: Json): Json => {
    if (typeof some !== 'object' || some === null || some instanceof JsonNumber) return some
    if (Array.isArray(some)) return (some as readonly Json[]).map(reversed)
    return Object.fromEntries(
      Object.entries(some)
        .reverse()
        .map(([key, member]) => [key, reversed(member)]),
    )
  }
  fc.assert(
    fc.property(value, some => {
      expect(canonicalJson(reversed(some))).toBe(canonicalJson(some))
    }),
    { numRuns: 500 },
  )
})

test('two values have equal canonical text exactly when they are equal JSON', () => {
  const small = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('a', 'b', ''))
  const objects = fc.dictionary(fc.constantFrom('a', 'b'), fc.array(small, { maxLength: 2 }))
  fc.assert(
    fc.property(objects, objects, (a, b) => {
      const same = canonicalJson(a) === canonicalJson(b)
      expect(same).toBe(JSON.stringify(sortedMembers(a)) === JSON.stringify(sortedMembers(b)))
    }),
    { numRuns: 1000 },
  )
})

const sortedMembers = (object: object) =>
  Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))
