import type { GraphIntegrity } from '../kernel/work/dependency-cycle.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

/** Whole, however long it is: half a circle helps nobody. */
export function cycleLine({ cyclePath }: GraphIntegrity, page: Page): string {
  return cyclePath ? `${page.ink('red', 'Cycle')}: ${visible(cyclePath.join(' -> '))}\n` : ''
}
