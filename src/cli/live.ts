/** Reports long-running work as JSON lines, plain lines or a live screen. */

import type { ExitCode, Live, LiveEvent } from '../answer.ts'
import { printJsonLine } from '../kernel/text/print-json.ts'
import { withoutInk } from '../render/inked-text.ts'
import type { World } from '../world/world.ts'
import { clearAll, LiveScreen, OutputGuard, repeatEvery } from './live-screen.ts'
import { isDrawn, pageFor } from './page.ts'

/** The interval between redraws. */
const redrawMs = 200

interface Followed {
  readonly exitCode: ExitCode
  /** Set if output failed. */
  readonly untold?: unknown
}

/** Follows the work to its end. Work continues when its output fails. */
export async function follow(live: Live, json: boolean, world: World): Promise<Followed> {
  const teller = tellerOf(live, json, world)
  const behind = await world.out.threaded?.()
  const telling = new OutputGuard(behind ?? world.out)
  let goesOn = true
  // Skip a frame while the previous one is still pending.
  const draw = () => (behind?.pending ?? 0) === 0 && telling.write(teller.screen)
  if (teller.screen) {
    void repeatEvery(draw, redrawMs, world.clock, () => goesOn && !telling.isOver)
  }
  try {
    for await (const event of live.live) {
      telling.write(() => teller.event(event))
      if (live.endsUnheard && telling.isOver) break
    }
  } finally {
    goesOn = false
    telling.write(teller.clear)
  }
  telling.write(teller.end)
  if (behind) await telling.end(behind)
  return { exitCode: live.exitCode(), untold: telling.failure }
}

/** Renders events; empty text prints nothing. */
interface Teller {
  event(event: LiveEvent): string
  /** Called on each redraw. */
  screen?(): string
  /** Removes the live screen. */
  clear?(): string
  end?(): string
}

function tellerOf(live: Live, json: boolean, world: World): Teller {
  if (json) return jsonTeller
  return isDrawn(world.out, world.env) ? screenTeller(live, world) : lineTeller(live, world)
}

const jsonTeller: Teller = {
  event: ({ json }) => (json === undefined ? '' : printJsonLine(json)),
}

function lineTeller(live: Live, world: World): Teller {
  return {
    event: event => linesOf(event, world),
    end: () => whole(live.summary(pageFor(world))),
  }
}

function screenTeller(live: Live, world: World): Teller {
  const screen = new LiveScreen()
  // The window size may change between frames.
  const frame = (stays: string, linesFor: Live['screen']) => {
    const page = pageFor(world)
    // The page width has a minimum that some windows go below.
    const columns = world.out.columns() || page.columns
    return screen.frame(stays, linesFor(page, world.clock.now()), { columns, rows: page.rows })
  }
  const current: Live['screen'] = (page, now) => live.screen(page, now)
  return {
    event: event => frame((event.clears ? clearAll : '') + linesOf(event, world), current),
    screen: () => frame('', current),
    clear: () => frame('', () => []),
    end: () => whole(live.summary(pageFor(world))),
  }
}

const linesOf = (event: LiveEvent, world: World) => whole(event.line?.(pageFor(world)) ?? '')

/** Complete lines, so that the next output starts on a new line. */
function whole(text: string): string {
  return text === '' || withoutInk(text).endsWith('\n') ? text : `${text}\n`
}
