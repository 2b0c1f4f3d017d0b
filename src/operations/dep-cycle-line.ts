import type { GraphIntegrity } from '../kernel/work/dependency-cycle.ts'
import { wrap } from './columns.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

/** Whole, however long it is: half a circle helps nobody. */
export function cycleLine({ cyclePath }: GraphIntegrity, page: Page): string {
  if (!cyclePath) return ''
  const [first = '', ...rest] = wrap(`Cycle: ${visible(cyclePath.join(' -> '))}`, page.columns)
  return [first.replace('Cycle', word => page.ink('red', word)), ...rest, ''].join('\n')
}
