/** Parses documents into cases. It never throws: errors become problems with a place. */
import { isAlias, isMap, isSeq, type ParsedNode, visit } from 'yaml'
import { Fault } from '../../../fault.ts'
import { parseJson } from '../../json.ts'
import type { SpecValue } from '../lang/value.ts'
import { type Block, blockOf, problemIn } from './block.ts'
import { type ConsoleDraft, consoleDraft, consoleIds } from './console-case.ts'
import {
  type Fence,
  holdsCases,
  isConsole,
  markdownBlocks,
  markdownDepthMax,
  type UnreadLines,
} from './fences.ts'
import { type Anchors, findByPath } from './node-path.ts'
import { isError, type Problem, type RawCase } from './raw-case.ts'
import { type SourceText, sourceText } from './source-text.ts'
import { yamlNodes } from './yaml-nodes.ts'
import { ValueReader } from './yaml-value.ts'

export interface SpecDocument {
  /** In the order of the document. */
  readonly cases: readonly RawCase[]
  /** Errors that kept parts of the document from being read, and warnings. */
  readonly problems: readonly Problem[]
}

/** Size limit: parsing takes about one second per megabyte. */
export const documentBytesMax = 4 * 1024 * 1024

export function readDocument(text: string, file: string): SpecDocument {
  if (text.length > documentBytesMax) return tooLarge(file)
  const source = sourceText(text, file)
  const nul = source.text.indexOf('\0')
  if (nul !== -1) return { cases: [], problems: [notText(source, nul)] }
  if (!/\.(?:ya?ml|json)$/i.test(file)) return readMarkdown(source)
  const wrong = /\.json$/i.test(file) ? jsonProblem(source) : undefined
  return wrong
    ? { cases: [], problems: [wrong] }
    : readBlock(blockOf(source, source.text, 0), source)
}

/** A document that could not be read as text. */
export const unreadable = (
  file: string,
  message: string,
  hint?: string,
  spot?: Spot,
): SpecDocument => refusedDocument(file, 'document.unreadable', message, hint, spot)

interface Spot {
  readonly line: number
  readonly column: number
}

export const tooLarge = (file: string): SpecDocument =>
  refusedDocument(
    file,
    'document.too_large',
    `is larger than ${documentBytesMax / 1024 / 1024} MB`,
    'Split it into several documents.',
  )

function refusedDocument(
  file: string,
  code: string,
  message: string,
  hint: string | undefined,
  { line, column }: Spot = { line: 1, column: 1 },
): SpecDocument {
  const place = { file, line, column, lineText: '' }
  return { cases: [], problems: [{ place, code, message, ...(hint !== undefined && { hint }) }] }
}

const notText = (source: SourceText, offset: number): Problem => ({
  place: source.placeAt(offset),
  code: 'document.not_text',
  message: 'this is not UTF-8 text: it contains a NUL character',
  hint: 'Save the document as UTF-8.',
})

function readMarkdown(source: SourceText): SpecDocument {
  // Fast exit: most Markdown contains no case.
  if (!/spec-test|contract-spec|(?:```|~~~)[ \t]*console/i.test(source.text)) {
    return { cases: [], problems: [] }
  }
  const { fences, unread } = markdownBlocks(source)
  const read = fences.map(fence => readFence(fence, source))
  const idOf = consoleIds(
    read.flatMap(({ draft }) => draft ?? []),
    read.flatMap(({ cases }) => cases.map(({ id }) => id)),
    source.file,
  )
  return {
    cases: read.flatMap(({ cases, draft }) => (draft ? [draft.withId(idOf(draft))] : cases)),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...unread.flatMap(lines => unreadProblems(lines, source)),
    ],
  }
}

const unreadFence = /(?:```|~~~)(?:.*(?:spec-test|contract-spec)|[ \t]*console)/i

/** Deeply nested text is ignored, but a possible case in it is reported. */
function unreadProblems({ from, to }: UnreadLines, source: SourceText): readonly Problem[] {
  for (let line = from; line < to; line++) {
    const at = source.lineText(line).search(unreadFence)
    if (at !== -1) return [{ place: source.place(line, at), ...tooDeep }]
  }
  return []
}

const tooDeep: Omit<Problem, 'place'> = {
  code: 'fence.too_deep',
  message: `this block is nested in more than ${markdownDepthMax} quotations and lists, so premath does not read it`,
  hint: 'Move it out of them. A list counts twice.',
}

interface ReadFence extends SpecDocument {
  /** A console block instead of cases. */
  readonly draft?: ConsoleDraft
}

const nothing: ReadFence = { cases: [], problems: [] }

function readFence(fence: Fence, source: SourceText): ReadFence {
  const { words, line, text, isClosed } = fence
  const isConsoleBlock = isConsole(fence)
  const isNamed = (name: string) => words.some(word => word.includes(name))
  if (!isConsoleBlock && !isNamed('spec-test') && !isNamed('contract-spec')) return nothing
  const lineText = source.lineText(line)
  const place = source.place(line, Math.max(0, lineText.search(/```|~~~/)))
  if (isNamed('contract-spec')) return { cases: [], problems: [{ place, ...contractSpec }] }
  if (!isConsoleBlock && !holdsCases(fence)) {
    return { cases: [], problems: [{ place, ...nearFence }] }
  }
  if (!isClosed) return { cases: [], problems: [{ place, ...unclosedFence }] }
  if (isConsoleBlock) return { cases: [], ...consoleDraft(fence, source, place) }
  return readBlock(blockOf(source, text, line + 1), source, place)
}

/** The block looks like a case but is not run. */
const nearFence: Omit<Problem, 'place'> = {
  code: 'fence.not_a_case',
  message: 'this block is not read as a case: its info string lacks yaml or spec-test',
  hint: 'Open it with ```yaml spec-test, with a space between the words.',
  severity: 'warning',
}

const unclosedFence: Omit<Problem, 'place'> = {
  code: 'fence.unclosed',
  message: 'this block is not closed',
  hint: 'Close it with as many marks as it opens with.',
}

function readBlock(block: Block, source: SourceText, opened = block.place(0)): SpecDocument {
  const { root, problems } = yamlNodes(block.text)
  if (problems.length > 0) {
    return { cases: [], problems: problems.map(one => problemIn(block, one)) }
  }
  const parts = root === null ? [] : isSeq(root) ? (root.items as ParsedNode[]) : [root]
  if (parts.length === 0) return { cases: [], problems: [{ place: opened, ...emptyBlock }] }
  const reader = new ValueReader()
  const nodes = nodesAgain(block)
  const cases: RawCase[] = []
  const others: Problem[] = []
  for (const [index, part] of parts.entries()) {
    const read = reader.read(part)
    const found = read.problems.map(one => problemIn(block, one))
    others.push(...found.filter(one => !isError(one)))
    if (read.value instanceof Map && isContractSpec(read.value)) {
      others.push({ place: block.place(part.range[0]), ...contractSpec })
    } else if (read.value instanceof Map) {
      const errors = found.filter(isError)
      cases.push(rawCase(read.value, part, source.file, block, errors, () => nodes(index)))
    } else {
      others.push({ place: block.place(part.range[0]), ...notACase })
    }
  }
  return { cases, problems: others }
}

/** A suite of a later format has clauses under `contracts` instead of cases. */
const isContractSpec = (value: ReadonlyMap<string, SpecValue>) =>
  value.has('contracts') && (value.has('spec_version') || value.has('schema_ref'))

/** Without this, its cases would silently not run. */
const contractSpec: Omit<Problem, 'place'> = {
  code: 'document.unsupported',
  message: 'contract-spec is a format that premath does not support, so nothing of this is run',
  hint: 'Write its cases as ```yaml spec-test blocks, or run it with a runner of that format.',
}

const emptyBlock: Omit<Problem, 'place'> = {
  code: 'block.empty',
  message: 'this block has no case',
  hint: 'Write a mapping with an id and a type.',
}

const notACase: Omit<Problem, 'place'> = {
  code: 'block.not_a_case',
  message: 'a case must be a mapping with an id and a type',
  hint: 'Write one mapping, or a list of mappings.',
}

interface CaseNodes {
  readonly root: ParsedNode
  readonly anchors: Anchors
}

function rawCase(
  value: ReadonlyMap<string, SpecValue>,
  node: ParsedNode,
  file: string,
  block: Block,
  problems: readonly Problem[],
  nodes: () => CaseNodes,
): RawCase {
  const { line, column } = block.place(node.range[0])
  const [id, type] = [value.get('id'), value.get('type')]
  const find = (path: string) => {
    const { root, anchors } = nodes()
    return findByPath(root, path, anchors)
  }
  return {
    id: typeof id === 'string' && id.trim() !== '' ? id : `${file}:${line}`,
    type: typeof type === 'string' ? type : '',
    file,
    line,
    column,
    value,
    problems,
    placeOf: path => block.place(find(path).value),
    keyPlaceOf: path => block.place(find(path).key),
  }
}

/** Parsed again on demand: the nodes of a block take many times the memory of its text. */
function nodesAgain(block: Block): (index: number) => CaseNodes {
  let kept: ((index: number) => CaseNodes) | undefined
  const read = (): ((index: number) => CaseNodes) => {
    const root = yamlNodes(block.text).root as ParsedNode
    const marked = new Map<string, ParsedNode>()
    visit(root, {
      Node(_, node) {
        if (!isAlias(node) && node.anchor !== undefined) marked.set(node.anchor, node as ParsedNode)
      },
    })
    const anchors: Anchors = name => marked.get(name) ?? null
    return index => {
      const part = isSeq(root) ? (root.items[index] as ParsedNode) : root
      const target = isAlias(part) ? anchors(part.source) : part
      return { root: isMap(target) ? target : part, anchors }
    }
  }
  return index => {
    kept ??= read()
    return kept(index)
  }
}

/** The YAML reader accepts more than JSON, but other tools read `.json` files too. */
export function jsonProblem(source: SourceText): Problem | undefined {
  try {
    parseJson(source.text)
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { line, column } = error.detail
    const place = source.place(Number(line) - 1, Number(column) - 1)
    return { place, code: 'json.syntax', message: error.message, hint }
  }
}

const hint =
  'Use double quotes for keys and texts, no comments and no trailing commas, or rename the document to .yaml.'
