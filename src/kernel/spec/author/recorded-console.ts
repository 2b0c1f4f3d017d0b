/** Writes a console block from the observed runs of a command. */
import { type MaskedFolders, type MaskName, maskNames } from '../case/masks.ts'
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
import { masked, neededMasks } from './recorded-output.ts'

export interface SeenConsole {
  readonly output: string
  readonly exitCode: number
}

/** The info string of the block. Braces hold what the heading does not give. */
export function consoleInfo(
  id: string,
  title: string | undefined,
  masks: readonly MaskName[] = [],
): string {
  const keys = [
    ...(slugOf(id) === id ? [] : [`id: ${JSON.stringify(id)}`]),
    ...(title === undefined ? [] : [`title: ${JSON.stringify(title.replaceAll('`', "'"))}`]),
    ...(masks.length === 0 ? [] : [`harness: {masks: [${masks.join(', ')}]}`]),
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

export interface RecordedLines {
  readonly masks: readonly MaskName[]
  readonly lines: readonly string[]
}

/** The masked lines that both runs have, and `(any)` for a line that still changes. */
export function recordedLines(
  first: string,
  second: string,
  folders: MaskedFolders,
): RecordedLines {
  const masks = consoleMasks([first, second], folders)
  const [one = '', other = ''] = [first, second].map(text => masked(text, masks, folders))
  const seen = linesOf(one).map(
    (line): ExpectedLine => ({ ...line, kind: 'literal', written: writtenLine(line) }),
  )
  const lines: string[] = []
  let [missing, added]: [TextLine[], number] = [[], 0]
  const close = () => {
    if (missing.length === added) lines.push(...missing.map(anyLine))
    else lines.push('(any*)')
    ;[missing, added] = [[], 0]
  }
  for (const { expected, actual } of alignLines(seen, linesOf(other), () => false)) {
    if (expected === undefined) added++
    else if (actual === undefined) missing.push(expected)
    else {
      close()
      lines.push(expected.written)
    }
  }
  close()
  const block = lines.map(line => `${line}\n`).join('')
  return { masks, lines: expectedLines(block).map(outputLine) }
}

/** Two runs can fall into the same second or day, the next run will not. */
function consoleMasks(texts: readonly [string, string], folders: MaskedFolders) {
  const needed = neededMasks([texts], folders)
  const hasTime = texts.some(text => masked(text, ['times'], folders) !== text)
  return maskNames.filter(name => needed.includes(name) || (name === 'times' && hasTime))
}

/** The line is an example for people. */
const anyLine = ({ text }: TextLine): string => `${text} (any)`.trimStart()
