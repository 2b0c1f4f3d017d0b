import { describe, expect, test } from 'vitest'
import {
  count,
  digestedJson,
  firmFlag,
  flag,
  id,
  json,
  number,
  object,
  oneOf,
  refs,
  refsIfAny,
  requiredFlag,
  requiredText,
  rows,
  text,
  token,
  verbatim,
} from '../../../wire/turn/row.ts'
import { canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, parseJson } from '../../json.ts'
import { place, Reading, readRow, rowAt, rowPlace } from './read-row.ts'

const fields = {
  name: id,
  need: requiredText,
  text,
  token,
  word: oneOf(['strict', 'any']),
  verbatim,
  flag,
  firm: firmFlag,
  must: requiredFlag,
  count,
  from: { kind: 'count', min: 1 },
  number,
  refs,
  refsIfAny,
  json,
  digested: digestedJson,
  inner: object({ text, need: requiredText }),
  rows: rows({ text, need: requiredText }),
} as const

/** Reads `name`, `need`, `must` and the given fields. Returns the other fields and the findings. */
function reads(given: string) {
  const reading = new Reading()
  const raw = parseJson(`{"name":"n","need":"x","must":true${given && `,${given}`}}`)
  const row = readRow(raw, fields, place('row'), reading)
  const { name: _, need: __, must: ___, ...rest } = row ?? {}
  return {
    row: canonicalJson(rest as Json),
    defects: reading.defects.map(({ at, message }) => `${at} ${message}`),
    ignored: reading.ignoredKeys,
    exotic: reading.exotic,
  }
}

const quiet = { defects: [], ignored: [], exotic: false }

describe('a field is read by its kind', () => {
  test.each([
    ['"text":" a b\u0085"', '{"text":"a b"}'],
    ['"text":" "', '{}'],
    ['"token":" TOOL_Use "', '{"token":"tool_use"}'],
    ['"token":"É"', '{"token":"É"}'],
    ['"word":"Strict"', '{"word":"strict"}'],
    ['"verbatim":" A "', '{"verbatim":" A "}'],
    ['"verbatim":""', '{"verbatim":""}'],
    ['"flag":false', '{"flag":false}'],
    ['"count":0', '{"count":0}'],
    ['"from":1', '{"from":1}'],
    ['"number":-7', '{"number":-7}'],
    ['"refs":[" b","a","b",""]', '{"refs":["a","b"]}'],
    ['"refs":[]', '{"refs":[]}'],
    ['"refsIfAny":[" "]', '{}'],
    ['"digested":{"b":1.0}', '{"digested":{"b":1.0}}'],
    ['"inner":{"need":" y ","text":""}', '{"inner":{"need":"y"}}'],
    ['"rows":[{"need":"b"},{"need":"a"},{"need":" b "}]', '{"rows":[{"need":"a"},{"need":"b"}]}'],
  ])('%s', (given, row) => {
    expect(reads(given)).toEqual({ ...quiet, row })
  })

  test.each(['"json":{"b":1.0}', '"number":1.5'])('%s needs the exact printer', given => {
    expect(reads(given)).toEqual({ ...quiet, row: `{${given}}`, exotic: true })
  })
})

test.each(['text', 'token', 'word', 'verbatim', 'flag', 'count', 'number', 'json', 'inner'])(
  'null means absent for the optional %s',
  name => {
    expect(reads(`"${name}":null`)).toEqual({ ...quiet, row: '{}' })
  },
)

describe('a contract violation is reported at its place and left out of the row', () => {
  test.each([
    ['"text":1', 'row.text must be text, not the number 1'],
    ['"text":["a"]', 'row.text must be text, not a list'],
    ['"token":{}', 'row.token must be text, not an object'],
    ['"verbatim":7', 'row.verbatim must be text, not the number 7'],
    ['"flag":"true"', 'row.flag must be true or false, not text'],
    ['"flag":0', 'row.flag must be true or false, not the number 0'],
    ['"firm":null', 'row.firm must be true or false, not null'],
    ['"count":-1', 'row.count must be a whole number from 0, not the number -1'],
    ['"count":1.0', 'row.count must be a whole number from 0, not the number 1.0'],
    ['"count":"1"', 'row.count must be a whole number from 0, not text'],
    [
      '"count":12345678901234567890',
      'row.count must be a whole number from 0, not the number 12345678901234567890',
    ],
    ['"from":0', 'row.from must be a whole number from 1, not the number 0'],
    ['"number":"1"', 'row.number must be a number, not text'],
    ['"refs":null', 'row.refs must be a list of text, not null'],
    ['"refs":"a"', 'row.refs must be a list of text, not text'],
    ['"inner":[]', 'row.inner must be an object, not a list'],
    ['"inner":true', 'row.inner must be an object, not true'],
    ['"rows":null', 'row.rows must be a list, not null'],
    ['"rows":{}', 'row.rows must be a list, not an object'],
  ])('%s', (given, defects) => {
    expect(reads(given)).toEqual({ ...quiet, row: '{}', defects: [defects] })
  })
})

describe('a partly readable row keeps its readable part', () => {
  test.each([
    ['"word":"Loose"', '{"word":"loose"}', 'row.word is loose, which is none of strict, any'],
    ['"refs":["a",1,null]', '{"refs":["a"]}', 'row.refs[1] must be text, not the number 1'],
    ['"inner":{"text":"t"}', '{"inner":{"text":"t"}}', 'row.inner.need is missing'],
    ['"rows":[{"need":"a"},{}]', '{"rows":[{"need":"a"},{}]}', 'row.rows[1].need is missing'],
    [
      '"rows":[{"need":"a"},[]]',
      '{"rows":[{"need":"a"}]}',
      'row.rows[1] must be an object, not a list',
    ],
  ])('%s', (given, row, first) => {
    const { defects, ...rest } = reads(given)
    expect(rest).toEqual({ row, ignored: [], exotic: false })
    expect(defects[0]).toBe(first)
  })
})

test('each required field that is absent, blank or null is reported by name', () => {
  const reading = new Reading()
  readRow(parseJson('{"need":" ","must":null}'), fields, place('row'), reading)
  expect(reading.defects).toEqual([
    { at: 'row.must', message: 'must be true or false, not null' },
    { at: 'row.name', message: 'is missing' },
    { at: 'row.need', message: 'is blank' },
  ])
})

test('an id has a longest length, after trimming', () => {
  const longest = 'n'.repeat(4096)
  const row = (name: string) => {
    const reading = new Reading()
    return [readRow({ name: ` ${name} ` }, { name: id }, place('row'), reading), reading.defects]
  }
  expect(row(longest)).toEqual([{ name: longest }, []])
  expect(row(`${longest}n`)).toEqual([
    {},
    [{ at: 'row.name', message: 'is 4097 characters long; the most is 4096' }],
  ])
})

test('a member that must be an object refuses any other value and reports a missing one', () => {
  for (const [raw, message] of [
    [undefined, 'is missing'],
    [null, 'must be an object, not null'],
    [[], 'must be an object, not a list'],
    ['x', 'must be an object, not text'],
  ] as const) {
    const reading = new Reading()
    expect(readRow(raw, fields, place('row'), reading)).toBeUndefined()
    expect(reading.defects).toEqual([{ at: 'row', message }])
  }
})

test('keys outside the contract are noted once, sorted, without the ids of rows', () => {
  const reading = new Reading()
  for (const name of ['a', 'b']) {
    const raw = parseJson(
      `{"name":"${name}","z":1,"__proto__":2,"inner":{"need":"x","constructor":3}}`,
    )
    readRow(raw, { name: id, inner: fields.inner }, rowPlace('rows', name), reading)
  }
  expect(reading.ignoredKeys).toEqual(['rows[].__proto__', 'rows[].inner.constructor', 'rows[].z'])
  expect(reading.defects).toEqual([])
})

test('a long ignored key is cut, and never to half a character', () => {
  const reading = new Reading()
  reading.ignore('row', `${'k'.repeat(199)}😀😀`)
  expect(reading.ignoredKeys).toEqual([`row.${'k'.repeat(199)}…`])
})

test('members of a row stand in canonical order', () => {
  const row = readRow(
    parseJson('{"text":"t","need":"n","flag":true,"must":false,"name":"x"}'),
    fields,
    place('row'),
    new Reading(),
  )
  expect(Object.keys(row ?? {})).toEqual(['flag', 'must', 'name', 'need', 'text'])
  expect(isJsonObject(row as Json)).toBe(true)
})

test('a row is named by its id if that is readable, else by a short quote', () => {
  const labels = ['tc-1', 'a.b:c/d@e', '12', 12, 'a b', 'é', '', `${'x'.repeat(39)}😀y`]
  expect(labels.map(label => rowAt('rows', label))).toEqual([
    'rows[tc-1]',
    'rows[a.b:c/d@e]',
    'rows["12"]',
    'rows[12]',
    'rows["a b"]',
    'rows["é"]',
    'rows[""]',
    `rows["${'x'.repeat(39)}…"]`,
  ])
})
