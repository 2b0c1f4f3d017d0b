/** How far a run of specs has come, as it is seen on a real terminal. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { block } from './a-spec-run.ts'
import { Terminal } from './a-terminal.ts'
import { main } from './built-command.ts'

const present = spawnSync('python3', ['-c', 'import pty, termios']).status === 0
if (!present) console.log('skipped: no python3 here that can open a terminal')

const folder = mkdtempSync(join(tmpdir(), 'premath-progress-'))
let running: ChildProcess | undefined

afterAll(() => {
  // Its terminal closes with it, which ends the command.
  running?.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** One case passes, and the other waits for a file. */
const document = [
  block('id: FIRST', 'type: cli.run', 'harness: {entrypoint: "true"}'),
  block(
    'id: WAITS',
    'type: cli.run',
    'harness:',
    `  entrypoint: [sh, -c, ${JSON.stringify(`until test -e '${folder}/go'; do sleep 0.02; done; exit 1`)}]`,
  ),
].join('')

function opened(command: string) {
  const program = ['test/pseudo-terminal.py', '60', '12', 'sh', '-c', command]
  running = spawn('python3', program, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
  })
  const terminal = new Terminal(60, 12)
  const { stdout } = running as ChildProcess & { stdout: Readable }
  stdout.setEncoding('utf8').on('data', terminal.write)
  return {
    end: once(running, 'close'),
    screen: () => terminal.all(),
    shows: (line: RegExp) => expect.poll(() => terminal.all().join('\n')).toMatch(line),
  }
}

const node = JSON.stringify(process.execPath)
const run = `cd '${folder}' && ${node} ${JSON.stringify(main)} spec run --jobs 1`

describe.skipIf(!present)('on a real terminal', () => {
  test.each([
    ['the page takes the place of the line', run],
    [
      'the line is there when the page goes elsewhere',
      `${run} > page; code=$?; cat page; exit $code`,
    ],
  ])('%s', async (_, command) => {
    rmSync(join(folder, 'go'), { force: true })
    writeFileSync(join(folder, 'a.spec.md'), document)
    const { end, screen, shows } = opened(command)
    await shows(/^ {2}1\/2 {2}0 failed {2}a\.spec\.md#WAITS {2}\d+\.\d s\n$/)
    writeFileSync(join(folder, 'go'), '')
    expect((await end)[0]).toBe(1)
    expect(screen()[0]).toBe('FAIL WAITS  a.spec.md:7:1')
    expect(screen().join('\n')).toMatch(/\n1 passed, 1 failed in [\d.]+ s\n$/)
    expect(screen().join('\n')).not.toContain('1/2')
  })
})
