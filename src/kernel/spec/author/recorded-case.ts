/** Writes a case from the observed run of a command. */
import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml'
import { yaml11Reading } from '../document/yaml-value.ts'
import { lineEndOf } from './case-block.ts'
import { formatBlock } from './format-block.ts'
import type { RecordedOutput, RecordedOutputs } from './recorded-output.ts'

export interface RecordedCommand {
  readonly id: string
  readonly title: string
  readonly words: readonly [program: string, ...args: string[]]
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
}

export interface RecordedEnd extends Pick<RecordedOutputs, 'masks' | 'outputs'> {
  readonly exitCode: number
}

/** The YAML of the case. Without an end it only runs the command. */
export function recordedCase(command: RecordedCommand, end?: RecordedEnd): string {
  const { id, title, words, env, stdin } = command
  const [program, ...args] = words
  const asserted = (end?.outputs ?? []).map(assertionOf)
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
      ...(end && end.masks.length > 0 && { masks: end.masks }),
    },
    ...(asserted.length > 0 && { assert: asserted }),
  }
  return caseText(value)
}

/** The YAML of a case, as `spec format` would write it. */
export function caseText(value: object): string {
  const document = new Document(written(value))
  visit(document, {
    Pair(_, { key, value: list }) {
      if (!isScalar(key) || !isSeq(list)) return
      if (key.value === 'masks') list.flow = true
      if (key.value === 'evaluate') for (const one of list.items) if (isMap(one)) one.flow = true
    },
  })
  const text = document.toString({ lineWidth: 0 })
  return formatBlock(text) ?? text
}

const assertionOf = ({ target, op, text }: RecordedOutput): object => ({
  target,
  must: [{ [op]: block(text) }],
})

/** A block shows the lines as they are. It cannot hold control characters. */
function block(text: string): Scalar<string> {
  const scalar = new Scalar(text)
  if (/\n/.test(text) && !/[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]/u.test(text)) {
    scalar.type = 'BLOCK_LITERAL'
  } else scalar.type = 'QUOTE_DOUBLE'
  return scalar
}

/** Quotes text that older YAML readers take for another type. */
function written(value: unknown): unknown {
  if (typeof value === 'string') {
    const scalar = new Scalar(value)
    if (yaml11Reading(value) !== undefined) scalar.type = 'QUOTE_DOUBLE'
    return scalar
  }
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null || value instanceof Scalar) return value
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
