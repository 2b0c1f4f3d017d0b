/** The worktrees in which candidates are verified. Work commands never run in them. */
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { Harness } from '../harness.ts'
import { type CommandRun, describeEnd, runCommand } from '../step/command.ts'
import type { CleanWorktree } from './clean-worktree.ts'
import { askLanding, type LandingPlace } from './landing-git.ts'

export interface StartUp {
  readonly command: string | undefined
  readonly timeoutMs: number
  /** Files whose change makes the start-up command run again: lock files of package managers. */
  readonly inputs: readonly string[]
}

/** Why a start-up command did not make the worktree ready. */
export interface StartUpFailure {
  readonly summary: string
  readonly commands: readonly StepCommand[]
  readonly failureClasses: readonly string[]
  readonly stopped: boolean
}

/** One worktree, ready for one candidate at a time. */
export class VerificationWorktree {
  readonly files: CleanWorktree
  readonly startUp: StartUp
  readonly #place: LandingPlace
  /** The commit on which the start-up command ran last. */
  #startedOn: string | undefined
  /** The outputs of that start-up command. */
  #outputs: ReadonlyMap<string, string> = new Map()

  constructor(place: LandingPlace, files: CleanWorktree, startUp: StartUp) {
    this.#place = place
    this.files = files
    this.startUp = startUp
  }

  /** The project's folder in the worktree. */
  get folder(): string {
    return `${this.files.path}/${this.#place.prefix}`.replace(/\/$/, '')
  }

  async checkOut(commit: string): Promise<void> {
    await this.files.checkOut(commit)
  }

  /** Runs the start-up command, unless what it made from these inputs is still there. */
  async start(
    harness: Harness,
    commit: string,
    run: Omit<CommandRun, 'timeoutMs'>,
  ): Promise<StartUpFailure | undefined> {
    const { command, timeoutMs } = this.startUp
    if (command === undefined || (await this.#hasStarted(harness, commit))) return undefined
    this.#startedOn = undefined
    const ran = await runCommand(harness, 'startup', command, { ...run, timeoutMs })
    if (ran.failure) {
      return {
        summary: `the start-up command ${describeEnd(ran.end)} in the verification worktree`,
        commands: [ran.command],
        failureClasses: ran.failure.failureClasses,
        stopped: ran.end.stopped,
      }
    }
    this.#startedOn = commit
    await this.files.keepOutputs()
    this.#outputs = await this.files.outputs()
    return undefined
  }

  async #hasStarted(harness: Harness, commit: string): Promise<boolean> {
    if (this.#startedOn === undefined || (await this.#haveInputsChanged(this.#startedOn, commit))) {
      return false
    }
    // The verification before this one must not have a say in this one.
    const changed = firstDifference(this.#outputs, await this.files.outputs())
    if (changed === undefined) return true
    const message = `runs the start-up command again: a verification changed ${changed}`
    harness.emit({ event: 'note', message })
    await this.files.removeOutputs()
    return false
  }

  async #haveInputsChanged(startedOn: string, commit: string): Promise<boolean> {
    const inputs = this.startUp.inputs.map(path => `:(top,glob)**/${path}`)
    if (inputs.length === 0) return false
    const asked = ['diff', '--quiet', startedOn, commit, '--', ...inputs]
    return (await askLanding(this.#place, this.#place.top, asked)).exitCode !== 0
  }
}

/** The first path that only one of the two has, or that has another mark. */
function firstDifference(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string | undefined {
  const isOther = (path: string) => before.get(path) !== now.get(path)
  return [...before.keys()].find(isOther) ?? [...now.keys()].find(isOther)
}

/** Hands out a worktree to one candidate at a time, in the order in which they ask. */
export class VerificationWorktrees {
  readonly #free: VerificationWorktree[]
  readonly #waiting: ((worktree: VerificationWorktree) => void)[] = []

  constructor(worktrees: readonly VerificationWorktree[]) {
    this.#free = [...worktrees]
  }

  async use<T>(act: (worktree: VerificationWorktree) => Promise<T>): Promise<T> {
    const worktree =
      this.#free.shift() ??
      (await new Promise<VerificationWorktree>(settle => this.#waiting.push(settle)))
    try {
      return await act(worktree)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(worktree)
      else this.#free.push(worktree)
    }
  }
}
