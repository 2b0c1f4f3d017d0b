/** The built command. Whoever imports it gets a build of the sources as they are now. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

execFileSync(process.execPath, ['build.mjs', '--if-stale'], { stdio: 'inherit' })

export const main = resolve('dist/cli/main.cjs')
