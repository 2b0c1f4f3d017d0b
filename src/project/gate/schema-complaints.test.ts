import { describe, expect, test } from 'vitest'
import { type Json, parseJson } from '../../kernel/json.ts'
import { schemaComplaints } from './schema-complaints.ts'

const complaints = (schema: Json, value: string) => schemaComplaints(schema, parseJson(value))

describe('arguments are checked against the schema of their tool', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      lines: { type: 'array', items: { type: 'integer' } },
    },
    required: ['path'],
    additionalProperties: false,
  }

  test.each([
    ['{"path":"a","lines":[1,2.0]}', []],
    ['{}', ["the arguments must have required property 'path'"]],
    ['{"path":""}', ['path must NOT have fewer than 1 characters']],
    ['{"path":"a","lines":[1,"2"]}', ['lines.1 must be integer']],
    ['{"path":"a","x":1}', ['the arguments must NOT have additional properties']],
    ['[]', ['the arguments must be object']],
    ['null', ['the arguments must be object']],
  ])('%s', (value, expected) => {
    expect(complaints(schema, value)).toEqual(expected)
  })

  test('a schema may be true or false', () => {
    expect(complaints(true, '7')).toEqual([])
    expect(complaints(false, '7')).toEqual(['the arguments boolean schema is false'])
  })
})

describe('patterns', () => {
  const matches = (pattern: string, text: string) =>
    complaints({ type: 'string', pattern }, JSON.stringify(text)).length === 0

  test.each([
    ['^a+$', 'aa', true],
    ['^a+$', 'aab', false],
    ['b', 'abc', true],
    ['b', 'aac', false],
    ['^\\d{3}$', '123', true],
    ['^\\d{3}$', '12', false],
    ['^\\p{Lu}', 'Éa', true],
    ['^\\p{Lu}', 'éa', false],
    ['^.$', '😀', true],
    ['^a/b$', 'a/b', true],
  ])('%s on %j: %s', (pattern, text, answer) => {
    expect(matches(pattern, text)).toBe(answer)
  })

  test('each property has its own', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }
    expect(complaints(schema, '{"a":"a","b":"b"}')).toEqual([])
    expect(complaints(schema, '{"a":"a","b":"a"}')).toEqual(['b must match pattern "^b$"'])
    expect(complaints(schema, '{"a":"b","b":"b"}')).toEqual(['a must match pattern "^a$"'])
    const names = { patternProperties: { '^a': { type: 'string' }, '^b': { type: 'integer' } } }
    expect(complaints(names, '{"ax":"s","bx":1,"c":null}')).toEqual([])
    expect(complaints(names, '{"bx":"s"}')).toEqual(['bx must be integer'])
  })

  test('that backtrack elsewhere are matched in linear time', () => {
    expect(matches('^(a+)+$', `${'a'.repeat(100_000)}!`)).toBe(false)
  })
})

test('an inherited property is not a member of the arguments', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    const schema = { type: 'object', required: [name] }
    expect(complaints(schema, '{}')).toEqual([
      `the arguments must have required property '${name}'`,
    ])
    expect(complaints(schema, `{"${name}":1}`)).toEqual([])
  }
  expect(complaints({ additionalProperties: false }, '{"__proto__":1}')).toHaveLength(1)
})

describe('a schema that cannot be applied is refused without an exception', () => {
  test.each([
    ['of an unknown type', { type: 'bogus' }],
    ['that is text', 'x'],
    ['that is a list', []],
    ['that refers elsewhere', { $ref: 'https://example.com/schema' }],
    ['with a pattern that needs to look ahead', { type: 'string', pattern: '(?=a)' }],
    ['of an unknown dialect', { $schema: 'https://example.com/dialect' }],
    ['that answers later', { $async: true, type: 'string' }],
    ['that takes the name of its dialect', { $id: 'https://json-schema.org/draft/2020-12/schema' }],
  ])('%s', (_, schema) => {
    expect(schemaComplaints(schema as Json, 'a')).toEqual([
      expect.stringMatching(/^cannot be checked, since the tool's inputSchema /),
    ])
  })

  test('that refers to itself without end', () => {
    for (const schema of [{ $ref: '#' }, { allOf: [{ $ref: '#' }] }]) {
      expect(complaints(schema, '{}')).toEqual([
        expect.stringContaining('refers to itself without end'),
      ])
    }
  })

  test('but a recursive schema is applied', () => {
    const tree = { properties: { child: { $ref: '#' }, n: { type: 'integer' } } }
    expect(complaints(tree, '{"child":{"child":{"n":1}}}')).toEqual([])
    expect(complaints(tree, '{"child":{"child":{"n":"1"}}}')).toEqual([
      'child.child.n must be integer',
    ])
  })
})

test('two schemas of one name are two schemas', () => {
  const named = (type: string) => ({ $id: 'https://example.com/tool', type })
  expect(complaints(named('string'), '"x"')).toEqual([])
  expect(complaints(named('integer'), '"x"')).toEqual(['the arguments must be integer'])
})

test('more schemas than the cache holds are all applied', () => {
  for (let limit = 0; limit < 260; limit++) {
    expect(complaints({ maximum: limit }, String(limit))).toEqual([])
    if (limit % 51 === 0) {
      expect(complaints({ maximum: limit }, String(limit + 1))).toEqual([
        `the arguments must be <= ${limit}`,
      ])
    }
  }
})

test.each(['04', '06', '07'])('a schema of draft %s is checked by its own rules', draft => {
  const schema = {
    $schema: `http://json-schema.org/draft-${draft}/schema#`,
    definitions: { name: { type: 'string' } },
    type: 'object',
    properties: { pair: { items: [{ $ref: '#/definitions/name' }, { type: 'number' }] } },
  }
  expect(schemaComplaints(schema, { pair: ['a', 1] })).toEqual([])
  expect(schemaComplaints(schema, { pair: [1, 1] })).toEqual(['pair.0 must be string'])
})

test('an unknown dialect is refused', () => {
  const schema = { $schema: 'https://example.org/my-own-dialect', type: 'object' }
  expect(schemaComplaints(schema, {})[0]).toContain('does not compile')
})
