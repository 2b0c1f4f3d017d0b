/** The JSON Schema of rows that are declared as tables. */
import { type Fields, idCharsMax } from './row.ts'

type Schema = Readonly<Record<string, unknown>>

/** Other keys are allowed: they are reported as ignored, not refused. */
export function rowSchema(fields: Fields): Schema {
  const required = Object.entries(fields).filter(([, field]) => field.required)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]),
    ),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  }
}

function fieldSchema(field: Fields[string]): Schema {
  const schema = valueSchema(field)
  const nullable = !field.required && !('notNull' in field && field.notNull)
  const listed = field.kind === 'refs' || field.kind === 'rows'
  return nullable && !listed && 'type' in schema
    ? { ...schema, type: [schema['type'], 'null'] }
    : schema
}

function valueSchema(field: Fields[string]): Schema {
  const filled = field.required ? { pattern: `[^${space}]` } : {}
  switch (field.kind) {
    case 'id':
      return { type: 'string', maxLength: idCharsMax, ...filled }
    case 'text':
      return { type: 'string', ...filled }
    case 'token':
      return field.values
        ? {
            type: 'string',
            // Case and outer space do not matter; the words are matched after cleaning.
            pattern: `^[${space}]*(${field.values.map(anyCase).join('|')})${field.required ? '' : '?'}[${space}]*$`,
            description: `One of ${field.values.join(', ')}.`,
          }
        : { type: 'string', ...filled }
    case 'verbatim':
      return { type: 'string' }
    case 'flag':
      return { type: 'boolean' }
    case 'count':
      return { type: 'integer', minimum: field.min ?? 0 }
    case 'number':
      return { type: 'number' }
    case 'refs':
      return { type: 'array', items: { type: 'string' } }
    case 'json':
      return {}
    case 'object':
      return rowSchema(field.fields)
    case 'rows':
      return { type: 'array', items: rowSchema(field.fields) }
  }
}

/** White space as the kernel trims it, which is not what `\\s` means. */
const space = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const anyCase = (word: string) =>
  word.replace(/[a-z]/g, letter => `[${letter.toUpperCase()}${letter}]`)

/** A list of rows under one key. */
export function rowsSchema(fields: Fields): Schema {
  return { type: 'array', items: rowSchema(fields) }
}
