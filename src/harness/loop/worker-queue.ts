/** The queue in which idle workers wait for dispatch. */

type Dispatched = 'work' | 'end'

export class WorkerQueue {
  readonly #waiting = new Map<string, (dispatched: Dispatched) => void>()
  #watching: (() => void)[] = []
  #changes = 0
  #isClosed = false

  /** Resolves when the worker is dispatched or the queue closes. */
  wait(workerId: string): Promise<Dispatched> {
    if (this.#isClosed) return Promise.resolve('end')
    return new Promise(settle => {
      this.#waiting.set(workerId, settle)
      this.notice()
    })
  }

  isWaiting(workerId: string): boolean {
    return this.#waiting.has(workerId)
  }

  dispatch(workerId: string): void {
    const settle = this.#waiting.get(workerId)
    this.#waiting.delete(workerId)
    settle?.('work')
  }

  /** Ends every waiting worker, and every worker that waits later. */
  close(): void {
    this.#isClosed = true
    for (const settle of this.#waiting.values()) settle('end')
    this.#waiting.clear()
  }

  /** Wakes the loop after a change that may affect dispatch. */
  notice(): void {
    this.#changes++
    for (const settle of this.#watching.splice(0)) settle()
  }

  /** The number of changes so far. */
  get changes(): number {
    return this.#changes
  }

  /** Resolves after more than `seen` changes. */
  changedSince(seen: number): Promise<void> {
    if (this.#changes > seen) return Promise.resolve()
    return new Promise(settle => this.#watching.push(settle))
  }
}
