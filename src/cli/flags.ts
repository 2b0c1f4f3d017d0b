import { parseArgs } from 'node:util'
import { Fault } from '../fault.ts'
import { absentValue, type Field, type Fields, type InputOf } from '../field.ts'
import { nearest } from '../kernel/text/nearest.ts'
import type { Operation } from '../operations/operation.ts'
import { meantAfter, meantBy } from '../operations/short-names.ts'

/** Flags of every command. */
export const globalFlags = {
  json: 'Print the result as JSON on standard output.',
  help: 'Show help; -h does the same.',
} as const

/** Splits a command line into the command and its arguments. */
export function findCommand(
  argv: readonly string[],
  commands: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  const start = argv.findIndex(word => !isGlobalFlag(word))
  const before = start === -1 ? argv : argv.slice(0, start)
  const words = start === -1 ? [] : argv.slice(start)
  const first = words[0]
  if (first === undefined) {
    return { command: 'help', args: before.filter(flag => flag === '--json') }
  }
  if (first === '--version' || first === '-V') {
    return { command: 'version', args: [...before, ...words.slice(1)] }
  }
  const command = commands
    .filter(candidate => candidate.split(' ').every((word, index) => word === words[index]))
    .sort((a, b) => b.length - a.length)[0]
  if (command === undefined) {
    const help = familyHelp(before, words, commands)
    if (help) return help
    throw unknownCommand(words, commands)
  }
  return { command, args: [...before, ...words.slice(command.split(' ').length)] }
}

const isHelp = (word: string) => word === '--help' || word === '-h'
const isGlobalFlag = (word: string) => word === '--json' || isHelp(word)

/** `issue --help` lists the commands that start with `issue`. */
function familyHelp(
  before: readonly string[],
  [first = '', ...rest]: readonly string[],
  commands: readonly string[],
) {
  const flags = [...before, ...rest]
  if (!flags.every(isGlobalFlag) || !flags.some(isHelp)) return undefined
  if (family(first, commands).length === 0) return undefined
  return { command: 'help', args: [first, ...flags.filter(flag => flag === '--json')] }
}

/** The commands of several words that start with this one. */
const family = (first: string, commands: readonly string[]) =>
  commands.filter(command => command.startsWith(`${first} `))

function unknownCommand(words: readonly string[], commands: readonly string[]): Fault {
  const [first = '', second] = words
  if (first.startsWith('-')) {
    const near = first === '-v' ? '--version' : nearest(first, ['--help', '--json', '--version'])
    return new Fault('usage', `unknown flag ${first} before a command`, {
      hint: near ? `did you mean ${near}?` : 'premath --help lists the commands and their flags',
      ...(near && { detail: { nearest: near } }),
    })
  }
  const verbs = family(first, commands)
  if (verbs.length > 0 && (second === undefined || second.startsWith('-'))) {
    return new Fault('usage', `${first}: missing subcommand`, { hint: `try: ${verbs.join(', ')}` })
  }
  const typed = second === undefined || second.startsWith('-') ? first : `${first} ${second}`
  const firsts = [...new Set(commands.map(command => command.split(' ')[0] ?? command))]
  const meant =
    meantCommand(first, meantBy, commands) ??
    meantCommand(typed, meantAfter, commands) ??
    lastWordOf(first, commands) ??
    nearest(typed, commands) ??
    nearest(first, firsts)
  return new Fault('usage', `unknown command ${JSON.stringify(verbs.length > 0 ? typed : first)}`, {
    hint: meant ? `did you mean: premath ${meant}` : 'premath --help lists the commands',
    ...(meant && { detail: { nearest: meant } }),
  })
}

/** Words that mean a command, though they look like none. */
function meantCommand(
  words: string,
  meanings: Readonly<Record<string, string>>,
  commands: readonly string[],
): string | undefined {
  const meant = Object.hasOwn(meanings, words) ? meanings[words] : undefined
  return meant !== undefined && commands.includes(meant) ? meant : undefined
}

/** The one command that ends with this word: `blocked` means `issue blocked`. */
function lastWordOf(word: string, commands: readonly string[]): string | undefined {
  const [ending, ...others] = commands.filter(command => command.endsWith(` ${word}`))
  return others.length === 0 ? ending : undefined
}

interface ReadFlags {
  readonly json: boolean
  readonly help: boolean
  readonly input: InputOf<Fields>
  /** Why given flags have no effect. */
  readonly notes: readonly string[]
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type Given = Map<string, string[]>

/** Parses the declared fields. Anything else is a usage error. */
export function readFlags(
  command: string,
  operation: Operation,
  args: readonly string[],
): ReadFlags {
  const fields = Object.entries(operation.input)
  const flags = new Map(
    fields
      .filter(isNamed)
      .flatMap(([name, field]) =>
        namesOf(name, field).map(written => [written, { flag: flagOf(name), field }] as const),
      ),
  )
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(
        [...flags].map(([written, { field }]) => [
          written,
          { type: field.type === 'flag' ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    },
    // The built-in messages name neither the nearest flag nor the allowed values.
    strict: false,
    tokens: true,
  })
  mustHaveDashes(command, operation, tokens)
  const given = namedValues(command, operation, tokens, flags)
  const json = given.has('json')
  // Help works whatever else is missing or wrong.
  if (given.has('help')) return { json, help: true, input: {}, notes: [] }
  placeWords(command, operation, tokens, given)
  const input = Object.fromEntries(
    fields.map(([name, field]) => [name, fieldValue(command, operation, name, field, given)]),
  )
  const notes = fields.flatMap(([name, { noEffect }]) =>
    noEffect !== undefined && given.has(flagOf(name))
      ? [`note: --${flagOf(name)} has no effect: ${noEffect}`]
      : [],
  )
  return { json, help: false, input: input as InputOf<Fields>, notes }
}

/** A field, and the flag that its values are kept under. */
interface NamedField {
  readonly flag: string
  readonly field: Field
}

function namedValues(
  command: string,
  operation: Operation,
  tokens: readonly Token[],
  flags: ReadonlyMap<string, NamedField>,
): Given {
  const given: Given = new Map()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const named: NamedField | undefined =
      name in globalFlags ? { flag: name, field: globalField } : flags.get(name)
    if (!named) throw unknownFlag(command, rawName, operation)
    const { flag, field } = named
    if (field.type === 'flag') {
      if (value !== undefined) throw usage(command, `${rawName} takes no value`)
    } else {
      if (value === undefined) throw usage(command, `${rawName} needs a value`)
      if (!inlineValue && value.length > 1 && value.startsWith('-')) {
        throw usage(command, `${rawName} needs a value, and ${value} looks like a flag`, {
          hint: `if it is the value, write ${rawName}=${value}`,
        })
      }
      if (given.has(flag) && !field.many) {
        const which = rawName === `--${flag}` ? rawName : `--${flag}, also named ${rawName},`
        throw usage(command, `${which} was given twice and takes one value`)
      }
    }
    given.set(flag, [...(given.get(flag) ?? []), value ?? ''])
  }
  return given
}

const globalField: Field = { type: 'flag', describe: '' }

/** Refuses a command given without `--`, before its flags are taken for ours. */
function mustHaveDashes(command: string, operation: Operation, tokens: readonly Token[]): void {
  const dashed = Object.entries(operation.input).find(([, field]) => isBehindDashes(field))
  const hasDashes = tokens.some(({ kind }) => kind === 'option-terminator')
  const asksForHelp = tokens.some(token => token.kind === 'option' && token.name === 'help')
  if (!dashed || hasDashes || asksForHelp || wordsOf(tokens).length === 0) return
  throw missing(command, operation, ...dashed)
}

/** Assigns positional words, and the words after `--` to their own field. */
function placeWords(
  command: string,
  operation: Operation,
  tokens: readonly Token[],
  given: Given,
): void {
  const fields = Object.entries(operation.input)
  const dashed = fields.find(([, field]) => isBehindDashes(field))
  const end = dashed ? tokens.findIndex(({ kind }) => kind === 'option-terminator') : -1
  const before = wordsOf(end === -1 ? tokens : tokens.slice(0, end))
  const behind = end === -1 ? [] : wordsOf(tokens.slice(end))
  if (dashed && behind.length > 0) given.set(flagOf(dashed[0]), behind)
  const others = fields.filter(field => field !== dashed)
  placePositionals(command, others, before, given)
}

const wordsOf = (tokens: readonly Token[]) =>
  tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : []))

function placePositionals(
  command: string,
  fields: readonly FieldEntry[],
  words: readonly string[],
  given: Given,
): void {
  const places = fields.filter(field => !isNamed(field))
  let next = 0
  for (const [name, field] of places) {
    const taken = isMany(field) ? words.slice(next) : words.slice(next, next + 1)
    if (taken.length > 0) given.set(flagOf(name), taken)
    next += taken.length
  }
  const unnamed = fields.find(([name, field]) => mayBeBare(field) && !given.has(flagOf(name)))
  if (unnamed && words[next] !== undefined) given.set(flagOf(unnamed[0]), [words[next++] ?? ''])
  const extra = words[next]
  if (extra !== undefined) {
    const hint =
      unquotedSentence(command, places, words) ?? unflaggedCommand(command, fields, words)
    throw usage(command, `unexpected ${JSON.stringify(extra)}`, hint === undefined ? {} : { hint })
  }
}

type FieldEntry = readonly [string, Field]

function unquotedSentence(
  command: string,
  places: readonly FieldEntry[],
  words: readonly string[],
): string | undefined {
  const last = places.at(-1)?.[1]
  if (last?.type !== 'text' || !last.sentence) return undefined
  const sentence = JSON.stringify(words.slice(places.length - 1).join(' '))
  const line = ['premath', command, ...words.slice(0, places.length - 1), sentence].join(' ')
  return `quote a text with spaces: ${line}`
}

/** `premath run sh agent.sh`: the words are the command of a flag. */
function unflaggedCommand(
  command: string,
  fields: readonly FieldEntry[],
  words: readonly string[],
): string | undefined {
  const flag = fields.find(([, field]) => field.type === 'text' && field.isCommand)?.[0]
  if (flag === undefined) return undefined
  const typed = quoted(words.map(shellWord).join(' '))
  return `to name a command: premath ${command} --${flagOf(flag)} ${typed}`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text))

function fieldValue(
  command: string,
  operation: Operation,
  name: string,
  field: Field,
  given: Given,
): boolean | string | number | readonly (string | number)[] | undefined {
  const texts = given.get(flagOf(name))
  if (field.type === 'flag') return texts !== undefined
  if (texts === undefined) {
    if (field.required) throw missing(command, operation, name, field)
    return absentValue(field)
  }
  const values = texts.map(text => parseValue(command, name, field, text))
  return field.many ? values : values[0]
}

function parseValue(
  command: string,
  name: string,
  field: Exclude<Field, { type: 'flag' }>,
  text: string,
): string | number {
  if (field.type === 'choice' && !field.values.includes(text)) {
    const meant = nearest(text, field.values)
    throw usage(command, `${shownField(name, field)} cannot be ${JSON.stringify(text)}`, {
      hint: `it is one of ${field.values.join(', ')}${meant ? `; did you mean ${meant}?` : ''}`,
    })
  }
  if (field.type !== 'count' && field.type !== 'number') return text
  const { pattern, hint } = numerals[field.type]
  const number = Number(text)
  const isNumeral = pattern.test(text)
  if (isNumeral && number <= Number.MAX_SAFE_INTEGER) return number
  throw usage(command, `${shownField(name, field)} cannot be ${JSON.stringify(text)}`, {
    hint: isNumeral ? `it is at most ${Number.MAX_SAFE_INTEGER}` : hint,
  })
}

const numerals = {
  count: { pattern: /^\d+$/, hint: 'it is a whole number, such as 0 or 12' },
  number: { pattern: /^\d+(\.\d+)?$/, hint: 'it is a decimal number, such as 0.8 or 12' },
} as const

function missing(command: string, operation: Operation, name: string, field: Field): Fault {
  const example = Object.keys(operation.examples)[0]
  return usage(command, `${shownField(name, field)} is missing`, {
    ...(example && { hint: `for example: ${example}` }),
  })
}

function unknownFlag(command: string, flag: string, { input }: Operation): Fault {
  const fields = Object.entries(input)
  const place = fields.find(field => !isNamed(field) && `--${flagOf(field[0])}` === flag)
  if (place) {
    return usage(command, `unknown flag ${flag}`, {
      hint: `give the value without a flag: premath ${command} ${shownField(...place)}`,
    })
  }
  const own = fields.filter(isNamed).flatMap(([name, field]) => namesOf(name, field))
  const known = [...own, ...Object.keys(globalFlags)].map(name => `--${name}`)
  const meant = nearest(flag, known)
  return usage(command, `unknown flag ${flag}`, {
    hint: meant ? `did you mean ${meant}?` : `premath help ${command} lists its flags`,
    ...(meant && { detail: { nearest: meant } }),
  })
}

function usage(
  command: string,
  message: string,
  options: { readonly hint?: string; readonly detail?: Readonly<Record<string, unknown>> } = {},
): Fault {
  const hint = `premath help ${command} shows what it takes`
  return new Fault('usage', `${command}: ${message}`, { hint, ...options })
}

/** A field as written: `--input <file>`, or `<kind>` if positional. */
export function shownField(name: string, field: Field): string {
  if (field.type === 'flag') return `--${flagOf(name)}`
  const isNumeral = field.type === 'count' || field.type === 'number'
  const value = `<${field.placeholder ?? (isNumeral ? 'n' : flagOf(name))}>`
  if (isBehindDashes(field)) return `-- ${value}`
  return field.positional ? value : `--${flagOf(name)} ${value}`
}

export const flagOf = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** Every name of a flag as it is written, the documented one first. */
export const namesOf = (name: string, { also = [] }: Field): readonly string[] => [
  flagOf(name),
  ...also,
]

export function isNamed([, field]: readonly [string, Field]): boolean {
  return field.type === 'flag' || !field.positional
}

export const isBehindDashes = (field: Field) => field.type === 'text' && field.behindDashes === true

const mayBeBare = (field: Field) => field.type !== 'flag' && field.mayBeBare === true

export const isMany = (field: Field) => field.type !== 'flag' && field.many === true
