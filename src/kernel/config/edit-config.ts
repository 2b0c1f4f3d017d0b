/**
 * Edits the text of a configuration and leaves all other text as it is. The edits of `jsonc-parser`
 * drop comments beside a removed member and move those beside the last one, so they are not used.
 */
import type { Node } from 'jsonc-parser'
import type { Json } from '../json.ts'
import { type JsoncDocument, nodeAt } from './jsonc.ts'

/** The text with a setting of this value. `path` has at least one name. */
export function withSetting(
  { text, root }: JsoncDocument,
  path: readonly string[],
  value: Json,
): string {
  const node = nodeAt(root, path)
  if (node) return spliced(text, node.offset, endOf(node), printed(value))
  const depth = path.findLastIndex((_, at) => nodeAt(root, path.slice(0, at))?.type === 'object')
  const owner = nodeAt(root, path.slice(0, depth))
  if (!owner) throw new Error('the root of a configuration is an object')
  return withMember(text, owner, path.slice(depth), value)
}

/** The text without a setting or a group; the same text if it is not there. */
export function withoutSetting({ text, root }: JsoncDocument, path: readonly string[]): string {
  const member = nodeAt(root, path)?.parent
  return member ? withoutMember(text, member) : text
}

const endOf = ({ offset, length }: Node) => offset + length

const spliced = (text: string, from: number, to: number, by: string) =>
  text.slice(0, from) + by + text.slice(to)

/** Before the closing brace, behind all comments, so that each comment keeps its neighbours. */
function withMember(text: string, owner: Node, names: readonly string[], value: Json): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const close = endOf(owner) - 1
  const last = owner.children?.at(-1)
  const comma = last && commaAfter(text, endOf(last))
  const body = text.slice(owner.offset, close).trimEnd()
  const indent = indentIn(text, owner)
  const outer = indentAt(text, owner.offset)
  const member = nested(names, value, indent, indent.slice(outer.length), lineEnd)
  const isOneLine = last !== undefined && !text.slice(owner.offset, close).includes('\n')
  const start = isOneLine ? ' ' : `${lineEnd}${indent}`
  const end = comma === undefined ? '' : ','
  // Only a brace on a line of its own has white space with a line end before it.
  const rest = text.slice(owner.offset + body.length)
  const gap = isOneLine || /^\s*\n/.test(rest) ? '' : `${lineEnd}${outer}`
  const before = text.slice(0, owner.offset)
  const kept =
    last === undefined || comma !== undefined
      ? body
      : spliced(body, endOf(last) - owner.offset, endOf(last) - owner.offset, ',')
  return `${before}${kept}${start}${member}${end}${gap}${gap === '' ? rest : rest.trimStart()}`
}

/** `"timeouts": { "workSeconds": 5 }`, one line per name. */
function nested(
  [name, ...below]: readonly string[],
  value: Json,
  indent: string,
  step: string,
  lineEnd: string,
): string {
  const key = JSON.stringify(name)
  if (below.length === 0) return `${key}: ${printed(value)}`
  const inner = nested(below, value, indent + step, step, lineEnd)
  return `${key}: {${lineEnd}${indent}${step}${inner}${lineEnd}${indent}}`
}

const printed = (value: Json): string =>
  Array.isArray(value) ? `[${value.map(printed).join(', ')}]` : JSON.stringify(value)

/** The indent of the first member that begins a line, or two spaces more than the object. */
function indentIn(text: string, { offset, children = [] }: Node): string {
  const first = children.find(child => isFirstOnLine(text, child.offset))
  return first ? indentAt(text, first.offset) : `${indentAt(text, offset)}  `
}

const lineStartOf = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1
const indentAt = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(lineStartOf(text, offset)))?.[0] ?? ''
const isFirstOnLine = (text: string, offset: number) =>
  text.slice(lineStartOf(text, offset), offset).trim() === ''

/** The offset of the comma behind a member, past comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const skipped = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(offset))?.[0] ?? ''
  const at = offset + skipped.length
  return text[at] === ',' ? at : undefined
}

/** Comments on the lines of the member go with it; those above stay. */
function withoutMember(text: string, member: Node): string {
  const { offset, parent } = member
  const siblings = parent?.children ?? []
  const before = siblings[siblings.indexOf(member) - 1]
  const own = commaAfter(text, endOf(member))
  const comma = own ?? (before && commaAfter(text, endOf(before)))
  const ends = /^[ \t]*,?[ \t]*(?:\/\*(?:(?!\*\/)[^\n])*\*\/[ \t]*)*(?:\/\/[^\n]*)?(?:\n|$)/
  const tail = ends.exec(text.slice(endOf(member)).replaceAll('\r\n', ' \n'))?.[0]
  const isAlone = isFirstOnLine(text, offset) && tail !== undefined
  const from = isAlone ? lineStartOf(text, offset) : offset
  const to = isAlone ? endOf(member) + tail.length : endOf(member)
  if (comma === undefined || (comma >= from && comma < to)) return spliced(text, from, to, '')
  return comma < from
    ? spliced(spliced(text, from, to, ''), comma, comma + 1, '')
    : spliced(spliced(text, comma, comma + 1, ''), from, to, '')
}
