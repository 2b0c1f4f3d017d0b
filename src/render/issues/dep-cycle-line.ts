import type { Page } from '../../answer.ts'
import type { GraphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import { visible } from '../../kernel/text/visible.ts'
import { wrap } from '../columns.ts'

/** Never shortened: part of a cycle is useless. */
export function cycleLine({ cyclePath }: GraphIntegrity, page: Page): string {
  if (!cyclePath) return ''
  const [first = '', ...rest] = wrap(`Cycle: ${visible(cyclePath.join(' -> '))}`, page.columns)
  return [first.replace('Cycle', word => page.ink('red', word)), ...rest, ''].join('\n')
}
