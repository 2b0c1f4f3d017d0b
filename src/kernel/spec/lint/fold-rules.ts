/** Facts about the value of each builtin, derived from facts about its arguments. */
import { expectedLines } from '../lang/expected-lines.ts'
import { Float, numberOf } from '../lang/float.ts'
import { translatePattern } from '../lang/pattern.ts'
import type { MatchTime, Regex } from '../lang/regex.ts'
import { type JsonType, jsonTypeNamed } from '../lang/std/type.ts'
import {
  alwaysFails,
  anyKind,
  areDisjoint,
  hasOnlyKinds,
  type StaticValue,
  truthValue,
} from './static-value.ts'

interface Given {
  readonly args: readonly StaticValue[]
  /** Printed arguments: equal expressions have equal values. */
  readonly texts: readonly string[]
  /** The operand of each argument that is a `not`. */
  readonly negated: readonly (string | undefined)[]
  readonly regex: Regex
  /** The time that matching one pattern may take. */
  readonly time: MatchTime
}

/** `undefined` if nothing is certain. */
type FoldRule = (given: Given) => StaticValue | undefined

const mayFail = (args: readonly StaticValue[]) => args.some(one => one.mayFail)

const areSame = ({ args, texts }: Given) =>
  texts[0] === texts[1] && args.every(({ isData }) => isData)

/** `isAlike` is the result for equal operands. */
const equality =
  (isAlike: boolean): FoldRule =>
  given => {
    const { args } = given
    const [one, other] = args
    if (!one || !other || !args.every(({ isData }) => isData)) return undefined
    if (areSame(given)) return truthValue(isAlike, mayFail(args))
    const differ = areDisjoint(one, other) || neverCounts(one, other) || neverCounts(other, one)
    return truthValue(differ ? !isAlike : undefined, mayFail(args))
  }

function neverCounts(count: StaticValue, { value }: StaticValue): boolean {
  const number = numberOf(value)
  if (!count.isCount || number === undefined) return false
  return number < 0 || !Number.isInteger(number)
}

/** It also distinguishes kinds of numbers; counting builtins return integers. */
const strictly: FoldRule = given => {
  const [one, other] = given.args
  const isFloat = (one?.isCount && isWhole(other)) || (other?.isCount && isWhole(one))
  return isFloat ? truthValue(false, mayFail(given.args)) : equality(true)(given)
}

const isWhole = (one: StaticValue | undefined) => one?.value instanceof Float

const ordered: readonly JsonType[] = ['string', 'number', 'bool', 'list']

/** `orders` are the results (-1, 0, 1) of a comparison that make it true. */
const order =
  (...wanted: readonly number[]): FoldRule =>
  given => {
    const [one, other] = given.args
    if (!one || !other || !one.isData || !other.isData) return undefined
    if (areDisjoint(one, other)) return alwaysFails
    const fails = mayFail(given.args)
    if (areSame(given))
      return truthValue(wanted.includes(0), fails || !hasOnlyKinds(one, ...ordered))
    const isNumeric = hasOnlyKinds(one, 'number') && hasOnlyKinds(other, 'number')
    const possible = countOrders(one, other) ?? countOrders(other, one)?.map(sign => -sign)
    if (!isNumeric || possible === undefined) return undefined
    const isYes = possible.every(sign => wanted.includes(sign))
    const isNo = possible.every(sign => !wanted.includes(sign))
    return truthValue(isYes ? true : isNo ? false : undefined, fails)
  }

/** Possible orders of a non-negative number and a constant. */
function countOrders(count: StaticValue, { value }: StaticValue): readonly number[] | undefined {
  const number = numberOf(value)
  if (!count.isCount || number === undefined) return undefined
  return number < 0 ? [1] : number === 0 ? [0, 1] : [-1, 0, 1]
}

/** True if an argument and its negation both occur. */
const areOpposed = ({ texts, negated }: Given) => texts.some(text => negated.includes(text))

const and: FoldRule = given => {
  const { args } = given
  const isNo = args.some(one => one.truth === false) || areOpposed(given)
  const isYes = args.every(one => one.truth === true)
  return truthValue(isNo ? false : isYes || undefined, mayFail(args))
}

const or: FoldRule = given => {
  const { args } = given
  const isYes = args.some(one => one.truth === true) || areOpposed(given)
  const isNo = args.every(one => one.truth === false)
  return truthValue(isYes ? true : isNo ? false : undefined, mayFail(args))
}

const not: FoldRule = ({ args }) => {
  const truth = args[0]?.truth
  return truthValue(truth === undefined ? undefined : !truth, mayFail(args))
}

const xor: FoldRule = given => {
  const [one, other] = given.args
  if (areSame(given)) return truthValue(false, mayFail(given.args))
  const isKnown = one?.truth !== undefined && other?.truth !== undefined
  return truthValue(isKnown ? one.truth !== other.truth : undefined, mayFail(given.args))
}

/** For JSON only: a function has no text. */
const has: FoldRule = given => {
  const { args } = given
  if (!args.every(({ isData }) => isData)) return undefined
  const isYes = args[1]?.value === '' || areSame(given)
  return truthValue(isYes || undefined, mayFail(args))
}

const matches: FoldRule = ({ args, regex, time }) => {
  const [text, pattern] = args
  if (!text?.isData || typeof pattern?.value !== 'string') return undefined
  if (!alwaysMatches(pattern.value, regex, time)) return undefined
  return truthValue(true, mayFail(args))
}

const fitsBlock: FoldRule = ({ args }) => {
  const [text, block] = args
  if (!text?.isData || typeof block?.value !== 'string') return undefined
  const lines = expectedLines(block.value)
  const isAnything =
    lines.length > 0 && lines.every(({ kind, isOpen }) => kind === 'any*' && !isOpen)
  return truthValue(isAnything || undefined, mayFail(args))
}

const is =
  (type: string): FoldRule =>
  ({ args }) => {
    const [one] = args
    if (!one?.isData) return undefined
    const isYes = one.kinds.length > 0 && one.kinds.every(kind => kind === type)
    const isNo = one.kinds.every(kind => kind !== type)
    return truthValue(isYes ? true : isNo ? false : undefined, mayFail(args))
  }

const jsonType: FoldRule = given => {
  const name = given.args[1]?.value
  return typeof name === 'string' ? is(jsonTypeNamed(name))(given) : undefined
}

/** The kind of its result, whatever its arguments. */
const makes =
  (...kinds: readonly JsonType[]): FoldRule =>
  ({ args }) =>
    args.every(({ isData }) => isData) ? { kinds, mayFail: mayFail(args), isData: true } : undefined

const count: FoldRule = ({ args }) => {
  const [one] = args
  if (!one?.isData) return undefined
  const fails = one.mayFail || !hasOnlyKinds(one, 'string', 'list', 'dict')
  return { kinds: ['number'], isCount: true, mayFail: fails, isData: true }
}

const parse: FoldRule = () => ({ kinds: anyKind, mayFail: true, isData: true })

export const foldRules: Readonly<Record<string, FoldRule>> = {
  'std.logic.and': and,
  'std.logic.or': or,
  'std.logic.not': not,
  'std.logic.xor': xor,
  'std.logic.eq': equality(true),
  'std.logic.equals': strictly,
  'std.logic.neq': equality(false),
  'std.logic.lt': order(-1),
  'std.logic.lte': order(-1, 0),
  'std.logic.gt': order(1),
  'std.logic.gte': order(0, 1),
  'std.string.contains': has,
  'std.string.starts_with': has,
  'std.string.ends_with': has,
  'std.string.regex_match': matches,
  'std.string.matches': matches,
  'std.string.matches_lines': fitsBlock,
  'std.string.trim': makes('string'),
  'std.string.lower': makes('string'),
  'std.string.upper': makes('string'),
  'std.json.stringify': makes('string'),
  'std.json.parse': parse,
  'std.collection.len': count,
  'std.collection.count': count,
  'std.type.json_type': jsonType,
  'std.type.is_null': is('null'),
  'std.type.is_bool': is('bool'),
  'std.type.is_boolean': is('bool'),
  'std.type.is_number': is('number'),
  'std.type.is_string': is('string'),
  'std.type.is_list': is('list'),
  'std.type.is_array': is('list'),
  'std.type.is_dict': is('dict'),
  'std.type.is_object': is('dict'),
}

/**
 * True if the pattern matches the empty text at the start or the end of every text. Assertions in
 * it must hold there too: a start at the start, an end at the end. Lookaround and combinations
 * depend on the text.
 */
export function alwaysMatches(pattern: string, regex: Regex, time: MatchTime): boolean {
  const read = translatePattern(pattern)
  if ('category' in read) return false
  const { asks } = read
  if (asks.has('word') || asks.has('around') || (asks.has('start') && asks.has('end'))) return false
  return regex.test(pattern, '', time) === true
}
