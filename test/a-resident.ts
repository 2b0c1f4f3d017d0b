/** Projects with a runtime folder of their own, and the resident processes that run for them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import type { JsonObject } from '../src/kernel/json.ts'
import { callWarm } from '../src/operations/call-warm.ts'
import { type OperationContext, openContext } from '../src/project/context.ts'
import { openProject } from '../src/project/open.ts'
import { version } from '../src/project/version.ts'
import { residentStatus } from '../src/resident/ask.ts'
import { residentPlace } from '../src/resident/place.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { main } from './built-command.ts'
import { residentsOf } from './running-residents.ts'

export const rowOf = (id: string, title = `Issue ${id}`, more: object = {}) =>
  `${JSON.stringify({ id, title, ...more })}\n`

/** Every resident process of a suite ends with it. */
export function residents() {
  const folder = mkdtempSync(join(tmpdir(), 'premath-r-'))
  const all: ResidentProject[] = []
  afterAll(async () => {
    for (const one of all) await one.end()
    rmSync(folder, { recursive: true })
  })
  return (rows = rowOf('bd-1') + rowOf('bd-2')) => {
    const made = new ResidentProject(mkdtempSync(join(folder, 'p')), rows)
    all.push(made)
    return made
  }
}

class ResidentProject {
  /** Holds the project and its runtime folder. */
  readonly folder: string
  readonly root: string
  readonly issues: string
  readonly env: Readonly<Record<string, string>>
  readonly #children = new Set<ChildProcess>()
  /** How often a question started a process. It may have ended before anybody looks. */
  launches = 0
  /** Moves on with each question, so that no pause after a start is left. */
  #laterNs = 0n

  constructor(folder: string, rows: string) {
    this.folder = folder
    this.root = join(folder, 'project')
    this.issues = join(this.root, '.premath/issues.jsonl')
    mkdirSync(join(this.root, '.premath'), { recursive: true })
    mkdirSync(join(folder, 'run'), { mode: 0o700 })
    writeFileSync(this.issues, rows)
    this.env = { PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: join(folder, 'run') }
  }

  context(env: Readonly<Record<string, string>> = {}): OperationContext {
    const world = nodeWorld()
    const now = () => world.clock.now() + this.#laterNs
    const steady = () => world.clock.steady() + this.#laterNs
    const services = async () => {
      const real = await world.services()
      const launch: typeof real.launch = (...given) => {
        this.launches += 1
        real.launch(...given)
      }
      return { ...real, launch }
    }
    return openContext({
      ...world,
      services,
      cwd: () => this.root,
      env: { ...this.env, ...env },
      clock: { ...world.clock, now, steady },
    })
  }

  async call(command: string, args: JsonObject = {}, env: Readonly<Record<string, string>> = {}) {
    this.#laterNs += 5_000_000_000n
    return await callWarm(command, args, this.context(env))
  }

  async place() {
    const place = await residentPlace(await openProject(this.context()))
    if (!place) throw new Error('there is no folder for the socket')
    return place
  }

  async status() {
    return await residentStatus(await this.place(), 'status')
  }

  /** Waits for the resident process. */
  async running() {
    await expect.poll(() => this.status()).toBeDefined()
  }

  /** Lets the resident process start by a question. */
  async warm() {
    await this.call('issue ready')
    await this.running()
  }

  /** The reply to a line as it is. */
  async say(line: string | object): Promise<string> {
    const { services, socket } = await this.place()
    const text = typeof line === 'string' ? line : JSON.stringify(line)
    const reply = await services.ask(socket, text, 60_000)
    return 'line' in reply ? reply.line : reply.failed
  }

  question(command: string, args: JsonObject = {}) {
    const question = { command, args, names: {}, cwd: this.root, env: {}, surface: 'mcp' }
    return { ask: 'answer', premath: version, question }
  }

  /** Connects without a word. */
  async connected() {
    const socket = connect((await this.place()).socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  /** Starts the process as a person does. */
  serve(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const words = [main, 'resident', 'serve', ...args, '--json']
    const child = spawn(process.execPath, words, {
      cwd: this.root,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#children.add(child)
    let text = ''
    child.stdout.on('data', piece => {
      text += piece
    })
    const ended = once(child, 'close').then(([status]) => ({
      status,
      json: text === '' ? undefined : JSON.parse(text),
    }))
    return { child, ended }
  }

  /** The resident processes of this project, also those that nobody can reach. */
  pids(): readonly number[] {
    return residentsOf(this.env['XDG_RUNTIME_DIR'] ?? '').map(({ pid }) => pid)
  }

  async end(): Promise<void> {
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL')
    for (const pid of this.pids()) process.kill(pid, 'SIGTERM')
    while (this.pids().length > 0) await pause(10)
  }
}
