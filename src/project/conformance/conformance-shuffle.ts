/** Reorders the rows of a turn in every list that the contracts call a set. */
import { EmptyObject, isJsonObject, type Json } from '../../kernel/json.ts'
import { type Fields, rows } from '../../wire/turn/row.ts'
import {
  CallSpec,
  Claims,
  Extension,
  Handoff,
  Linkage,
  ProtocolState,
  surfaces,
} from '../../wire/turn/turn-evidence.ts'

type Arrange = (items: readonly Json[]) => readonly Json[]

/** Fixed orders, so that a mismatch can be reproduced. */
export const rowOrders = {
  reversed: items => items.toReversed(),
  rotated: items => [...items.slice(1), ...items.slice(0, 1)],
} as const satisfies Record<string, Arrange>

const object = (fields: Fields) => ({ kind: 'object', fields }) as const

const input: Fields = {
  ...Claims,
  evidence: object({
    ...Extension,
    ...Linkage,
    callSpec: object(CallSpec),
    protocolState: object(ProtocolState),
    handoff: object(Handoff),
    ...Object.fromEntries(Object.entries(surfaces).map(([name, fields]) => [name, rows(fields)])),
  }),
}

/** Leaves free-form values alone, since the order in a payload may have a meaning. */
export function withRowsIn(arrange: Arrange, value: Json): Json {
  return arrangedObject(value, input, arrange)
}

function arrangedObject(value: Json, fields: Fields, arrange: Arrange): Json {
  if (!isJsonObject(value)) return value
  const arranged = new EmptyObject()
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    arranged[name] = field ? arrangedField(member, field, arrange) : member
  }
  return arranged
}

function arrangedField(value: Json, field: Fields[string], arrange: Arrange): Json {
  if (field.kind === 'object') return arrangedObject(value, field.fields, arrange)
  if (!Array.isArray(value)) return value
  const items = value as readonly Json[]
  if (field.kind === 'refs') return arrange(items)
  if (field.kind !== 'rows') return value
  return arrange(items).map(item => arrangedObject(item, field.fields, arrange))
}
