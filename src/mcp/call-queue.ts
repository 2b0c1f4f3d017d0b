/** Runs a few calls at a time, lets some wait, and turns the rest away. */

const runningMax = 8
const waitingMax = 1_000

export class CallQueue {
  #running = 0
  readonly #waiting: (() => void)[] = []
  readonly #calls = new Set<AbortController>()
  #idle: (() => void)[] = []
  #isClosed = false

  /** `undefined` when too many calls wait, or when the call was cancelled before it began. */
  async run<T>(
    signal: AbortSignal,
    act: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#isClosed || this.#waiting.length >= waitingMax) return undefined
    if (this.#running >= runningMax) {
      await new Promise<void>(begin => this.#waiting.push(begin))
    }
    this.#running++
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    if (signal.aborted || this.#isClosed) stop()
    signal.addEventListener('abort', stop)
    this.#calls.add(stopping)
    try {
      return stopping.signal.aborted ? undefined : await act(stopping.signal)
    } finally {
      signal.removeEventListener('abort', stop)
      this.#calls.delete(stopping)
      this.#running--
      this.#waiting.shift()?.()
      if (this.#running === 0) for (const settle of this.#idle.splice(0)) settle()
    }
  }

  /** Cancels all calls, and returns when none runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of this.#calls) call.abort()
    if (this.#running > 0) await new Promise<void>(settle => this.#idle.push(settle))
  }
}
