import type { Clock } from './world.ts'

const nanosPerMilli = 1_000_000

/**
 * How long a piece of work takes. Setting the system clock meanwhile makes its length neither negative nor
 * hours longer, and does not let it end before it started.
 */
export class TimeSpan {
  readonly startedAt: bigint
  readonly #clock: Pick<Clock, 'now' | 'steady'>
  readonly #began: bigint

  constructor(clock: Pick<Clock, 'now' | 'steady'>) {
    this.#clock = clock
    this.#began = clock.steady()
    this.startedAt = clock.now()
  }

  /** Milliseconds so far, with a fraction. */
  get ms(): number {
    return Number(this.#clock.steady() - this.#began) / nanosPerMilli
  }

  /** The time of the system clock, or of the start if that is later. */
  get endedAt(): bigint {
    const now = this.#clock.now()
    if (now < this.startedAt) return this.startedAt
    return now
  }
}
