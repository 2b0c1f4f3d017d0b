/**
 * Reads one row by its contract. Defects are collected, never thrown: the gate reports all defects
 * of a turn together, and readable fields still count.
 */
import { type Field, type Fields, idCharsMax, type RowOf } from '../../../wire/turn/row.ts'
import { byCodePoint, canonicalJson } from '../../canonical.ts'
import { EmptyObject, isJsonObject, type Json, JsonNumber, type JsonObject } from '../../json.ts'
import { cleanRefs, clip, lowerAscii, trim } from '../../text/clean.ts'

export interface Defect {
  readonly at: string
  readonly message: string
}

/** Collects the findings of reading a turn. */
export class Reading {
  readonly defects: Defect[] = []
  readonly #ignored = new Set<string>()
  /** True once a value occurs that `JSON.stringify` does not print canonically. */
  exotic = false

  defect(at: string, message: string): void {
    this.defects.push({ at, message })
  }

  ignore(place: string, key: string): void {
    this.#ignored.add(`${place}.${clip(key, 200)}`)
  }

  get ignoredKeys(): readonly string[] {
    return [...this.#ignored].sort(byCodePoint)
  }
}

/**
 * The location of a row: `evidence.toolUse[tc-1]` for a finding, `evidence.toolUse[]` for a key.
 */
export interface Place {
  readonly at: string
  readonly pattern: string
}

export function place(at: string): Place {
  return { at, pattern: at }
}

/** Names a row by its id, so that row order does not change the report. */
export function rowPlace(surface: string, label: string | number): Place {
  return new RowPlace(surface, label)
}

/** Builds the text on demand: most rows have no finding. */
class RowPlace implements Place {
  readonly #surface: string
  readonly #label: string | number

  constructor(surface: string, label: string | number) {
    this.#surface = surface
    this.#label = label
  }

  get at(): string {
    return rowAt(this.#surface, this.#label)
  }

  get pattern(): string {
    return `${this.#surface}[]`
  }
}

export function rowAt(surface: string, label: string | number): string {
  return `${surface}[${readableLabel(label)}]`
}

function readableLabel(label: string | number): string | number {
  if (typeof label === 'number' || /^(?![0-9]+$)[\w.:/@-]{1,80}$/.test(label)) return label
  return JSON.stringify(clip(label, 40))
}

type Entry = readonly [string, Fields[string]]
const entriesByFields = new WeakMap<Fields, readonly Entry[]>()

/** Fields in canonical order, so that a row is read in sorted order. */
function entriesOf(fields: Fields): readonly Entry[] {
  let entries = entriesByFields.get(fields)
  if (entries === undefined) {
    entries = Object.entries(fields).sort(([a], [b]) => byCodePoint(a, b))
    entriesByFields.set(fields, entries)
  }
  return entries
}

/** The row in normal form; `undefined` if it is not an object. */
export function readRow<F extends Fields>(
  raw: Json | undefined,
  fields: F,
  where: Place,
  reading: Reading,
): RowOf<F> | undefined {
  if (!isJsonObject(raw)) {
    const complaint = raw === undefined ? 'is missing' : `must be an object, not ${kindOf(raw)}`
    reading.defect(where.at, complaint)
    return undefined
  }
  return readFields(raw, fields, where, reading)
}

/** Reads the fields of an object and records unknown keys as ignored. */
export function readFields<F extends Fields>(
  raw: JsonObject,
  fields: F,
  where: Place,
  reading: Reading,
  alsoKnown: readonly string[] = [],
): RowOf<F> {
  const row = new EmptyObject()
  let known = 0
  for (const [name, field] of entriesOf(fields)) {
    const value = raw[name]
    if (value === undefined) {
      if (field.required) reading.defect(`${where.at}.${name}`, 'is missing')
      continue
    }
    known++
    const read = readField(value, field, name, where, reading)
    if (read !== undefined) row[name] = read
  }
  for (const name of alsoKnown) if (raw[name] !== undefined) known++
  const keys = Object.keys(raw)
  if (keys.length > known) {
    for (const key of keys) {
      if (!Object.hasOwn(fields, key) && !alsoKnown.includes(key))
        reading.ignore(where.pattern, key)
    }
  }
  return row as RowOf<F>
}

function readField(
  value: Json,
  field: Fields[string],
  name: string,
  where: Place,
  reading: Reading,
): Json | undefined {
  if (value === null && mayBeNull(field)) return undefined
  switch (field.kind) {
    case 'id':
    case 'text':
    case 'token':
      return readText(value, field, name, where, reading)
    case 'verbatim':
      if (typeof value === 'string') return value
      break
    case 'flag':
      if (typeof value === 'boolean') return value
      break
    case 'count':
      if (isCount(value) && value >= (field.min ?? 0)) return value
      break
    case 'number':
      if (typeof value === 'number') return value
      if (value instanceof JsonNumber) {
        reading.exotic = true
        return value
      }
      break
    case 'refs':
      if (Array.isArray(value)) return readRefs(value, field, name, where, reading)
      break
    case 'json':
      if (!field.digested) reading.exotic = true
      return value
    case 'object':
      return readRow(value, field.fields, within(where, name), reading) as Json | undefined
    case 'rows':
      return readRows(value, field.fields, within(where, name), reading) as Json | undefined
  }
  reading.defect(`${where.at}.${name}`, `must be ${expectation(field)}, not ${kindOf(value)}`)
  return undefined
}

function mayBeNull(field: Fields[string]): boolean {
  if (field.kind === 'refs' || field.kind === 'rows') return false
  return !field.required && !(field.kind === 'flag' && field.notNull)
}

function readText(
  value: Json,
  field: Fields[string],
  name: string,
  where: Place,
  reading: Reading,
): string | undefined {
  if (typeof value !== 'string') {
    reading.defect(`${where.at}.${name}`, `must be text, not ${kindOf(value)}`)
    return undefined
  }
  const trimmed = trim(value)
  if (trimmed === '') {
    if (field.required) reading.defect(`${where.at}.${name}`, 'is blank')
    return undefined
  }
  if (field.kind === 'id' && trimmed.length > idCharsMax) {
    const most = `the most is ${idCharsMax}`
    reading.defect(`${where.at}.${name}`, `is ${trimmed.length} characters long; ${most}`)
    return undefined
  }
  if (field.kind !== 'token') return trimmed
  const lowered = lowerAscii(trimmed)
  if (field.values && !field.values.includes(lowered)) {
    const known = field.values.join(', ')
    reading.defect(`${where.at}.${name}`, `is ${short(lowered)}, which is none of ${known}`)
  }
  // An unknown word stays in the row, because the digest must cover it.
  return lowered
}

function readRefs(
  value: readonly Json[],
  field: { readonly dropEmpty?: boolean },
  name: string,
  where: Place,
  reading: Reading,
): readonly string[] | undefined {
  const texts: string[] = []
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') texts.push(item)
    else reading.defect(`${where.at}.${name}[${index}]`, `must be text, not ${kindOf(item)}`)
  }
  const refs = cleanRefs(texts)
  return field.dropEmpty && refs.length === 0 ? undefined : refs
}

/** Nested rows: sorted by text, without duplicates. Ids are unique where rows have them. */
function readRows<F extends Fields>(
  value: Json,
  fields: F,
  where: Place,
  reading: Reading,
): readonly RowOf<F>[] | undefined {
  if (!Array.isArray(value)) {
    reading.defect(where.at, `must be a list, not ${kindOf(value)}`)
    return undefined
  }
  const key = entriesOf(fields).find(([, field]) => field.kind === 'id')?.[0]
  const byText = new Map<string, RowOf<F>>()
  const textById = new Map<Json | undefined, string>()
  for (const [index, item] of (value as readonly Json[]).entries()) {
    const label = key !== undefined && isJsonObject(item) ? labelOf(item[key]) : undefined
    const row = readRow(item, fields, rowPlace(where.at, label ?? index), reading)
    if (!row) continue
    const text = canonicalJson(row as Json)
    byText.set(text, row)
    const id = key === undefined ? undefined : (row as JsonObject)[key]
    if (id !== undefined && (textById.get(id) ?? text) !== text) {
      reading.defect(rowAt(where.at, String(id)), 'rows of this id differ from each other')
    }
    textById.set(id, text)
  }
  return [...byText].sort(([a], [b]) => byCodePoint(a, b)).map(([, row]) => row)
}

/** An id for a location; `undefined` if there is none. */
export const labelOf = (id: Json | undefined): string | undefined =>
  typeof id === 'string' ? trim(id) || undefined : undefined

const within = (where: Place, name: string): Place => ({
  at: `${where.at}.${name}`,
  pattern: `${where.pattern}.${name}`,
})

export const isCount = (value: Json): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

function expectation(field: Field): string {
  switch (field.kind) {
    case 'flag':
      return 'true or false'
    case 'count':
      return `a whole number from ${field.min ?? 0}`
    case 'number':
      return 'a number'
    case 'refs':
      return 'a list of text'
    default:
      return 'text'
  }
}

export function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' || value instanceof JsonNumber)
    return `the number ${canonicalJson(value)}`
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? String(value) : 'an object'
}

export function short(text: string): string {
  return clip(text, 80)
}

/** Lists the first few items. A message must not grow with its input. */
export function listed(items: readonly string[], none: string): string {
  if (items.length === 0) return none
  const few = items.slice(0, 5).map(short).join(', ')
  return items.length > 5 ? `${few} and ${items.length - 5} more` : few
}
