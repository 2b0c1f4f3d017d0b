/** Shows one status line on stderr while work is in progress. */
import type { Page } from '../answer.ts'
import type { ThreadedOutput, World } from '../world/world.ts'
import { LiveScreen, OutputGuard, repeatEvery } from './live-screen.ts'
import { pageFor } from './page.ts'

const redrawMs = 100

export async function withStatusLine<T>(
  line: (page: Page) => string,
  act: () => Promise<T>,
  world: World,
): Promise<T> {
  const shown = new ShownLine(line, world)
  void shown.draw()
  try {
    return await act()
  } finally {
    await shown.clear()
  }
}

class ShownLine {
  readonly #line: (page: Page) => string
  readonly #world: World
  readonly #screen = new LiveScreen()
  #telling: OutputGuard | undefined
  #behind: ThreadedOutput | undefined
  #isOver = false

  constructor(line: (page: Page) => string, world: World) {
    this.#line = line
    this.#world = world
  }

  async draw(): Promise<void> {
    const { err, clock } = this.#world
    // Work that ends at once needs no status line.
    await clock.sleep(redrawMs)
    if (this.#isOver) return
    this.#behind = await err.threaded?.()
    const telling = new OutputGuard(this.#behind ?? err)
    this.#telling = telling
    const goesOn = () => !this.#isOver && !telling.isOver
    // Skip a frame while the previous one is still pending.
    const draw = () => !this.#behind?.pending && telling.write(() => this.#frame([this.#line]))
    await repeatEvery(draw, redrawMs, clock, goesOn)
  }

  async clear(): Promise<void> {
    this.#isOver = true
    this.#telling?.write(() => this.#frame([]))
    if (this.#behind) await this.#telling?.end(this.#behind)
  }

  /** The window size may change between frames. */
  #frame(lines: readonly ((page: Page) => string)[]): string {
    const { err, env } = this.#world
    const page = pageFor({ out: err, env })
    // The page width has a minimum that some windows go below.
    const columns = err.columns() || page.columns
    const texts = lines.map(line => line({ ...page, columns }))
    return this.#screen.frame('', texts, { columns, rows: page.rows })
  }
}
