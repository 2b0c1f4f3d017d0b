/** Collects file changes into batches. */
import type { Fault } from '../../fault.ts'
import type { Clock } from '../../world/world.ts'

/** Editors and version control write several files, and some of them twice. */
const quietMs = 60
/** Files that change constantly are not waited for. */
const quietsMax = 20

export class ChangeFeed {
  readonly #clock: Pick<Clock, 'sleep'>
  #pending = new Set<string>()
  #count = 0
  #fault: Fault | undefined
  #isStopped = false
  #wake: () => void = () => {}

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  changed(path: string): void {
    this.#pending.add(path)
    this.#count++
    this.#wake()
  }

  failed(fault: Fault): void {
    this.#fault ??= fault
    this.#wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The next complete batch of changes; `undefined` after the end. */
  async next(): Promise<ReadonlySet<string> | undefined> {
    while (!this.#isOver && this.#pending.size === 0) {
      await new Promise<void>(settle => {
        this.#wake = settle
      })
    }
    await this.#quiet()
    if (this.#isStopped) return undefined
    if (this.#fault) throw this.#fault
    const changes = this.#pending
    this.#pending = new Set()
    return changes
  }

  get #isOver(): boolean {
    return this.#isStopped || this.#fault !== undefined
  }

  async #quiet(): Promise<void> {
    for (let quiets = 0; quiets < quietsMax && !this.#isOver; quiets++) {
      const count = this.#count
      await this.#clock.sleep(quietMs)
      if (this.#count === count) return
    }
  }
}
