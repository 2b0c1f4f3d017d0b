/** Temporary folders, and commands whose exit codes are checked. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const command = fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))

/** Without the settings of the person who runs the demo. */
export const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PREMATH_|GIT_)/.test(name)),
)

export function aFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'premath-demo-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const say = text => process.stdout.write(`${text}\n`)

const typed = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Runs a command in the folder, and ends the demo if its exit code is not the expected one. */
export function show(folder, args, expectedExit, { live = false } = {}) {
  say(`\n$ premath ${args.map(typed).join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, COLUMNS: '100' },
    stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
  })
  const output = live ? '' : `${stdout}${stderr}`.trimEnd()
  if (!live) say(output)
  say(`(exit ${status})`)
  must(status === expectedExit, `exit ${expectedExit}`)
  return output
}

export function must(holds, what) {
  if (holds) return
  say(`The demo expected ${what}.`)
  process.exit(1)
}
