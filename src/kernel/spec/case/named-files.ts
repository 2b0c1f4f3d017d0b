/** Collects the files a case names, so that `--watch` reruns it when one changes. */
import { type ContractPath, contractPath } from '../contract-path.ts'
import { writtenRequests } from '../http/http-request.ts'
import { textOf } from '../http/http-text.ts'
import { filesIn } from '../http/request-body.ts'
import { requestPlace } from '../http/request-url.ts'
import type { SpecValue } from '../lang/value.ts'
import { cliCommand } from './cli-command.ts'
import { mappingIn, textsIn } from './requires.ts'

type Value = ReadonlyMap<string, SpecValue>

/**
 * The files it reads, and command words that look like files below the root. Values from a chain
 * are unknown before the run.
 */
export function namedFiles(value: Value, root: string): readonly ContractPath[] {
  const path = value.get('path')
  const words = [
    ...(typeof path === 'string' ? [path] : []),
    ...commandFiles(value, root),
    ...requestFiles(value),
  ]
  const paths = words.filter(word => !word.includes('{{')).map(contractPath)
  return paths.flatMap(read => ('path' in read && read.path !== '/' ? [read.path] : []))
}

/** Files that requests read. An address on the network is no file. */
const requestFiles = (value: Value): readonly string[] =>
  writtenRequests(value).flatMap(({ value: request }) => {
    const place = requestPlace(textOf(request.get('url')).trim(), 'deterministic', undefined)
    const own = 'kind' in place && place.kind === 'file' ? [place.path] : []
    return [...own, ...filesIn(request, '').map(({ path }) => path)]
  })

/** A path with a folder or an extension. Very long words are not files. */
const looksLikeFile = /^(?=.{1,255}$)[^\0\n]*(?:\/|\.\w)/

/** An absolute path counts if it leads into the root. */
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

/** Paths of included libraries, as written. */
export const includedLibraries = (value: Value): readonly string[] =>
  textsIn(mappingIn(mappingIn(value, 'harness'), 'spec_lang'), 'includes')
