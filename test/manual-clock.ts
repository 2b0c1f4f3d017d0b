import type { Clock } from '../src/world/world.ts'

/** A clock that advances only when a test calls it. */
export class ManualClock implements Clock {
  #now = 0n
  #sleepers: { readonly until: bigint; wake(): void }[] = []

  now = () => this.#now

  steady = () => this.#now

  sleep(ms: number): Promise<void> {
    const until = this.#now + BigInt(ms) * 1_000_000n
    return new Promise(wake => this.#sleepers.push({ until, wake }))
  }

  async pass(ms: number): Promise<void> {
    this.#now += BigInt(ms) * 1_000_000n
    const due = this.#sleepers.filter(({ until }) => until <= this.#now)
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now)
    for (const { wake } of due) wake()
    // The work after a wake-up takes no longer than this.
    await new Promise(resolve => setImmediate(resolve))
  }
}
