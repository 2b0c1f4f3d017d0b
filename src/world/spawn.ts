/** Starts a program in a process group of its own, with the streams a shell would give it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { inTemporaryFolder } from './folders.ts'
import type { JoinedTerminal } from './joined-terminal.ts'
import { groupVariable } from './process-group.ts'
import { callSystem, codeOf, reason, scarcityHints, shown } from './system-error.ts'
import type { CommandEnd, CommandSpec, RunningCommand, SpawnFailure } from './world.ts'

const shell = '/bin/sh'
/**
 * A command with `beforeRun` starts as a shell that waits for a line on this descriptor. If this
 * process dies first, the shell reads the end of the stream and exits.
 */
const gate = 3
const waitingProgram = `read -r _ <&${gate} && exec "$@" ${gate}<&-`
/** `eval` lets the waiting shell run the text itself. */
const waitingText = `read -r _ <&${gate} && exec ${gate}<&- && eval "shift; $1"`

export interface Spawned {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: Socket
  /** `undefined` if stderr goes to the pipe of stdout. */
  readonly stderr: Socket | undefined
}

export async function spawnCommand(
  spec: CommandSpec,
  mark: string,
  terminal: JoinedTerminal | undefined,
): Promise<Spawned | SpawnFailure> {
  if (!isFolder(spec.cwd)) {
    return { code: 'ENOTDIR', reason: `there is no folder ${shown(spec.cwd)}` }
  }
  const stdout = takePipe()
  const stderr = spec.joinsOutputs ? undefined : takePipe()
  const stdin = terminal?.input() ?? openInput(spec.stdin ?? '')
  const given = [stdin, stdout.writer, (stderr ?? stdout).writer]
  const started = await startProgram(spec, mark, given)
  for (const file of new Set(given)) closeSync(file)
  if (started instanceof Error) {
    for (const pipe of [stdout, stderr]) if (pipe) listenTo(pipe).resume()
    return failureOf(started, spec)
  }
  return { ...started, stdout: listenTo(stdout), stderr: stderr && listenTo(stderr) }
}

/** Lets a command run that waits for its `beforeRun`. */
export function releaseCommand(child: ChildProcess): void {
  const socket = child.stdio[gate]
  if (!(socket instanceof Socket)) return
  // The shell may have been killed meanwhile.
  socket.on('error', () => {})
  socket.end('\n')
}

/** A file, because the command need not read it and may open it again as `/dev/stdin`. */
function openInput(text: string): number {
  if (text === '') return callSystem('read', '/dev/null', () => openSync('/dev/null', 'r'))
  return inTemporaryFolder(folder => {
    const path = join(folder, 'stdin')
    writeFileSync(path, text)
    const file = openSync(path, 'r')
    unlinkSync(path)
    return file
  })
}

/** Node throws some failures and emits others. */
async function startProgram(
  { command, cwd, env, beforeRun }: CommandSpec,
  mark: string,
  streams: readonly number[],
): Promise<{ child: ChildProcess; pid: number } | Error> {
  const [program = '', ...args] = argvOf(command, beforeRun !== undefined)
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [groupVariable]: mark },
      stdio: beforeRun ? [...streams, 'pipe'] : [...streams],
      detached: true,
    })
    if (child.pid !== undefined) return { child, pid: child.pid }
    const [error] = await once(child, 'error')
    return error
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

function argvOf(command: CommandSpec['command'], waits: boolean): readonly string[] {
  if (typeof command === 'string') {
    return waits ? [shell, '-c', waitingText, shell, command] : [shell, '-c', command]
  }
  return waits ? [shell, '-c', waitingProgram, shell, ...command] : command
}

/** Node would take an empty path for the current folder. */
function isFolder(path: string): boolean {
  if (path === '' || path.includes('\0')) return false
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function failureOf(error: Error, { command }: CommandSpec): SpawnFailure {
  const code = codeOf(error)
  const program = typeof command === 'string' ? shell : command[0]
  return {
    code,
    reason: code === 'ENOENT' ? `there is no program ${shown(program)}` : reason(error),
  }
}

/** A command that could not be started. */
export function failedCommand(
  spawnFailed: SpawnFailure,
  outputs: Pick<CommandEnd, 'stdout' | 'stderr'>,
): RunningCommand {
  const end: CommandEnd = {
    exitCode: null,
    signal: null,
    timedOut: false,
    stopped: false,
    spawnFailed,
    leftBehind: 'none',
    durationMs: 0,
    ...outputs,
  }
  return { group: undefined, end: Promise.resolve(end), stop: () => {} }
}

/**
 * A pipe for the output of a command. Node gives a child process sockets instead, and a script that
 * writes to `/dev/stderr` by name fails on a socket.
 */
interface Pipe {
  /** Does not block. */
  readonly reader: number
  readonly writer: number
  /** Keeps the pipe for the next command, where it can be opened again. */
  readonly anchor?: number
}

/** `mkfifo` takes as long as a small command, so each call makes several pipes. */
const names = Array.from({ length: 16 }, (_, number) => String(number))

const reading = constants.O_RDONLY | constants.O_NONBLOCK

const spare: (() => Pipe)[] = []

/** A pipe that nobody else has open. The caller closes both ends. */
function takePipe(): Pipe {
  return callSystem('open', 'a pipe for the output of a command', () => {
    if (spare.length === 0) inTemporaryFolder(makePipes)
    const open = spare.pop()
    if (!open) throw new Error('mkfifo made no pipe')
    return open()
  })
}

/** The pipes lose their names as soon as they are open. */
function makePipes(folder: string): void {
  const { status, stderr, error } = spawnSync('mkfifo', names, { cwd: folder, encoding: 'utf8' })
  if (error || status !== 0) {
    const why = error ? reason(error) : stderr.trim()
    throw new Fault('unavailable', `could not make a pipe with mkfifo: ${why}`, {
      hint: scarcityHints[codeOf(error)] ?? 'Check that mkfifo is on the PATH, and run again.',
    })
  }
  const paths = names.map(name => join(folder, name))
  try {
    openPipes(paths)
  } finally {
    // By name, since the pipes may have taken the last descriptor, and to list the folder takes one.
    for (const path of paths) unlinkSync(path)
  }
}

function openPipes(paths: readonly string[]): void {
  // Linux opens a descriptor again. Elsewhere a pipe serves one command.
  if (process.platform === 'linux') {
    for (const anchor of openAll(paths)) keepPipe(anchor)
  } else {
    for (const path of paths) {
      const pipe = openPipe(path)
      spare.push(() => pipe)
    }
  }
}

/** All or none: where descriptors are scarce, others need them. */
function openAll(paths: readonly string[]): readonly number[] {
  const opened: number[] = []
  try {
    for (const path of paths) opened.push(openSync(path, reading))
    return opened
  } catch (error) {
    for (const file of opened) closeSync(file)
    throw error
  }
}

/** The reader comes first: opening a writer waits for a reader. */
const openPipe = (path: string): Pipe => ({
  reader: openSync(path, reading),
  writer: openSync(path, constants.O_WRONLY),
})

/** For the next command. The caller knows that no process can write to it. */
function keepPipe(anchor: number): void {
  spare.push(() => ({ ...openPipe(`/proc/self/fd/${anchor}`), anchor }))
}

function listenTo({ reader, anchor }: Pipe): Socket {
  const socket = new Socket({ fd: reader, writable: false })
  if (anchor === undefined) return socket
  let isAtEnd = false
  socket.once('end', () => {
    isAtEnd = true
  })
  // Without the end, a process that left the group may still write to it.
  return socket.once('close', () => (isAtEnd ? keepPipe(anchor) : closeSync(anchor)))
}
