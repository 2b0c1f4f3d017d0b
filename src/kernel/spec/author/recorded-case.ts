/** Writes a case from the observed run of a command. */
import { Document, isScalar, Scalar, visit } from 'yaml'
import { yaml11Reading } from '../document/yaml-value.ts'
import { lineEndOf } from './case-block.ts'
import { formatBlock } from './format-block.ts'

export interface RecordedCommand {
  readonly id: string
  readonly title: string
  readonly words: readonly [program: string, ...args: string[]]
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
}

/** The assertions about one output. */
interface RecordedOutput {
  readonly target: 'stdout' | 'stderr'
  readonly isEmpty: boolean
  readonly lines: readonly string[]
}

export interface RecordedEnd {
  readonly exitCode: number
  readonly outputs: readonly RecordedOutput[]
}

/** The YAML of the case. Without an end it only runs the command. */
export function recordedCase(command: RecordedCommand, end?: RecordedEnd): string {
  const { id, title, words, env, stdin } = command
  const [program, ...args] = words
  const asserted = (end?.outputs ?? []).flatMap(assertionOf)
  const value = {
    id,
    title,
    type: 'cli.run',
    ...(args.length > 0 && { argv: args }),
    ...(end && { exit_code: end.exitCode }),
    harness: {
      entrypoint: /^[\w./@+-]+$/.test(program) ? program : [program],
      ...(Object.keys(env).length > 0 && { env }),
      ...(stdin !== '' && { stdin_text: stdin }),
    },
    ...(asserted.length > 0 && { assert: asserted }),
  }
  const document = new Document(written(value))
  visit(document, {
    Map(_, map) {
      const key = map.items[0]?.key
      if (isScalar(key) && key.value === 'var') map.flow = true
    },
  })
  const text = document.toString({ lineWidth: 0 })
  return formatBlock(text) ?? text
}

function assertionOf({ target, isEmpty, lines }: RecordedOutput): readonly object[] {
  if (isEmpty) return [{ target, must: [{ evaluate: [{ 'std.logic.eq': [subject(), ''] }] }] }]
  return lines.length === 0 ? [] : [{ target, must: [{ contain: lines }] }]
}

const subject = () => ({ var: 'subject' })

/** Quotes text that older YAML readers take for another type. */
function written(value: unknown): unknown {
  if (typeof value === 'string') {
    const scalar = new Scalar(value)
    if (yaml11Reading(value) !== undefined) scalar.type = 'QUOTE_DOUBLE'
    return scalar
  }
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, written(one)]))
}

/** Uses a fence longer than any in the block. */
export function fenced(block: string, info = 'yaml spec-test'): string {
  const longest = [...block.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length)
  const marks = '`'.repeat(Math.max(3, ...longest.map(length => length + 1)))
  return `${marks}${info}\n${block}${marks}\n`
}

/** Appends a case under a heading, or starts a new document. */
export function withCaseAdded(
  text: string | undefined,
  file: string,
  id: string,
  block: string,
  info?: string,
) {
  const end = lineEndOf(text ?? '')
  const added = `## ${id}\n\n${fenced(block, info)}`.replaceAll('\n', end)
  if (text === undefined || text.trim() === '') {
    return `${text ?? ''}# ${headingOf(file)}${end}${end}${added}`
  }
  const gap = /(?:\r\n|\r|\n){2}$/.test(text) ? '' : /[\r\n]$/.test(text) ? end : end + end
  return `${text}${gap}${added}`
}

/** `docs/first-login.spec.md`: First login. */
function headingOf(file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/(?:\.spec)?\.[a-z]+$/i, '')
  const words = name.replace(/[-_.]+/g, ' ').trim()
  return words === '' ? 'Specs' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** An id from the program and its first arguments. */
export function idFor(
  [program, ...args]: readonly [string, ...string[]],
  taken: ReadonlySet<string>,
): string {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const words = [name, ...args.filter(word => !word.startsWith('-'))].join(' ')
  const slug = words.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
  const id = slug.slice(0, 40).replace(/[-.]+$/, '') || 'case'
  let number = 1
  let free = id
  while (taken.has(free)) free = `${id}-${++number}`
  return free
}

/** Selects the lines of an output that are stable over two runs. */
export type LeftOutWhy = 'changed' | 'time' | 'not_text' | 'too_long' | 'too_many'

export interface LeftOutLine {
  readonly text: string
  readonly why: LeftOutWhy
}

interface StableLines {
  /** Whole lines, in order, without duplicates. */
  readonly kept: readonly string[]
  readonly leftOut: readonly LeftOutLine[]
}

/** More lines would copy the output instead of stating something about it. */
export const keptLinesMax = 40
const lineCharsMax = 500

export function stableLines(first: string, second: string): StableLines {
  const again = new Set(linesOf(second))
  const kept: string[] = []
  const leftOut: LeftOutLine[] = []
  for (const text of new Set(linesOf(first))) {
    const why = again.has(text) ? whyNot(text, kept.length) : 'changed'
    if (why === undefined) kept.push(text)
    else leftOut.push({ text, why })
  }
  return { kept, leftOut }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.replace(/\r$/, ''))
    .filter(line => line.trim() !== '')

function whyNot(line: string, kept: number): LeftOutWhy | undefined {
  if (notText.test(line)) return 'not_text'
  if (clock.test(line)) return 'time'
  if (line.length > lineCharsMax) return 'too_long'
  return kept >= keptLinesMax ? 'too_many' : undefined
}

/** Control characters and replacement characters. */
const notText = /[^\P{Cc}\t]|\ufffd/u

/** Times of day: two runs can fall into the same second, the next run will not. */
const clock = /\b\d{2}:\d{2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/
