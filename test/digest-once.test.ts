/** A close reads the tree of the project once. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()

test('[memory.6.digest-once] a close with a command reads the tree once, and its proof is of that tree', () => {
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: project.folder })
  project.premath(['init'])
  project.premath(['add', 'one'])
  writeFileSync(join(project.folder, 'a'), 'a')
  const log = join(project.folder, '.git/calls')
  const close = ['close', 'bd-1', '--verify-cmd', 'test -f a', '--json']
  const closed = project.premath(close, { env: { GIT_TRACE: log } })
  expect({ ...closed, stdout: '' }).toMatchObject({ status: 0 })
  const calls = readFileSync(log, 'utf8').split('\n')
  expect(calls.filter(call => call.includes(' ls-files -z --cached --others '))).toHaveLength(1)
  expect(project.premath(['witness', 'verify', '--all', '--tree'])).toMatchObject({ status: 0 })
})
