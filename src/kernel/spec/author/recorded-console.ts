/** Writes a console block from the observed runs of a command. */
import { masksNamed, withMask } from '../case/masks.ts'
import { quoted } from '../case/shell-session.ts'
import { slugOf } from '../document/console-case.ts'
import { alignLines } from '../lang/align-lines.ts'
import {
  type ExpectedLine,
  expectedLines,
  linesOf,
  type TextLine,
  writtenLine,
} from '../lang/expected-lines.ts'
import { outputLine } from './edit-console.ts'
import type { RecordedCommand } from './recorded-case.ts'

export interface SeenConsole {
  readonly output: string
  readonly exitCode: number
}

/** The info string of the block. Braces hold an id and a title that the heading does not give. */
export function consoleInfo(id: string, title: string | undefined): string {
  const keys = [
    ...(slugOf(id) === id ? [] : [`id: ${JSON.stringify(id)}`]),
    ...(title === undefined ? [] : [`title: ${JSON.stringify(title.replaceAll('`', "'"))}`]),
  ]
  return keys.length === 0 ? 'console' : `console {${keys.join(', ')}}`
}

/** The text of the block. Without expected lines it only runs the command. */
export function recordedConsole(
  command: RecordedCommand,
  lines: readonly string[] = [],
  exitCode = 0,
): string {
  const [first = '', ...more] = shellLine(command).split('\n')
  const exit = exitCode === 0 ? [] : [`[exit ${exitCode}]`]
  return [`$ ${first}`, ...more.map(line => `> ${line}`), ...lines, ...exit]
    .map(line => `${line}\n`)
    .join('')
}

/** The command as text for a shell, with its variables and its stdin. */
function shellLine({ words, env, stdin }: RecordedCommand): string {
  const [program, option, script, ...others] = words
  const isScript = program === 'sh' && option === '-c' && others.length === 0
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`)
  // The block runs in a shell of its own.
  if (isScript && script !== undefined && variables.length === 0 && stdin === '') return script
  const line = [...variables, ...words.map(shellWord)].join(' ')
  if (stdin === '') return line
  if (!stdin.endsWith('\n')) return `printf %s ${quoted(stdin)} | ${line}`
  let end = 'EOF'
  while (stdin.split('\n').includes(end)) end += '_'
  return `${line} <<'${end}'\n${stdin}${end}`
}

const shellWord = (word: string): string => (/^[\w@%+:,./-]+$/.test(word) ? word : quoted(word))

/** The lines that both runs have, and `(any)` for a line that changes. */
export function recordedLines(first: string, second: string): readonly string[] {
  const seen = linesOf(first).map(
    (line): ExpectedLine => ({ ...line, kind: 'literal', written: writtenLine(line) }),
  )
  const lines: string[] = []
  let [missing, added]: [TextLine[], number] = [[], 0]
  const close = () => {
    if (missing.length === added) lines.push(...missing.map(anyLine))
    else lines.push('(any*)')
    ;[missing, added] = [[], 0]
  }
  for (const { expected, actual } of alignLines(seen, linesOf(second), () => false)) {
    if (expected === undefined) added++
    else if (actual === undefined) missing.push(expected)
    else {
      close()
      lines.push(hasTime(expected.text) ? anyLine(expected) : expected.written)
    }
  }
  close()
  const block = lines.map(line => `${line}\n`).join('')
  return expectedLines(block).map(outputLine)
}

/** The line is an example for people. */
const anyLine = ({ text }: TextLine): string => `${text} (any)`.trimStart()

/** Two runs can fall into the same second, the next run will not. */
const hasTime = (text: string): boolean =>
  masksNamed('times', { root: '', temp: undefined }).reduce(withMask, text) !== text
