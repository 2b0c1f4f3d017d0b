/** Strings, which count characters (code points), and symbols. There is no type of characters. */

import { byCodePoint } from '../../canonical.ts'
import type { Meter } from '../meter.ts'
import { printed } from '../print.ts'
import { type Builtin, Failure, isKeyword, itemsOf, listOf, Sym, type Value } from '../value.ts'
import { binary, isIndex, predicate, spent, unary, variadic, wrongType } from './declare.ts'

/** A function of a string. The text that it makes is paid for. */
const ofText = (name: string, change: (text: string) => string) =>
  unary(name, (value, meter) => {
    if (typeof value !== 'string') return wrongType(name, 'a string', value)
    return meter.allotText(value.length) ? change(value) : spent
  })

const hasSurrogates = /[\ud800-\udfff]/

function lengthOf(text: string, meter: Meter): number {
  meter.visitText(text.length)
  if (!hasSurrogates.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** The characters from one to another. */
function slice(text: string, from: number, to: number): string {
  if (!hasSurrogates.test(text)) return text.slice(from, to)
  return [...text].slice(from, to).join('')
}

function substring(name: string, args: readonly Value[], meter: Meter): Value | Failure {
  const [text = '', from = 0, end] = args
  if (typeof text !== 'string') return wrongType(name, 'a string', text)
  const length = lengthOf(text, meter)
  const to = end ?? length
  if (!isIndex(from)) return wrongType(name, 'an index', from)
  if (!isIndex(to)) return wrongType(name, 'an index', to)
  if (from > to || to > length) {
    const hint = 'Compare the indexes with string-length.'
    return new Failure(`${name}: ${from} to ${to} is not in a string of ${length}`, hint)
  }
  // A character may take two units.
  return meter.allotText(2 * (to - from)) ? slice(text, from, to) : spent
}

/** Pays for all texts before they are joined. */
function joined(name: string, texts: readonly Value[], between: string, meter: Meter) {
  let length = 0
  for (const text of texts) {
    if (typeof text !== 'string') return wrongType(name, 'strings', text)
    length += text.length + between.length
  }
  meter.visit(texts.length)
  return meter.allotText(length) ? (texts as readonly string[]).join(between) : spent
}

function comparison(name: string, holds: (order: number) => boolean): Builtin {
  return binary(name, (a, b, meter) => {
    if (typeof a !== 'string') return wrongType(name, 'strings', a)
    if (typeof b !== 'string') return wrongType(name, 'strings', b)
    return meter.visitText(Math.min(a.length, b.length)) ? holds(byCodePoint(a, b)) : spent
  })
}

/** A question about two strings. */
const test = (name: string, holds: (text: string, part: string) => boolean) =>
  binary(name, (text, part, meter) => {
    if (typeof text !== 'string') return wrongType(name, 'strings', text)
    if (typeof part !== 'string') return wrongType(name, 'strings', part)
    return meter.visitText(text.length) ? holds(text, part) : spent
  })

function split(text: Value, by: Value, meter: Meter): Value | Failure {
  if (typeof text !== 'string') return wrongType('string-split', 'a string', text)
  if (typeof by !== 'string') return wrongType('string-split', 'a string', by)
  const parts = by === '' ? [...text] : text.split(by)
  return meter.allotText(text.length) && meter.allotCells(parts.length) ? listOf(parts) : spent
}

function replaced([text = '', part = '', by = '']: readonly Value[], meter: Meter) {
  for (const value of [text, part, by]) {
    if (typeof value !== 'string') return wrongType('string-replace', 'strings', value)
  }
  if (part === '') return new Failure('string-replace: the part is empty', 'Name a part.')
  const whole = text as string
  meter.visitText(whole.length)
  const pieces = whole.split(part as string)
  const length = whole.length + pieces.length * (by as string).length
  return meter.allotText(length) ? pieces.join(by as string) : spent
}

/** The text of a value. It is bounded by the memory that is left. */
function textOf(name: string, showStrings: boolean): Builtin {
  return unary(name, (value, meter) => {
    const left = Math.max(0, (meter.budget.bytes - meter.bytes) / 2)
    const text = printed(value, Math.min(left, textCharsMax), showStrings)
    if (text === undefined) {
      const hint = 'Print parts of it.'
      return new Failure(`${name}: the text is longer than ${textCharsMax} characters`, hint)
    }
    return meter.allotText(text.length) ? text : spent
  })
}

/** Characters of a printed value. */
const textCharsMax = 10_000_000

export const textBuiltins: readonly Builtin[] = [
  predicate('string?', value => typeof value === 'string'),
  predicate('symbol?', value => value instanceof Sym),
  predicate('keyword?', isKeyword),
  unary('string-length', (value, meter) =>
    typeof value === 'string'
      ? lengthOf(value, meter)
      : wrongType('string-length', 'a string', value),
  ),
  variadic('substring', 2, (args, meter) => substring('substring', args, meter), 3),
  binary('string-ref', (text, index, meter) =>
    isIndex(index)
      ? substring('string-ref', [text, index, index + 1], meter)
      : wrongType('string-ref', 'an index', index),
  ),
  variadic('string-append', 0, (texts, meter) => joined('string-append', texts, '', meter)),
  variadic(
    'string-join',
    1,
    ([list = '', between = ' '], meter) => {
      const texts = itemsOf(list)
      if (texts === undefined) return wrongType('string-join', 'a list of strings', list)
      if (typeof between !== 'string') return wrongType('string-join', 'a string', between)
      return joined('string-join', texts, between, meter)
    },
    2,
  ),
  binary('string-split', split),
  variadic('string-replace', 3, replaced, 3),
  ofText('string-upcase', text => text.toUpperCase()),
  ofText('string-downcase', text => text.toLowerCase()),
  ofText('string-trim', text => text.trim()),
  test('string-contains?', (text, part) => text.includes(part)),
  test('string-prefix?', (part, text) => text.startsWith(part)),
  test('string-suffix?', (part, text) => text.endsWith(part)),
  comparison('string=?', order => order === 0),
  comparison('string<?', order => order < 0),
  comparison('string>?', order => order > 0),
  unary('string->list', (value, meter) => {
    if (typeof value !== 'string') return wrongType('string->list', 'a string', value)
    if (!meter.allotCells(value.length) || !meter.visit(value.length)) return spent
    return listOf([...value])
  }),
  unary('symbol->string', value =>
    value instanceof Sym ? value.name : wrongType('symbol->string', 'a symbol', value),
  ),
  unary('string->symbol', value =>
    typeof value === 'string' ? new Sym(value) : wrongType('string->symbol', 'a string', value),
  ),
  textOf('value->string', true),
  textOf('display->string', false),
]
