/** Delivers the events of a run to one reader, in order and without loss. */

export class RunFeed<T> implements AsyncIterable<T> {
  readonly #ready: T[] = []
  #wake: () => void = () => {}
  #isOver = false

  push(event: T): void {
    this.#ready.push(event)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      const next = this.#ready.shift()
      if (next !== undefined) yield next
      else if (this.#isOver) return
      else {
        await new Promise<void>(settle => {
          this.#wake = settle
        })
      }
    }
  }
}
