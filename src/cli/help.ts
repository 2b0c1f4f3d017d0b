import type { Answer, Page } from '../answer.ts'
import { Fault } from '../fault.ts'
import { type Field, flagField, textField } from '../field.ts'
import {
  type Group,
  groups,
  type Operation,
  type Operations,
  operation,
} from '../operations/operation.ts'
import { everydayCommands } from '../operations/short-names.ts'
import { version } from '../project/version.ts'
import { broken, hung, twoColumns, wrapBroken, wrapWords } from '../render/columns.ts'
import { HelpAnswer } from '../wire/answers/cli.ts'
import { exitCodes } from './exit-code.ts'
import {
  findCommand,
  flagOf,
  globalFlags,
  isBehindDashes,
  isMany,
  isNamed,
  shownField,
} from './flags.ts'

export const purpose =
  'Keeps coding agents honest: closed turns, leased work, memory that loses nothing.'

export const help = (commands: Operations) =>
  operation({
    group: 'reference',
    summary: 'Show the everyday commands, all of them, or one in full.',
    description:
      'The first word of several commands shows those. With --json it gives every command with its fields, for programs.',
    effect: 'read',
    opId: 'op/cli.help',
    input: {
      command: textField('command', 'The command to explain.', { positional: true, many: true }),
      all: flagField('Show all commands.'),
    },
    output: HelpAnswer,
    examples: {
      'premath help --all': 'all commands, by task',
      'premath help schema': 'one command in full',
      'premath help --json': 'all commands, for a program',
    },

    async run({ command: given, all }) {
      // A command of two words may be quoted, as other messages show it.
      const words = given.flatMap(word => word.split(/\s+/).filter(part => part !== ''))
      const asked = words.join(' ')
      const begun = Object.entries(commands).filter(
        ([command]) => words.length === 0 || command.startsWith(`${asked} `),
      )
      // A command that is also a prefix of others is explained.
      if (!Object.hasOwn(commands, asked) && begun.length > 0) {
        return overview(await loadAll(begun), words.length === 0 && !all)
      }
      const { command, args } = findCommand(words, Object.keys(commands))
      const load = commands[command]
      if (!load || args.length > 0) {
        throw new Fault('usage', `there is no command ${JSON.stringify(asked)}`, {
          hint: `did you mean: premath help ${command}`,
        })
      }
      return commandHelp(command, await load())
    },
  })

type Loaded = readonly (readonly [command: string, operation: Operation])[]

async function loadAll(
  commands: readonly (readonly [string, () => Promise<Operation>])[],
): Promise<Loaded> {
  return Promise.all(commands.map(async ([command, load]) => [command, await load()] as const))
}

function overview(all: Loaded, isShort: boolean): Answer<unknown> {
  return {
    output: {
      version,
      commands: all.map(([command, one]) => described(command, one)),
      exitCodes,
      globalFlags,
    },
    yes: true,
    render: page => (isShort ? renderEveryday(all, page) : renderOverview(all, page)),
  }
}

function renderOverview(all: Loaded, page: Page): string {
  const sections = (Object.keys(groups) as Group[]).flatMap(group => {
    const members = all.filter(([, one]) => one.group === group)
    if (members.length === 0) return []
    const rows = members.map(([command, { summary }]) => [command, summary] as const)
    return [section(groups[group], listed(rows, page), page)]
  })
  return pageOf([
    paragraph(`premath ${version}: ${purpose}`, page),
    paragraph('Usage: premath <command> [flags]', page),
    ...sections,
    section('Every command takes', listed(globalRows, page), page),
    section('Exit codes', listed(exitRows, page), page),
    paragraph('premath help <command> explains one command.', page),
  ])
}

/** Fits on a screen. */
function renderEveryday(all: Loaded, page: Page): string {
  const known = new Map(all)
  const rows = everydayCommands.flatMap(command => {
    const summary = known.get(command)?.summary
    return summary === undefined ? [] : [[command, summary] as const]
  })
  return pageOf([
    paragraph(`premath ${version}: ${purpose}`, page),
    paragraph('Usage: premath <command> [flags]', page),
    ...(rows.length > 0 ? [section(groups.everyday, listed(rows, page), page)] : []),
    section('More', listed(moreRows, page), page),
    section('Exit codes', listed(exitRows, page), page),
  ])
}

const moreRows = [
  ['help --all', 'All commands, by task.'],
  ['help <command>', 'One command in full; premath <command> --help does the same.'],
  ['<command> --json', globalFlags.json],
] as const

export function commandHelp(command: string, one: Operation): Answer<unknown> {
  return {
    output: described(command, one),
    yes: true,
    render: page => renderCommand(command, one, page),
  }
}

function renderCommand(command: string, one: Operation, page: Page): string {
  const fields = Object.entries(one.input).map(
    ([name, field]) => [shownField(name, field), explained(field)] as const,
  )
  const examples = Object.entries(one.examples).flatMap(example => exampleLines(example, page))
  return pageOf([
    paragraph(one.summary, page),
    usageLines(usage(command, one), page).join('\n'),
    ...(one.shortFor ? [paragraph(`Short for: ${one.shortFor}`, page)] : []),
    ...(one.description ? [paragraph(one.description, page)] : []),
    section('Takes', listed([...fields, ...globalRows], page), page),
    ...(examples.length > 0 ? [section('Examples', examples.join('\n'), page)] : []),
    section('Exit codes', listed(exitRows, page), page),
  ])
}

const globalRows = Object.entries(globalFlags).map(([name, text]) => [`--${name}`, text] as const)
const exitRows = Object.entries(exitCodes)

function section(title: string, body: string, page: Page): string {
  const heading = wrapBroken(title, page.columns).map(line => page.ink('bold', line))
  return [...heading, body].join('\n')
}

const pageOf = (parts: readonly string[]) => `${parts.join('\n\n')}\n`

/** Prose wraps to the page. Unlike a path, it need not stay on one line. */
const paragraph = (text: string, page: Page) => wrapBroken(text, page.columns).join('\n')
const listed = (rows: readonly (readonly [string, string])[], page: Page) =>
  twoColumns(rows, page.columns, wrapBroken)

function usageLines(pieces: readonly string[], page: Page): string[] {
  const room = page.columns - usageIndent.length
  const lines = wrapWords(broken(['Usage:', ...pieces], room), room)
  return lines.map((line, at) => (at === 0 ? line : usageIndent + line))
}

const usageIndent = '  '

/** The usage line in parts that stay together: `premath schema`, `[<kind>]`. */
export function usage(command: string, { input }: Operation): string[] {
  const fields = Object.entries(input)
  const placed = fields.filter(field => !isNamed(field))
  const pieceOf = ([name, field]: readonly [string, Field]) => {
    const shown = isMany(field) ? `${shownField(name, field)}…` : shownField(name, field)
    return field.type !== 'flag' && field.required ? shown : `[${shown}]`
  }
  const isLast = ([, field]: readonly [string, Field]) => isBehindDashes(field)
  const named = fields.filter(field => isNamed(field) && field[1].noEffect === undefined)
  const ordered = [...placed.filter(field => !isLast(field)), ...named]
  return [
    `premath ${command}`,
    ...ordered.map(pieceOf),
    '[--json]',
    ...placed.filter(isLast).map(pieceOf),
  ]
}

/** Describes a field with its other names, values, default and repetition. */
export function explained(field: Field): string {
  const also = (field.also ?? []).map(name => `--${name}`)
  const notes = [
    ...(also.length > 0 ? [`also ${also.join(', ')}`] : []),
    ...(field.type === 'flag' ? [] : valueNotes(field)),
  ]
  return notes.length > 0 ? `${field.describe} (${notes.join('; ')})` : field.describe
}

function valueNotes(field: Exclude<Field, { type: 'flag' }>): readonly string[] {
  return [
    ...(field.required ? ['required'] : []),
    ...(field.mayBeBare ? ['its name may be left out'] : []),
    ...(field.type === 'choice' ? [`one of ${field.values.join(', ')}`] : []),
    ...(field.many && !field.positional ? ['may be repeated'] : []),
    ...(field.setting === undefined ? [] : [`setting ${field.setting}`]),
    ...(field.default === undefined ? [] : [`default ${field.default}`]),
  ]
}

function described(command: string, one: Operation) {
  return {
    command,
    group: one.group,
    summary: one.summary,
    ...(one.shortFor && { shortFor: one.shortFor }),
    ...(one.description && { description: one.description }),
    effect: one.effect,
    opId: one.opId,
    fields: Object.entries(one.input).map(([name, field]) => ({
      name,
      ...(isNamed([name, field]) && { flag: `--${flagOf(name)}` }),
      ...field,
    })),
    examples: Object.entries(one.examples).map(([command, shows]) => ({ command, shows })),
  }
}

const indent = '  '
const further = '    '
const shownIndent = '      '
/** Line continuation of the shell. */
const goesOn = ' \\'

/** The command, ready to paste, with its result below. */
function exampleLines([command, shows]: [string, string], page: Page): string[] {
  return [...commandLines(command, page), ...hung(shownIndent, shows, page.columns, wrapBroken)]
}

function commandLines(command: string, page: Page): string[] {
  if (indent.length + command.length <= page.columns) return [indent + command]
  const room = page.columns - further.length - goesOn.length
  const lines = wrapWords(broken(shellWords(command), room), room)
  return lines.map((line, at) => {
    const begun = (at === 0 ? indent : further) + line
    return at === lines.length - 1 ? begun : begun + goesOn
  })
}

/** Quoted text stays together. */
const shellWords = (command: string) => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
