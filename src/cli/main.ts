/** Two things come before the command itself: the version, and code that is compiled already. */
import { writeSync } from 'node:fs'
import { version, versionWords } from '../project/version.ts'
import { useCodeCache } from './code-cache.ts'

const argv = process.argv.slice(2)

if (!saidVersion()) {
  useCodeCache()
  void import('./start.ts').then(({ start }) => start(argv))
}

/** Scripts ask for it all the time, and nothing has to be loaded to know it. */
function saidVersion(): boolean {
  if (argv.length !== 1 || !versionWords.includes(argv[0] ?? '')) return false
  try {
    writeSync(1, `${version}\n`)
    return true
  } catch {
    // The long way knows what to say about an output that cannot be written.
    return false
  }
}
