/** Telling what goes on, which must never stand in its way. */
import type { Clock, Output, ThreadedOutput } from '../world/world.ts'

/** Says what it can until the reader leaves or something breaks, and nothing from then on. */
export class Telling {
  readonly #out: Pick<Output, 'write'>
  isOver = false
  failure: unknown

  constructor(out: Pick<Output, 'write'>) {
    this.#out = out
  }

  /** When the reader has it all. */
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
