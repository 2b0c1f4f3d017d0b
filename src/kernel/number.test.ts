import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalNumber, isPlainInteger } from './number.ts'

/** The output of the earlier implementation for a literal; absent if it refuses. */
const pairs: readonly (readonly [lexeme: string, text: string | undefined])[] = [
  ['0', '0'],
  ['-0', '-0.0'],
  ['-0.0', '-0.0'],
  ['0.0', '0.0'],
  ['-0e5', '-0.0'],
  ['1', '1'],
  ['-1', '-1'],
  ['1.0', '1.0'],
  ['100000.0', '100000.0'],
  ['1.50', '1.5'],
  ['1e0', '1.0'],
  ['1E+2', '100.0'],
  ['1e15', '1000000000000000.0'],
  ['1e16', '1e+16'],
  ['-1e16', '-1e+16'],
  ['9999999999999998.0', '9999999999999998.0'],
  ['12345678901234567.0', '1.2345678901234566e+16'],
  ['1e-5', '0.00001'],
  ['1e-6', '1e-6'],
  ['0.00001', '0.00001'],
  ['0.000012345', '0.000012345'],
  ['0.0000099', '9.9e-6'],
  ['9007199254740993', '9007199254740993'],
  ['9007199254740993.0', '9007199254740994.0'],
  ['999999999999999', '999999999999999'],
  ['1000000000000000', '1000000000000000'],
  ['18446744073709551615', '18446744073709551615'],
  ['18446744073709551616', '1.8446744073709552e+19'],
  ['18446744073709551616.5', '1.8446744073709552e+19'],
  ['18446744073709551616.6', '1.8446744073709552e+19'],
  ['18446744073709551617', '1.8446744073709552e+19'],
  ['184467440737095516150', '1.844674407370955e+20'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['-9223372036854775809', '-9.223372036854776e+18'],
  ['123456789012345678901234567890', '1.2345678901234568e+29'],
  ['123456789012345678901234567890.123', '1.2345678901234568e+29'],
  ['0.1', '0.1'],
  ['0.3', '0.3'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['2.675', '2.675'],
  ['97.00342940360393', '97.00342940360392'],
  ['0.970034294036039352e2', '97.00342940360393'],
  ['-4.445182881242319e-43', '-4.4451828812423196e-43'],
  ['1.8871058016904487e-29', '1.887105801690449e-29'],
  ['194163519263291E250', '1.9416351926329098e+264'],
  ['0.1234567890123456789012345', '0.12345678901234568'],
  ['3.141592653589793238462643383279', '3.141592653589793'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['1.7976931348623159e308', undefined],
  ['1E400', undefined],
  ['-1E400', undefined],
  ['1e309', undefined],
  ['1e-400', '0.0'],
  ['-1e-400', '-0.0'],
  ['5e-324', '5e-324'],
  ['4.9e-324', '5e-324'],
  ['2e-324', '0.0'],
  ['2.2250738585072014e-308', '2.2250738585072014e-308'],
  ['2.2250738585072011e-308', '2.2250738585072014e-308'],
  ['0e99999999999', '0.0'],
  ['-0e99999999999', '-0.0'],
  ['0.0e-99999999999', '0.0'],
  ['1e99999999999', undefined],
  ['1e-99999999999', '0.0'],
  ['1e2147483647', undefined],
  ['1e-2147483648', '0.0'],
  ['0e2147483648', '0.0'],
  [`1${'0'.repeat(308)}`, '1e+308'],
  [`1${'0'.repeat(309)}`, undefined],
  [`1${'0'.repeat(309)}e-309`, '1.0'],
  [`0.${'0'.repeat(400)}1`, '0.0'],
  [`0.${'0'.repeat(320)}1e320`, '0.1'],
]

describe('a number is printed as the earlier implementation prints it', () => {
  test.each(pairs)('%s', (lexeme, text) => {
    expect(canonicalNumber(lexeme)).toBe(text)
  })
})

test('a literal that JavaScript prints unchanged is recognized', () => {
  const plain = ['0', '-1', '7', '999999999999999', '-99999999999999']
  const others = ['-0', '1.0', '1e3', '1E3', '0.5', '1000000000000000', '-999999999999999']
  expect(plain.map(isPlainInteger)).toEqual(plain.map(() => true))
  expect(others.map(isPlainInteger)).toEqual(others.map(() => false))
})

test('a plain integer has the same text either way', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 13), max: 10 ** 14 }), integer => {
      expect(isPlainInteger(String(integer))).toBe(true)
      expect(canonicalNumber(String(integer))).toBe(String(integer))
    }),
  )
})

test('every 64-bit integer keeps all its digits', () => {
  const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
  fc.assert(
    fc.property(integers, integer => {
      expect(canonicalNumber(String(integer))).toBe(String(integer))
    }),
  )
})

test('a float of few digits reads back as the same number', () => {
  // One division of two exact numbers is rounded correctly: up to 15 digits, down to 1e-22.
  const digits = fc.integer({ min: 1, max: 10 ** 15 - 1 })
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 22 }), (significand, places) => {
      const lexeme = `${significand}e-${places}`
      expect(Number(canonicalNumber(lexeme))).toBe(Number(lexeme))
    }),
  )
})

test('the text of a float is short, has a point or an exponent, and is at most one step off', () => {
  const floats = fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-290, max: 1e290 })
  fc.assert(
    fc.property(floats, float => {
      const text = canonicalNumber(float.toExponential()) ?? 'refused'
      expect(text).toMatch(/^\d+(\.\d+)?e[+-][1-9]\d*$|^\d+\.\d+$/)
      expect(Math.abs(Number(text) - float)).toBeLessThanOrEqual(float * 2 ** -51)
    }),
  )
})

test('thirty million digits are refused', () => {
  expect(canonicalNumber('9'.repeat(30_000_000))).toBeUndefined()
})
