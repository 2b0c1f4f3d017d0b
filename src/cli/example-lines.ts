import type { Page } from '../answer.ts'
import type { Operation } from '../operations/operation.ts'
import { broken, hung, wrapBroken, wrapWords } from '../render/columns.ts'

type Example = Operation['examples'][number]

const indent = '  '
const further = '    '
const shownIndent = '      '
/** Line continuation of the shell. */
const goesOn = ' \\'

/** The command, ready to paste, with its result below. */
export function exampleLines({ command, shows }: Example, page: Page): string[] {
  return [...commandLines(command, page), ...hung(shownIndent, shows, page.columns, wrapBroken)]
}

function commandLines(command: string, page: Page): string[] {
  if (indent.length + command.length <= page.columns) return [indent + command]
  const room = page.columns - further.length - goesOn.length
  const lines = wrapWords(broken(shellWords(command), room), room)
  return lines.map((line, at) => {
    const begun = (at === 0 ? indent : further) + line
    return at === lines.length - 1 ? begun : begun + goesOn
  })
}

/** Quoted text stays together. */
const shellWords = (command: string) => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
