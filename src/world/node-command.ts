import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { Fault } from '../fault.ts'
import { KeptOutput } from './kept-output.ts'
import { GroupEnding, graceMsDefault, groupOf } from './node-group.ts'
import { type OpenOutputFile, openOutputFile } from './node-output-file.ts'
import { PipeReader } from './node-pipe-reader.ts'
import { type Spawned, spawnCommand } from './node-spawn.ts'
import { groupRuns } from './stop-signals.ts'
import { unrunCommand } from './unrun-command.ts'
import type { CommandEnd, CommandSpec, ProcessGroup, RunningCommand } from './world.ts'

/** A timer set for longer rings at once. */
const timerMsMax = 2 ** 31 - 1
/** What a command leaves behind may just be about to end. */
const leftoverMs = 500
/** What a process outside the group still has to say is not waited for. */
const quietMs = 20
const drainMsMax = 2_000

/** Nobody else's, and another one for each command. */
const marks = randomBytes(8).toString('hex')
let marked = 0

export async function startCommand(spec: CommandSpec): Promise<RunningCommand> {
  if (process.platform === 'win32') {
    throw new Fault('unavailable', 'commands are run by sh, which Windows does not have', {
      hint: 'Run premath in WSL.',
    })
  }
  const outputs = openOutputs(spec)
  const mark = `${marks}${(++marked).toString(16)}`
  const spawned = await spawnCommand(spec, mark).catch(error => {
    outputs.close()
    throw error
  })
  if ('reason' in spawned) {
    outputs.close()
    return unrunCommand(spawned, outputs.end())
  }
  const command = new NodeCommand(spec, spawned, groupOf(spawned.pid, mark), outputs)
  await command.letRun()
  return command
}

interface Outputs {
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  end(): Pick<CommandEnd, 'stdout' | 'stderr'>
  close(): void
}

function openOutputs(spec: CommandSpec): Outputs {
  const files: OpenOutputFile[] = []
  const close = () => {
    for (const file of files) file.close()
  }
  const opened = (path: string | undefined) => {
    if (path === undefined) return undefined
    const file = openOutputFile(path)
    files.push(file)
    return file
  }
  try {
    const stdout = new KeptOutput(opened(spec.stdoutPath), spec)
    const stderr = new KeptOutput(opened(spec.stderrPath), spec)
    const end = () => ({ stdout: stdout.end(), stderr: stderr.end() })
    return { stdout, stderr, end, close }
  } catch (error) {
    close()
    throw error
  }
}

class NodeCommand implements RunningCommand {
  readonly group: ProcessGroup
  readonly end: Promise<CommandEnd>
  readonly #spec: CommandSpec
  readonly #spawned: Spawned
  readonly #outputs: Outputs
  readonly #readers: readonly PipeReader[]
  readonly #ending: GroupEnding
  readonly #groupEnded: () => void
  #began = performance.now()
  #limit: NodeJS.Timeout | undefined
  #endedBy: 'itself' | 'time-out' | 'stop' = 'itself'
  #outputFault: unknown

  constructor(spec: CommandSpec, spawned: Spawned, group: ProcessGroup, outputs: Outputs) {
    this.#spec = spec
    this.#spawned = spawned
    this.#outputs = outputs
    this.group = group
    this.#ending = new GroupEnding(group.id, spec.graceMs ?? graceMsDefault)
    this.#groupEnded = groupRuns(group.id)
    this.#readers = [
      new PipeReader(spawned.stdout, chunk => this.#take('stdout', chunk)),
      new PipeReader(spawned.stderr, chunk => this.#take('stderr', chunk)),
    ]
    this.end = this.#live()
    // It is told to whoever asks, which may be later.
    this.end.catch(() => {})
  }

  async letRun(): Promise<void> {
    try {
      await this.#spec.beforeRun?.(this.group)
    } catch (error) {
      this.#ending.insist()
      await this.end
      throw error
    }
    if (!this.#isRunning()) return
    this.#began = performance.now()
    this.#limit = setTimeout(
      () => this.#endBy('time-out', 'SIGTERM'),
      Math.min(this.#spec.timeoutMs, timerMsMax),
    )
    this.#spawned.go()
  }

  stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): void {
    this.#endBy('stop', signal)
  }

  #endBy(cause: 'time-out' | 'stop', signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isRunning() && this.#endedBy === 'itself') this.#endedBy = cause
    if (signal === 'SIGKILL') this.#ending.insist()
    else this.#ending.ask()
  }

  #isRunning(): boolean {
    const { exitCode, signalCode } = this.#spawned.child
    return exitCode === null && signalCode === null
  }

  #take(from: 'stdout' | 'stderr', chunk: Uint8Array): void {
    if (this.#outputFault !== undefined) return
    const output = this.#outputs[from]
    try {
      output.take(chunk)
    } catch (error) {
      // Nobody could catch it here. A command whose output is lost has run for nothing.
      this.#outputFault = error
      this.#ending.ask()
      return
    }
    // What goes on for ever would keep us reading until its time is up.
    if (output.bytes > (this.#spec.endAboveBytes ?? Infinity)) this.#ending.ask()
    this.#spec.onOutput?.(from, output.lastLine())
  }

  async #live(): Promise<CommandEnd> {
    const [exitCode, signal] = await once(this.#spawned.child, 'exit')
    const durationMs = performance.now() - this.#began
    clearTimeout(this.#limit)
    try {
      const leftBehind = await this.#ending.settle(leftoverMs)
      this.#groupEnded()
      await this.#drain()
      if (this.#outputFault !== undefined) throw this.#outputFault
      return {
        exitCode,
        signal,
        timedOut: this.#endedBy === 'time-out',
        stopped: this.#endedBy === 'stop',
        leftBehind,
        durationMs,
        ...this.#outputs.end(),
      }
    } finally {
      this.#outputs.close()
    }
  }

  /** Reads what is still in the pipes. One that left the group may hold them open for ever. */
  async #drain(): Promise<void> {
    // Mostly both are at their end by now, and no timer is needed.
    if (!this.#readers.every(reader => reader.isAtEnd())) {
      const closed = Promise.all(this.#readers.map(reader => reader.untilEnd()))
      await Promise.race([closed, this.#untilQuiet()])
    }
    for (const reader of this.#readers) reader.close()
    this.#spawned.release()
  }

  async #untilQuiet(): Promise<void> {
    const until = performance.now() + drainMsMax
    const bytes = () => this.#outputs.stdout.bytes + this.#outputs.stderr.bytes
    for (let seen = -1; seen !== bytes() && performance.now() < until; ) {
      seen = bytes()
      await pause(quietMs)
      // However late the timer rang, the pipes have been looked at when this returns.
      await setImmediate()
    }
  }
}
