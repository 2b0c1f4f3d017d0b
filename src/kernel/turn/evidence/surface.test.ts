import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { count, id, text } from '../../../wire/turn/row.ts'
import { canonicalJson } from '../../canonical.ts'
import { type Json, type JsonObject, parseJson } from '../../json.ts'
import { Reading } from './read-row.ts'
import { readSurface } from './surface.ts'

const fields = { key: id, text, count } as const

function surface(given: unknown) {
  const reading = new Reading()
  const evidence = parseJson(canonicalJson({ rows: given } as Json)) as JsonObject
  const rows = readSurface(evidence, reading, 'rows', fields, 'key')
  return {
    rows: canonicalJson(rows as Json),
    defects: reading.defects.map(({ at, message }) => `${at} ${message}`),
  }
}

test('rows stand in code-point order of their ids', () => {
  const given = ['😀', '\uffff', 'b', 'a', '10', '9'].map(key => ({ key }))
  expect(surface(given)).toEqual({
    rows: '[{"key":"10"},{"key":"9"},{"key":"a"},{"key":"b"},{"key":"\uffff"},{"key":"😀"}]',
    defects: [],
  })
})

test('rows equal after normalization are one', () => {
  expect(
    surface([
      { key: 'a', text: 'x' },
      { key: ' a', text: 'x ', more: 1 },
    ]),
  ).toEqual({
    rows: '[{"key":"a","text":"x"}]',
    defects: [],
  })
})

test('rows of one id that differ are all kept, by their text, and are a defect', () => {
  const given = [
    { key: 'a', text: 'z' },
    { key: 'b' },
    { key: 'a', text: 'y' },
    { key: 'a', text: 'z' },
    { key: 'a' },
  ]
  const defect = 'evidence.rows[a] rows of this id differ from each other'
  expect(surface(given)).toEqual({
    rows: '[{"key":"a","text":"y"},{"key":"a","text":"z"},{"key":"a"},{"key":"b"}]',
    defects: [defect, defect],
  })
})

describe('a value that is not a list is a defect and read as empty', () => {
  test.each([
    [null, 'null'],
    [{}, 'an object'],
    ['x', 'text'],
    [0, 'the number 0'],
  ])('%j', (given, kind) => {
    expect(surface(given)).toEqual({
      rows: '[]',
      defects: [`evidence.rows must be a list, not ${kind}`],
    })
  })

  test('but an absent list is no defect', () => {
    expect(surface(undefined)).toEqual({ rows: '[]', defects: [] })
  })
})

test('a row without readable id is named by its position and left out', () => {
  expect(surface([{ key: 'a' }, { text: 'x' }, { key: ' ' }, { key: 7 }, [], null])).toEqual({
    rows: '[{"key":"a"}]',
    defects: [
      'evidence.rows[1].key is missing',
      'evidence.rows[2].key is blank',
      'evidence.rows[3].key must be text, not the number 7',
      'evidence.rows[4] must be an object, not a list',
      'evidence.rows[5] must be an object, not null',
    ],
  })
})

test('an id of a megabyte is a defect under a short name', () => {
  const { rows, defects } = surface([{ key: 'i'.repeat(1_000_000) }])
  expect(rows).toBe('[]')
  expect(defects).toEqual([
    `evidence.rows["${'i'.repeat(40)}…"].key is 1000000 characters long; the most is 4096`,
  ])
})

test('the order rows arrive in changes nothing', () => {
  const row = fc.record(
    { key: fc.constantFrom('a', 'b', 'c', ' a', '😀', '\uffff'), text: fc.constantFrom('x', 'y') },
    { requiredKeys: ['key'] },
  )
  const shuffled = fc
    .array(row, { maxLength: 8 })
    .chain(rows =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    )
  fc.assert(
    fc.property(shuffled, ([rows, same]) => {
      expect(surface(same)).toEqual(surface(rows))
    }),
    { numRuns: 500 },
  )
})
