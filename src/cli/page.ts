import { styleText } from 'node:util'
import type { Page } from '../answer.ts'
import type { Output, World } from '../world/world.ts'

const columnsDefault = 80
const columnsMin = 20
const rowsDefault = 24

export function pageFor({ out, env }: Pick<World, 'out' | 'env'>): Page {
  const isTerminal = out.isTerminal()
  const coloured = wantsColour(isTerminal, env)
  // Some terminals report a width and height of zero.
  const columns = out.columns() || Number(env['COLUMNS']) || undefined
  return {
    columns: Math.max(columnsMin, columns ?? columnsDefault),
    ...(!isTerminal && columns === undefined && { keepsRows: true as const }),
    ...(isTerminal && { rows: out.rows() || rowsDefault }),
    // The colour decision is made already. `styleText` would check the process instead of the
    // world.
    ink: (ink, text) => (coloured ? styleText(ink, text, { validateStream: false }) : text),
  }
}

/** Whether the output is a terminal that can redraw. */
export function isDrawn(output: Output, env: World['env']): boolean {
  return output.isTerminal() && env['TERM'] !== 'dumb' && !env['CI']
}

/**
 * https://no-color.org first, then https://force-color.org, then whether the output is a terminal.
 */
function wantsColour(isTerminal: boolean, env: World['env']): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
