import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { canonicalJson } from './canonical.ts'
import { isJsonObject, type Json, JsonNumber, jsonDepthMax, numberOf, parseJson } from './json.ts'

const freeKeys = new Map([['rows', new Set(['payload'])]])

function refusal(text: string): { message: string; line: unknown; column: unknown } {
  try {
    parseJson(text, { freeKeys })
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid_input') throw error
    return { message: error.message, line: error.detail['line'], column: error.detail['column'] }
  }
  throw new Error(`was read: ${text.slice(0, 80)}`)
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a document that is not JSON is refused at its place', () => {
  test.each([
    ['', 'the end of the text where a value should be', 1, 1],
    ['  \n ', 'the end of the text where a value should be', 2, 2],
    ['nul', '"n" where a value should be', 1, 1],
    ['{"a":1}\n{', '"{" after the document\'s end', 2, 1],
    ['{"a":1,}', '"}" where a key should be', 1, 8],
    ['{"a" 1}', '"1" where a colon should be', 1, 6],
    ['{"a":1 "b":2}', '"\\"" where , or } should be', 1, 8],
    ["{'a':1}", '"\'" where a key should be', 1, 2],
    ['[1,]', '"]" where a value should be', 1, 4],
    ['[1 2]', '"2" where , or ] should be', 1, 4],
    ['[1', 'the end of the text where , or ] should be', 1, 3],
    ['[01]', 'a malformed number, 01…', 1, 2],
    ['[1.]', 'a malformed number, 1.…', 1, 2],
    ['[.5]', '"." where a value should be', 1, 2],
    ['[+1]', '"+" where a value should be', 1, 2],
    ['[-]', 'an incomplete number', 1, 2],
    ['[1e]', 'a malformed number, 1e…', 1, 2],
    ['[1E400]', 'the number 1E400 is out of range', 1, 2],
    ['[NaN]', '"N" where a value should be', 1, 2],
    ['["a\nb"]', 'a raw control character in a string (write it as an escape)', 1, 4],
    ['["a', 'a string that is never closed', 1, 4],
    ['["\\n', 'a string that is never closed', 1, 5],
    ['["\\x41"]', 'the unknown escape \\x', 1, 3],
    ['["\\u12g4"]', 'a \\u without four hex digits', 1, 3],
    ['\ufeff{}', 'U+FEFF where a value should be', 1, 1],
    ['\u00a0{}', 'U+00A0 where a value should be', 1, 1],
    ['// note\n{}', '"/" where a value should be', 1, 1],
  ])('%j', (text, what, line, column) => {
    expect(refusal(text)).toEqual({
      message: `not readable as JSON: ${what}, at line ${line}, column ${column}`,
      line,
      column,
    })
  })
})

test('a line of a larger text reports places by the lines of that text', () => {
  expect(() => parseJson('[1,', { line: 7 })).toThrow('at line 7, column 4')
})

describe('strings', () => {
  test('every escape is read, and the canonical form has only the required ones', () => {
    const text = '"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\\\u001F\\u007f\\u2028\\ud83d\\ude00é"'
    expect(parseJson(text)).toBe('A/\b\f\n\r\t"\\\u001f\u007f\u2028😀é')
    expect(canonicalJson(parseJson(text))).toBe('"A/\\b\\f\\n\\r\\t\\"\\\\\\u001f\u007f\u2028😀é"')
  })

  test.each([
    ['a raw half', '"\ud83d"'],
    ['the other raw half', '"\ude00x"'],
    ['an escaped half', '"\\ud83d"'],
    ['the other escaped half', '"\\ude00"'],
    ['halves in the wrong order', '"\\ude00\\ud83d"'],
    ['a half before other text', '"\\ud83dx\\ude00"'],
    ['a half in a key', '{"\\ud800":1}'],
  ])('%s of a surrogate pair is refused', (_, text) => {
    expect(refusal(text).message).toContain('half of a surrogate pair')
  })

  test('one raw and one escaped surrogate are two unpaired halves', () => {
    expect(refusal('"\ud83d\\ude00"').message).toContain('half of a surrogate pair')
  })
})

describe('nesting', () => {
  test('as deep as the limit is read, one deeper is refused where it begins', () => {
    expect(canonicalJson(parseJson(nested(jsonDepthMax)))).toBe(nested(127))
    expect(refusal(nested(jsonDepthMax + 1))).toEqual({
      message: 'not readable as JSON: nested more than 127 levels deep, at line 1, column 128',
      line: 1,
      column: 128,
    })
  })

  test('objects count as lists do', () => {
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`
    expect(canonicalJson(parseJson(objects(127)))).toBe(objects(127))
    expect(refusal(objects(128)).message).toContain('nested more than 127 levels deep')
  })

  test('siblings do not add up', () => {
    expect(parseJson(`[${Array(500).fill('[[]]').join()}]`)).toHaveLength(500)
  })

  test('fifty megabytes of it are refused at the limit', () => {
    const text = '['.repeat(50_000_000)
    expect(refusal(text)).toMatchObject({ line: 1, column: 128 })
  })
})

describe('a key given twice', () => {
  test.each([
    ['{"a":1,"a":1}', 'the key "a" is given twice', 8],
    ['{"a":null,"a":null}', 'the key "a" is given twice', 11],
    ['{"a":1,"\\u0061":2}', 'the key "a" is given twice', 8],
    ['{"b":{"__proto__":1,"__proto__":2}}', 'the key "__proto__" is given twice', 21],
    ['{"payload":1,"payload":2}', 'the key "payload" is given twice', 14],
    ['{"x":{"payload":{"a":1}},"x":2}', 'the key "x" is given twice', 26],
  ])('%s is refused', (text, what, column) => {
    expect(refusal(text)).toEqual({
      message: `not readable as JSON: ${what}, at line 1, column ${column}`,
      line: 1,
      column,
    })
  })

  test.each([
    ['outside the rows', '{"payload":{"a":1,"a":2}}'],
    ['deeper in a row', '{"rows":[{"x":{"payload":{"a":1,"a":2}}}]}'],
    ['in rows of another list', '{"lines":[{"payload":{"a":1,"a":2}}]}'],
    ['in a list within the list', '{"rows":[[{"payload":{"a":1,"a":2}}]]}'],
  ])('a key of a free name %s frees nothing', (_, text) => {
    expect(refusal(text).message).toContain('the key "a" is given twice')
  })

  test('inside a free value the last one wins, and the rule is back after it', () => {
    const text = '{"rows":[{"payload":{"a":1,"b":{"c":1,"c":2},"a":3},"d":4}]}'
    expect(canonicalJson(parseJson(text, { freeKeys }))).toBe(
      '{"rows":[{"d":4,"payload":{"a":3,"b":{"c":2}}}]}',
    )
    const after = '{"rows":[{"payload":{"a":1,"a":2},"d":1,"d":2}]}'
    expect(refusal(after).message).toContain('the key "d"')
  })
})

test('property names of Object.prototype are keys like any other', () => {
  const text = '{"__proto__":{"polluted":1},"constructor":2,"hasOwnProperty":3,"toString":4}'
  const value = parseJson(text)
  expect(canonicalJson(value)).toBe(text)
  expect(isJsonObject(value) && value['valueOf']).toBeUndefined()
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('isJsonObject accepts objects only', () => {
  const values: readonly Json[] = [
    {},
    parseJson('{}'),
    [],
    null,
    'x',
    1,
    true,
    new JsonNumber('1.0'),
  ]
  expect(values.map(isJsonObject)).toEqual([true, true, ...Array(6).fill(false)])
  expect(isJsonObject(undefined)).toBe(false)
})

test('a number of any spelling can be computed with', () => {
  const values: readonly (Json | undefined)[] = [7, new JsonNumber('1.5e+20'), '7', null, undefined]
  expect(values.map(numberOf)).toEqual([7, 1.5e20, undefined, undefined, undefined])
  expect(Number(new JsonNumber('-0.0'))).toBe(-0)
})

test('canonical numbers of our own text are not misread a second time', () => {
  const once = canonicalJson(parseJson('0.970034294036039352e2'))
  expect(once).toBe('97.00342940360393')
  expect(canonicalJson(parseJson(once))).toBe('97.00342940360392')
  expect(canonicalJson(parseJson(once, { numbersAreCanonical: true }))).toBe(once)
})

/** JSON that every library writes and premath must read the same: safe integers, any text. */
const plainJson = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 4 }),
  ),
})).value

test('text from JSON.stringify is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(plainJson, fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(JSON.parse(JSON.stringify(parseJson(text)))).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('any text is read as JSON.parse reads it, or refused with a fault', () => {
  const pieces = fc.constantFrom(
    ...'{}[],:"\\0123456789.-+eE \n\ttrufalsn',
    '\\u0041',
    '"a"',
    'true',
    'null',
  )
  const texts = fc.array(pieces, { maxLength: 12 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(texts, text => {
      let value: Json
      try {
        value = parseJson(text)
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
        return
      }
      expect(() => JSON.parse(text)).not.toThrow()
      expect(() => JSON.parse(canonicalJson(value))).not.toThrow()
    }),
    { numRuns: 2000 },
  )
})
