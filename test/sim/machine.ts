/**
 * A machine whose scheduler is the seed: whoever wants to do something waits for a turn, and one
 * turn is given at a time. Time goes on by a little with each turn, and to the next sleeper where
 * nobody is awake.
 */
import type { Program } from './program.ts'

interface Waiting {
  /** Absent: the machine's own, which nobody can pause. */
  readonly program: Program | undefined
  go(): void
}

interface Sleeper extends Waiting {
  readonly wakes: number
}

const nanosAtStart = 1_800_000_000_000_000_000n

/** A call takes up to so long. */
const callMicros = 100

const loadingMsMax = 30_000

export class Machine {
  readonly chance: () => number
  readonly seedText: string
  /** Turns so far. */
  turns = 0
  /** Since the start. Nobody can set this one. */
  #micros = 0
  /** The offset of the wall clock. */
  #skew = 0n
  readonly #ready: Waiting[] = []
  /** By time, the next one last. */
  readonly #asleep: Sleeper[] = []

  constructor(chance: () => number, seedText: string) {
    this.chance = chance
    this.seedText = seedText
  }

  /** The clock on the wall, in nanoseconds. */
  now(): bigint {
    return nanosAtStart + BigInt(this.#micros) * 1_000n + this.#skew
  }

  steady(): bigint {
    return BigInt(this.#micros) * 1_000n
  }

  /** Sets the clock on the wall. */
  setAhead(seconds: number): void {
    this.#skew += BigInt(Math.round(seconds * 1_000)) * 1_000_000n
  }

  /** Any number from the one to the other. */
  between(least: number, most: number): number {
    return least + this.chance() * (most - least)
  }

  oneOf<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.chance() * list.length)]
  }

  /** Comes when it is one's turn; never, for a program that has ended. */
  turn(program?: Program): Promise<void> {
    return new Promise(go => this.#ready.push({ program, go }))
  }

  sleep(ms: number, program?: Program): Promise<void> {
    return new Promise(go => {
      const wakes = this.#micros + Math.ceil(ms * 1_000)
      this.#asleep.splice(this.#placeOf(wakes), 0, { program, wakes, go })
    })
  }

  /** Before those that wake at the same time: they came first. */
  #placeOf(wakes: number): number {
    let [from, to] = [0, this.#asleep.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#asleep[middle]?.wakes ?? 0) > wakes) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Goes on until `isOver`. `meanwhile` is asked before each turn. */
  async run(isOver: () => boolean, meanwhile: () => void, turnsMax: number): Promise<void> {
    const until = this.turns + turnsMax
    while (!isOver()) {
      if (++this.turns > until) throw new Error(`no end after ${turnsMax} turns (${this.seedText})`)
      await this.#whileLoading()
      meanwhile()
      this.#next().go()
      // All that follows from it happens before the next one.
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  /** Loading a module takes real time, in which no task may be ready. */
  async #whileLoading(): Promise<void> {
    const began = performance.now()
    while (this.#ready.length + this.#asleep.length === 0) {
      if (performance.now() - began > loadingMsMax) return
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  #next(): Waiting {
    for (;;) {
      this.#wake()
      const at = Math.floor(this.chance() * this.#ready.length)
      const chosen = this.#ready[at]
      if (!chosen) throw new Error(`everybody waits for somebody else (${this.seedText})`)
      const last = this.#ready.pop() as Waiting
      if (last !== chosen) this.#ready[at] = last
      if (chosen.program?.mayGo(() => this.#ready.push(chosen)) ?? true) {
        this.#micros += Math.ceil(this.chance() * callMicros)
        return chosen
      }
    }
  }

  #wake(): void {
    const next = this.#asleep.at(-1)
    if (this.#ready.length === 0 && next) this.#micros = Math.max(this.#micros, next.wakes)
    while ((this.#asleep.at(-1)?.wakes ?? Number.POSITIVE_INFINITY) <= this.#micros) {
      this.#ready.push(this.#asleep.pop() as Sleeper)
    }
  }
}
