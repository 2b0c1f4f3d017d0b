/** Files that a case names, so that a change of one can be told to concern it. */
import { type ContractPath, contractPath } from '../contract-path.ts'
import type { SpecValue } from '../lang/value.ts'
import { cliCommand } from './cli-command.ts'
import { mappingIn, textsIn } from './requires.ts'

type Value = ReadonlyMap<string, SpecValue>

/**
 * What it reads, and what among the words of its commands looks like a file, all below the root.
 * What a chain fills in is not known before it runs.
 */
export function namedFiles(value: Value, root: string): readonly ContractPath[] {
  const path = value.get('path')
  const words = [...(typeof path === 'string' ? [path] : []), ...commandFiles(value, root)]
  const paths = words.filter(word => !word.includes('{{')).map(contractPath)
  return paths.flatMap(read => ('path' in read && read.path !== '/' ? [read.path] : []))
}

/** A folder, or a name with an ending; long words are programs. */
const looksLikeFile = /^(?=.{1,255}$)[^\0\n]*(?:\/|\.\w)/

/** What begins at the top of the machine counts where that leads into the root. */
function commandFiles(value: Value, root: string): readonly string[] {
  if (value.get('type') !== 'cli.run') return []
  const command = cliCommand(value)
  if ('category' in command) return []
  const { words, argv, hookBefore = [], hookAfter = [], cwd } = command
  return [...words, ...argv, ...hookBefore, ...hookAfter]
    .flatMap(word => [word, word.slice(word.indexOf('=') + 1)])
    .filter(word => looksLikeFile.test(word))
    .flatMap(word => {
      if (!word.startsWith('/')) return cwd === 'root' ? [word] : []
      return word.startsWith(`${root}/`) ? [word.slice(root.length)] : []
    })
}

/** The libraries it includes, as it writes them. */
export const includedLibraries = (value: Value): readonly string[] =>
  textsIn(mappingIn(mappingIn(value, 'harness'), 'spec_lang'), 'includes')
