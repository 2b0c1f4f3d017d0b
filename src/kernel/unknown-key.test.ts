import { expect, test } from 'vitest'
import { any, flag, map, record, text } from '../wire/shape.ts'
import type { JsonObject } from './json.ts'
import { unknownKeyMessage } from './unknown-key.ts'

const shape = record({
  ids: text,
  harness: record({ requireEvidence: flag }),
  surfaces: record({ cli: text }),
  checks: map(any),
})

test('a document with known members only has no unknown key', () => {
  const document = { ids: 'x', harness: { requireEvidence: true }, checks: { any: { thing: 1 } } }
  expect(unknownKeyMessage(document, shape)).toBeUndefined()
  expect(unknownKeyMessage({}, shape)).toBeUndefined()
})

test.each<[string, JsonObject, string]>([
  ['misspelt', { idz: 'x' }, 'it knows no "idz"; did you mean ids?'],
  [
    'misspelt further down',
    { harness: { requireEvidenc: true } },
    'harness knows no "requireEvidenc"; did you mean harness.requireEvidence?',
  ],
  [
    'in the wrong place',
    { requireEvidence: true },
    'it knows no "requireEvidence"; did you mean harness.requireEvidence?',
  ],
  [
    'too deep',
    { surfaces: { ids: 'x' } },
    'surfaces knows no "ids"; it belongs to the whole document',
  ],
  ['like nothing that is known', { surfaces: { web: {} } }, 'surfaces knows no "web"'],
  ['named as a path', { 'harness.requireEvidence': true }, 'it knows no "harness.requireEvidence"'],
  ['named as every object is built', JSON.parse('{"__proto__": 1}'), 'it knows no "__proto__"'],
])('a member that is %s is reported', (_, document, message) => {
  expect(unknownKeyMessage(document, shape)).toBe(message)
})
