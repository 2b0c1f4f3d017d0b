/** Replaces single scalars of a block and keeps every other character. */
import { isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml'
import { blockOf } from '../document/block.ts'
import { nodeByPath } from '../document/node-path.ts'
import type { RawCase } from '../document/raw-case.ts'
import { sourceText } from '../document/source-text.ts'
import { yamlNodes } from '../document/yaml-nodes.ts'
import { yaml11Reading } from '../document/yaml-value.ts'
import { type CaseBlock, caseBlocks, withBlockText } from './case-block.ts'
import { consoleEdits } from './edit-console.ts'

export interface ScalarEdit {
  /** Path within the case: `assert[0].must[0].contain[1]`. */
  readonly path: string
  readonly value: string | number
}

export interface CaseEdits {
  readonly raw: RawCase
  readonly edits: readonly ScalarEdit[]
}

interface Span {
  readonly block: CaseBlock
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Why a scalar cannot be replaced, or `undefined`. */
export function whyNotEdited(text: string, file: string, one: CaseEdits): string | undefined {
  const spans = spansOf(text, file, one)
  return typeof spans === 'string' ? spans : undefined
}

/** Applies the edits of all cases. Each edit must be possible. */
export function withScalars(text: string, file: string, all: readonly CaseEdits[]): string {
  const spans = all.flatMap(one => {
    const found = spansOf(text, file, one)
    return typeof found === 'string' ? [] : found
  })
  // Back to front, so that earlier offsets stay valid.
  const blocks = [...caseBlocks(text, file)].reverse()
  return blocks.reduce((whole, block) => {
    const own = spans.filter(span => span.block.firstLine === block.firstLine)
    const next = [...own]
      .sort((a, b) => b.start - a.start)
      .reduce(
        (part, { start, end, text: value }) => part.slice(0, start) + value + part.slice(end),
        block.text,
      )
    return next === block.text ? whole : withBlockText(whole, block, next)
  }, text)
}

function spansOf(text: string, file: string, { raw, edits }: CaseEdits): readonly Span[] | string {
  const found = blockWith(text, file, raw)
  if (found === undefined)
    return 'premath cannot match its block to lines of the document, for example because of tabs'
  const { block, root } = found
  if (root === undefined) {
    const own = consoleEdits(block.text, edits)
    return typeof own === 'string' ? own : own.map(one => ({ block, ...one }))
  }
  const spans: Span[] = []
  for (const { path, value } of edits) {
    const node = nodeByPath(root, path)
    if (!isScalar(node) || node.range == null || node.anchor !== undefined) {
      return `${path} is not a scalar written in the case`
    }
    const [start, end] = node.range
    const written = sourceFor(node, value, block.text.slice(start, end))
    if (written === undefined) return `${path} has a style that premath does not rewrite`
    spans.push({ block, start, end, text: written })
  }
  return spans
}

function blockWith(text: string, file: string, { line, column }: RawCase) {
  const source = sourceText(text, file)
  for (const block of caseBlocks(text, file)) {
    const { place } = blockOf(source, block.text, block.firstLine)
    if (block.isConsole) {
      if (!isWithin(block, line)) continue
      return block.before === undefined ? undefined : { block, root: undefined }
    }
    const { root } = yamlNodes(block.text)
    if (root === null) continue
    const parts = isSeq(root) ? (root.items as ParsedNode[]) : [root]
    const part = parts.find(({ range: [start] }) => {
      const at = place(start)
      return at.line === line && at.column === column
    })
    if (part) return block.before === undefined ? undefined : { block, root: part }
  }
  return undefined
}

/** The line counts from 1. */
const isWithin = ({ text, firstLine }: CaseBlock, line: number) =>
  line > firstLine && line < firstLine + text.split('\n').length

/** Keeps the scalar's style if it can express the value. */
function sourceFor({ type }: Scalar, value: string | number, written: string): string | undefined {
  if (typeof value === 'number') return type === 'PLAIN' ? String(value) : undefined
  if (type === 'BLOCK_LITERAL') return literalFor(value, written)
  if (type === 'BLOCK_FOLDED') return undefined
  if (type === 'PLAIN' && isPlain(value)) return value
  if (type === 'QUOTE_SINGLE' && !unprintable.test(value)) return `'${value.replaceAll("'", "''")}'`
  return quoted(value)
}

/** Text that no YAML reader takes for another type. */
const isPlain = (value: string) =>
  /^[A-Za-z][\w ./()=%+-]*$/.test(value) &&
  !value.endsWith(' ') &&
  !/^(?:true|false|null)$/i.test(value) &&
  yaml11Reading(value) === undefined

const unprintable = /[\p{Cc}\u2028\u2029\ufeff]|\p{Cs}/u

const quoted = (value: string) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Keeps the block header, so the text must end as the header says. */
function literalFor(value: string, written: string): string | undefined {
  const feed = written.indexOf('\n')
  const header = written.slice(0, feed)
  const indent = /^(?:[ ]*\n)*([ ]+)/.exec(written.slice(feed + 1))?.[1]
  const ending = header === '|' ? '\n' : header === '|-' ? '' : undefined
  if (indent === undefined || ending === undefined || !value.endsWith(ending)) return undefined
  const body = value.slice(0, value.length - ending.length)
  if (/^\s|\n$|[^\P{Cc}\n\t]/u.test(body) || body === '') return undefined
  const lines = body.split('\n').map(line => (line === '' ? '' : `${indent}${line}`))
  return `${header}\n${lines.join('\n')}${written.endsWith('\n') ? '\n' : ''}`
}
