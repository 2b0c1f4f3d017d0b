/** A title with one fact per line. */

import type { Page } from '../answer.ts'
import { visible } from '../kernel/text/visible.ts'
import { twoColumns } from './columns.ts'

export type Fact = readonly [name: string, text: string | undefined]

/** Blank facts are left out. */
export function factsPage(title: string, facts: readonly Fact[], page: Page): string {
  const said = facts.flatMap(([name, text]) => (text ? [[name, visible(text)] as const] : []))
  return `${page.ink('bold', visible(title))}\n${twoColumns(said, page.columns)}\n`
}
