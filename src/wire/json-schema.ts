/** The JSON Schema (2020-12) of a shape. */
import { filledPattern, type Members, type RecordShape, type Shape } from './shape.ts'

export const dialect = 'https://json-schema.org/draft/2020-12/schema'

type Schema = Readonly<Record<string, unknown>>

export function jsonSchemaOf(shape: Shape): Schema {
  const { title, about } = shape
  return {
    ...valueSchema(shape),
    ...(title !== undefined && { title }),
    ...(about !== undefined && { description: about }),
  }
}

function valueSchema(shape: Shape): Schema {
  switch (shape.is) {
    case 'any':
      return {}
    case 'nothing':
      return { not: {} }
    case 'flag':
      return { type: 'boolean' }
    case 'text':
      return given({
        type: 'string',
        pattern: shape.pattern,
        format: shape.format,
        minLength: shape.leastChars,
      })
    case 'whole':
      return { type: 'integer', ...wholeLimits(shape.least, shape.most) }
    case 'number':
      return given({ type: 'number', minimum: shape.least, exclusiveMinimum: shape.above })
    case 'literal':
      return { type: typeof shape.value, const: shape.value }
    case 'word':
      return { type: 'string', enum: shape.words }
    case 'list':
      return given({
        type: 'array',
        items: jsonSchemaOf(shape.of),
        minItems: shape.least,
        maxItems: shape.most,
      })
    case 'map':
      return {
        type: 'object',
        propertyNames: { type: 'string', pattern: filledPattern },
        additionalProperties: jsonSchemaOf(shape.of),
      }
    case 'record':
      return recordSchema(shape)
    case 'nullable':
      return nullableSchema(jsonSchemaOf(shape.of))
    case 'union':
      return { anyOf: shape.of.map(jsonSchemaOf) }
    case 'variant':
      return { oneOf: shape.of.map(jsonSchemaOf) }
  }
}

const nullableSchema = (schema: Schema): Schema =>
  Object.keys(schema).join() === 'type'
    ? { type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] }

/** Without a limit it is the range in which JavaScript counts exactly. */
const wholeLimits = (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) => ({
  ...(least > 0 ? { exclusiveMinimum: least - 1 } : { minimum: least }),
  maximum: most,
})

function recordSchema({ members, isOpen }: RecordShape): Schema {
  const required = requiredIn(members)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, jsonSchemaOf(member)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen ? {} : false,
  }
}

const requiredIn = (members: Members) =>
  Object.keys(members).filter(name => members[name]?.isOptional !== true)

const given = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
