/** Formats one block. Values and comments stay. */

import {
  type CollectionTag,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { withShapes } from '../../text/visible.ts'
import { withKeptComments } from './kept-comments.ts'

/** Longer flow collections are written one entry per line. */
const columnsMax = 100

const indentStep = 2

/** Formatting repeats until it is stable: a comment can move to another node once. */
const passesMax = 4

/** `undefined` if no stable layout exists. The block must be readable. */
export function formatBlock(text: string): string | undefined {
  let layout = text
  for (let pass = 0; pass < passesMax; pass++) {
    const next = formatOnce(layout)
    if (next === layout) return layout
    layout = next
  }
  return undefined
}

function formatOnce(text: string): string {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    keepSourceTokens: true,
    customTags: asWritten,
  })
  const { contents } = document
  if (!hasAnchors(document)) for (const one of casesIn(contents)) sortKeys(one, document)
  for (const one of [contents, ...casesIn(contents)]) if (isCollection(one)) one.flow = false
  if (isCollection(contents)) spreadWithin(contents, 0)
  trimComments(document)
  const formatted = document.toString({
    indent: indentStep,
    indentSeq: false,
    lineWidth: 0,
    flowCollectionPadding: false,
  })
  return withKeptComments(formatted, text)
}

function trimComments(document: Document): void {
  const trim = (node: Pick<Node, 'comment' | 'commentBefore'>) => {
    if (node.comment) node.comment = node.comment.replace(/[ \t]+$/gm, '')
    if (node.commentBefore) node.commentBefore = node.commentBefore.replace(/[ \t]+$/gm, '')
  }
  trim(document)
  visit(document, { Node: (_, node) => trim(node) })
}

/** Keeps the digits of numbers, and line breaks only where the author wrote them. */
function asWritten(tags: Tags): Tags {
  return tags.map(tag => {
    if (typeof tag !== 'object' || !isScalarTag(tag)) return tag
    if (tag.tag.endsWith(':int') || tag.tag.endsWith(':float')) {
      return { ...tag, stringify: ({ source, value }: Scalar) => source ?? String(value) }
    }
    if (!tag.tag.endsWith(':str')) return tag
    const { stringify } = tag
    return {
      ...tag,
      stringify: (item, context, onComment, onChompKeep) => {
        const isDouble = (item as Scalar).type === 'QUOTE_DOUBLE'
        // The printer would write characters that the author escaped, and nobody sees them.
        if (isDouble && sourceOf(item) !== '' && !isOnLines(item)) return sourceOf(item)
        const options = { ...context.options, ...(isOnLines(item) ? onLines : onOne) }
        const text = stringify?.(item, { ...context, options }, onComment, onChompKeep) ?? ''
        return isDouble ? withShapes(text, yamlEscape) : text
      },
    }
  })
}

function yamlEscape(unit: string): string {
  const point = unit.codePointAt(0) ?? 0
  const digits = point.toString(16)
  return point > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`
}

const onLines = { lineWidth: columnsMax }
const onOne = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }

const isScalarTag = (tag: ScalarTag | CollectionTag): tag is ScalarTag =>
  !('collection' in tag) || tag.collection === undefined

const sourceOf = ({ srcToken }: Scalar): string =>
  srcToken !== undefined && 'source' in srcToken ? srcToken.source : ''

const isOnLines = (item: Scalar) => sourceOf(item).includes('\n')

/** An alias must follow its anchor. */
function hasAnchors(document: Document): boolean {
  let found = false
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined) found = true
      return found ? visit.BREAK : undefined
    },
  })
  return found
}

const casesIn = (contents: unknown): readonly YAMLMap[] =>
  (isSeq(contents) ? contents.items : [contents]).filter(one => isMap(one))

function sortKeys(one: YAMLMap, document: Document): void {
  const [first] = one.items
  const sorted = [...one.items].sort((a, b) => keyRank(nameOf(a)) - keyRank(nameOf(b)))
  // The YAML reader attaches a comment above the first key to the whole mapping.
  if (first !== sorted[0] && one === document.contents && isScalar(first?.key)) {
    if (one.commentBefore) first.key.commentBefore = one.commentBefore
    delete one.commentBefore
  }
  one.items = sorted
}

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '')

/** Formats a block that starts at this column. List items stand below their key. */
function spreadWithin(block: YAMLMap | YAMLSeq, column: number): void {
  for (const item of block.items) {
    if (!isPair<Node, Node | null>(item)) spread(item as Node, column + 2, column + 2)
    else if (item.value) {
      const below = isSeq(item.value) ? column : column + indentStep
      spread(item.value, column + widthOf(item.key) + 2, below)
    }
  }
}

/** Flow collections that are too wide or contain a comment become blocks. */
function spread(node: Node, column: number, below: number): void {
  if (!isCollection(node) || node.items.length === 0) return
  const isShort = node.flow === true && column + widthOf(node) <= columnsMax
  if (isShort && !hasComment(node)) return
  node.flow = false
  spreadWithin(node as YAMLMap | YAMLSeq, below)
}

/** Width on one line; infinite if it needs several lines. */
function widthOf(node: unknown): number {
  if (isScalar(node)) {
    return isOnLines(node) ? Number.POSITIVE_INFINITY : sourceOf(node).length
  }
  if (isAlias(node)) return node.source.length + 1
  if (isPair(node)) return widthOf(node.key) + 2 + widthOf(node.value)
  if (!isCollection(node)) return 0
  return node.items.reduce<number>((width, item) => width + widthOf(item) + 2, 0)
}

function hasComment(collection: Node): boolean {
  let found = false
  visit(collection, {
    Node(_, node) {
      if (node === collection ? node.comment && isInside(node) : isCommented(node)) found = true
      return found ? visit.BREAK : undefined
    },
  })
  return found
}

const isCommented = (node: Node) => Boolean(node.comment || node.commentBefore)

/** A comment behind the closing bracket does not count. */
const isInside = (node: Node) => {
  const [, end = 0, last = 0] = node.range ?? []
  return end === last
}

const order = [
  'id',
  'title',
  'type',
  'purpose',
  'tags',
  'concurrency',
  'requires',
  'expect',
  'assert_health',
  'path',
  'harness',
  'assert',
]

/** For sorting. Keys of one type of case stand before `assert`, in the author's order. */
function keyRank(key: string): number {
  const at = order.indexOf(key)
  return at === -1 ? order.length - 1.5 : at
}
