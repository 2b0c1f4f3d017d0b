import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { parseJson } from './json.ts'
import { changed, type JsonChange } from './json-patch.ts'

const start = parseJson('{"a":{"b":[1,2,3]},"c/d":1.0,"e~f":null}')

const after = (...changes: readonly JsonChange[]) => canonicalJson(changed(start, changes))

test('an empty patch leaves the value unchanged', () => {
  expect(after()).toBe('{"a":{"b":[1,2,3]},"c/d":1.0,"e~f":null}')
})

test.each<[string, JsonChange, string]>([
  [
    'a member is added',
    { op: 'add', path: '/g', value: [] },
    '"a":{"b":[1,2,3]},"c/d":1.0,"e~f":null,"g":[]',
  ],
  [
    'a member that exists is replaced by an addition',
    { op: 'add', path: '/a', value: 1 },
    '"a":1,"c/d":1.0,"e~f":null',
  ],
  ['a member is removed', { op: 'remove', path: '/c~1d' }, '"a":{"b":[1,2,3]},"e~f":null'],
  [
    'a null is replaced',
    { op: 'replace', path: '/e~0f', value: 2 },
    '"a":{"b":[1,2,3]},"c/d":1.0,"e~f":2',
  ],
  [
    'an item is inserted',
    { op: 'add', path: '/a/b/0', value: 9 },
    '"a":{"b":[9,1,2,3]},"c/d":1.0,"e~f":null',
  ],
  [
    'an item is appended',
    { op: 'add', path: '/a/b/-', value: 9 },
    '"a":{"b":[1,2,3,9]},"c/d":1.0,"e~f":null',
  ],
  [
    'an item is inserted at the end',
    { op: 'add', path: '/a/b/3', value: 9 },
    '"a":{"b":[1,2,3,9]},"c/d":1.0,"e~f":null',
  ],
  ['an item is removed', { op: 'remove', path: '/a/b/1' }, '"a":{"b":[1,3]},"c/d":1.0,"e~f":null'],
  [
    'an item is replaced',
    { op: 'replace', path: '/a/b/2', value: {} },
    '"a":{"b":[1,2,{}]},"c/d":1.0,"e~f":null',
  ],
])('%s', (_, change, members) => {
  expect(after(change)).toBe(`{${members}}`)
})

test('the whole document can be replaced, and changes follow each other', () => {
  const change = { op: 'replace', path: '', value: [] } as const
  expect(after(change, { op: 'add', path: '/-', value: 1 })).toBe('[1]')
})

test('a patch does not modify its input', () => {
  after({ op: 'remove', path: '/a/b/0' }, { op: 'remove', path: '/a' })
  expect(after()).toBe('{"a":{"b":[1,2,3]},"c/d":1.0,"e~f":null}')
})

test('an inherited property name is a key like any other', () => {
  expect(() => after({ op: 'remove', path: '/constructor' })).toThrow('no member')
  expect(after({ op: 'add', path: '/a/__proto__', value: 1 })).toContain('"__proto__":1')
})

test.each<[string, JsonChange]>([
  ['a path without a slash', { op: 'remove', path: 'a' }],
  ['the removal of the whole document', { op: 'remove', path: '' }],
  ['a member that is missing', { op: 'remove', path: '/x' }],
  ['a parent that is missing', { op: 'add', path: '/x/y', value: 1 }],
  ['an item beyond the end', { op: 'replace', path: '/a/b/3', value: 1 }],
  ['an insertion beyond the end', { op: 'add', path: '/a/b/4', value: 1 }],
  ['the removal of the item after the last', { op: 'remove', path: '/a/b/-' }],
  ['an index with a leading zero', { op: 'remove', path: '/a/b/01' }],
  ['a name in a list', { op: 'remove', path: '/a/b/x' }],
  ['a place in a number', { op: 'add', path: '/c~1d/x', value: 1 }],
])('%s is refused', (_, change) => {
  expect(() => after(change)).toThrow(change.path === 'a' ? 'must begin with /' : 'cannot')
})
