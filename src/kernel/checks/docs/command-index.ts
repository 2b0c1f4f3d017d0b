/** The commands of premath with their flags, and what a page gets wrong about them. */
import { nearest } from '../../text/nearest.ts'

/** By command words: the names of its flags, without dashes. */
export type CommandIndex = ReadonlyMap<string, ReadonlySet<string>>

export interface WrongName {
  readonly is: 'command' | 'flag'
  /** As the page writes it. */
  readonly named: string
  readonly meant: string | undefined
}

const ownFlags = ['--help', '--json', '--version', '-h', '-V']

/** A word that stands for others: `<id>`, `…`, `required-*`, `[--json]`. */
const isPlaceholder = (word: string) => /[<>[\]{}*…$]|\.\.\./.test(word)

/** The first wrong name in the words after `premath`. */
export function wrongNameIn(
  words: readonly string[],
  commands: CommandIndex,
): WrongName | undefined {
  const [first] = words
  if (first === undefined) return undefined
  if (first.startsWith('-')) {
    return ownFlags.includes(first)
      ? undefined
      : { is: 'flag', named: first, meant: nearest(first, ownFlags) }
  }
  const command = longest(words, commands)
  if (command === undefined) return unknownCommand(words, commands)
  return wrongFlag(words.slice(command.split(' ').length), command, commands)
}

function longest(words: readonly string[], commands: CommandIndex): string | undefined {
  for (let count = Math.min(words.length, 3); count > 0; count--) {
    const command = words.slice(0, count).join(' ')
    if (commands.has(command)) return command
  }
  return undefined
}

function unknownCommand(
  [first = '', second]: readonly string[],
  commands: CommandIndex,
): WrongName | undefined {
  const names = [...commands.keys()]
  const starred = /^([a-z][a-z-]*)\*$/.exec(first)?.[1]
  if (starred !== undefined && names.some(name => name.startsWith(starred))) return undefined
  if (isPlaceholder(first) && starred === undefined) return undefined
  const isFamily = names.some(name => name.startsWith(`${first} `))
  const isOpen = second === undefined || second.startsWith('-') || isPlaceholder(second)
  if (isFamily && isOpen) return undefined
  const named = isFamily ? `${first} ${second}` : first
  const firsts = [...new Set(names.map(name => name.split(' ')[0] ?? name))]
  const meant = nearest(named, names) ?? nearest(first, firsts)
  return { is: 'command', named: `premath ${named}`, meant: meant && `premath ${meant}` }
}

function wrongFlag(
  args: readonly string[],
  command: string,
  commands: CommandIndex,
): WrongName | undefined {
  const known = [...(commands.get(command) ?? [])].map(name => `--${name}`)
  for (const word of args) {
    if (word === '--') return undefined
    const flag = /^[[(]?(--[a-z][a-z0-9-]*)/.exec(word)?.[1]
    if (flag === undefined || known.includes(flag)) continue
    return { is: 'flag', named: `premath ${command} ${flag}`, meant: nearest(flag, known) }
  }
  return undefined
}
