/** Markdown for the page of a CI job. */

export interface SummaryTable {
  readonly title: string
  readonly facts: readonly (readonly [name: string, text: string])[]
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function markdownSummary({ title, facts, head, rows }: SummaryTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [
    `## ${cell(title)}`,
    '',
    ...facts.map(([name, text]) => `- ${name}: ${code(text)}`),
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
    '',
  ].join('\n')
}

/** One line, in which no character begins a column, a link or markup of its own. */
const cell = (text: string) =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`*_{}[\]<>|~!]/g, '\\$&')

const code = (text: string) => `\`${text.replaceAll(/[\r\n`]+/g, ' ')}\``
