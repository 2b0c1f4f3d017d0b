import { expect, test } from 'vitest'
import { schemaComplaints } from './schema-complaints.ts'
import { tooCostly } from './schema-cost.ts'

/** Each definition refers twice to the next one: 2 to the power of `levels` checks. */
function doubling(levels: number) {
  const defs = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at === levels - 1
      ? { type: 'object' }
      : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ])
  return { $ref: '#/$defs/d0', $defs: Object.fromEntries(defs) }
}

test('a schema that doubles at every step is refused before it runs', () => {
  expect(tooCostly(doubling(41), {})).toContain('asks for too much work')
  expect(schemaComplaints(doubling(41), {})[0]).toContain('asks for too much work')
})

test('a few doublings are accepted', () => {
  expect(tooCostly(doubling(8), {})).toBeUndefined()
  expect(schemaComplaints(doubling(8), {})).toEqual([])
})

test('a schema that doubles with the depth of the value is refused for deep values only', () => {
  const twice = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } }
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
  expect(tooCostly(twice, nested(4))).toBeUndefined()
  expect(tooCostly(twice, nested(60))).toContain('asks for too much work')
})

test('a schema that refers to itself without end is refused', () => {
  expect(tooCostly({ $ref: '#' }, {})).toContain('refers to itself without end')
})

test('a recursive schema for trees is accepted', () => {
  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  }
  const leaf = { name: 'leaf', children: [] }
  const value = { name: 'root', children: Array.from({ length: 500 }, () => leaf) }
  expect(tooCostly(tree, value)).toBeUndefined()
})

test('comparing each item of a long list with each other is refused', () => {
  const schema = { type: 'array', uniqueItems: true }
  const list = (length: number) => Array.from({ length }, (_, at) => ({ at }))
  expect(tooCostly(schema, list(2000))).toBeUndefined()
  expect(tooCostly(schema, list(2001))).toContain('2001 items')
})

test('a reference to an anchor is followed', () => {
  const schema = doubling(41)
  const { $defs } = schema
  const named = {
    $ref: '#start',
    $defs: { ...$defs, start: { $anchor: 'start', $ref: '#/$defs/d0' } },
  }
  expect(tooCostly(named, {})).toContain('asks for too much work')
})
