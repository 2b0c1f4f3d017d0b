/** Our own specs: each case passes, and there is no command without one. */
import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { findCommand } from '../src/cli/flags.ts'
import { cliCommand } from '../src/kernel/spec/case/cli-command.ts'
import { readDocument } from '../src/kernel/spec/document/read-document.ts'
import { operations } from '../src/operations/index.ts'
import { meantBy } from '../src/operations/short-names.ts'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'
import type {
  CommandEnd,
  CommandOutput,
  CommandSpec,
  Processes,
  World,
} from '../src/world/world.ts'
import './built-command.ts'
import { answered, checkedStart } from './checked-answers.ts'

const documents = readdirSync('specs')
  .filter(name => name.endsWith('.spec.md'))
  .map(name => join('specs', name))
const cases = documents.flatMap(file => readDocument(readFileSync(file, 'utf8'), file).cases)

/** Commands whose specs are still to be written. A new one belongs into a document instead. */
const waiting: readonly string[] = []

/** Their cases are sessions of a shell, in which a client talks with the server and ends it. */
const servers: readonly string[] = ['mcp-serve', 'observe-serve', 'resident serve']

/** Variables of whoever runs the tests are no part of what is shown. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PREMATH_|SPEC_RUNNER_)/.test(name)),
)

interface Place {
  readonly cwd: string
  readonly env: World['env']
  readonly input?: string
  readonly processes?: World['processes']
}

async function premath(args: readonly string[], { cwd, env, input = '', ...more }: Place) {
  const texts = { stdout: '', stderr: '' }
  const outputTo = (name: 'stdout' | 'stderr') => ({
    write(text: string | Uint8Array) {
      texts[name] += Buffer.from(text).toString()
      return true
    },
    isTerminal: () => false,
    columns: () => undefined,
    rows: () => undefined,
  })
  async function* chunks() {
    if (input !== '') yield Buffer.from(input)
  }
  const exitCode = await checkedStart(args, {
    cwd: () => cwd,
    env,
    input: chunks(),
    isAtTerminal: () => false,
    out: outputTo('stdout'),
    err: outputTo('stderr'),
    ...more,
  })
  return { exitCode, ...texts }
}

const outputOf = (text: string): CommandOutput => ({
  bytes: Buffer.byteLength(text),
  sha256: hash('sha256', text),
  keptBytes: 0,
  truncated: false,
  tail: text,
})

/** Does what `premath.sh` does, in this process: a new one takes most of the time of a case. */
async function startHere(command: CommandSpec, args: readonly string[]): Promise<CommandEnd> {
  const cwd = command.env['SPEC_RUNNER_TMP'] ?? ''
  const { PATH, TMPDIR } = command.env
  const place = { cwd, env: { PATH, TMPDIR, HOME: cwd }, input: command.stdin ?? '' }
  const { exitCode, stdout, stderr } = await premath(args, place)
  return {
    ...{ exitCode, signal: null, timedOut: false, stopped: false, leftBehind: 'none' },
    ...{ durationMs: 0, stdout: outputOf(stdout), stderr: outputOf(stderr) },
  }
}

const closed = mkdtempSync(join(tmpdir(), 'premath-own-specs-'))
afterAll(() => rmSync(closed, { recursive: true }))
let closing: Promise<CommandEnd> | undefined

/** Does what `closed.sh` does. The first case runs its four commands; later ones with the same files get copies. */
async function closeHere(command: CommandSpec): Promise<CommandEnd> {
  const folder = command.env['SPEC_RUNNER_TMP'] ?? ''
  if (readdirSync(folder).join() !== 'notes.txt') return (await nodeProcesses.start(command)).end
  const isFirst = closing === undefined
  closing ??= nodeProcesses
    .start(command)
    .then(({ end }) => end)
    .then(end => {
      cpSync(folder, closed, { recursive: true })
      return end
    })
  const end = await closing
  if (!isFirst) cpSync(closed, folder, { recursive: true })
  return end
}

const processes: Processes = {
  ...nodeProcesses,
  async start(command) {
    const [program, file = '', ...args] = command.command
    const here = { 'specs/premath.sh': startHere, 'specs/closed.sh': closeHere }[file]
    if (program !== 'sh' || !here) return await nodeProcesses.start(command)
    return { group: undefined, end: here(command, args), stop: () => {} }
  },
}

async function asked(...args: readonly string[]) {
  const place = { cwd: process.cwd(), env, processes: async () => processes }
  const { exitCode, stdout, stderr } = await premath([...args, '--root', '.', '--json'], place)
  return { exitCode, stderr, json: JSON.parse(stdout) }
}

// Independent of the load of the machine: each case has its own limit.
test('every case of our own specs passes', { timeout: 600_000 }, async () => {
  const { exitCode, stderr, json } = await asked('spec', 'run', 'specs', '--no-witness')
  const results: readonly SpecCaseResult[] = json.results
  const failed = results.filter(one => one.status !== 'pass')
  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([])
  expect({ exitCode, stderr, passed: json.passed }).toEqual({
    exitCode: 0,
    stderr: '',
    passed: cases.filter(({ type }) => type !== 'spec_lang.library').length,
  })
})

/** These print documents of others as they are, or serve until somebody ends them. */
const unanswered = ['issue export', 'schema', 'witness export', ...servers]

test('[surfaces.4.answers] every operation answers in our own specs, as its shape says', () => {
  const missing = Object.keys(operations).filter(command => !answered.has(command))
  expect(missing.filter(command => !unanswered.includes(command))).toEqual([])
})

test('our own specs are clean', async () => {
  const { exitCode, json } = await asked('spec', 'lint', 'specs')
  expect({ exitCode, problems: json.problems }).toEqual({ exitCode: 0, problems: [] })
})

test('each document is in the table of contents', () => {
  const links = [...readFileSync('specs/README.md', 'utf8').matchAll(/\]\((.+?\.spec\.md)\)/g)]
  const linked = links.map(([, name = '']) => join('specs', name))
  const library = 'specs/answers.spec.md'
  expect([...linked, library].sort()).toEqual([...documents].sort())
})

/** A case runs the command alone when it does nothing else; a session of several does not count. */
const alone: readonly string[] = ['sh specs/premath.sh', 'node dist/cli/main.cjs']

const commands = Object.keys(allCommands(operations))

/** The command of each case, and the exit code that it shows. */
const shown = cases.flatMap(({ type, value }) => {
  const read = type === 'cli.run' ? cliCommand(value) : undefined
  if (read === undefined || !('words' in read) || !alone.includes(read.words.join(' '))) return []
  // A case may show a word that only means a command.
  if (Object.hasOwn(meantBy, read.argv[0] ?? '')) return []
  const { command } = findCommand(read.argv, commands)
  return (read.exitCodes ?? []).map(exitCode => ({ command, exitCode }))
})

const exitCodesOf = (command: string) =>
  shown.filter(one => one.command === command).map(({ exitCode }) => exitCode)

describe.each(commands.filter(command => !waiting.includes(command)))('premath %s', command => {
  test.skipIf(servers.includes(command))('has a spec that shows it', () => {
    expect(exitCodesOf(command)).toContain(0)
  })

  test('has a spec in which it fails', () => {
    expect(exitCodesOf(command).filter(code => code !== 0)).not.toEqual([])
  })
})

test('every command with a spec is off the waiting list', () => {
  expect(waiting.filter(command => exitCodesOf(command).length > 0)).toEqual([])
})

test('every kind of answer is shown', () => {
  const kinds = new Set(shown.map(({ exitCode }) => exitCode))
  expect([...kinds].sort()).toEqual([0, 1, 2, 3, 4, 5])
})
