/** What goes on for long, told while it does: to a program, in plain lines, or on a screen. */

import type { ExitCode, Live, LiveEvent } from '../answer.ts'
import { printJsonLine } from '../kernel/text/print-json.ts'
import { withoutInk } from '../render/inked-text.ts'
import type { World } from '../world/world.ts'
import { clearAll, LiveScreen } from './live-screen.ts'
import { overAndOver, Telling } from './output-guard.ts'
import { isDrawn, pageFor } from './page.ts'

/** The most that a screen lags behind the clock. */
const redrawMs = 200

export interface Followed {
  readonly exitCode: ExitCode
  /** Why some of it could not be told. */
  readonly untold?: unknown
}

/** Tells of it to its end. Work does not stop because nobody can be told of it any more. */
export async function follow(live: Live, json: boolean, world: World): Promise<Followed> {
  const teller = tellerOf(live, json, world)
  const behind = await world.out.threaded?.()
  const telling = new Telling(behind ?? world.out)
  let goesOn = true
  // A frame that nobody saw yet is not worth another.
  const draw = () => (behind?.pending ?? 0) === 0 && telling.say(teller.screen)
  if (teller.screen) {
    void overAndOver(draw, redrawMs, world.clock, () => goesOn && !telling.isOver)
  }
  try {
    for await (const event of live.live) {
      telling.say(() => teller.event(event))
      if (live.endsUnheard && telling.isOver) break
    }
  } finally {
    goesOn = false
    telling.say(teller.clear)
  }
  telling.say(teller.end)
  if (behind) await telling.end(behind)
  return { exitCode: live.exitCode(), untold: telling.failure }
}

/** What to say, and when; nothing where it is empty. */
interface Teller {
  event(event: LiveEvent): string
  /** Asked for again and again. */
  screen?(): string
  /** What takes away the screen. */
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
  // The window may be another size each time.
  const frame = (stays: string, linesFor: Live['screen']) => {
    const page = pageFor(world)
    // A page is never as narrow as some windows are.
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

/** Complete lines, so that what comes next begins one. */
function whole(text: string): string {
  return text === '' || withoutInk(text).endsWith('\n') ? text : `${text}\n`
}
