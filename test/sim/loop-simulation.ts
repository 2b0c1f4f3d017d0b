/**
 * Many workers in several programs on one machine, which is as hostile as a machine can be: it
 * kills programs, pauses them for longer than their leases last, and sets the clock as it likes.
 */
import { readFileSync } from 'node:fs'
import { retryPolicyPath } from '../../src/kernel/harness/retry/retry-policy.ts'
import { SimDisk } from '../../src/testing/sim-disk.ts'
import { SimProcesses } from '../../src/testing/sim-processes.ts'
import type { CommandSpec } from '../../src/world/world.ts'
import { IssueWatch } from './issue-watch.ts'
import { LoopRun, projectFolder, type WorkerGroup, worktreeOf } from './loop-run.ts'
import { Machine } from './machine.ts'
import { Program } from './program.ts'
import { ScriptedWork, workCommand } from './scripted-work.ts'
import { seeded } from './seeded.ts'

export interface SimulationSize {
  readonly issues: number
  readonly coordinators: number
  /** The number of workers of each coordinator. */
  readonly workers: number
  /** The number of workers without a coordinator. */
  readonly alone: number
  /** How often something bad happens. */
  readonly strikes: number
}

export const issuesPath = `${projectFolder}/.premath/issues.jsonl`
export const trajectoryPath = `${projectFolder}/.premath/harness_trajectory.jsonl`

export const policyFiles = {
  [`${projectFolder}/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8'),
}

const startsMax = 40
const cleanRunsMax = 8
/** About as many as a step takes; what happens is spread over all of them. */
const turnsPerIssue = 150
/** A step copies and reads its files; a simulation that hangs needs many more. */
const turnsPerIssueMax = 60_000

export class LoopSimulation {
  readonly machine: Machine
  readonly disk: SimDisk
  readonly processes: SimProcesses
  readonly work: ScriptedWork
  readonly watch: IssueWatch
  readonly runs: LoopRun[] = []
  /** By what was done. */
  readonly struck = new Map<string, number>()
  /** Every step whose work began. */
  readonly begun = new Set<string>()
  readonly #size: SimulationSize
  readonly #groups: readonly WorkerGroup[]
  readonly #starts = new Map<WorkerGroup, number>()
  #strikesLeft: number
  /** Programs that are about to be started. */
  #coming = 0

  constructor(seed: number, size: SimulationSize, openTurn: string) {
    this.#size = size
    this.#strikesLeft = size.strikes
    this.machine = new Machine(seeded(seed), `SEED=${seed}`)
    this.work = new ScriptedWork(this.machine, size.issues, openTurn)
    this.#groups = groupsOf(size)
    this.disk = new SimDisk({ files: this.#files() })
    this.processes = new SimProcesses({ disk: this.disk, script: command => this.#script(command) })
    this.watch = new IssueWatch(issuesPath, new TextEncoder().encode(this.work.rows))
  }

  #files(): Record<string, string> {
    const folders = this.#groups.flatMap(({ workers }) => workers)
    return {
      [issuesPath]: this.work.rows,
      ...policyFiles,
      ...Object.fromEntries(folders.map(name => [`${worktreeOf(name)}/README.md`, name])),
    }
  }

  /** First the bad time, then runs that nothing disturbs until one of them changes nothing. */
  async run(): Promise<void> {
    const turnsMax = turnsPerIssueMax * this.#size.issues
    for (const group of this.#groups) this.#startSoon(group)
    const isOver = () => this.#coming === 0 && this.runs.every(run => run.isOver)
    await this.machine.run(isOver, () => this.#maybeStrike(), turnsMax)
    this.#strikesLeft = 0
    // Every lease has expired by now.
    this.machine.setAhead(7 * 24 * 3600)
    for (let run = 1; ; run++) {
      if (run > cleanRunsMax)
        throw new Error(`there is always more to do (${this.machine.seedText})`)
      const before = this.closedAsPlanned
      const clean = this.#start(this.#groups[0] as WorkerGroup)
      await this.machine.run(
        () => clean.isOver,
        () => {},
        turnsMax,
      )
      // A command that could not start ends a run early, however much is left.
      if (clean.end?.summary.why === 'environment') run--
      else if (this.closedAsPlanned === before) return
    }
  }

  /** Work that was found on the way, and may be found again, is not counted. */
  get closedAsPlanned(): number {
    return [...this.work.closable].filter(id => this.watch.closings.has(id)).length
  }

  #script(command: CommandSpec) {
    const { env } = command
    const script = this.work.script(command, this.disk, () => this.#othersDone())
    if (command.command !== workCommand) return script
    const effect = async () => {
      this.begun.add(env['PREMATH_STEP_ID'] ?? '')
      this.watch.worksOn(env['PREMATH_ISSUE_ID'] ?? '', Number(env['PREMATH_FENCE']))
      await script.effect?.()
    }
    return { ...script, effect }
  }

  async #othersDone(): Promise<void> {
    const enough = this.watch.closed + 5
    while (this.watch.closed < enough) await this.machine.sleep(5_000)
  }

  #startSoon(group: WorkerGroup): void {
    const starts = (this.#starts.get(group) ?? 0) + 1
    this.#starts.set(group, starts)
    if (starts > startsMax || this.#strikesLeft === 0) return
    this.#coming++
    void this.machine.sleep(this.machine.between(0, 60_000)).then(() => {
      this.#coming--
      this.#start(group)
    })
  }

  #start(group: WorkerGroup): LoopRun {
    const asking = { change: undefined }
    const { machine, disk, processes, watch } = this
    const appended = (path: string, bytes: Uint8Array) => watch.appended(path, bytes, asking)
    const died = () => this.#startSoon(group)
    const program = new Program({ machine, disk, processes, appended, died })
    const run = new LoopRun(group, program, asking)
    this.runs.push(run)
    void run.live().then(() => {
      if (program.isAlive) this.#startSoon(group)
    })
    return run
  }

  #maybeStrike(): void {
    const turns = this.#size.issues * turnsPerIssue
    if (this.#strikesLeft === 0 || this.machine.chance() * turns > this.#size.strikes) return
    this.#strikesLeft--
    const run = this.machine.oneOf(this.runs.filter(({ isOver }) => !isOver))
    if (!run) return
    const what = this.#strike(run)
    this.struck.set(what, (this.struck.get(what) ?? 0) + 1)
  }

  #strike({ program }: LoopRun): string {
    const { machine } = this
    const drawn = machine.chance()
    if (drawn < 0.3) {
      const writing = drawn < 0.15
      if (writing) program.killWriting()
      else program.kill()
      return writing ? 'killed in a write' : 'killed'
    }
    if (drawn < 0.6) {
      program.pause()
      void machine.sleep(machine.between(10_000, 400_000)).then(() => program.goOn())
      return 'paused'
    }
    if (drawn < 0.65) {
      program.signal('SIGTERM')
      return 'asked to stop'
    }
    if (drawn < 0.7) {
      program.failOnce()
      return 'a call failed'
    }
    const isBack = drawn < 0.85
    machine.setAhead(isBack ? -machine.between(0, 3600) : machine.between(0, 600))
    return isBack ? 'clock set back' : 'clock set ahead'
  }
}

function groupsOf({ coordinators, workers, alone }: SimulationSize): readonly WorkerGroup[] {
  const several = Array.from({ length: coordinators }, (_, at) => ({
    mode: 'coordinator' as const,
    name: `coordinator.${at + 1}`,
    workers: Array.from({ length: workers }, (_, worker) => `worker.${at + 1}.${worker + 1}`),
  }))
  const single = Array.from({ length: alone }, (_, at) => ({
    mode: 'worker' as const,
    name: `alone.${at + 1}`,
    workers: [`alone.${at + 1}`],
  }))
  return [...several, ...single]
}
