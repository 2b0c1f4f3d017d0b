/** Writes progress, which must never block the work. */
import type { Clock, Output, ThreadedOutput } from '../world/world.ts'

/** Writes until the reader leaves or an error occurs, then discards. */
export class Telling {
  readonly #out: Pick<Output, 'write'>
  isOver = false
  failure: unknown

  constructor(out: Pick<Output, 'write'>) {
    this.#out = out
  }

  /** Resolves once the reader has everything. */
  async end(behind: ThreadedOutput): Promise<void> {
    try {
      await behind.flush()
    } catch (error) {
      this.failure ??= error
    }
  }

  say(compose?: () => string): void {
    if (this.isOver || !compose) return
    try {
      const text = compose()
      if (text !== '') this.isOver = !this.#out.write(text)
    } catch (error) {
      this.isOver = true
      this.failure = error
    }
  }
}

export async function overAndOver(
  act: () => unknown,
  everyMs: number,
  clock: Clock,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    act()
    await clock.sleep(everyMs)
  }
}
