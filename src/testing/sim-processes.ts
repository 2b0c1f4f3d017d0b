import { KeptOutput, type OutputFile } from '../world/command-output.ts'
import { failedCommand } from '../world/spawn.ts'
import type {
  CommandEnd,
  CommandSpec,
  Processes,
  ProcessGroup,
  RunningCommand,
  SpawnFailure,
  StopSignal,
} from '../world/world.ts'
import type { SimDisk } from './sim-disk.ts'

/** The behaviour of one simulated command. */
export interface SimScript {
  /** Its side effect. */
  effect?(): void | Promise<void>
  readonly stdout?: string
  readonly stderr?: string
  readonly exitCode?: number
  /** Instead of an exit code. */
  readonly signal?: string
  /** Its duration on the simulated clock. Above the timeout, the command is ended at once. */
  readonly takesMs?: number
  /** Runs until this resolves, or until it is ended. */
  readonly until?: Promise<unknown>
  readonly ignoresTerm?: boolean
  readonly leavesBehind?: boolean
  readonly spawnFailed?: SpawnFailure
}

interface SimProcessesSetup {
  /** Has the working folders and the output files. */
  readonly disk: SimDisk
  /** The script of a command. A command without one is not found. */
  script?(command: CommandSpec): SimScript | undefined
  /** Called with the duration of each command, to advance a clock. */
  pass?(ms: number): void
}

/** The reason why a command ended early. */
interface Interruption {
  readonly cause: 'time-out' | 'stop' | 'another'
  readonly signal: 'SIGTERM' | 'SIGKILL'
}

interface RunningGroup {
  readonly group: ProcessGroup
  interrupt(interruption: Interruption): void
}

const notFound: SimScript = { exitCode: 127, stderr: 'sh: not found\n' }

/** Programs that follow a script. Their groups outlive a crash of the simulated process. */
export class SimProcesses implements Processes {
  readonly #setup: SimProcessesSetup
  readonly #groups = new Map<number, RunningGroup>()
  readonly #handlers = new Set<(signal: StopSignal) => void>()
  #made = 0
  /** Every command that was started, in order. */
  readonly started: CommandSpec[] = []

  constructor(setup: SimProcessesSetup) {
    this.#setup = setup
  }

  async run(command: CommandSpec): Promise<CommandEnd> {
    const { end } = await this.start(command)
    return await end
  }

  async start(command: CommandSpec): Promise<RunningCommand> {
    const script = this.#setup.script?.(command) ?? notFound
    const outputs = await SimOutputs.open(command, this.#setup.disk)
    const failure = script.spawnFailed ?? this.#failureOf(command)
    if (failure) return failedCommand(failure, await outputs.end())
    const id = ++this.#made
    const group = { id, startedAt: `sim/${id}`, mark: `mark-${id}` }
    let interrupt: RunningGroup['interrupt'] = () => {}
    const interrupted = new Promise<Interruption>(resolve => {
      interrupt = resolve
    })
    this.#groups.set(id, { group, interrupt })
    await this.#beforeRun(command, group)
    this.started.push(command)
    const end = this.#live({ command, script, outputs, interrupted, id })
    end.catch(() => {})
    return {
      group,
      end,
      stop: (signal = 'SIGTERM') => interrupt({ cause: 'stop', signal }),
    }
  }

  async isRunning(id: number): Promise<boolean> {
    return this.#groups.has(id)
  }

  async groupAlive(group: ProcessGroup): Promise<boolean> {
    return this.#find(group) !== undefined
  }

  async endGroup(group: ProcessGroup): Promise<void> {
    const found = this.#find(group)
    found?.interrupt({ cause: 'another', signal: 'SIGTERM' })
    if (found) this.#groups.delete(group.id)
  }

  onStopSignal(handler: (signal: StopSignal) => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  /** Sends a stop signal to this process. */
  signal(signal: StopSignal): void {
    for (const handler of this.#handlers) handler(signal)
  }

  #find({ id, startedAt, mark }: ProcessGroup): RunningGroup | undefined {
    const found = this.#groups.get(id)
    return found?.group.startedAt === startedAt && found.group.mark === mark ? found : undefined
  }

  #failureOf({ command, cwd }: CommandSpec): SpawnFailure | undefined {
    if (!this.#setup.disk.isFolder(cwd)) {
      return { code: 'ENOTDIR', reason: `there is no folder ${cwd}` }
    }
    if (![command].flat().some(word => word.includes('\0'))) return undefined
    return { code: 'ERR_INVALID_ARG_VALUE', reason: 'a null byte in an argument' }
  }

  async #beforeRun(command: CommandSpec, group: ProcessGroup): Promise<void> {
    try {
      await command.beforeRun?.(group)
    } catch (error) {
      this.#groups.delete(group.id)
      throw error
    }
  }

  async #live({ command, script, outputs, interrupted, id }: SimLife): Promise<CommandEnd> {
    await script.effect?.()
    outputs.take('stdout', script.stdout ?? '')
    outputs.take(command.joinsOutputs ? 'stdout' : 'stderr', script.stderr ?? '')
    const { timeoutMs } = command
    const takesMs = script.takesMs ?? 0
    const interruption =
      takesMs > timeoutMs
        ? ({ cause: 'time-out', signal: 'SIGTERM' } as const)
        : await Promise.race([script.until?.then(() => undefined), interrupted])
    const durationMs = Math.min(takesMs, timeoutMs)
    this.#setup.pass?.(durationMs)
    this.#groups.delete(id)
    return {
      ...exitOf(script, interruption),
      timedOut: interruption?.cause === 'time-out',
      stopped: interruption?.cause === 'stop',
      leftBehind: script.leavesBehind && !interruption ? 'ended' : 'none',
      durationMs,
      ...(await outputs.end()),
    }
  }
}

interface SimLife {
  readonly command: CommandSpec
  readonly script: SimScript
  readonly outputs: SimOutputs
  readonly interrupted: Promise<Interruption>
  readonly id: number
}

function exitOf(
  { exitCode = 0, signal, ignoresTerm }: SimScript,
  interruption: Interruption | undefined,
): Pick<CommandEnd, 'exitCode' | 'signal'> {
  if (interruption) {
    return { exitCode: null, signal: ignoresTerm ? 'SIGKILL' : interruption.signal }
  }
  return signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal }
}

class SimOutputs {
  readonly #spec: CommandSpec
  readonly #disk: SimDisk
  readonly #files = { stdout: new MemoryFile(), stderr: new MemoryFile() }
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput

  private constructor(spec: CommandSpec, disk: SimDisk) {
    this.#spec = spec
    this.#disk = disk
    this.stdout = new KeptOutput(spec.stdoutPath ? this.#files.stdout : undefined, spec)
    this.stderr = new KeptOutput(spec.stderrPath ? this.#files.stderr : undefined, spec)
  }

  /** Empties files that exist. */
  static async open(spec: CommandSpec, disk: SimDisk): Promise<SimOutputs> {
    const outputs = new SimOutputs(spec, disk)
    for (const path of [spec.stdoutPath, spec.stderrPath]) {
      if (path === undefined) continue
      await disk.checkWritable(path.slice(0, path.lastIndexOf('/')))
      if (await disk.stamp(path)) await disk.replaceLoosely(path, new Uint8Array())
    }
    return outputs
  }

  take(from: 'stdout' | 'stderr', text: string): void {
    if (text === '') return
    this[from].take(Buffer.from(text))
    this.#spec.onBytes?.(from, Buffer.from(text))
    this.#spec.onOutput?.(from, this[from].lastLine())
  }

  async end(): Promise<Pick<CommandEnd, 'stdout' | 'stderr'>> {
    const ended = { stdout: this.stdout.end(), stderr: this.stderr.end() }
    await this.#write()
    return ended
  }

  async #write(): Promise<void> {
    const { stdoutPath, stderrPath } = this.#spec
    const { stdout, stderr } = this.#files
    if (stdoutPath && stdout.bytes.length > 0) {
      await this.#disk.replaceLoosely(stdoutPath, stdout.bytes)
    }
    if (stderrPath && stderr.bytes.length > 0) {
      await this.#disk.replaceLoosely(stderrPath, stderr.bytes)
    }
  }
}

class MemoryFile implements OutputFile {
  bytes: Uint8Array = new Uint8Array()

  append(more: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, more])
  }

  cut(size: number): void {
    this.bytes = this.bytes.subarray(0, size)
  }

  close(): void {}
}
