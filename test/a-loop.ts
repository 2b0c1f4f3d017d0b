/** A project in a real git repository, and the built loop that runs in it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { aProject, type Setup } from './a-project.ts'
import { main } from './built-command.ts'
import { withoutSandbox } from './without-sandbox.ts'

type Json = ReturnType<typeof JSON.parse>

/** The shell words that run the command under test. */
export const premathInShell = `'${process.execPath}' '${main}'`

const author = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}

const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PREMATH_|GIT_|CI$)/.test(name)),
)

export const linesIn = (text: string): Json[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** Each test starts in an empty folder. */
export function aLoop() {
  const project = aProject()
  const running = new Set<RunningLoop>()
  afterEach(async () => {
    for (const one of running) await one.end()
    running.clear()
  })

  const at = (path: string) => join(project.folder, path)
  const textOf = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : '')
  const linesOf = (path: string) => linesIn(textOf(path))

  const git = (...args: readonly string[]) => gitAt(project.folder, ...args)

  /** Makes a git repository with a commit and an issue memory. */
  const repository = () => {
    git('init', '--quiet', '--initial-branch', 'main')
    project.done('init')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'Begin')
  }

  const add = (...words: readonly string[]): string =>
    project.done('issue', 'add', ...words).issue.id

  const run = (half: 'worker' | 'coordinator', args: readonly string[], setup?: Setup) => {
    const ended = project.premath(['harness-loop', half, ...args, '--json'], setup)
    // A fault is one document on several lines, not an event.
    return { ...ended, events: ended.stdout.startsWith('{\n') ? [] : linesIn(ended.stdout) }
  }

  /** Runs in the background; ended with the test at the latest. */
  const beginCommand = (...words: readonly string[]) => {
    const loop = new RunningLoop(project.folder, [...words, '--json'])
    running.add(loop)
    return loop
  }
  const begin = (half: 'worker' | 'coordinator', args: readonly string[]) =>
    beginCommand('harness-loop', half, ...args)

  return {
    ...project,
    project,
    at,
    git,
    repository,
    add,
    begin,
    beginRun: (args: readonly string[]) => beginCommand('run', ...args),
    show: (id: string) => project.done('issue', 'show', id).issue,
    worker: (args: readonly string[], setup?: Setup) => run('worker', args, setup),
    coordinator: (args: readonly string[], setup?: Setup) => run('coordinator', args, setup),
    /** The status of every issue, in order of ids. */
    statuses: () => Object.values(project.rowsById() as Json).map((row: Json) => row.status),
    /** The owners of all leases, sorted by name. */
    holders: () =>
      Object.values(project.rowsById() as Json)
        .flatMap((row: Json) => (row.lease ? [row.lease.owner] : []))
        .toSorted(),
    memory: () => textOf('.premath/issues.jsonl'),
    steps: () => linesOf('.premath/harness_trajectory.jsonl'),
    attention: () => linesOf('.premath/harness_attention.jsonl'),
    session: (path = '.premath/harness_session.json') => JSON.parse(textOf(path)),
    packet: (stepId: string) => JSON.parse(textOf(`artifacts/steps/${stepId}/handoff.json`)),
  }
}

export const gitAt = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...inherited, ...author },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Work that can land: a file of its own for each issue. */
export const writes = 'echo done > "$PREMATH_ISSUE_ID.txt"'

/** The flags for a work and a verify command, with additional flags. */
export const does = (work: string, verify = 'true', ...more: readonly string[]) => [
  '--work-cmd',
  work,
  '--verify-cmd',
  verify,
  ...more,
]

export const named = (events: readonly Json[], name: string): Json[] =>
  events.filter(({ event }) => event === name)

export class RunningLoop {
  readonly #child: ChildProcess
  readonly ended: Promise<{ status: number | null; signal: string | null; stderr: string }>
  #stdout = ''
  #stderr = ''
  #isOver = false

  constructor(cwd: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [main, ...withoutSandbox(args)], {
      cwd,
      env: inherited,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', text => {
      this.#stdout += text
    })
    this.#child.stderr?.on('data', text => {
      this.#stderr += text
    })
    this.ended = new Promise(settle =>
      this.#child.on('close', (status, signal) => {
        this.#isOver = true
        settle({ status, signal, stderr: this.#stderr })
      }),
    )
  }

  /** Its output so far, whole lines only. */
  get events(): Json[] {
    return linesIn(this.#stdout.slice(0, this.#stdout.lastIndexOf('\n') + 1))
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits for the condition; fails if the run ends first. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      expect({ isOver: this.#isOver, stderr: this.#stderr }).toEqual({ isOver: false, stderr: '' })
      await new Promise(settle => setTimeout(settle, 10))
    }
  }

  async end(): Promise<void> {
    if (!this.#isOver) {
      this.#child.kill('SIGCONT')
      this.#child.kill('SIGKILL')
    }
    await this.ended
  }
}
