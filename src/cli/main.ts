/**
 * Prints the version immediately. Any other command is loaded, from compiled code if Node caches
 * it.
 */
import { writeSync } from 'node:fs'
import { version } from '../project/version.ts'

const versionWords = ['--version', '-V', 'version']

const argv = process.argv.slice(2)

if (!printedVersion()) {
  useCompileCache()
  void import('./start.ts').then(async ({ start }) => {
    const exitCode = await start(argv)
    // Output is already written. An open stdin must not keep the process alive.
    process.exit(exitCode)
  })
}

function printedVersion(): boolean {
  if (argv.length !== 1 || !versionWords.includes(argv[0] ?? '')) return false
  try {
    writeSync(1, `${version}\n`)
    return true
  } catch {
    // The `version` command reports the write error.
    return false
  }
}

/**
 * Node 22.8 and later keep compiled code between processes. The folder is the user's, because
 * Node's default lies in the temporary folder, where another user may have put it first.
 * Node goes on without a cache where the folder cannot be used.
 */
function useCompileCache(): void {
  // Node 20 has no such cache, and loading `node:module` to find out takes about 0.5 ms.
  if (process.version.startsWith('v20.')) return
  const nodeModule = process.getBuiltinModule('node:module')
  const { enableCompileCache }: typeof nodeModule & CompileCache = nodeModule
  const { HOME, XDG_CACHE_HOME } = process.env
  const cache = [XDG_CACHE_HOME, HOME && `${HOME}/.cache`].find(path => path?.startsWith('/'))
  if (cache !== undefined) enableCompileCache?.(`${cache}/premath/compile-cache`)
}

/** Not declared for the oldest Node that we support. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => void
}
