/** The JSON Schema of a tool's input, from the fields of its operation. */
import type { Field, Fields } from '../field.ts'

interface Naming {
  /** By field: the name that callers know it by. */
  readonly names: Readonly<Record<string, string>>
  /** Fields that the tool sets. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined
}

/**
 * It does not forbid other members: hosts would refuse names in snake_case, which the operation takes
 * too. The operation refuses unknown ones.
 */
export function inputSchemaOf(fields: Fields, { names, fixed = {} }: Naming) {
  const offered = Object.entries(fields).filter(
    ([name, { noEffect }]) => noEffect === undefined && !Object.hasOwn(fixed, name),
  )
  const nameOf = (name: string) => names[name] ?? name
  const required = offered
    .filter(([, field]) => field.type !== 'flag' && field.required)
    .map(([name]) => nameOf(name))
  return {
    type: 'object',
    properties: Object.fromEntries(
      offered.map(([name, field]) => [nameOf(name), fieldSchema(field)]),
    ),
    ...(required.length > 0 && { required }),
  }
}

function fieldSchema(field: Field) {
  const { describe: description } = field
  if (field.type === 'flag') return { type: 'boolean', description }
  const one = valueSchema(field)
  return field.many ? { type: 'array', items: one, description } : { ...one, description }
}

function valueSchema(field: Exclude<Field, { type: 'flag' }>) {
  switch (field.type) {
    case 'count':
      return { type: 'integer', minimum: 0 }
    case 'number':
      return { type: 'number', minimum: 0 }
    case 'choice':
      return { type: 'string', enum: field.values }
    case 'text':
      // A text names a file of the project.
      return { type: field.document ? ['object', 'array', 'string'] : 'string' }
  }
}
