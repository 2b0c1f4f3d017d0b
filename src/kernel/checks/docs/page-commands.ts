/** The commands of premath that a page shows to its readers. */
import type { PageCode, PageLink, ReadPage } from './read-page.ts'
import { commandsOf, type NamedCommand } from './shell-commands.ts'

/** A case of a spec document runs, so the runner finds what is wrong with it. */
const isSpec = (path: string) => path.endsWith('.spec.md')

export function commandsIn({ path, code }: Pick<ReadPage, 'path' | 'code'>): NamedCommand[] {
  return code.flatMap(one => {
    if (isSpec(path) && one.is !== 'span') return []
    return commandsOf('premath', linesToRead(one)).map(({ words, line }) => ({
      words,
      line: one.line + line - 1,
    }))
  })
}

/** The text with its lines in place, and those blank that hold no command. */
function linesToRead({ text, is }: PageCode): string {
  if (is === 'span') return text
  let until: string | undefined
  let isCommand = false
  return text
    .split('\n')
    .map(line => {
      if (until !== undefined) {
        if (line.trim() === until) until = undefined
        return ''
      }
      until = /<<-?\s*['"]?(\w+)['"]?/.exec(line)?.[1]
      // The page says itself that this is wrong usage.
      if (/#\s*exits 2\b/.test(line)) return ''
      if (is === 'shell') return line
      isCommand = line.startsWith('$ ') || (isCommand && line.startsWith('> '))
      return isCommand ? line.slice(2) : ''
    })
    .join('\n')
}

/** Spans that are the path of a spec document and nothing else. Blocks may make their own. */
export const specsIn = ({ code }: Pick<ReadPage, 'code'>): readonly PageLink[] =>
  code.flatMap(({ is, text, line }) =>
    is === 'span' && /^[\w./-]+\.spec\.md$/.test(text) ? [{ target: text, line }] : [],
  )
