/** Questions at the socket of the resident process. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projectOf } from './issues.mjs'
import { median, medians, premath, start } from './run.mjs'
import { turnText } from './turns.mjs'

const size = 5_000
const questions = 2_000
const p99MsMax = 5
/** By then an unchanged file is known by its stamp alone. */
const settledMs = 2_500

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The floor: a process that sends every line back. */
const echo = "require('net').createServer(socket => socket.pipe(socket)).listen(process.argv[1])"

export async function resident(folder) {
  const { root } = projectOf(folder, size)
  const turn = turnText(1, 1)
  writeFileSync(join(root, 'turn.json'), turn)
  // The path of a socket must be short.
  const runtime = mkdtempSync('/tmp/premath-bench-')
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: runtime }
  const floorSocket = join(runtime, 'echo')
  const children = [
    start([premath, 'resident', 'serve'], { cwd: root, env }),
    start(['-e', echo, floorSocket]),
  ]
  try {
    const socket = await socketOf(root, env)
    const asked = {
      'issue ready --limit 20': ['issue ready', { limit: 20 }],
      'harness-join-check': ['harness-join-check', { input: JSON.parse(turn) }],
    }
    const started = await medians(
      {
        'issue ready --limit 20': [premath, 'issue', 'ready', '--limit', '20', '--json'],
        'harness-join-check': [premath, 'harness-join-check', '--input', 'turn.json', '--json'],
      },
      5,
      [0],
      { cwd: root },
    )
    await pause(settledMs)
    const figures = []
    for (const [kind, [command, args]] of Object.entries(asked)) {
      const line = lineOf(root, command, args)
      await timesOf(socket, line, 200)
      const floor = await timesOf(floorSocket, line, questions)
      figures.push(figureOf(kind, await timesOf(socket, line, questions), floor, started[kind]))
    }
    return figures
  } finally {
    for (const child of children) child.kill('SIGTERM')
    rmSync(runtime, { recursive: true })
  }
}

/** Waits until the process answers. */
async function socketOf(root, env) {
  for (;;) {
    const words = [premath, 'resident', 'status', '--json']
    const { stdout } = spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' })
    const { running, socket } = JSON.parse(stdout)
    if (running) return socket
    await pause(50)
  }
}

function lineOf(cwd, command, args) {
  const question = { command, args, names: {}, cwd, env: {}, surface: 'mcp' }
  return `${JSON.stringify({ ask: 'answer', premath: version, question })}\n`
}

/** Milliseconds of each question, connection included, one after the other. */
async function timesOf(socket, line, count) {
  const times = []
  for (let number = 0; number < count; number++) {
    const began = process.hrtime.bigint()
    await ask(socket, line)
    times.push(Number(process.hrtime.bigint() - began) / 1e6)
  }
  return times
}

function ask(path, line) {
  return new Promise((done, fail) => {
    const socket = connect(path)
    socket.on('error', fail)
    socket.on('data', piece => {
      if (piece.at(-1) !== 0x0a) return
      socket.destroy()
      done()
    })
    socket.write(line)
  })
}

const p99 = times => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]

function figureOf(kind, times, floor, started) {
  const ours = p99(times)
  return {
    name: `resident: ${kind} at ${size}, p99`,
    ours,
    unit: 'ms',
    beside: {
      p50: median(times),
      'echo p50': median(floor),
      'echo p99': p99(floor),
      'the command': started,
    },
    ratio: ours / p99MsMax,
    most: 1,
  }
}
