/** A title with labelled lines below. */

import type { Page } from '../answer.ts'
import { visible } from '../kernel/text/visible.ts'
import { hung, wrap } from './columns.ts'

export function titledPage(title: string, texts: readonly string[], page: Page): string {
  const below = texts.flatMap(text => hung('  ', visible(text), page.columns))
  return [...wrap(title, page.columns), ...below, ''].join('\n')
}
