/** Reads JSON with comments and trailing commas. Each value knows its place in the text. */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Json } from '../json.ts'

/** Why a text cannot be used, and where. */
export class JsoncFlaw {
  readonly why: string
  readonly place: Place
  /** The next step for the author. */
  readonly remedy: string

  constructor(why: string, place: Place, remedy: string) {
    this.why = why
    this.place = place
    this.remedy = remedy
  }
}

/** Both start at 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Names of members and indexes of lists, from the outside in. */
export type JsoncPath = readonly (string | number)[]

export interface JsoncDocument {
  readonly text: string
  readonly root: Node
  readonly value: Json
}

/** The parser calls itself for each bracket, so their number limits its stack. */
const bracketsMax = 2000

export function parseJsonc(text: string): JsoncDocument | JsoncFlaw {
  if ((text.match(/[[{]/g) ?? []).length > bracketsMax) {
    const remedy = 'Remove some of them.'
    return new JsoncFlaw(`it has more than ${bracketsMax} brackets`, placeAt(text, 0), remedy)
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const why = `not readable as JSON with comments: ${parseErrors[printParseErrorCode(first.error)]}`
    return new JsoncFlaw(why, placeAt(text, first.offset), 'Fix the file at that place.')
  }
  // The parser reports an error for every text without a value.
  if (!root) throw new Error('a text without an error has a value')
  const repeated = repeatedKey(root)
  if (repeated) {
    const why = `the key ${JSON.stringify(repeated.value)} is there twice`
    return new JsoncFlaw(why, placeAt(text, repeated.offset), 'Remove one of the two.')
  }
  return { text, root, value: jsonOf(root) }
}

/** The words for each error that `printParseErrorCode` names. */
const parseErrors: Readonly<Record<string, string>> = {
  InvalidSymbol: 'an unexpected character',
  InvalidNumberFormat: 'a malformed number',
  PropertyNameExpected: 'a key in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is more after the end of the document',
  InvalidCommentToken: 'a malformed comment',
  UnexpectedEndOfComment: 'a comment that is never closed',
  UnexpectedEndOfString: 'a string that is never closed',
  UnexpectedEndOfNumber: 'an incomplete number',
  InvalidUnicode: 'a \\u without four hex digits',
  InvalidEscapeCharacter: 'an unknown escape',
  InvalidCharacter: 'a raw control character in a string',
}

/** The place of a value; of its key, if `path` ends in a member. */
export function placeOf({ root, text }: JsoncDocument, path: JsoncPath): Place | undefined {
  const node = nodeAt(root, path)
  if (!node) return undefined
  const isMember = node.parent?.type === 'property'
  return placeAt(text, (isMember ? node.parent : node)?.offset ?? 0)
}

export const nodeAt = (root: Node, path: JsoncPath): Node | undefined =>
  findNodeAtLocation(root, [...path])

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** The key that the last value would silently win for. */
function repeatedKey(node: Node): Node | undefined {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const key = child.type === 'property' ? child.children?.[0] : undefined
    if (key && seen.has(key.value)) return key
    seen.add(key?.value)
    const below = repeatedKey(child)
    if (below) return below
  }
  return undefined
}

function jsonOf(node: Node): Json {
  const { children = [] } = node
  if (node.type === 'array') return children.map(jsonOf)
  if (node.type !== 'object') return node.value
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), jsonOf(value)] as const] : [],
    ),
  )
}
