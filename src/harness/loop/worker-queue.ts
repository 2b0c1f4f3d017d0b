/** Where workers wait until there is something for them to do. */

export type Sent = 'work' | 'end'

export class Turnstile {
  readonly #waiting = new Map<string, (sent: Sent) => void>()
  #watching: (() => void)[] = []
  #changes = 0
  #isShut = false

  /** Answered when the worker is sent. */
  wait(workerId: string): Promise<Sent> {
    if (this.#isShut) return Promise.resolve('end')
    return new Promise(settle => {
      this.#waiting.set(workerId, settle)
      this.notice()
    })
  }

  isWaiting(workerId: string): boolean {
    return this.#waiting.has(workerId)
  }

  send(workerId: string): void {
    const settle = this.#waiting.get(workerId)
    this.#waiting.delete(workerId)
    settle?.('work')
  }

  /** Sends everybody home, those who come later too. */
  shut(): void {
    this.#isShut = true
    for (const settle of this.#waiting.values()) settle('end')
    this.#waiting.clear()
  }

  /** Something happened that may make a difference. */
  notice(): void {
    this.#changes++
    for (const settle of this.#watching.splice(0)) settle()
  }

  /** How often that was. */
  get changes(): number {
    return this.#changes
  }

  /** Returns when it has been more often than that. */
  changedSince(seen: number): Promise<void> {
    if (this.#changes > seen) return Promise.resolve()
    return new Promise(settle => this.#watching.push(settle))
  }
}
