import { describe, expect, test } from 'vitest'
import { NonEmpty } from '../../wire/primitives.ts'
import { flawIn } from '../artifact/flaw.ts'
import { cleanRefs, clip, lowerAscii, trim } from './clean.ts'

const point = (unit: number) => String.fromCharCode(unit)

/** Unicode White_Space, all of it. */
const spaces = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f],
  ...[0x3000, ...Array.from({ length: 11 }, (_, at) => 0x2000 + at)],
].map(point)

describe('trim', () => {
  test('strips every Unicode White_Space and nothing else', () => {
    const stripped: string[] = []
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (trim(`${point(unit)}x${point(unit)}`) === 'x') stripped.push(point(unit))
    }
    expect(stripped).toEqual(spaces.toSorted())
  })

  test.each([
    ['\u0085x\u0085', 'x'],
    ['\ufeffx\ufeff', '\ufeffx\ufeff'],
    ['\u001cx\u001f', '\u001cx\u001f'],
    ['\u200bx', '\u200bx'],
    ['\u180ex', '\u180ex'],
    [' \t\r\n a  b \u3000\u2028', 'a  b'],
    ['  ', ''],
    ['', ''],
  ])('%j becomes %j', (text, trimmed) => {
    expect(trim(text)).toBe(trimmed)
  })

  test('empties exactly the texts that the published schemas call blank', () => {
    const blank: string[] = []
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (flawIn(NonEmpty, point(unit))) blank.push(point(unit))
    }
    expect(blank).toEqual(spaces.toSorted())
  })

  test('a megabyte of inner space is fast', () => {
    const text = `x${' '.repeat(1_000_000)}x`
    for (let round = 0; round < 100; round++) expect(trim(text)).toBe(text)
  })
})

test('lower-casing changes A to Z only', () => {
  const letters = Array.from({ length: 0x250 }, (_, unit) => point(unit)).join('')
  const changed = [...letters].filter(letter => lowerAscii(letter) !== letter)
  expect(changed.join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  expect(lowerAscii('ÄTool_USE İ \u212a')).toBe('Ätool_use İ \u212a')
})

test('refs are trimmed, deduplicated and sorted in code-point order', () => {
  expect(cleanRefs(['z', ' a', 'a\u0085', '', ' ', '😀', '\uffff', 'Z', '10', '9'])).toEqual([
    ...['10', '9', 'Z', 'a', 'z', '\uffff', '😀'],
  ])
  expect(cleanRefs([])).toEqual([])
  for (const unclean of [['b', 'a'], ['a', 'a'], ['a', ''], ['a '], ['a', 'b', 'a']]) {
    const clean = [...new Set(unclean.map(ref => ref.trim()))].filter(ref => ref !== '').sort()
    expect(cleanRefs(unclean)).toEqual(clean)
    expect(cleanRefs(clean)).toEqual(clean)
  }
})

test('a clipped text never ends in half a character', () => {
  expect(clip('abc', 3)).toBe('abc')
  expect(clip('abcd', 3)).toBe('abc…')
  expect(clip('ab😀d', 3)).toBe('ab…')
  expect(clip('a😀bc', 3)).toBe('a😀…')
})
