/**
 * Reads the text of a `console` block: commands after `$`, their expected output, and `[exit 1]` for
 * an exit code other than 0.
 */
import type { BlockProblem } from './block.ts'

export interface ConsoleCommand {
  /** The text for the shell, without `$` and `>`. */
  readonly run: string
  /** Its first line in the block, from 0. */
  readonly line: number
  /** The expected output, line by line, as written. */
  readonly expected: readonly string[]
  /** The line of the first expected output, also if there is none. */
  readonly expectedLine: number
  /** As written; `undefined` if the block names none. */
  readonly exitCode: number | undefined
  /** The line of the exit code. */
  readonly exitLine: number | undefined
}

export interface ConsoleBlock {
  readonly commands: readonly ConsoleCommand[]
  readonly problems: readonly BlockProblem[]
}

const prompt = '$ '
const continuation = '> '

export const isPrompt = (line: string): boolean => line === '$' || line.startsWith(prompt)
export const isContinuation = (line: string): boolean =>
  line === '>' || line.startsWith(continuation)
const exitLine = /^\[exit (\d+)\]\s*$/
export const isExit = (line: string): boolean => exitLine.test(line)

const exitCodeMax = 255

export function readConsole(text: string): ConsoleBlock {
  const reader = new ConsoleReader(text)
  return { commands: reader.commands(), problems: reader.problems }
}

class ConsoleReader {
  readonly problems: BlockProblem[] = []
  readonly #lines: readonly string[]
  #at = 0
  #offset = 0

  constructor(text: string) {
    this.#lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  }

  commands(): readonly ConsoleCommand[] {
    this.#skipLead()
    const commands: ConsoleCommand[] = []
    while (this.#at < this.#lines.length) commands.push(this.#command())
    return commands
  }

  get #line(): string | undefined {
    return this.#lines[this.#at]
  }

  #next(): string {
    const line = this.#line ?? ''
    this.#at++
    this.#offset += line.length + 1
    return line
  }

  /** Comments and blank lines may stand before the first command. */
  #skipLead(): void {
    for (let line = this.#line; line !== undefined && !isPrompt(line); line = this.#line) {
      if (!/^\s*(?:#|$)/.test(line)) this.#found(beforeCommand)
      this.#next()
    }
  }

  #command(): ConsoleCommand {
    const line = this.#at
    const at = this.#offset
    const parts = [this.#next().slice(prompt.length)]
    while (this.#line !== undefined && isContinuation(this.#line)) {
      parts.push(this.#next().slice(continuation.length))
    }
    const run = parts.join('\n')
    if (run.trim() === '') this.#found(emptyCommand, at)
    const expectedLine = this.#at
    const expected: string[] = []
    while (this.#line !== undefined && !isPrompt(this.#line) && !isExit(this.#line)) {
      expected.push(this.#next())
    }
    return { run, line, expected, expectedLine, ...this.#exit() }
  }

  #exit(): Pick<ConsoleCommand, 'exitCode' | 'exitLine'> {
    const written = exitLine.exec(this.#line ?? '')?.[1]
    if (written === undefined) return { exitCode: undefined, exitLine: undefined }
    const exitCode = Number(written)
    if (exitCode > exitCodeMax) this.#found(exitTooLarge)
    const line = this.#at
    this.#next()
    let isReported = false
    while (this.#line !== undefined && !isPrompt(this.#line)) {
      if (this.#line.trim() !== '' && !isReported) {
        this.#found(afterExit)
        isReported = true
      }
      this.#next()
    }
    return { exitCode, exitLine: line }
  }

  #found(problem: Omit<BlockProblem, 'offset'>, offset = this.#offset): void {
    this.problems.push({ offset, ...problem })
  }
}

const beforeCommand: Omit<BlockProblem, 'offset'> = {
  code: 'console.before_command',
  message: 'this line stands before the first command',
  hint: 'Start a command with `$` and a space, and a comment before it with `#`.',
}

const emptyCommand: Omit<BlockProblem, 'offset'> = {
  code: 'console.empty_command',
  message: 'there is no command after `$`',
  hint: 'Write the command on the same line.',
}

const exitTooLarge: Omit<BlockProblem, 'offset'> = {
  code: 'console.exit_code',
  message: `an exit code is at most ${exitCodeMax}`,
}

const afterExit: Omit<BlockProblem, 'offset'> = {
  code: 'console.after_exit',
  message: 'this line stands after the exit code of its command',
  hint: 'Move the [exit …] line below the last line of output.',
}
