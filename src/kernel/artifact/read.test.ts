import { describe, expect, test } from 'vitest'
import { NonEmpty, Refs, Timestamp } from '../../wire/primitives.ts'
import {
  absentAs,
  any,
  count,
  list,
  literal,
  map,
  nullable,
  openRecord,
  optional,
  orBlank,
  orElse,
  orNone,
  record,
  type Shape,
  text,
  unchecked,
  union,
  untouched,
  variant,
  word,
} from '../../wire/shape.ts'
import { type Json, parseJson } from '../json.ts'
import { Flaw } from './flaw.ts'
import { documentOf, printDocument } from './print.ts'
import { readAs } from './read.ts'

const lenient = { nullIsAbsent: true }

const Note = openRecord({
  schema: literal(1),
  noteId: NonEmpty,
  state: orElse(word(['open', 'done']), 'open'),
  title: optional(NonEmpty),
  body: orBlank(text),
  at: optional(Timestamp),
  size: optional(count),
  refs: orNone(Refs),
  rows: orNone(list(openRecord({ id: NonEmpty, note: optional(text) }))),
  raw: unchecked(NonEmpty),
  kept: untouched(count),
})

const least = { schema: 1, noteId: 'n' }
const readNote = (value: Json) => readAs(Note, value, lenient)

test('an absent member takes the default of its shape', () => {
  expect(readNote(least)).toEqual({
    schema: 1,
    noteId: 'n',
    state: 'open',
    body: '',
    refs: [],
    rows: [],
    raw: '',
  })
})

test('text is trimmed, blanks and nulls are absent, sets are sorted, times stay as they are', () => {
  const note = {
    ...least,
    noteId: ' n\u0085',
    state: ' done ',
    title: ' \u3000',
    body: ' b ',
    at: ' 2026-02-22 00:00:00.5+01:00 ',
    size: null,
    refs: ['b', '', ' a ', 'b'],
    rows: [{ id: ' r ' }],
    raw: ' ',
    kept: 'anything',
  }
  expect(readNote(note)).toEqual({
    schema: 1,
    noteId: 'n',
    state: 'done',
    body: ' b ',
    at: '2026-02-22 00:00:00.5+01:00',
    refs: ['a', 'b'],
    rows: [{ id: 'r' }],
    raw: ' ',
    kept: 'anything',
  })
})

test('numbers of any spelling are plain, except in unchecked members', () => {
  const note = readAs(Note, parseJson('{"schema":1.0,"noteId":"n","size":2e1,"theirs":1.0}'))
  expect(note).toMatchObject({ schema: 1, size: 20 })
  expect(printDocument(Note, note)).toContain('"theirs": 1.0')
})

describe('a flaw is named with its place', () => {
  test.each<[string, object]>([
    ['noteId is missing', { noteId: undefined }],
    ['noteId is missing', { noteId: null }],
    ['noteId must not be blank', { noteId: ' ' }],
    ['noteId must be text', { noteId: 1 }],
    ['schema is 2, written by a newer premath; this one reads 1', { schema: 2 }],
    ['state must be one of open, done, not "shut"', { state: 'shut' }],
    ['at must be an RFC 3339 time, not "2026-02-30T00:00:00Z"', { at: '2026-02-30T00:00:00Z' }],
    ['refs must be a list of text', { refs: [1] }],
    ['rows must be a list', { rows: {} }],
    ['rows[1] must be an object', { rows: [{ id: 'a' }, 'b'] }],
    ['rows[0].id must not be blank', { rows: [{ id: '' }] }],
    ['raw must be text', { raw: 1 }],
  ])('%s', (flaw, change) => {
    expect(String(readNote({ ...least, ...change } as Json))).toBe(flaw)
  })
})

test('null is refused unless the shape allows it', () => {
  expect(String(readAs(Note, { ...least, title: null }))).toBe('title must be text')
})

describe('the other shapes', () => {
  const Choice = variant('is', [
    record({ is: literal('a'), n: count }),
    record({ is: literal('b') }),
  ])
  test.each<[Shape, Json, unknown]>([
    [any, [null], [null]],
    [nullable(NonEmpty), null, null],
    [nullable(NonEmpty), ' x ', 'x'],
    [map(NonEmpty), { a: ' x ' }, { a: 'x' }],
    [map(NonEmpty), { a: ' ' }, new Flaw('must not be blank', '["a"]')],
    [map(NonEmpty), [], new Flaw('must be an object')],
    [list(NonEmpty, { least: 1 }), [], new Flaw('must not be empty')],
    [list(NonEmpty), ['a', ' '], new Flaw('must not be blank', '[1]')],
    [union([count, list(count)]), [1], [1]],
    [union([count, list(count)]), 'x', new Flaw('must be a whole number from 0')],
    [Choice, { is: 'a', n: 1 }, { is: 'a', n: 1 }],
    [Choice, { is: 'b', n: 1 }, new Flaw('has an unknown member "n"')],
    [Choice, { is: 'c' }, new Flaw('must be one of a, b, not "c"', 'is')],
    [Choice, [], new Flaw('must be an object')],
    [record({ a: absentAs(list(count), []) }), {}, { a: [] }],
  ])('%j: %j', (shape, value, expected) => {
    expect(readAs(shape, value)).toEqual(expected)
  })
})

describe('a document', () => {
  test('lists members in the order of the shape, then the unknown ones in input order', () => {
    const text = `{
  "zeta": 1.0,
  "noteId": "n",
  "__proto__": {"x": 1},
  "rows": [{"theirs": [], "note": "", "id": "r"}],
  "kept": null,
  "schema": 1
}`
    const note = readNote(parseJson(text))
    if (note instanceof Flaw) throw new Error(String(note))
    expect(printDocument(Note, note)).toBe(`{
  "schema": 1,
  "noteId": "n",
  "state": "open",
  "rows": [
    {
      "id": "r",
      "note": "",
      "theirs": []
    }
  ],
  "raw": "",
  "kept": null,
  "zeta": 1.0,
  "__proto__": {
    "x": 1
  }
}
`)
  })

  test('leaves out empty members, and is read back unchanged', () => {
    const note = readNote({ ...least, body: '', title: 't' })
    if (note instanceof Flaw) throw new Error(String(note))
    const document = documentOf(Note, note)
    expect(Object.keys(document)).toEqual(['schema', 'noteId', 'state', 'title', 'raw'])
    expect(readNote(document)).toEqual(note)
  })
})
