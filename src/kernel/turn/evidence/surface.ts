/** Reads one list of rows that have ids. */
import type { Fields } from '../../../wire/turn/row.ts'
import { byCodePoint, canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { kindOf, labelOf, type Place, type Reading, readFields, rowPlace } from './read-row.ts'

export type ReadableRow = Readonly<Record<string, Json>>

/** Converts a cleaned row to normal form; `undefined` if it counts as absent. */
type Finish = (row: ReadableRow, raw: JsonObject, where: Place) => object | undefined

/**
 * Rows in normal form, sorted by id. Equal rows are merged. Different rows with one id are a defect
 * and all kept. A row without a readable id is a defect and left out, because nothing can refer to
 * it.
 */
export function readSurface(
  evidence: JsonObject,
  reading: Reading,
  name: string,
  fields: Fields,
  key: string,
  finish: Finish = row => row,
): readonly object[] {
  const value = evidence[name]
  if (value === undefined) return []
  const surface = `evidence.${name}`
  if (!Array.isArray(value)) {
    reading.defect(surface, `must be a list, not ${kindOf(value)}`)
    return []
  }
  const rows: Keyed[] = []
  for (const [index, raw] of (value as readonly Json[]).entries()) {
    if (!isJsonObject(raw)) {
      reading.defect(`${surface}[${index}]`, `must be an object, not ${kindOf(raw)}`)
      continue
    }
    const where = rowPlace(surface, labelOf(raw[key]) ?? index)
    const row = readFields(raw, fields, where, reading) as ReadableRow
    const id = row[key]
    if (typeof id !== 'string') continue
    const normal = finish(row, raw, where)
    if (normal) rows.push({ id, row: normal })
  }
  return distinct(sorted(rows), surface, reading)
}

interface Keyed {
  readonly id: string
  readonly row: object
  /** The canonical text, computed for the first comparison. */
  text?: string
}

function sorted(rows: Keyed[]): Keyed[] {
  const inOrder = rows.every(
    (row, at) => at === 0 || byCodePoint(rows[at - 1]?.id ?? '', row.id) < 0,
  )
  return inOrder ? rows : rows.sort((a, b) => byCodePoint(a.id, b.id) || byText(a, b))
}

const byText = (a: Keyed, b: Keyed) => byCodePoint(textOf(a), textOf(b))
function textOf(keyed: Keyed): string {
  keyed.text ??= canonicalJson(keyed.row as Json)
  return keyed.text
}

function distinct(rows: readonly Keyed[], surface: string, reading: Reading): readonly object[] {
  const kept: object[] = []
  let previous: Keyed | undefined
  for (const next of rows) {
    const repeated = previous?.id === next.id
    if (repeated && textOf(previous as Keyed) === textOf(next)) continue
    if (repeated) {
      reading.defect(rowPlace(surface, next.id).at, 'rows of this id differ from each other')
    }
    kept.push(next.row)
    previous = next
  }
  return kept
}
