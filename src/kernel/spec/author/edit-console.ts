/** Replaces the output and exit codes of a console block and keeps every other character. */
import {
  type ConsoleCommand,
  isContinuation,
  isExit,
  isPrompt,
  readConsole,
} from '../document/console-block.ts'
import { lineStarts } from '../document/source-text.ts'
import { type ExpectedLine, escaped, escapedGlob, expectedLines } from '../lang/expected-lines.ts'
import type { ScalarEdit } from './edit-scalars.ts'

interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits of a block's text, or why there are none. */
export function consoleEdits(
  text: string,
  edits: readonly ScalarEdit[],
): readonly TextEdit[] | string {
  const { commands } = readConsole(text)
  const { starts } = lineStarts(text)
  const offset = (line: number) => starts[line] ?? text.length
  const strange = edits.find(({ path }) => commandAt(path) === undefined)
  if (strange !== undefined) return `${strange.path} is not written in the block`
  return commands.flatMap((command, at) => {
    const own = edits.filter(({ path }) => commandAt(path) === at)
    if (own.length === 0) return []
    const next = commands[at + 1]
    const end = next === undefined ? text.length : offset(next.line)
    const start = Math.min(offset(command.expectedLine), end)
    return [{ start, end, text: sectionText(command, own) }]
  })
}

function commandAt(path: string): number | undefined {
  const at = /^(?:commands\[(\d+)\]\.exit_code|assert\[(\d+)\]\.must\[0\]\.lines\[0\])$/.exec(path)
  return at === null ? undefined : Number(at[1] ?? at[2])
}

/** The lines after a command: its output, and an exit code other than 0. */
function sectionText(command: ConsoleCommand, edits: readonly ScalarEdit[]): string {
  const output = edits.find(({ path }) => path.startsWith('assert'))?.value
  const code = edits.find(({ path }) => path.startsWith('commands'))?.value
  const lines =
    typeof output === 'string' ? expectedLines(output).map(outputLine) : command.expected
  const exitCode = code ?? command.exitCode ?? 0
  const exit = exitCode === 0 ? [] : [`[exit ${exitCode}]`]
  return [...lines, ...exit].map(line => `${line}\n`).join('')
}

/** Text that a document cannot hold, or that a reader cannot see. */
const invisible = /[^\P{Cc}\t]|[\u2028\u2029\ufeff]/gu

/** Output that looks like a part of the block, or is invisible, is written as a pattern. */
export function outputLine({ kind, text, written, isOpen }: ExpectedLine, at: number): string {
  const end = isOpen ? ' (no-eol)' : ''
  if (kind === 'literal' && text.search(invisible) !== -1) {
    return `${escaped(text).replace(invisible, spelled)} (re)${end}`
  }
  const isPart = isPrompt(written) || isExit(written) || (at === 0 && isContinuation(written))
  return isPart && kind === 'literal' ? `\\${escapedGlob(text)} (glob)${end}` : written
}

function spelled(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}
