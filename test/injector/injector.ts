/** Runs the built command with the preloaded library of `file-faults.c`, which breaks one of its file calls. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { main } from '../built-command.ts'

/** Other systems have no library that is loaded before others, or name it differently. */
const compiler =
  process.platform === 'linux'
    ? ['cc', 'gcc', 'clang'].find(name => spawnSync(name, ['--version']).status === 0)
    : undefined

export const isThere = compiler !== undefined

/** Compiles the library into the folder. */
export function buildLibrary(folder: string): string {
  const library = join(folder, 'file-faults.so')
  const source = resolve('test/injector/file-faults.c')
  execFileSync(compiler ?? 'cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  return library
}

export const faults = ['EIO', 'EINTR', 'ENOSPC'] as const
export type Action =
  | (typeof faults)[number]
  | 'kill-before'
  | 'kill-after'
  | 'tear'
  | 'tear-last'
  | 'shorten'

/** A call on a file below the project's folder. */
export interface Call {
  readonly number: number
  readonly operation: string
  /** Below the project's folder. */
  readonly path: string
}

/** A call as another run has it too: numbers of processes, digests and counters are left out. */
export const siteOf = ({ operation, path }: Call) =>
  `${operation} ${path.replace(/[0-9a-f]{16,}/g, '<digest>').replace(/\d+/g, '<n>')}`

const changing = [
  'create',
  'write',
  'sync',
  'truncate',
  'rename',
  'link',
  'symlink',
  'remove',
  'mkdir',
  'chmod',
  'times',
]

export const isChange = ({ operation }: Call) => changing.includes(operation)

/** A kill at a call that changes nothing leaves what a kill at the change before it leaves. */
function actionsAt(call: Call): readonly Action[] {
  const { operation } = call
  if (!isChange(call)) return operation === 'read' ? ['EIO', 'EINTR', 'shorten'] : ['EIO', 'EINTR']
  const ofWrite = operation === 'write' ? (['tear', 'tear-last', 'shorten'] as const) : []
  return [...faults, 'kill-before', 'kill-after', ...ofWrite]
}

/** One call that is broken in one way. */
export interface Break {
  readonly call: Call
  readonly action: Action
}

/** Every way to break every call. */
export const everyBreak = (calls: readonly Call[]): readonly Break[] =>
  calls.flatMap(call => actionsAt(call).map(action => ({ call, action })))

/** For commands with thousands of calls: every way at every change, and at each site that only reads. */
export function breakOfSites(calls: readonly Call[]): readonly Break[] {
  const sites = new Set<string>()
  const isFirst = (call: Call) => sites.size !== sites.add(siteOf(call)).size
  return everyBreak(calls.filter(call => isFirst(call) || isChange(call)))
}

export interface InjectedRun {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly calls: readonly Call[]
  /** The call that was broken; `undefined` where the run did not come to it. */
  readonly broken: Call | undefined
}

interface Place {
  /** The folder below which calls are counted and broken. */
  readonly root: string
  /** For the log of the library, outside of the root. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** A command that takes longer hangs. */
const hangsAfterMs = 120_000

/** Only processes of premath take part, also where another program starts them. */
export async function runInjected(
  library: string,
  argv: readonly [string, ...string[]],
  { root, folder, env }: Place,
  broken?: Break,
): Promise<InjectedRun> {
  const counter = join(folder, 'counter')
  const log = join(folder, 'calls')
  writeFileSync(counter, new Uint8Array(8))
  rmSync(log, { force: true })
  const variables = {
    LD_PRELOAD: library,
    FAULT_ROOT: root,
    FAULT_SCRIPT: main,
    FAULT_COUNTER: counter,
    FAULT_LOG: log,
    ...(broken && { FAULT_AT: String(broken.call.number), FAULT_ACTION: broken.action }),
    // Calls come in the same order in every run.
    UV_THREADPOOL_SIZE: '1',
    UV_USE_IO_URING: '0',
  }
  const ended = await run(argv, root, { ...env, ...variables })
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []
  const rows = lines.map(line => line.split('\t'))
  const calls = rows.map(([number = '', operation = '', path = '']) => {
    return { number: Number(number), operation, path }
  })
  return { ...ended, calls, broken: calls[rows.findIndex(row => row[3] === 'broken')] }
}

/** Children of a killed command may keep its output open, so a killed one is not read to the end. */
async function run(
  [file, ...args]: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', text => {
    stdout += text
  })
  child.stderr.on('data', text => {
    stderr += text
  })
  const patience = setTimeout(() => child.kill('SIGABRT'), hangsAfterMs)
  return await new Promise<Pick<InjectedRun, 'status' | 'signal' | 'stdout' | 'stderr'>>(settle => {
    const end = (status: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(patience)
      settle({ status, signal, stdout, stderr })
    }
    child.on('exit', (status, signal) => signal && end(status, signal))
    child.on('close', end)
  })
}
