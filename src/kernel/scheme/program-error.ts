/** An error in a program, with its place. */

export interface ProgramError {
  readonly message: string
  readonly hint: string
  readonly line: number
  readonly column: number
}

/** An error at an offset of the text, found while the program is read or compiled. */
export class ErrorAt {
  readonly at: number
  readonly message: string
  readonly hint: string
  /** The text ends too early, and more of it may complete the program. */
  readonly isIncomplete: boolean

  constructor(at: number, message: string, hint: string, isIncomplete = false) {
    this.at = at
    this.message = message
    this.hint = hint
    this.isIncomplete = isIncomplete
  }
}

/** Line and column of an offset, both from 1. Columns count characters. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let end = before.indexOf('\n'); end !== -1; end = before.indexOf('\n', end + 1)) line++
  return { line, column: [...before.slice(lineStart)].length + 1 }
}
