/** Operators for authors that stand for an expression. Nothing else decides a verdict. */
import type { SpecValue } from '../lang/value.ts'

/** The expression that a value of an operator stands for, on the subject of this name. */
type Sugar = (value: SpecValue, subject: string) => SpecValue | SugarProblem

export interface SugarProblem {
  readonly problem: string
}

export const isSugarProblem = (found: SpecValue | SugarProblem): found is SugarProblem =>
  typeof found === 'object' && found !== null && 'problem' in found

/** Whether the path that was printed exists is another subject than the path. */
export const subjectFor = (op: string, target: string): string =>
  op === 'exists' && target === 'stdout_path' ? 'stdout_path.exists' : target

/** What is evaluated: an expression as it was written, or what its sugar stands for. */
export function expressionFor(
  op: string,
  source: SpecValue,
  name: string,
): SpecValue | SugarProblem {
  const sugar = Object.hasOwn(sugars, op) ? sugars[op] : undefined
  return sugar ? sugar(source, name) : source
}

const isFlag = (subject: string) => subject.endsWith('.exists')

/** What is no text already: read as it is, and compared as its JSON. */
const isValue = (subject: string) =>
  subject.endsWith('_json') || isFlag(subject) || subject === 'exit_code'

const form = (name: string, ...args: SpecValue[]): SpecValue => new Map([[name, args]])
const literal = (value: SpecValue): SpecValue => new Map([['lit', value]])

const subject = form('std.core.subject')

const textOf = (name: string): SpecValue =>
  isValue(name) ? form('std.json.stringify', subject) : subject

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

const sugars: Readonly<Record<string, Sugar>> = {
  contain: (value, name) => form('std.string.contains', textOf(name), literal(value)),

  regex: (value, name) => form('std.string.regex_match', textOf(name), literal(value)),

  json_type(value, name) {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    const known = jsonTypes.get(value === null ? 'null' : word)
    if (known === undefined) {
      const names = [...new Set(jsonTypes.values())].join(', ')
      return { problem: `unsupported json_type: give one of ${names}` }
    }
    const read = isValue(name) ? subject : form('std.json.parse', subject)
    return form('std.type.json_type', read, known)
  },

  exists(value, name) {
    if (value !== true && value !== null) return { problem: 'exists takes true or null' }
    if (isFlag(name)) return subject
    if (isValue(name)) return form('std.logic.not', form('std.type.is_null', subject))
    const isBlank = form('std.collection.is_empty', form('std.string.trim', subject))
    return form('std.logic.not', isBlank)
  },
}
