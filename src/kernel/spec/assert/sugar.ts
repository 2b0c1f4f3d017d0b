/** Operators for authors that stand for an expression. Nothing else decides a verdict. */
import type { SpecValue } from '../lang/value.ts'

/** What a target holds decides how its text and its value are reached. */
export type TargetKind = 'text' | 'json'

/** Names of JSON subjects end so; all others are text, or a value that prints as one. */
export const targetKindOf = (target: string): TargetKind =>
  target.endsWith('_json') ? 'json' : 'text'

type Sugar = (value: SpecValue, target: TargetKind) => SpecValue | SugarProblem

export interface SugarProblem {
  readonly problem: string
}

export const isSugarProblem = (found: SpecValue | SugarProblem): found is SugarProblem =>
  typeof found === 'object' && found !== null && 'problem' in found

const form = (name: string, ...args: SpecValue[]): SpecValue => new Map([[name, args]])
const literal = (value: SpecValue): SpecValue => new Map([['lit', value]])

const subject = form('std.core.subject')

/** A value that is no text is compared as its JSON. */
const textOf = (target: TargetKind): SpecValue =>
  target === 'json' ? form('std.json.stringify', subject) : subject

const jsonTypes: ReadonlyMap<string, string> = new Map([
  ['null', 'null'],
  ['bool', 'bool'],
  ['boolean', 'bool'],
  ['number', 'number'],
  ['string', 'string'],
  ['list', 'list'],
  ['array', 'list'],
  ['dict', 'dict'],
  ['object', 'dict'],
])

export const sugars: Readonly<Record<string, Sugar>> = {
  contain: (value, target) => form('std.string.contains', textOf(target), literal(value)),

  regex: (value, target) => form('std.string.regex_match', textOf(target), literal(value)),

  json_type(value, target) {
    const name = typeof value === 'string' ? value.trim().toLowerCase() : ''
    const known = jsonTypes.get(name)
    if (known === undefined) {
      const names = [...new Set(jsonTypes.values())].join(', ')
      return { problem: `unsupported json_type: give one of ${names}` }
    }
    const read = target === 'json' ? subject : form('std.json.parse', subject)
    return form('std.type.json_type', read, known)
  },

  exists(value, target) {
    if (value !== true && value !== null) return { problem: 'exists takes true or null' }
    if (target === 'json') return form('std.logic.not', form('std.type.is_null', subject))
    const isBlank = form('std.collection.is_empty', form('std.string.trim', subject))
    return form('std.logic.not', isBlank)
  },
}
