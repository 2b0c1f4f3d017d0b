import { styleText } from 'node:util'
import type { Page } from '../answer.ts'
import type { Output, World } from '../world/world.ts'

const columnsDefault = 80
const columnsMin = 20
const rowsDefault = 24

export function pageFor({ out, env }: Pick<World, 'out' | 'env'>): Page {
  const isTerminal = out.isTerminal()
  const coloured = wantsColour(isTerminal, env)
  // Some terminals say that they are zero columns wide, and as high.
  const columns = out.columns() || Number(env['COLUMNS']) || columnsDefault
  return {
    columns: Math.max(columnsMin, columns),
    ...(isTerminal && { rows: out.rows() || rowsDefault }),
    // We have decided already; left to itself it would look at the process and not at the world.
    ink: (ink, text) => (coloured ? styleText(ink, text, { validateStream: false }) : text),
  }
}

/** Whether somebody looks at a terminal that can go back over what it shows. */
export function isDrawn(output: Output, env: World['env']): boolean {
  return output.isTerminal() && env['TERM'] !== 'dumb' && !env['CI']
}

/** https://no-color.org first, then https://force-color.org, then whether a person is looking. */
function wantsColour(isTerminal: boolean, env: World['env']): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
