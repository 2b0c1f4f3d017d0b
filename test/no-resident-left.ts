/**
 * Gives all suites runtime and state folders of their own, and fails the run if a suite left a resident process
 * in it. A suite that starts one by intent ends it: `residents` in `a-resident.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { residentsOf } from './running-residents.ts'

let folder: string | undefined

export function setup(): void {
  // The path of a socket must be short.
  folder ??= mkdtempSync(join('/tmp', 'premath-t-'))
  process.env['XDG_RUNTIME_DIR'] = folder
  process.env['XDG_STATE_HOME'] = join(folder, 'state')
}

export function teardown(): void {
  if (folder === undefined) return
  const left = residentsOf(folder)
  for (const { pid } of left) process.kill(pid, 'SIGTERM')
  rmSync(folder, { recursive: true, force: true })
  folder = undefined
  if (left.length > 0) {
    const roots = left.map(({ root }) => root).join(', ')
    throw new Error(`suites left resident processes, of the projects ${roots}`)
  }
}
