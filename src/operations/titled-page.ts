/** A title, and below it a few lines that begin with what they are about. */
import { hung, wrap } from './columns.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

export function titledPage(title: string, texts: readonly string[], page: Page): string {
  const below = texts.flatMap(text => hung('  ', visible(text), page.columns))
  return [...wrap(title, page.columns), ...below, ''].join('\n')
}
