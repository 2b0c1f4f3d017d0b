/** Starting a program, in a group of its own, with streams that a shell would give it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { doing } from './disk-fault.ts'
import { groupVariable } from './node-group.ts'
import { giveBack, type Pipe, takeGate, takePipe } from './node-pipes.ts'
import { codeOf, reason, shown } from './system-error.ts'
import { inTemporaryFolder } from './temporary-folder.ts'
import type { CommandSpec, SpawnFailure } from './world.ts'

const shell = '/bin/sh'
/** Becomes its arguments when it has read a line; when there will be none, it ends. */
const gateOfWords = 'read -r _ <&3 && exec "$@" 3<&-'
/** The same for a text, which needs no other shell than the one that waited. */
const gateOfText = 'read -r _ <&3 && exec 3<&- && eval "shift; $1"'
const gateFile = 3

export interface Spawned {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: Pipe
  readonly stderr: Pipe
  /** Lets a command run that was made to wait. */
  go(): void
  /** When it has ended. */
  release(): void
}

export async function spawnCommand(
  spec: CommandSpec,
  mark: string,
): Promise<Spawned | SpawnFailure> {
  if (!isFolder(spec.cwd)) {
    return { code: 'ENOTDIR', reason: `there is no folder ${shown(spec.cwd)}` }
  }
  const [stdout, stderr] = [takePipe(), takePipe()]
  const gate = spec.beforeRun && takeGate()
  const files = [inputFile(spec.stdin ?? ''), stdout.openWriter(), stderr.openWriter()]
  if (gate) files.push(gate.entry)
  const started = await startedWith(spec, mark, files)
  for (const file of files) closeSync(file)
  if (started instanceof Error) {
    gate?.close()
    giveBack(stdout)
    giveBack(stderr)
    return failureOf(started, spec)
  }
  const { child, pid } = started
  return {
    child,
    pid,
    stdout,
    stderr,
    go: () => (gate ? gate.open() : openGate(child)),
    release: () => gate?.close(),
  }
}

/** A file, not a pipe: a command need not read it, and may open it again as `/dev/stdin`. */
function inputFile(text: string): number {
  if (text === '') return doing('read', '/dev/null', () => openSync('/dev/null', 'r'))
  return inTemporaryFolder(folder => {
    const path = join(folder, 'stdin')
    writeFileSync(path, text)
    return openSync(path, 'r')
  })
}

/** Some failures are thrown and some are emitted. */
async function startedWith(
  { command, cwd, env, beforeRun }: CommandSpec,
  mark: string,
  streams: readonly number[],
): Promise<{ child: ChildProcess; pid: number } | Error> {
  const [program = '', ...args] = wordsOf(command, beforeRun !== undefined)
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [groupVariable]: mark },
      stdio: beforeRun && streams.length === gateFile ? [...streams, 'pipe'] : [...streams],
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

function wordsOf(command: CommandSpec['command'], waits: boolean): readonly string[] {
  if (typeof command === 'string') {
    return waits ? [shell, '-c', gateOfText, shell, command] : [shell, '-c', command]
  }
  return waits ? [shell, '-c', gateOfWords, shell, ...command] : command
}

/** An empty path would mean the folder that we are in. */
function isFolder(path: string): boolean {
  if (path === '' || path.includes('\0')) return false
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    // Not a place that can be looked at, so not one to start anything in.
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

/** Where the gate is a socket, as Node makes them. */
function openGate(child: ChildProcess): void {
  const opening = child.stdio[gateFile]
  if (!(opening instanceof Socket)) return
  // One that was killed meanwhile does not read any more.
  opening.on('error', () => {})
  opening.end('\n')
}
