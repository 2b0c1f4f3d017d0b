/** Finds the literals a case needs to accept the observed output, or says why there are none. */
import type { AssertGroup, AssertLeaf, AssertNode } from '../assert/assert-tree.ts'
import { acceptedBy, type Demand, shown } from '../assert/demand.ts'
import { isSubject } from '../assert/operands.ts'
import { isSubjectError, type Subject } from '../assert/subject.ts'
import type { PatternTest } from '../lang/expected-lines.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { acceptedLines } from './accepted-lines.ts'
import type { ScalarEdit } from './edit-scalars.ts'

interface Seen {
  readonly root: AssertGroup
  readonly demands: readonly Demand[]
  readonly subjects: ReadonlyMap<string, Subject>
  failureOf(node: AssertNode): SpecError | undefined
  /** True if a line matches the pattern of an expected line. */
  readonly test: PatternTest<object>
  /** True if the case has this key. */
  has(key: string): boolean
}

export interface Accepted {
  readonly edits: readonly ScalarEdit[]
  /** Reasons for which no edit makes the case pass. */
  readonly refused: readonly string[]
}

/** Longer text is not readable in a document. */
const textCharsMax = 65_536

const outputs = /^(?:stdout|stderr|stdout_path_text|text|output(?:\[\d+\])?)$/

export function acceptedOutput(seen: Seen): Accepted {
  const edits: ScalarEdit[] = []
  const refused: string[] = []
  for (const demand of seen.demands) {
    const { name, path = name, expected, actual } = demand
    if (acceptedBy(demand).includes(actual) || typeof actual !== 'number') continue
    if (isList(expected))
      refused.push(`${name} lists ${shown(expected)}, but the command returns ${actual}`)
    else if (path !== name || seen.has(name)) edits.push({ path, value: actual })
    else
      refused.push(
        `the case has no ${name}, but the command returns ${actual}: add ${name}: ${actual}`,
      )
  }
  const taken = new Map<string, string[]>()
  for (const node of unmet(seen.root, seen)) {
    const found = node.kind === 'leaf' ? replacement(node, seen, taken) : groupRefused(node)
    if (typeof found === 'string') refused.push(found)
    else edits.push(found)
  }
  return { edits, refused }
}

/** The smallest nodes that must hold and do not. */
function unmet(node: AssertNode, seen: Seen): readonly AssertNode[] {
  if (node.kind === 'must') return node.children.flatMap(child => unmet(child, seen))
  return seen.failureOf(node) === undefined ? [] : [node]
}

const groupRefused = ({ path, kind }: AssertGroup) =>
  `${path} is a ${kind}: premath cannot tell which of its parts to change`

function replacement(
  leaf: AssertLeaf,
  seen: Seen,
  taken: Map<string, string[]>,
): ScalarEdit | string {
  const { place: where, op, target, subject: name } = leaf
  if (!outputs.test(name)) return `${where} reads ${target}, which is not output of a command`
  const subject = seen.subjects.get(name)
  if (subject === undefined || isSubjectError(subject) || typeof subject.value !== 'string') {
    return `${where}: ${name} does not exist`
  }
  const text = subject.value
  if (text.length > textCharsMax)
    return `${where}: ${name} has more than ${textCharsMax} characters`
  if (op === 'contain') return containing(leaf, text, where, seen, taken)
  if (op === 'lines' && typeof leaf.source === 'string') {
    return { path: where, value: acceptedLines(leaf.source, text, seen.test) }
  }
  return op === 'equal' ? { path: where, value: text } : equalling(leaf, text, where)
}

function containing(
  { source, subject }: AssertLeaf,
  output: string,
  path: string,
  { root, failureOf }: Seen,
  taken: Map<string, string[]>,
): ScalarEdit | string {
  if (typeof source !== 'string') return `${path} is not text`
  const kept = literals(root, subject).filter(leaf => failureOf(leaf) === undefined)
  const texts = kept.map(({ source: one }) => String(one)).filter(Boolean)
  const used = taken.get(subject) ?? []
  const isTaken = (line: string) => used.includes(line) || texts.some(one => line.includes(one))
  const value = nearestLines(source, output, isTaken)
  if (value === undefined) return `${path}: no line of ${subject} is an obvious replacement`
  taken.set(subject, [...used, ...value.split('\n')])
  return { path, value }
}

/** The `contain` leaves that must hold for this output. */
function literals(node: AssertNode, subject: string): readonly AssertLeaf[] {
  if (node.kind === 'leaf') return node.op === 'contain' && node.subject === subject ? [node] : []
  return node.kind === 'must' ? node.children.flatMap(one => literals(one, subject)) : []
}

const equalities = ['std.logic.eq', 'std.logic.equals', 'eq', 'equals']

function equalling({ op, source }: AssertLeaf, output: string, path: string): ScalarEdit | string {
  const [entry] = op === 'evaluate' && isMapping(source) ? source : []
  const [name = '', operands] = entry ?? []
  if (!equalities.includes(name) || !isList(operands) || operands.length !== 2) {
    return `${path} is not a text that the output must contain or equal`
  }
  const other = operands.findIndex(one => !isSubject(one))
  const literal = operands[other]
  if (!operands.some(one => isSubject(one)) || literal === undefined) {
    return `${path} does not compare the output with a text`
  }
  const at = `${path}.${name}[${other}]`
  if (typeof literal === 'string') return { path: at, value: output }
  const inner: SpecValue | undefined = isMapping(literal) ? literal.get('lit') : undefined
  if (typeof inner === 'string') return { path: `${at}.lit`, value: output }
  return `${path} does not compare the output with a text`
}

const linesMax = 1000
const charsMax = 200

/** At least half of the characters must match in order. */
const likeMin = 0.5
/** Required lead over the next best candidate. */
const leadMin = 0.05

/**
 * As many lines as the text has, most similar to it and not taken. `undefined` if no choice is
 * obvious. `isTaken` is called for each line.
 */
export function nearestLines(
  text: string,
  output: string,
  isTaken: (line: string) => boolean,
): string | undefined {
  const lines = output.split(/\r?\n/)
  const wanted = text.replace(/\n$/, '').split('\n')
  if (lines.length > linesMax) return undefined
  const windows = lines
    .map((_, at) => lines.slice(at, at + wanted.length))
    .filter(some => some.length === wanted.length && some.some(line => line.trim() !== ''))
    .filter(some => !some.some(line => line !== '' && isTaken(line)))
  const [best, second] = [...new Set(windows.map(some => some.join('\n')))]
    .map(one => ({ one, like: likeness(one, wanted.join('\n')) }))
    .sort((a, b) => b.like - a.like)
  if (best === undefined) return undefined
  const isObvious =
    second === undefined || (best.like >= likeMin && best.like - second.like >= leadMin)
  return isObvious ? `${best.one}${text.endsWith('\n') ? '\n' : ''}` : undefined
}

/** From 0 to 1: the share of characters both have in the same order. */
function likeness(one: string, other: string): number {
  const [a, b] = [one.slice(0, charsMax), other.slice(0, charsMax)]
  let row = new Uint16Array(b.length + 1)
  for (let from = 0; from < a.length; from++) {
    const next = new Uint16Array(b.length + 1)
    for (let to = 0; to < b.length; to++) {
      next[to + 1] =
        a[from] === b[to] ? (row[to] ?? 0) + 1 : Math.max(row[to + 1] ?? 0, next[to] ?? 0)
    }
    row = next
  }
  return (2 * (row[b.length] ?? 0)) / Math.max(1, a.length + b.length)
}
