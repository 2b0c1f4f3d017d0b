import { afterEach, describe, expect, test, vi } from 'vitest'
import { clockTime, spanOf } from './durations.ts'

test.each([
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [49, '0.0 s'],
  [420, '0.4 s'],
  [9_949, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1:00'],
  [187_000, '3:07'],
  [3_599_999, '59:59'],
  [3_600_000, '1:00:00'],
  [3_723_000, '1:02:03'],
  [360_000_000, '100:00:00'],
])('%i ms are %s', (milliseconds, text) => {
  expect(spanOf(milliseconds)).toBe(text)
})

describe('a time of day', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.each([
    ['UTC', '14:03:59'],
    ['America/New_York', '09:03:59'],
    ['Asia/Kolkata', '19:33:59'],
  ])('is in the time zone %s of the reader and has no fraction', (zone, text) => {
    vi.stubEnv('TZ', zone)
    const at = BigInt(Date.parse('2026-02-22T14:03:59.987Z')) * 1_000_000n
    expect(clockTime(at)).toBe(text)
  })
})
