import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quickCharsMax, quickSha256, sha256Code } from './quick-sha256.ts'

const expected = (text: string) => createHash('sha256').update(text).digest('hex')

test('every length around the block borders hashes as node:crypto has it', () => {
  for (let length = 0; length <= 260; length++) {
    const text = 'é'.repeat(length % 3) + 'x'.repeat(length)
    expect(quickSha256(text)).toBe(expected(text))
  }
})

test('any text hashes as node:crypto has it, whatever was hashed before', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), text => {
      expect(quickSha256(text)).toBe(expected(text))
    }),
    { numRuns: 1000 },
  )
})

test('the longest text fits, at the most bytes a character can take', () => {
  const text = '\uffff'.repeat(quickCharsMax)
  expect(quickSha256(text)).toBe(expected(text))
})

test('the code is what these instructions assemble to', () => {
  expect(sha256Code).toBe(Buffer.from(assemble()).toString('base64'))
})

/** FIPS 180-4, section 6.2.2, as WebAssembly. An instruction is its bytes, operands first. */
function assemble(): number[] {
  const [roundsAt, scheduleAt, stateAt] = [0, 256, 512]
  const [start, end, at, sum] = [0, 1, 2, 11]
  const [a, b, c, d, e, f, g, h] = [3, 4, 5, 6, 7, 8, 9, 10]
  const registers = [a, b, c, d, e, f, g, h]

  const get = (local: number) => [0x20, local]
  const set = (local: number, value: number[]) => [...value, 0x21, local]
  const constant = (value: number) => [0x41, ...signed(value | 0)]
  const load = (address: number[], offset: number) => [...address, 0x28, 2, ...unsigned(offset)]
  const store = (address: number[], offset: number, value: number[]) => [
    ...address,
    ...value,
    0x36,
    2,
    ...unsigned(offset),
  ]
  const binary = (code: number) => (left: number[], right: number[]) => [...left, ...right, code]
  const add = (...values: number[][]) => values.reduce(binary(0x6a))
  const [and, or, xor] = [binary(0x71), binary(0x72), binary(0x73)]
  const [shiftRight, rotateLeft, rotateRight] = [binary(0x76), binary(0x77), binary(0x78)]
  const below = binary(0x49)
  const loop = (body: number[], again: number[]) => [0x03, 0x40, ...body, ...again, 0x0d, 0, 0x0b]
  const eachWord = (from: number, to: number, body: number[]) => [
    ...set(at, constant(from)),
    ...loop([...body, ...set(at, add(get(at), constant(4)))], below(get(at), constant(to))),
  ]
  const rotated = (value: number[], ...by: number[]) =>
    by.map(bits => rotateRight(value, constant(bits))).reduce(xor)
  const scheduled = (back: number) => load(get(at), scheduleAt - 4 * back)
  const small = (value: number[], first: number, second: number, shift: number) =>
    xor(rotated(value, first, second), shiftRight(value, constant(shift)))

  const readBlock = eachWord(0, 64, [
    ...set(sum, load(add(get(start), get(at)), 0)),
    // The message is big-endian and WebAssembly is not.
    ...store(
      get(at),
      scheduleAt,
      or(
        and(rotateLeft(get(sum), constant(8)), constant(0x00ff00ff)),
        and(rotateRight(get(sum), constant(8)), constant(0xff00ff00)),
      ),
    ),
  ])
  const extendSchedule = eachWord(
    64,
    256,
    store(
      get(at),
      scheduleAt,
      add(
        scheduled(16),
        small(scheduled(15), 7, 18, 3),
        scheduled(7),
        small(scheduled(2), 17, 19, 10),
      ),
    ),
  )
  const choice = xor(get(g), and(get(e), xor(get(f), get(g))))
  const majority = or(and(get(a), get(b)), and(get(c), or(get(a), get(b))))
  const rounds = eachWord(0, 256, [
    ...set(
      sum,
      add(get(h), rotated(get(e), 6, 11, 25), choice, load(get(at), roundsAt), scheduled(0)),
    ),
    ...set(h, get(g)),
    ...set(g, get(f)),
    ...set(f, get(e)),
    ...set(e, add(get(d), get(sum))),
    ...set(sum, add(get(sum), rotated(get(a), 2, 13, 22), majority)),
    ...set(d, get(c)),
    ...set(c, get(b)),
    ...set(b, get(a)),
    ...set(a, get(sum)),
  ])
  const state = (register: number) => stateAt + 4 * registers.indexOf(register)
  const compress = loop(
    [
      ...readBlock,
      ...extendSchedule,
      ...registers.flatMap(register => set(register, load(constant(0), state(register)))),
      ...rounds,
      ...registers.flatMap(register =>
        store(constant(0), state(register), add(load(constant(0), state(register)), get(register))),
      ),
      ...set(start, add(get(start), constant(64))),
    ],
    below(get(start), get(end)),
  )

  const section = (id: number, content: number[]) => [id, ...sized(content)]
  const sized = (content: number[]) => [...unsigned(content.length), ...content]
  const name = (text: string) => sized([...Buffer.from(text)])
  return [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, 0x7f, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('compress'), 0, 0]),
    ...section(10, [1, ...sized([1, 10, 0x7f, ...compress, 0x0b])]),
    ...section(11, [1, 0, ...constant(roundsAt), 0x0b, ...sized(roundConstants())]),
  ]
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function roundConstants(): number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every(prime => candidate % prime !== 0)) primes.push(candidate)
  }
  const words = Uint32Array.from(primes, prime => (Math.cbrt(prime) % 1) * 2 ** 32)
  return [...new Uint8Array(words.buffer)]
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  return value >= -0x40 && value < 0x40
    ? [value & 0x7f]
    : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
