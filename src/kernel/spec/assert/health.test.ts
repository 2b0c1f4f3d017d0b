import { expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import { type Json, JsonNumber } from '../../json.ts'
import { healthOf } from './health.ts'

const one = new JsonNumber('1.0')

const found = (...children: Json[]) =>
  healthOf(fromJson([{ target: 'text', must: children }])).map(
    ({ code, path }) => `${code}@${path}`,
  )

test.each<[string, Json[], string[]]>([
  ['an empty text', [{ contain: ['a', ''] }], ['AH001@assert[0].must[0].contain']],
  ['a pattern for everything', [{ regex: ['\\A.*\\Z'] }], ['AH002@assert[0].must[0].regex']],
  ['the same twice', [{ contain: ['a', 'a'] }], ['AH003@assert[0].must[0].contain']],
  ['the same float twice', [{ contain: [one, one] }], ['AH003@assert[0].must[0].contain']],
  ['an integer and a float', [{ contain: [1, one] }], []],
  ['siblings with floats', [{ contain: [one] }, { contain: [one] }], ['AH004@assert[0].must']],
  ['the same pattern twice', [{ regex: ['a', 'a'] }], ['AH003@assert[0].must[0].regex']],
  ['equal siblings', [{ contain: ['a'] }, { contain: ['a'] }], ['AH004@assert[0].must']],
  ['a look behind', [{ regex: ['(?<=a)b'] }], ['AH005@assert[0].must[0].regex']],
  ['a named group', [{ regex: ['(?P<n>a)'] }], ['AH005@assert[0].must[0].regex']],
  ['a flag', [{ regex: ['(?i)a'] }], ['AH005@assert[0].must[0].regex']],
  ['a possessive quantifier', [{ regex: ['a++'] }], ['AH005@assert[0].must[0].regex']],
  ['what is fine', [{ contain: ['a'], regex: ['(?:a|b)+$'] }, { contain: ['b'] }], []],
  ['an expression, whatever it says', [{ evaluate: [{ contains: [''] }, true, true] }], []],
])('the health codes of %s', (_, children, codes) => {
  expect(found(...children)).toEqual(codes)
})

test('nested groups are checked', () => {
  expect(found({ can: [[{ contain: [''] }]] })).toEqual([
    'AH001@assert[0].must[0].can[0][0].contain',
  ])
})
