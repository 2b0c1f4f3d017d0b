/** The live screen on a real terminal, also in a resized window. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Terminal } from './a-terminal.ts'

const present = spawnSync('python3', ['-c', 'import pty, termios']).status === 0
if (!present) console.log('skipped: no python3 here that can open a terminal')

const folder = mkdtempSync(join(tmpdir(), 'premath-live-'))
const worker = join(folder, 'worker.mjs')
let running: ChildProcess | undefined

beforeAll(async () => {
  await build({
    input: resolve('test/live-worker.ts'),
    platform: 'node',
    logLevel: 'silent',
    transform: { define: { __PREMATH_VERSION__: '"0.0.0"' } },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: 'worker.mjs',
      chunkFileNames: '[name].mjs',
    },
  })
})
afterAll(() => {
  // Its terminal closes with it, which ends the worker.
  running?.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** The worker in a window, and what a person sees there. */
function opened(columns: number, rows: number) {
  const size = [String(columns), String(rows)]
  running = spawn('python3', ['test/pseudo-terminal.py', ...size, process.execPath, worker], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
  })
  const [sizes, output, , events] = running.stdio as [Writable, Readable, null, Writable, null]
  const terminal = new Terminal(columns, rows)
  output.setEncoding('utf8').on('data', terminal.write)
  return {
    events,
    end: once(running, 'close'),
    /** The screen arrives in pieces, after the worker has started. */
    shows: (...lines: readonly string[]) =>
      expect.poll(() => terminal.all()).toEqual([...lines, '']),
    resize(...size: [columns: number, rows: number]) {
      terminal.resize(...size)
      sizes.write(`${size.join(' ')}\n`)
    },
  }
}

describe.skipIf(!present)('on a real terminal', () => {
  test('lines stay and scroll, and the screen below follows events and the window', async () => {
    const { events, end, shows, resize } = opened(40, 10)
    await shows('40 by 10 '.padEnd(40, '.'), `seen: 0 ${'日本語'.repeat(5)}…`)

    const lines = Array.from({ length: 15 }, (_, at) => `line ${at}`)
    events.write(lines.map(line => `${line}\n`).join(''))
    await shows(...lines, '40 by 10 '.padEnd(40, '.'), `seen: 15 ${'日本語'.repeat(5)}…`)

    resize(24, 6)
    await shows(...lines, '24 by 6 '.padEnd(24, '.'), `seen: 15 ${'日本語'.repeat(2)}日…`)

    events.end()
    await shows(...lines, 'all 15 printed')
    expect(await end).toEqual([1, null])
  })
})
