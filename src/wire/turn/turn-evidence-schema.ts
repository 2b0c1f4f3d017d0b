/** The JSON Schema of what is handed to the gate, made from the row contracts. */
import { rowSchema, rowsSchema } from './row-schema.ts'
import {
  CallSpec,
  Claims,
  Extension,
  Handoff,
  Linkage,
  ProtocolState,
  surfaces,
} from './turn-evidence.ts'

export const turnEvidenceKind = 'premath.harness.turn_evidence.v1'

export function turnEvidenceSchema() {
  const own = rowSchema({ ...Extension, ...Linkage })
  const claims = rowSchema(Claims)
  const evidence = {
    ...own,
    properties: {
      callSpec: rowSchema(CallSpec),
      protocolState: rowSchema(ProtocolState),
      handoff: { anyOf: [rowSchema(Handoff), { type: 'null' }] },
      ...Object.fromEntries(
        Object.entries(surfaces).map(([name, fields]) => [name, rowsSchema(fields)]),
      ),
      ...(own['properties'] as object),
    },
    required: ['callSpec', 'protocolState'],
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: turnEvidenceKind,
    description: 'What harness-join-check reads: one turn as rows, and what it was under.',
    ...claims,
    properties: { evidence, ...(claims['properties'] as object) },
    required: ['evidence'],
  }
}
