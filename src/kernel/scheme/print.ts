/** Prints values, in a form that the reader reads where there is one. */
import { byCodePoint } from '../canonical.ts'
import { numberText, type SchemeNumber } from './numbers.ts'
import {
  Builtin,
  Closure,
  Control,
  Escape,
  Hash,
  HostFunction,
  isNumber,
  nil,
  Pair,
  Sym,
  unspecified,
  type Value,
  Vector,
} from './value.ts'

/** Text that is ready, or a value that is still to be printed. */
type Part = { readonly text: string } | { readonly value: Value } | { readonly rest: Value }

const space: Part = { text: ' ' }
const close: Part = { text: ')' }

/**
 * `undefined` if the text would be longer than `charsMax`: values can share parts, so that a small
 * program makes a value of any printed length. Works on a list of its own, since values can be deep.
 */
export function printed(value: Value, charsMax: number, showStrings = true): string | undefined {
  let text = ''
  const parts: Part[] = [{ value }]
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if ('text' in part) text += part.text
    else if ('rest' in part) pushRest(part.rest, parts)
    else text += opened(part.value, parts, showStrings)
    if (text.length > charsMax) return undefined
  }
  return text
}

/** The value for a message: cut off at a line's length. */
export function shown(value: Value): string {
  return (
    printed(value, 60) ?? `a large value (${value instanceof Pair ? 'a list' : 'text or data'})`
  )
}

/** What follows the first item of a list. */
function pushRest(rest: Value, parts: Part[]): void {
  if (rest === nil) parts.push(close)
  else if (rest instanceof Pair) parts.push({ rest: rest.cdr }, { value: rest.car }, space)
  else parts.push(close, { value: rest }, { text: ' . ' })
}

/** The text that a value begins with; the rest goes to `parts`, last first. */
function opened(value: Value, parts: Part[], showStrings: boolean): string {
  if (value instanceof Pair) {
    const short = abbreviated(value)
    if (short !== undefined) {
      parts.push({ value: short.value })
      return short.mark
    }
    parts.push({ rest: value.cdr }, { value: value.car })
    return '('
  }
  if (value instanceof Vector) {
    parts.push(close)
    for (let at = value.items.length - 1; at >= 0; at--) {
      parts.push({ value: value.items[at] as Value })
      if (at > 0) parts.push(space)
    }
    return '#('
  }
  if (value instanceof Hash) {
    parts.push(close)
    const keys = sortedKeys(value)
    for (let at = keys.length - 1; at >= 0; at--) {
      const key = keys[at] as string
      parts.push(close, { value: value.entries.get(key) as Value }, { text: ' . ' })
      parts.push({ text: `${at > 0 ? ' ' : ''}(${stringText(key)}` })
    }
    return '#hash('
  }
  return atomText(value, showStrings)
}

const marks: Readonly<Record<string, string>> = {
  quote: "'",
  quasiquote: '`',
  unquote: ',',
  'unquote-splicing': ',@',
}

/** `(quote x)` as `'x`. */
function abbreviated({ car, cdr }: Pair): { mark: string; value: Value } | undefined {
  if (!(car instanceof Sym) || !(cdr instanceof Pair) || cdr.cdr !== nil) return undefined
  const mark = Object.hasOwn(marks, car.name) ? marks[car.name] : undefined
  if (mark === undefined) return undefined
  // `,` before `@x` would read as `,@`.
  const isUnclear = mark === ',' && cdr.car instanceof Sym && cdr.car.name.startsWith('@')
  return isUnclear ? undefined : { mark, value: cdr.car }
}

function atomText(value: Value, showStrings: boolean): string {
  if (typeof value === 'string') return showStrings ? stringText(value) : value
  if (isNumber(value)) return numberText(value as SchemeNumber)
  if (value instanceof Sym) return value.name
  if (value === true) return '#t'
  if (value === false) return '#f'
  if (value === null) return '#null'
  if (value === nil) return '()'
  if (value === unspecified) return '#<unspecified>'
  return `#<procedure ${procedureName(value)}>`
}

export function procedureName(value: Value): string {
  if (value instanceof Closure) return value.code.name
  if (value instanceof Builtin || value instanceof Control) return value.name
  if (value instanceof HostFunction) return value.action
  return value instanceof Escape ? 'escape' : 'unknown'
}

const stringEscapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

function stringText(text: string): string {
  const body = text.replace(
    /["\\\p{Cc}]/gu,
    found => stringEscapes[found] ?? `\\x${found.charCodeAt(0).toString(16)};`,
  )
  return `"${body}"`
}

/** In one order, whatever the order in which a program added them. */
export const sortedKeys = ({ entries }: Hash): string[] => [...entries.keys()].sort(byCodePoint)
