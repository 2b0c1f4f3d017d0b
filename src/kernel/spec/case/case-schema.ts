/**
 * The JSON Schema of a spec document in YAML or JSON, for editors. It is made from the tables that
 * `spec lint` checks by, and says less: what spans several keys is left to `spec lint`.
 */
import { groupKinds } from '../assert/assert-tree.ts'
import { blockOperators } from '../assert/sugar.ts'
import { assertOperators } from './assert-shape.ts'
import { keysOf } from './check-case.ts'
import { type CaseType, chainTarget, type Keys, type ValueShape } from './key-shape.ts'

type Schema = Readonly<Record<string, unknown>>

export const caseSchemaKind = 'premath.spec.case.v1'

export function caseSchema(types: readonly CaseType[]): Schema {
  const names = types.map(({ type }) => type)
  return {
    // Editors know this dialect best.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: caseSchemaKind,
    description: 'A spec document in YAML or JSON: one case, or a list of cases.',
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { items: { $ref: '#/definitions/case' }, minItems: 1 },
    else: { $ref: '#/definitions/case' },
    definitions: {
      case: {
        type: 'object',
        required: ['id', 'type'],
        properties: { type: { enum: names, description: 'The type of the case.' } },
        allOf: names.map(name => ({
          if: { properties: { type: { const: name } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
          then: { $ref: `#/definitions/${name}` },
        })),
      },
      ...Object.fromEntries(types.flatMap(definitionsOf)),
    },
  }
}

function definitionsOf(type: CaseType): readonly (readonly [string, Schema])[] {
  const { top, harness } = keysOf(type)
  const setup = { ...keysSchema(harness), description: top['harness']?.describe }
  const { properties, ...rest } = keysSchema(top)
  const assertion = `${type.type} assertion`
  const assert = {
    type: 'array',
    description: top['assert']?.describe,
    items: { $ref: `#/definitions/${assertion}` },
  }
  const whole = { ...rest, description: type.describe }
  return [
    [type.type, { ...whole, properties: { ...Object(properties), harness: setup, assert } }],
    [assertion, assertionSchema(`#/definitions/${assertion}`, type.targets)],
  ]
}

function assertionSchema(self: string, targets: readonly string[]): Schema {
  const nodes = { type: 'array', items: { $ref: self }, minItems: 1 }
  const isGroup = { anyOf: groupKinds.map(kind => ({ required: [kind] })) }
  const values = (op: string) =>
    blockOperators.includes(op) ? { type: ['string', 'array'] } : { type: 'array' }
  return {
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { items: { $ref: self } },
    else: {
      type: 'object',
      if: isGroup,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: {
        properties: {
          target: { enum: [...targets, chainTarget, null], description: 'The subject.' },
          ...Object.fromEntries(groupKinds.map(kind => [kind, nodes])),
        },
        oneOf: isGroup.anyOf,
        additionalProperties: false,
      },
      else: {
        properties: Object.fromEntries(assertOperators.map(op => [op, values(op)])),
        minProperties: 1,
        additionalProperties: false,
      },
    },
  }
}

function keysSchema(keys: Keys): Schema {
  const entries = Object.entries(keys)
  const required = entries.filter(([, one]) => one.required || one.missing).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { is, describe }]) => [
        name,
        { ...valueSchema(is), description: describe },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function valueSchema(shape: ValueShape): Schema {
  if (typeof shape === 'string') return plain[shape]
  if ('whole' in shape) {
    const { min, max } = shape.whole
    return { type: 'integer', minimum: min, ...(max !== undefined && { maximum: max }) }
  }
  if ('oneOf' in shape) return oneOfSchema(shape.oneOf, shape.anyCase === true)
  if ('list' in shape) {
    const { list, atLeast } = shape
    const least = atLeast === undefined ? {} : { minItems: atLeast }
    return { type: 'array', items: valueSchema(list), ...least }
  }
  if ('mapping' in shape) return keysSchema(shape.mapping)
  if ('mappingOf' in shape) {
    return { type: 'object', additionalProperties: valueSchema(shape.mappingOf) }
  }
  return { anyOf: shape.either.map(valueSchema) }
}

const plain: Readonly<Record<ValueShape & string, Schema>> = {
  any: {},
  text: { type: 'string' },
  name: { type: 'string', pattern: '\\S' },
  path: { type: 'string', pattern: '\\S' },
  flag: { type: 'boolean' },
  null: { type: 'null' },
  scalar: { type: ['string', 'number', 'boolean', 'null'] },
}

/** An editor offers the words as they are listed. */
function oneOfSchema(words: readonly string[], anyCase: boolean): Schema {
  if (!anyCase) return { enum: words }
  const letters = (word: string) =>
    word.replace(/[a-z]/gi, letter => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
  return {
    anyOf: [{ enum: words }, { type: 'string', pattern: `^(${words.map(letters).join('|')})$` }],
  }
}
