/** Runs commands. Needs a POSIX system: `sh`, process groups, `mkfifo`, and `/proc` or `ps`. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { Fault } from '../fault.ts'
import { KeptOutput, openOutputFile } from './command-output.ts'
import { JoinedTerminal } from './joined-terminal.ts'
import { hasProc } from './proc.ts'
import {
  endGroup,
  endMarked,
  GroupEnding,
  graceMsDefault,
  groupOf,
  isGroupAlive,
  isProcess,
} from './process-group.ts'
import { failedCommand, releaseCommand, type Spawned, spawnCommand } from './spawn.ts'
import { killGroupAtExit, onStopSignal } from './stop-signals.ts'
import type { CommandEnd, CommandSpec, Processes, ProcessGroup, RunningCommand } from './world.ts'

export const nodeProcesses: Processes = {
  async run(command) {
    const { end } = await startCommand(command)
    return await end
  },

  start: startCommand,

  async isRunning(id) {
    return isProcess(id)
  },

  async groupAlive(group) {
    mustHaveProcessTable()
    return isGroupAlive(group)
  },

  async endGroup(group) {
    mustHaveProcessTable()
    await endGroup(group)
  },

  onStopSignal,
}

/** Node fires a timer at once when its delay is longer. */
const timerMsMax = 2 ** 31 - 1
/** How long background processes may go on after the command's first process ended. */
const leftoverMs = 500
/** A process that left the group may hold the pipes open. Reading stops when it is quiet. */
const quietMs = 20
const drainMsMax = 2_000

/** Unique to this process; a number makes it unique to one command. */
const markPrefix = randomBytes(8).toString('hex')
let commands = 0

async function startCommand(spec: CommandSpec): Promise<RunningCommand> {
  if (process.platform === 'win32') {
    throw new Fault('unavailable', 'commands need sh, which Windows does not have', {
      hint: 'Run premath in WSL.',
    })
  }
  mustHaveProcessTable()
  const outputs = openOutputs(spec)
  const mark = `${markPrefix}${(++commands).toString(16)}`
  const terminal = spec.usesTerminal ? new JoinedTerminal() : undefined
  const spawned = await spawnCommand(spec, mark, terminal)
  if ('reason' in spawned) {
    terminal?.end()
    return failedCommand(spawned, outputs.end())
  }
  terminal?.follow(spawned.child)
  const streams = { ...outputs, terminal }
  const command = new NodeCommand(spec, spawned, groupOf(spawned.pid, mark), streams)
  await command.letRun()
  return command
}

/** On Linux, `ps` reads `/proc` too. Without it every process would look as if it had ended. */
function mustHaveProcessTable(): void {
  if (hasProc || process.platform !== 'linux') return
  throw new Fault('unavailable', 'commands need /proc, which is not mounted', {
    hint: 'Mount it and run again: mount -t proc proc /proc.',
  })
}

interface Outputs {
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  end(): Pick<CommandEnd, 'stdout' | 'stderr'>
}

function openOutputs(spec: CommandSpec): Outputs {
  const { stdoutPath, stderrPath } = spec
  const open = (path: string | undefined) =>
    new KeptOutput(path === undefined ? undefined : openOutputFile(path), spec)
  const [stdout, stderr] = [open(stdoutPath), open(stderrPath)]
  return { stdout, stderr, end: () => ({ stdout: stdout.end(), stderr: stderr.end() }) }
}

interface Streams extends Outputs {
  readonly terminal: JoinedTerminal | undefined
}

class NodeCommand implements RunningCommand {
  readonly group: ProcessGroup
  readonly end: Promise<CommandEnd>
  readonly #spec: CommandSpec
  readonly #spawned: Spawned
  readonly #outputs: Streams
  readonly #ending: GroupEnding
  readonly #groupEnded: () => void
  #began = performance.now()
  #timeout: NodeJS.Timeout | undefined
  #endedBy: 'itself' | 'timeout' | 'stop' = 'itself'
  #outputFault: unknown

  constructor(spec: CommandSpec, spawned: Spawned, group: ProcessGroup, outputs: Streams) {
    this.#spec = spec
    this.#spawned = spawned
    this.#outputs = outputs
    this.group = group
    this.#ending = new GroupEnding(group.id, spec.graceMs ?? graceMsDefault, spec.isContained)
    this.#groupEnded = killGroupAtExit(group.id, () => outputs.terminal?.restore())
    for (const from of ['stdout', 'stderr'] as const) {
      spawned[from]?.on('data', chunk => this.#take(from, chunk))
    }
    this.end = this.#untilEnd()
    // The caller may await it later; until then a rejection must not end this process.
    this.end.catch(() => {})
  }

  async letRun(): Promise<void> {
    try {
      await this.#spec.beforeRun?.(this.group)
    } catch (error) {
      this.#ending.kill()
      await this.end
      throw error
    }
    if (!this.#isRunning()) return
    this.#began = performance.now()
    this.#timeout = setTimeout(
      () => this.#endBy('timeout', 'SIGTERM'),
      Math.min(this.#spec.timeoutMs, timerMsMax),
    )
    releaseCommand(this.#spawned.child)
  }

  stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): void {
    this.#endBy('stop', signal)
  }

  #endBy(cause: 'timeout' | 'stop', signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isRunning() && this.#endedBy === 'itself') this.#endedBy = cause
    if (signal === 'SIGKILL') this.#ending.kill()
    else this.#ending.terminate()
  }

  #isRunning(): boolean {
    const { exitCode, signalCode } = this.#spawned.child
    return exitCode === null && signalCode === null
  }

  #take(from: 'stdout' | 'stderr', chunk: Buffer): void {
    if (from === 'stdout') this.#outputs.terminal?.show(chunk)
    if (this.#outputFault !== undefined) return
    const output = this.#outputs[from]
    try {
      output.take(chunk)
    } catch (error) {
      // `end` rejects with it. A command whose output is lost need not go on.
      this.#outputFault = error
      this.#ending.terminate()
      return
    }
    if (output.bytes > (this.#spec.endAboveBytes ?? Infinity)) this.#ending.terminate()
    this.#spec.onBytes?.(from, chunk)
    this.#spec.onOutput?.(from, output.lastLine())
  }

  async #untilEnd(): Promise<CommandEnd> {
    const [exitCode, signal] = await once(this.#spawned.child, 'exit')
    const durationMs = performance.now() - this.#began
    clearTimeout(this.#timeout)
    const leftBehind = await this.#ending.settle(leftoverMs)
    this.#groupEnded()
    const { endsDetached, graceMs = graceMsDefault } = this.#spec
    if (endsDetached) await endMarked(this.group.mark, graceMs)
    await this.#drain()
    this.#outputs.terminal?.end()
    try {
      if (this.#outputFault !== undefined) throw this.#outputFault
      return {
        exitCode,
        signal,
        timedOut: this.#endedBy === 'timeout',
        stopped: this.#endedBy === 'stop',
        leftBehind,
        durationMs,
        ...this.#outputs.end(),
      }
    } finally {
      this.#outputs.stdout.close()
      this.#outputs.stderr.close()
    }
  }

  /** Reads the rest of the output. */
  async #drain(): Promise<void> {
    const { stdout, stderr } = this.#spawned
    const streams = stderr ? [stdout, stderr] : [stdout]
    const closed = streams.map(stream => stream.closed || once(stream, 'close'))
    await Promise.race([Promise.all(closed), this.#untilQuiet()])
    for (const stream of streams) stream.destroy()
  }

  async #untilQuiet(): Promise<void> {
    const until = performance.now() + drainMsMax
    const bytes = () => this.#outputs.stdout.bytes + this.#outputs.stderr.bytes
    for (let seen = -1; seen !== bytes() && performance.now() < until; ) {
      seen = bytes()
      await pause(quietMs, undefined, { ref: false })
      // A late timer fires before the streams are read; this waits until they were.
      await setImmediate()
    }
  }
}
