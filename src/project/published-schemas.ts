/** JSON Schemas by kind, as written to `schemas/` and printed by `premath schema`. */
import { caseSchema, caseSchemaKind } from '../kernel/spec/case/case-schema.ts'
import { caseTypes } from '../runner/cases/index.ts'
import { jsonSchemas } from '../wire/index.ts'

export function publishedSchemas(): Record<string, unknown> {
  const all = { ...jsonSchemas(), [caseSchemaKind]: caseSchema([...caseTypes.values()]) }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}
