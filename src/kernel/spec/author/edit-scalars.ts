/** Replaces single scalars of a block and keeps every other character. */
import { isCollection, isScalar, isSeq, type ParsedNode, type Scalar, visit } from 'yaml'
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
    const context = { text: block.text, start, end, isInFlow: isInFlow(root, node) }
    const written = sourceFor(node, value, context)
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

function isInFlow(root: ParsedNode, node: ParsedNode): boolean {
  let found = false
  visit(root, {
    Scalar(_, scalar, above) {
      if (scalar === node) found = above.some(one => isCollection(one) && one.flow === true)
    },
  })
  return found
}

/** The place of a scalar in the text of its block. */
interface Context {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isInFlow: boolean
}

/** Keeps the scalar's style if it can express the value. */
function sourceFor({ type }: Scalar, value: string | number, context: Context): string | undefined {
  if (typeof value === 'number') return type === 'PLAIN' ? String(value) : undefined
  if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') return rewrittenBlock(value, context)
  if (type === 'PLAIN' && isPlain(value)) return value
  const lines = value.endsWith('\n') ? newBlock(value, context) : undefined
  if (lines !== undefined) return lines
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

/** Keeps the indentation, and a comment beside the header. */
function rewrittenBlock(value: string, { text, start, end }: Context): string {
  const written = text.slice(start, end)
  const [, comment = ''] = /^[|>][-+0-9]*([^\n]*)/.exec(written) ?? []
  const parent = parentIndent(text, start)
  const own = /\n(?:[ ]*\n)*([ ]+)/.exec(written)?.[1]?.length ?? 0
  const isEnded = written.endsWith('\n')
  const lines = blockLines(value, Math.max(own, parent + 1), parent)
  // Without a line end after it, a block cannot end in an empty line.
  const isWritable = lines !== undefined && (isEnded || !value.endsWith('\n\n'))
  if (!isWritable) return `${quoted(value)}${comment}${isEnded ? '\n' : ''}`
  return `${lines.header}${comment}\n${lines.body}${isEnded ? '\n' : ''}`
}

/** Instead of a scalar on one line that nothing follows. */
function newBlock(value: string, { text, start, end, isInFlow }: Context): string | undefined {
  const isAlone = /^[ ]*(?:\n|$)/.test(text.slice(end))
  if (isInFlow || !isAlone || value.endsWith('\n\n') || start === 0) return undefined
  const parent = parentIndent(text, start)
  const lines = blockLines(value, parent + 2, parent)
  return lines && `${lines.header}\n${lines.body}`
}

/** The indentation of the mapping or list that the scalar belongs to. */
function parentIndent(text: string, start: number): number {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const lead = /^[ ]*(?:- +)*/.exec(line)?.[0] ?? ''
  // Directly after a dash it is an item of the list.
  return lead === line ? Math.max(0, lead.lastIndexOf('-')) : lead.length
}

/** `undefined` if a block cannot express the value. */
function blockLines(value: string, indent: number, parent: number) {
  if (/[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]|\p{Cs}/u.test(value)) return undefined
  // A reader takes blanks on the last lines for indentation.
  if (!/\S/.test(value) || /\n[\t ]+\n*$/.test(value)) return undefined
  const chomps = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-'
  const step = /^\n*[\t ]/.test(value) ? indent - parent : 0
  if (step > 9) return undefined
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value).split('\n')
  const body = lines.map(line => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n')
  return { header: `|${step === 0 ? '' : step}${chomps}`, body }
}
