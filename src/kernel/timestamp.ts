/**
 * Instants as RFC 3339 text, to the nanosecond. JavaScript's `Date` stops at milliseconds, and a
 * row that is read and written again must keep its bytes.
 */

const nanosPerSecond = 1_000_000_000n
const nanosPerMilli = 1_000_000n

const accepted =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+\-\u2212])(\d{2}):(\d{2}))$/

/** Nanoseconds since 1970, or `undefined` when the text is not an instant. */
export function instantOf(text: string): bigint | undefined {
  // A log has a million times, nearly all in this form.
  if (isPlain(text)) return BigInt(Date.parse(text)) * nanosPerMilli
  const found = accepted.exec(text)
  if (!found) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, offHour, offMinute] = found
  const whole = secondsOf([year, month, day, hour, minute, second].map(Number))
  if (whole === undefined || Number(offHour ?? 0) > 23 || Number(offMinute ?? 0) > 59) {
    return undefined
  }
  const offset = BigInt(Number(offHour ?? 0) * 3600 + Number(offMinute ?? 0) * 60)
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  const utc = sign === undefined || sign === '+' ? whole - offset : whole + offset
  // What cannot be written with four digits cannot be written back.
  return utc < firstSecond || utc > lastSecond ? undefined : utc * nanosPerSecond + nanos
}

const firstSecond = BigInt(Date.UTC(2000, 0) / 1000) - 63_113_904_000n
const lastSecond = BigInt(Date.UTC(9999, 11, 31, 23, 59, 59) / 1000)

/** No later instant can be written. */
export const lastInstant = lastSecond * nanosPerSecond + nanosPerSecond - 1n

function secondsOf(parts: readonly number[]): bigint | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  // A leap second is accepted and counted as the next second's first.
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || month < 1) return undefined
  return BigInt(date.getTime() / 1000) + BigInt(hour * 3600 + minute * 60 + second)
}

/** The instant as we write it. */
export function timestampOf(instant: bigint): string {
  const seconds = floorDiv(instant, nanosPerSecond)
  const nanos = instant - seconds * nanosPerSecond
  const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  return `${base}${fractionOf(nanos)}Z`
}

function fractionOf(nanos: bigint): string {
  if (nanos === 0n) return ''
  const digits = nanos.toString().padStart(9, '0')
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`
}

const floorDiv = (a: bigint, b: bigint) => (a < 0n && a % b !== 0n ? a / b - 1n : a / b)

/** The text in canonical form, or `undefined` when it is not an instant. */
export function canonicalTimestamp(text: string): string | undefined {
  const instant = instantOf(text)
  if (instant === undefined) return undefined
  const written = timestampOf(instant)
  return text === written ? text : written
}

/**
 * Whether the text is as we write it: UTC, `Z`, and the fewest of 0, 3, 6 or 9 fraction digits that
 * are exact. A memory has hundreds of thousands of times, so this counts characters; days that not
 * every month has are left to arithmetic.
 */
export function isCanonicalTimestamp(text: string): boolean {
  const end = text.length - 1
  return (
    text.charCodeAt(end) === 0x5a &&
    hasDateAndTime(text) &&
    (end === 19 || isShortestFraction(text, 19, end))
  )
}

/** UTC in seconds or milliseconds, which `Date` reads exactly. */
function isPlain(text: string): boolean {
  const { length } = text
  const hasMillis = length === 24 && text.charCodeAt(19) === 0x2e && isNumber(text, 20, 23, 0, 999)
  return (
    (length === 20 || hasMillis) && text.charCodeAt(length - 1) === 0x5a && hasDateAndTime(text)
  )
}

function hasDateAndTime(text: string): boolean {
  return (
    isNumber(text, 0, 4, 0, 9999) &&
    text.charCodeAt(4) === 0x2d &&
    isNumber(text, 5, 7, 1, 12) &&
    text.charCodeAt(7) === 0x2d &&
    isNumber(text, 8, 10, 1, 28) &&
    text.charCodeAt(10) === 0x54 &&
    isNumber(text, 11, 13, 0, 23) &&
    text.charCodeAt(13) === 0x3a &&
    isNumber(text, 14, 16, 0, 59) &&
    text.charCodeAt(16) === 0x3a &&
    isNumber(text, 17, 19, 0, 59)
  )
}

function isShortestFraction(text: string, point: number, end: number): boolean {
  const digits = end - point - 1
  return (
    text.charCodeAt(point) === 0x2e &&
    (digits === 3 || digits === 6 || digits === 9) &&
    isNumber(text, point + 1, end, 0, 999_999_999) &&
    isNumber(text, end - 3, end, 1, 999)
  )
}

/** Digits alone, whose number lies between the two. */
function isNumber(text: string, from: number, to: number, least: number, most: number): boolean {
  let number = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (!(digit >= 0 && digit <= 9)) return false
    number = number * 10 + digit
  }
  return number >= least && number <= most
}

/** The form lease answers use: `+00:00` in the place of `Z`. */
export const withOffset = (text: string): string => text.replace(/Z$/, '+00:00')

export function laterOf(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

export const millis = (milliseconds: number): bigint => BigInt(milliseconds) * nanosPerMilli
export const seconds = (count: number): bigint => BigInt(count) * nanosPerSecond
