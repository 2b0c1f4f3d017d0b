/** Runs calls one at a time, in the order they come. A failure goes to its own caller only. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act)
    this.#last = mine.catch(() => {})
    return mine
  }
}
