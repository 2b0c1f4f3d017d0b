/** Reads the command of a `cli.run` case. Its shape must be valid and its templates filled. */
import { temporaryPath } from '../contract-path.ts'
import { numberOf } from '../lang/float.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { assertsOn } from './assert-shape.ts'
import { commandFlaws } from './command-flaws.ts'
import { mappingIn } from './requires.ts'
import type { SessionCommand } from './shell-session.ts'

export type CommandLine = readonly [program: string, ...args: string[]]

export interface CliCommand {
  /** As written. */
  readonly entrypoint: SpecValue
  readonly words: CommandLine
  readonly argv: readonly string[]
  /** Commands of one shell, which the entrypoint names; `undefined` if it is any other program. */
  readonly commands: readonly SessionCommand[] | undefined
  /** Null removes a variable. */
  readonly env: ReadonlyMap<string, string | null>
  readonly stdin: string
  readonly setupFiles: readonly SetupFile[]
  readonly hookBefore: CommandLine | undefined
  readonly hookAfter: CommandLine | undefined
  readonly hookKwargs: SpecValue
  readonly cwd: 'root' | 'temp'
  readonly timeoutMs: number
  /** Any of them; `undefined` if only assertions decide. */
  readonly exitCodes: readonly number[] | undefined
  /** Both outputs in the order written, because an assertion or a session asks for it. */
  readonly joinsOutputs: boolean
}

interface SetupFile {
  /** Relative to the temporary folder. */
  readonly path: string
  readonly text: string
}

const cliTimeoutMsDefault = 30_000

type Mapping = ReadonlyMap<string, SpecValue>

export function cliCommand(value: Mapping): CliCommand | SpecError {
  const harness = mappingIn(value, 'harness')
  const entrypoint = harness.get('entrypoint') ?? ''
  const words = lineOf(entrypoint, 'harness.entrypoint')
  if (isRefused(words)) return words
  const hookBefore = hookOf(harness, 'hook_before')
  if (isRefused(hookBefore)) return hookBefore
  const hookAfter = hookOf(harness, 'hook_after')
  if (isRefused(hookAfter)) return hookAfter
  const setupFiles = setupFilesOf(harness.get('setup_files'))
  if (isRefused(setupFiles)) return setupFiles
  if (harness.get('stdin_isatty') === true) return noTerminal
  const [flaw] = commandFlaws(value)
  if (flaw !== undefined) return schema(flaw.path, flaw.message, flaw.hint)
  const stdin = harness.get('stdin_text')
  return {
    entrypoint,
    words,
    argv: argvOf(value.get('argv')),
    commands: commandsOf(value.get('commands')),
    env: envOf(mappingIn(harness, 'env')),
    stdin: typeof stdin === 'string' ? stdin : '',
    setupFiles,
    hookBefore,
    hookAfter,
    hookKwargs: mappingIn(harness, 'hook_kwargs'),
    cwd: harness.get('cwd') === 'temp' ? 'temp' : 'root',
    timeoutMs: numberOf(harness.get('timeout_ms')) ?? cliTimeoutMsDefault,
    exitCodes: exitCodesOf(value),
    joinsOutputs: value.has('commands') || assertsOn(value.get('assert'), outputTarget),
  }
}

export const outputTarget = 'output'
export const exitCodeKey = 'exit_code'

/** Without the key, an assertion on the exit code replaces the default. */
function exitCodesOf(value: Mapping): readonly number[] | undefined {
  const codes = value.get(exitCodeKey)
  if (codes === undefined && assertsOn(value.get('assert'), exitCodeKey)) return undefined
  return (isList(codes) ? codes : [codes ?? 0]).map(code => numberOf(code) ?? 0)
}

const noTerminal: SpecError = {
  category: 'runtime',
  message: 'cli.run cannot make standard input a terminal: harness.stdin_isatty',
  path: 'harness.stdin_isatty',
}

const isRefused = (read: object | undefined): read is SpecError =>
  read !== undefined && 'category' in read

const schema = (path: string, message: string, hint?: string): SpecError => ({
  category: 'schema',
  message,
  path,
  ...(hint !== undefined && { hint }),
})

const refusedAt = (path: string, why: string) => schema(path, `${path} ${why}`)

/** A list holds one word per item. A text is split into words. */
function lineOf(value: SpecValue, path: string): CommandLine | SpecError {
  const words = isList(value) ? value.map(textOf) : commandWords(textOf(value))
  if ('refused' in words) return refusedAt(path, words.refused)
  const [program, ...args] = words
  return program === undefined || program === ''
    ? refusedAt(path, 'must name a program')
    : [program, ...args]
}

function hookOf(harness: Mapping, key: string): CommandLine | SpecError | undefined {
  const hook = harness.get(key)
  return hook === undefined ? undefined : lineOf(hook, `harness.${key}`)
}

export function argvOf(value: SpecValue | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value.map(textOf) : [textOf(value)]
}

function commandsOf(value: SpecValue | undefined): readonly SessionCommand[] | undefined {
  if (!isList(value)) return undefined
  return value.map(one => {
    const run = isMapping(one) ? (one.get('run') ?? '') : one
    const exitCode = isMapping(one) ? numberOf(one.get('exit_code')) : undefined
    return { run: textOf(run), exitCode: exitCode ?? 0 }
  })
}

const envOf = (env: Mapping): CliCommand['env'] =>
  new Map([...env].map(([name, value]) => [name, value === null ? null : textOf(value)]))

const setupKey = 'harness.setup_files'

function setupFilesOf(value: SpecValue | undefined): readonly SetupFile[] | SpecError {
  const files = (isList(value) ? value : [value]).filter(isMapping)
  const read: SetupFile[] = []
  for (const [at, file] of files.entries()) {
    const path = temporaryPath(textOf(file.get('path') ?? ''))
    if ('refused' in path) return refusedAt(`${setupKey}[${at}].path`, path.refused)
    const text = file.get('text') ?? ''
    read.push({ path: path.path, text: textOf(text) })
  }
  const [clash] = setupClashes(
    read.map(({ path }) => path),
    setupKey,
  )
  return clash === undefined ? read : schema(`${setupKey}[${clash.at}].path`, clash.message)
}

/** Returns text unchanged and other values as JSON. */
function textOf(value: SpecValue): string {
  const text = printText(value, unlimitedMeter())
  return typeof text === 'string' ? text : ''
}

/**
 * Splits a line at white space. Single and double quotes group characters, also inside a word. A
 * backslash is an ordinary character, and nothing is expanded.
 */
export function commandWords(line: string): readonly string[] | { readonly refused: string } {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of line) {
    if (quote !== '') {
      if (character === quote) quote = ''
      else word = `${word ?? ''}${character}`
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ''}${character}`
  }
  if (quote !== '') return { refused: `has an unclosed ${quote}` }
  if (word !== undefined) words.push(word)
  return words
}

interface SetupClash {
  /** The index of the later path. */
  readonly at: number
  readonly message: string
}

/** Takes normalized paths below the temporary folder. */
export function setupClashes(paths: readonly string[], key: string): readonly SetupClash[] {
  const files = new Map<string, number>()
  /** The first path that needs each folder. */
  const folders = new Map<string, number>()
  return paths.flatMap((path, at) => {
    const above = foldersAbove(path)
    const other =
      files.get(path) ?? folders.get(path) ?? above.map(one => files.get(one)).find(isKnown)
    if (!files.has(path)) files.set(path, at)
    for (const one of above) if (!folders.has(one)) folders.set(one, at)
    return other === undefined ? [] : [clash(at, other, { paths, key })]
  })
}

const isKnown = (at: number | undefined) => at !== undefined

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

interface Clashing {
  readonly paths: readonly string[]
  readonly key: string
}

function clash(at: number, other: number, { paths, key }: Clashing): SetupClash {
  const [one, two] = [paths[at] ?? '', paths[other] ?? '']
  const both = `${key}[${other}].path and ${key}[${at}].path`
  const why =
    one === two
      ? `both name ${one}`
      : `conflict: ${one.length < two.length ? one : two} is both a file and a folder`
  return { at, message: `${both} ${why}` }
}
