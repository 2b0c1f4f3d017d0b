import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import { withoutSetting, withSetting } from './edit-config.ts'
import { JsoncFlaw, parseJsonc } from './jsonc.ts'

function parsed(text: string) {
  const document = parseJsonc(text)
  if (document instanceof JsoncFlaw) throw new Error(`${document.why}\n${text}`)
  return document
}

const set = (text: string, key: string, value: Json) =>
  withSetting(parsed(text), key.split('.'), value)
const unset = (text: string, key: string) => withoutSetting(parsed(text), key.split('.'))

describe('a setting is added', () => {
  test.each<[string, string, string, Json, string]>([
    ['to an empty object', '{}\n', 'a', 1, '{\n  "a": 1\n}\n'],
    ['on one line', '{"a": 1}', 'b', 'x', '{"a": 1, "b": "x"}'],
    ['behind a trailing comma', '{\n  "a": 1,\n}\n', 'b', 2, '{\n  "a": 1,\n  "b": 2,\n}\n'],
    [
      'behind the comment of the last one',
      '{\n  "a": 1 // why\n}\n',
      'b',
      2,
      '{\n  "a": 1, // why\n  "b": 2\n}\n',
    ],
    [
      'behind comments without a setting',
      '{\n  // "a": 1,\n}\n',
      'b',
      true,
      '{\n  // "a": 1,\n  "b": true\n}\n',
    ],
    [
      'with the indent of the others',
      '{\n\t"a": 1}',
      'b',
      ['x', 'y'],
      '{\n\t"a": 1,\n\t"b": ["x", "y"]\n}',
    ],
    [
      'with a new group',
      '{\n  "a": 1\n}\n',
      'b.c',
      2,
      '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n',
    ],
    [
      'to a group',
      '{\n  "b": {\n    "c": 2 /* two */\n  }\n}\n',
      'b.d',
      3,
      '{\n  "b": {\n    "c": 2, /* two */\n    "d": 3\n  }\n}\n',
    ],
    [
      'with the line ends of the others',
      '{\r\n  "a": 1\r\n}\r\n',
      'b',
      2,
      '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
    ],
  ])('%s', (_, text, key, value, expected) => {
    expect(set(text, key, value)).toBe(expected)
  })
})

test('a changed setting keeps its place and its comments', () => {
  const text = '// head\n{\n  // above\n  "a": 1, // beside\n  /* b */ "b": [1,\n 2]\n}\n'
  expect(set(text, 'a', 'x')).toBe(text.replace('1, //', '"x", //'))
  expect(set(text, 'b', ['y'])).toBe(text.replace('[1,\n 2]', '["y"]'))
})

describe('a setting is removed', () => {
  test.each([
    [
      'with its line',
      '{\n  // above\n  "a": 1, // why\n  "b": 2\n}',
      'a',
      '{\n  // above\n  "b": 2\n}',
    ],
    ['with the comma before it', '{\n  "a": 1, // why\n  "b": 2\n}', 'b', '{\n  "a": 1 // why\n}'],
    ['and trailing commas stay', '{\n  "a": 1,\n  "b": 2,\n}', 'b', '{\n  "a": 1,\n}'],
    ['from one line', '{"a": 1, "b": 2}', 'a', '{ "b": 2}'],
    ['from a group', '{"a": {"b": 1}}', 'a.b', '{"a": {}}'],
    ['with its group', '{\n  "a": {\n    "b": 1\n  }\n}', 'a', '{\n}'],
    ['with Windows line ends', '{\r\n  "a": 1,\r\n  "b": 2\r\n}', 'a', '{\r\n  "b": 2\r\n}'],
    ['if it is there', '{"a": 1}', 'b', '{"a": 1}'],
  ])('%s', (_, text, key, expected) => {
    expect(unset(text, key)).toBe(expected)
  })
})

describe('whatever the text looks like', () => {
  const space = fc.constantFrom(
    '',
    ' ',
    '\n',
    '\n  ',
    '\r\n\t',
    ' // c {"\n',
    ' /* , } */ ',
    '\n// c\n',
  )
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 })
  const value = fc.constantFrom('1', '"x, // y"', '[1, /* 2 */ 2]', '{ "in": 1 // c\n}', '{}')
  const text = fc
    .tuple(names, fc.infiniteStream(space), fc.infiniteStream(value), fc.boolean())
    .map(([members, spaces, values, isTrailing]) => {
      const gap = () => String(spaces.next().value)
      const written = members.map(
        name => `${gap()}"${name}"${gap()}:${gap()}${values.next().value}${gap()}`,
      )
      const end = isTrailing && members.length > 0 ? ',' : ''
      return `${gap()}{${gap()}${written.join(',')}${end}${gap()}}${gap()}`
    })
  const comments = (one: string) => one.match(/\/\/ c|\/\* , } \*\//g) ?? []

  test('a set setting reads back, and nothing else changes', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'b', 'd', 'e'), (before, key) => {
        const after = set(before, key, 'new')
        const expected = { ...(parsed(before).value as JsonObject), [key]: 'new' }
        expect(parsed(after).value).toEqual(expected)
        if (!before.includes(`"${key}"`)) expect(comments(after)).toEqual(comments(before))
      }),
    )
  })

  test('a removed setting is gone, and nothing else changes', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'b', 'd', 'e'), (before, key) => {
        const { [key]: _, ...expected } = parsed(before).value as JsonObject
        expect(parsed(unset(before, key)).value).toEqual(expected)
      }),
    )
  })
})
