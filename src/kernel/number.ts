/**
 * The canonical text of a number, from how it was written. The earlier implementation reads
 * floats with one multiplication or division by a power of ten, which is off by one unit in the
 * last place for about a tenth of 17-digit literals; equal digests need the same misreading.
 */

const unsigned64Max = 2n ** 64n - 1n
const signed64Min = -(2n ** 63n)
const exponentMax = 2 ** 31 - 1
const powerMax = 308
/** The longest of both limits above; turning more digits into a `bigint` takes long. */
const integerCharsMax = 20

/** Prints as itself: no sign trouble, no fraction, exact as a JavaScript number. */
export function isPlainInteger(lexeme: string): boolean {
  return lexeme.length <= 15 && lexeme !== '-0' && !/[.eE]/.test(lexeme)
}

/** Canonical text of a valid JSON number literal; `undefined` when it is out of range. */
export function canonicalNumber(lexeme: string): string | undefined {
  const [, sign, whole = '', fraction, exponent] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(lexeme) ?? []
  const negative = sign === '-'
  if (fraction === undefined && exponent === undefined && lexeme.length <= integerCharsMax) {
    const integer = BigInt(lexeme)
    if (integer !== 0n || !negative) {
      if (integer <= unsigned64Max && integer >= signed64Min) return integer.toString()
    }
  }
  const read = readSignificand(whole, fraction ?? '')
  const value = scale(read.significand, read.exponent, exponent)
  return value === undefined ? undefined : printFloat(negative ? -value : value)
}

/** The digits that fit 64 bits; integer digits beyond them move the exponent, others vanish. */
function readSignificand(whole: string, fraction: string) {
  let significand = 0n
  let exponent = 0
  let full = false
  const take = (digit: string) => {
    const next = significand * 10n + BigInt(digit)
    if (next > unsigned64Max) return false
    significand = next
    return true
  }
  for (const digit of whole) {
    full ||= !take(digit)
    if (full) exponent++
  }
  // A literal that overflowed in its integer part may still take a fraction digit that fits.
  for (const digit of fraction) {
    if (!take(digit)) break
    exponent--
  }
  return { significand, exponent }
}

function scale(significand: bigint, start: number, written: string | undefined) {
  const digits = written === undefined ? 0 : Number(written)
  if (Math.abs(digits) > exponentMax) return significand === 0n || digits < 0 ? 0 : undefined
  let exponent = start + digits
  let value = Number(significand)
  while (exponent < -powerMax && value !== 0) {
    value /= 1e308
    exponent += powerMax
  }
  if (value === 0) return 0
  if (exponent > powerMax) return undefined
  value = exponent < 0 ? value / powerOfTen(-exponent) : value * powerOfTen(exponent)
  return value === Number.POSITIVE_INFINITY ? undefined : value
}

const powerOfTen = (exponent: number) => Number(`1e${exponent}`)

/** Shortest digits that read back; plain notation for decimal exponents from -5 to 15. */
export function printFloat(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [mantissa = '', power = ''] = Math.abs(value).toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -5 || exponent > 15) return `${sign}${mantissa}e${power}`
  const digits = mantissa.replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}
