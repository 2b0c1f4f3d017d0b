/** Shorthand operators, each of which stands for an expression. */
import { isList, type SpecValue } from '../lang/value.ts'

/** The expression for a value of an operator, over the named subject. */
type Sugar = (value: SpecValue, subject: string) => SpecValue | SugarProblem

interface SugarProblem {
  readonly problem: string
}

export const isSugarProblem = (found: SpecValue | SugarProblem): found is SugarProblem =>
  typeof found === 'object' && found !== null && 'problem' in found

/** `exists` on a printed path reads another subject than the path itself. */
export const subjectFor = (op: string, target: string): string =>
  op === 'exists' && target === 'stdout_path' ? 'stdout_path.exists' : target

/** The evaluated expression: as written, or the one a shorthand stands for. */
export function expressionFor(
  op: string,
  source: SpecValue,
  name: string,
): SpecValue | SugarProblem {
  const sugar = Object.hasOwn(sugars, op) ? sugars[op] : undefined
  return sugar ? sugar(source, name) : source
}

/** Operators whose value is a block of text, which may stand alone instead of in a list. */
export const blockOperators: readonly string[] = ['equal', 'lines']

/** The values of an operator; `undefined` if it must be a list and is not. */
export function operandsOf(op: string, value: SpecValue): readonly SpecValue[] | undefined {
  if (isList(value)) return value
  return blockOperators.includes(op) && typeof value === 'string' ? [value] : undefined
}

const isFlag = (subject: string) => subject.endsWith('.exists')

/** Subjects that are not text are compared as JSON. */
export const isValueSubject = (subject: string): boolean =>
  subject.endsWith('_json') || isFlag(subject) || numbers.includes(subject)

const numbers: readonly string[] = ['exit_code', 'status_code', 'body_bytes', 'duration_ms']

const form = (name: string, ...args: SpecValue[]): SpecValue => new Map([[name, args]])
const literal = (value: SpecValue): SpecValue => new Map([['lit', value]])

const subject = form('std.core.subject')

const textOf = (name: string): SpecValue =>
  isValueSubject(name) ? form('std.json.stringify', subject) : subject

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

  equal: value => form('std.logic.equals', subject, literal(value)),

  lines: (value, name) => form('std.string.matches_lines', textOf(name), literal(value)),

  json_type(value, name) {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    const known = jsonTypes.get(value === null ? 'null' : word)
    if (known === undefined) {
      const names = [...new Set(jsonTypes.values())].join(', ')
      return { problem: `unsupported json_type: use one of ${names}` }
    }
    const read = isValueSubject(name) ? subject : form('std.json.parse', subject)
    return form('std.type.json_type', read, known)
  },

  exists(value, name) {
    if (value !== true && value !== null) return { problem: 'exists must be true or null' }
    if (isFlag(name)) return subject
    if (isValueSubject(name)) return form('std.logic.not', form('std.type.is_null', subject))
    const isBlank = form('std.collection.is_empty', form('std.string.trim', subject))
    return form('std.logic.not', isBlank)
  },
}
