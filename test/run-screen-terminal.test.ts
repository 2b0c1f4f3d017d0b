/** The live screen of `premath run` on a real terminal. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { Terminal } from './a-terminal.ts'
import { main } from './built-command.ts'

const present = spawnSync('python3', ['-c', 'import pty, termios']).status === 0
if (!present) console.log('skipped: no python3 here that can open a terminal')

let project: LandingProject
afterEach(() => project.remove())

describe.skipIf(!present)('the screen of a run', () => {
  test('shows the landing queue, and the last line of each command', async () => {
    project = new LandingProject('screen')
    project.issues({ a: [], b: [] })
    const go = join(project.folder, 'go')
    const verify = project.script(
      'verify',
      `#!/bin/sh\necho checking the list\nuntil [ -e '${go}' ]; do sleep 0.1; [ -e "$0" ] || exit 1; done\n`,
    )
    const commands = ['--work-cmd', project.agent(), '--verify-cmd', verify, '--no-baseline']
    const program = [resolve('test/pseudo-terminal.py'), '100', '24', process.execPath, main]
    const run = spawn(
      'python3',
      [...program, 'run', '--sandbox', 'off', '--workers', '2', ...commands],
      {
        cwd: project.root,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          TMPDIR: join(project.folder, 'tmp'),
          TERM: 'xterm-256color',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    const ended = once(run, 'close')
    const terminal = new Terminal(100, 24)
    run.stdout.setEncoding('utf8').on('data', terminal.write)
    const screen = () => terminal.all().join('\n')
    await expect
      .poll(screen, { timeout: 30_000 })
      .toMatch(/^to land, in order: [ab] \(verifying\), [ab] \(waiting\)$/m)
    await expect.poll(screen, { timeout: 30_000 }).toMatch(/ verify .* {2}checking the list$/m)
    expect(screen()).toMatch(/^worker\.[12] +[ab] +queued /m)
    writeFileSync(go, '')
    expect(await ended).toEqual([0, null])
    expect(screen()).not.toContain('to land')
    expect(project.landed()).toHaveLength(2)
  }, 60_000)
})
