/** A title with labelled lines below. */
import type { Page } from '../answer.ts'
import { visible } from '../kernel/text/visible.ts'
import { hung, twoColumns, wrap } from './columns.ts'

export function titledPage(title: string, texts: readonly string[], page: Page): string {
  const below = texts.flatMap(text => hung('  ', visible(text), page.columns))
  return [...wrap(title, page.columns), ...below, ''].join('\n')
}

/** A title with one fact per line. */
export type Fact = readonly [name: string, text: string | undefined]

/** Blank facts are left out. */
export function factsPage(title: string, facts: readonly Fact[], page: Page): string {
  const rows = facts.flatMap(([name, text]) => (text ? [[name, visible(text)] as const] : []))
  return `${page.ink('bold', visible(title))}\n${twoColumns(rows, page.columns)}\n`
}
