import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalTimestamp, instantOf, isCanonicalTimestamp, timestampOf } from './timestamp.ts'

describe('an instant', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['2026-02-22T00:22:51.923596Z', 1_771_719_771_923_596_000n],
    ['2026-02-22T01:22:51.923596+01:00', 1_771_719_771_923_596_000n],
    ['2026-02-21t19:22:51.923596-05:00', 1_771_719_771_923_596_000n],
    ['2024-02-29 12:00:00.1234567891z', 1_709_208_000_123_456_789n],
    ['2026-12-31T23:59:60Z', 1_798_761_600_000_000_000n],
  ])('%s is read to the nanosecond', (text, instant) => {
    expect(instantOf(text)).toBe(instant)
  })

  test.each([
    '',
    '2026-02-22',
    '2026-02-22T00:00:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00.Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    'tomorrow',
  ])('"%s" is none', text => {
    expect(instantOf(text)).toBeUndefined()
    expect(canonicalTimestamp(text)).toBeUndefined()
    expect(isCanonicalTimestamp(text)).toBe(false)
  })

  test.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.100Z'],
    ['2026-01-01T00:00:00.123000Z', '2026-01-01T00:00:00.123Z'],
    ['2026-01-01T00:00:00.000001000Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'],
  ])('%s is written %s', (text, written) => {
    expect(canonicalTimestamp(text)).toBe(written)
  })

  test('has one value in its usual form and with an offset', () => {
    const number = (min: number, max: number, width = 2) =>
      fc.integer({ min, max }).map(value => String(value).padStart(width, '0'))
    const usual = fc
      .tuple(
        fc.tuple(number(0, 9999, 4), number(0, 13), number(0, 32)),
        fc.tuple(number(0, 24), number(0, 60), number(0, 61)),
        fc.option(number(0, 999, 3), { nil: undefined }),
      )
      .map(
        ([day, time, millis]) => `${day.join('-')}T${time.join(':')}${millis ? `.${millis}` : ''}`,
      )
    fc.assert(
      fc.property(usual, text => {
        expect(instantOf(`${text}Z`)).toBe(instantOf(`${text}+00:00`))
      }),
      { numRuns: 2_000 },
    )
    expect(instantOf('2026-02-22T00:00:00.1 Z')).toBeUndefined()
    expect(instantOf('2026-02-22 00:00:00Z')).toBe(instantOf('2026-02-22T00:00:00Z'))
  })

  test('is written with the fewest digits that are exact, and read back', () => {
    const first = instantOf('0000-01-01T00:00:00Z') ?? 0n
    const last = instantOf('9999-12-31T23:59:59.999999999Z') ?? 0n
    fc.assert(
      fc.property(
        fc.bigInt({ min: first, max: last }),
        fc.constantFrom(1n, 1_000n, 1_000_000n),
        (at, unit) => {
          const instant = (at / unit) * unit
          const text = timestampOf(instant)
          expect(instantOf(text)).toBe(instant)
          expect(canonicalTimestamp(text)).toBe(text)
          expect(text).toMatch(/:\d\d(\.(\d{3}){1,3})?Z$/)
          expect(text).not.toMatch(/\.(\d{3})*000Z$/)
        },
      ),
    )
  })

  test('that looks canonical is canonical', () => {
    const digits = (most: number) =>
      fc.integer({ min: 0, max: most }).map(n => String(n).padStart(2, '0'))
    const parts = fc.tuple(digits(13), digits(32), digits(25), digits(61), digits(61))
    const fraction = fc.constantFrom('', '.5', '.500', '.000', '.500000', '.000001', '.123456789')
    fc.assert(
      fc.property(parts, fraction, ([month, day, hour, minute, second], tail) => {
        const text = `2026-${month}-${day}T${hour}:${minute}:${second}${tail}Z`
        if (isCanonicalTimestamp(text)) expect(canonicalTimestamp(text)).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })
})
