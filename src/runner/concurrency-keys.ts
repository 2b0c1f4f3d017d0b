/** Cases that share a key under `concurrency` run one after the other, in order of arrival. */

interface Waiting {
  readonly keys: readonly string[]
  readonly begin: () => void
}

export class ConcurrencyKeys {
  readonly #held = new Set<string>()
  readonly #waiting: Waiting[] = []

  areFree(keys: readonly string[]): boolean {
    return keys.every(key => !this.#held.has(key))
  }

  /** Takes all keys at once, so that no case holds one key while it waits for another. */
  async holding<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
    if (keys.length === 0) return await act()
    if (this.areFree(keys)) this.#take(keys)
    else await new Promise<void>(begin => this.#waiting.push({ keys, begin }))
    try {
      return await act()
    } finally {
      for (const key of keys) this.#held.delete(key)
      this.#wake()
    }
  }

  #take(keys: readonly string[]): void {
    for (const key of keys) this.#held.add(key)
  }

  #wake(): void {
    for (const waiting of [...this.#waiting]) {
      if (!this.areFree(waiting.keys)) continue
      this.#take(waiting.keys)
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.begin()
    }
  }
}
