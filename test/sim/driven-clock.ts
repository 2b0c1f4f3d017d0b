/** Time that passes only when nobody has anything left to do but wait. */
import type { Clock } from '../../src/world/world.ts'

interface Sleeper {
  readonly at: bigint
  readonly owner: DrivenClock
  wake(): void
}

/** The time that several clocks share; a single clock can be stopped. */
export class DrivenTime {
  now = BigInt(Date.parse('2027-01-15T08:00:00Z')) * 1_000_000n
  #sleepers: Sleeper[] = []
  readonly #turns: number

  /** How many turns it takes whatever goes on in memory to come to rest. */
  constructor(turns = 40) {
    this.#turns = turns
  }

  add(sleeper: Sleeper): void {
    this.#sleepers.push(sleeper)
  }

  clock(): DrivenClock {
    return new DrivenClock(this)
  }

  /** Until the work is done: lets everybody do what they can, then moves on to whoever wakes next. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    while (!isDone) {
      for (let turn = 0; turn < this.#turns; turn++) await new Promise(done => setImmediate(done))
      if (!isDone) this.#wakeNext()
    }
    return await work
  }

  #wakeNext(): void {
    const awake = this.#sleepers.filter(({ owner }) => !owner.isStopped)
    const next = awake.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))[0]
    if (!next) return
    this.#sleepers = this.#sleepers.filter(one => one !== next)
    if (next.at > this.now) this.now = next.at
    next.wake()
  }
}

/** The clock of one process. While that is stopped, nothing wakes it. */
export class DrivenClock implements Clock {
  readonly #time: DrivenTime
  isStopped = false
  /** How far it is wrong. */
  skew = 0n

  constructor(time: DrivenTime) {
    this.#time = time
  }

  now(): bigint {
    return this.#time.now + this.skew
  }

  steady(): bigint {
    return this.#time.now
  }

  sleep(ms: number): Promise<void> {
    const at = this.#time.now + BigInt(Math.ceil(ms * 1_000_000))
    return new Promise(wake => this.#time.add({ at, owner: this, wake }))
  }
}
