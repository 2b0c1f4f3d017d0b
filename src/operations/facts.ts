/** A few facts about one thing, a line each, under its name. */
import { twoColumns } from './columns.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

export type Fact = readonly [name: string, text: string | undefined]

/** What is blank goes unsaid. */
export function factsPage(title: string, facts: readonly Fact[], page: Page): string {
  const said = facts.flatMap(([name, text]) => (text ? [[name, visible(text)] as const] : []))
  return `${page.ink('bold', visible(title))}\n${twoColumns(said, page.columns)}\n`
}
