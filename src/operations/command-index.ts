/** Every command with its flags, for checks of what pages say about them. */
import type { Field } from '../field.ts'
import type { CommandIndex } from '../kernel/checks/docs/command-index.ts'
import { operations } from './index.ts'
import { withShortNames } from './short-names.ts'

/** The commands of the command line itself, and the flags of every command. */
const ofCommandLine = { completion: [], help: ['all'], version: [] }
const ofAll = ['json', 'help']

export async function commandIndex(): Promise<CommandIndex> {
  const index = new Map<string, ReadonlySet<string>>()
  for (const [command, flags] of Object.entries(ofCommandLine)) {
    index.set(command, new Set([...flags, ...ofAll]))
  }
  for (const [command, load] of Object.entries(withShortNames(operations))) {
    const { input } = await load()
    index.set(command, new Set([...Object.entries(input).flatMap(namesOf), ...ofAll]))
  }
  return index
}

const namesOf = ([name, { also = [] }]: readonly [string, Field]): readonly string[] => [
  name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
  ...also,
]
