/** One process of ours on the machine: it can be killed at any call, and paused for as long. */
import type { SimDisk, SimFault } from '../../src/testing/sim-disk.ts'
import type { SimProcesses } from '../../src/testing/sim-processes.ts'
import { simWorld } from '../../src/testing/sim-world.ts'
import type {
  Clock,
  CommandSpec,
  Files,
  Processes,
  ProcessGroup,
  RunningCommand,
  StopSignal,
  World,
} from '../../src/world/world.ts'
import type { Machine } from './machine.ts'

export interface ProgramSetup {
  readonly machine: Machine
  readonly disk: SimDisk
  readonly processes: SimProcesses
  /** Told of what this one appends to a file. */
  appended(path: string, bytes: Uint8Array): void
  /** Told when it is dead. */
  died(): void
  /** The fault of a call. */
  fault?(what: string, path: string): SimFault | undefined
}

/** How long a program rests before it looks again at a lock that is busy. */
const lockRestMs = 12

export class Program {
  readonly disk: SimDisk
  readonly #machine: Machine
  readonly #others: SimProcesses
  readonly #setup: ProgramSetup
  readonly #handlers = new Set<(signal: StopSignal) => void>()
  #state: 'alive' | 'paused' | 'dying' | 'dead' = 'alive'
  #held: (() => void)[] = []
  #isOver = false
  #failsNext = false
  /** The calls after the end of the program, which mean that a task still ran. */
  lateCalls = 0

  constructor(setup: ProgramSetup) {
    const { machine, disk, processes, appended } = setup
    this.#setup = setup
    this.#machine = machine
    this.#others = processes
    this.disk = disk.sharedWith({
      appended,
      chance: machine.chance,
      turn: () => this.#turn(),
      rest: () => this.#rest(),
      fault: (_call, what, path) => this.#fault(what, path),
    })
  }

  /** Marks the program as ended. */
  over(): void {
    this.#isOver = true
  }

  #turn(): Promise<void> {
    if (this.#isOver) this.lateCalls++
    return this.#machine.turn(this)
  }

  get isAlive(): boolean {
    return this.#state !== 'dead'
  }

  /** True if the program may run now; otherwise `again` is called when it may, or never. */
  mayGo(again: () => void): boolean {
    if (this.#state === 'paused') this.#held.push(again)
    return this.#state === 'alive' || this.#state === 'dying'
  }

  /** At once: nothing it waits for ever comes. */
  kill(): void {
    if (this.#state === 'dead') return
    this.#state = 'dead'
    this.#held = []
    this.disk.endProcess()
    this.#setup.died()
  }

  /** In the middle of its next write, of which some is left. */
  killWriting(): void {
    if (this.#state === 'alive') this.#state = 'dying'
  }

  /** Its next call of the disk fails, and the one after that does not. */
  failOnce(): void {
    this.#failsNext = true
  }

  pause(): void {
    if (this.#state === 'alive') this.#state = 'paused'
  }

  goOn(): void {
    if (this.#state !== 'paused') return
    this.#state = 'alive'
    for (const again of this.#held.splice(0)) again()
  }

  /** Asks it to stop, as Ctrl-C does. */
  signal(signal: StopSignal): void {
    for (const handler of this.#handlers) handler(signal)
  }

  /** The world as this program meets it. Whatever it asks for, it waits for its turn. */
  world(env: World['env']): World {
    const world = simWorld({ disk: this.disk, clock: this.clock, cwd: '/p', env })
    return {
      ...world,
      files: this.#files(world.files),
      processes: async () => this.#processes(),
    }
  }

  get clock(): Clock {
    const machine = this.#machine
    return {
      now: () => machine.now(),
      steady: () => machine.steady(),
      sleep: ms => machine.sleep(ms, this),
    }
  }

  async #rest(): Promise<number> {
    await this.#machine.sleep(lockRestMs, this)
    return lockRestMs
  }

  #fault(what: string, path: string): SimFault | undefined {
    if (this.#state === 'dying' && what === 'write') {
      this.kill()
      return 'torn crash'
    }
    if (!this.#failsNext || !maySimplyFail(what)) return this.#setup.fault?.(what, path)
    this.#failsNext = false
    return 'EIO'
  }

  #files({ read, readIfPresent, stream, kindOf, isLink, list }: Files): Files {
    const turn = () => this.#turn()
    return {
      stream,
      read: async path => await turn().then(() => read(path)),
      readIfPresent: async path => await turn().then(() => readIfPresent(path)),
      kindOf: async path => await turn().then(() => kindOf(path)),
      isLink: async path => await turn().then(() => isLink(path)),
      list: async path => await turn().then(() => list(path)),
    }
  }

  #processes(): Processes {
    const turn = () => this.#turn()
    const start = async (command: CommandSpec): Promise<RunningCommand> => {
      await turn()
      const running = await this.#others.start(command)
      // Only a program that still runs gets the result of the command.
      return { ...running, end: running.end.then(end => turn().then(() => end)) }
    }
    return {
      start,
      run: async command => await (await start(command)).end,
      isRunning: async (id: number) => {
        await turn()
        return await this.#others.isRunning(id)
      },
      groupAlive: async (group: ProcessGroup) => {
        await turn()
        return await this.#others.groupAlive(group)
      },
      endGroup: async (group: ProcessGroup) => {
        await turn()
        await this.#others.endGroup(group)
      },
      onStopSignal: handler => {
        this.#handlers.add(handler)
        return () => this.#handlers.delete(handler)
      },
    }
  }
}

/** A sync that failed takes back what was written, and that is looked at elsewhere. */
const maySimplyFail = (what: string) => what !== 'sync' && what !== 'cut'
