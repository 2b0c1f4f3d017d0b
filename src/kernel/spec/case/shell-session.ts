/**
 * Several commands in one shell. The folder, variables and functions of one command are those of the
 * next. After each command the shell prints a separator with the exit code, which tells the outputs
 * apart.
 */

export interface SessionCommand {
  /** Text for the shell. */
  readonly run: string
  /** The expected exit code. */
  readonly exitCode: number
}

export interface SessionResult {
  /** stdout and stderr together. */
  readonly output: string
  readonly exitCode: number
}

/** The subject with the output of one command. */
export const outputOf = (at: number): string => `output[${at}]`

/**
 * The text for `sh -c`. `mark` must not appear in any output. `eval` keeps an open quote from
 * reaching the next command, and `command` keeps a syntax error from ending the shell. The last line
 * of each pair restores `$?`.
 */
export function sessionScript(commands: readonly SessionCommand[], mark: string): string {
  const lines = commands.flatMap(({ run }, at) => [
    `command eval ${quoted(run)}`,
    `eval "command printf '\\n%s\\n' '${mark} ${at} $?'; [ $? = 0 ] || (exit $?)"`,
  ])
  return lines.join('\n')
}

/** One word of a shell command. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * The results of the commands that ran. If the shell ended early, its last command has the exit code
 * of the shell, and later commands have no result.
 */
export function sessionResults(
  printed: string,
  shellExitCode: number,
  count: number,
  mark: string,
): readonly SessionResult[] {
  const results: SessionResult[] = []
  let rest = printed
  for (let at = 0; at < count; at++) {
    const separator = new RegExp(`\\n${mark} ${at} (\\d+)\\n`).exec(rest)
    if (separator === null) {
      return [...results, { output: rest, exitCode: shellExitCode }]
    }
    const output = rest.slice(0, separator.index)
    rest = rest.slice(separator.index + separator[0].length)
    results.push({ output, exitCode: Number(separator[1]) })
  }
  // An exit trap prints after the last separator.
  const last = results.pop()
  return last === undefined ? [] : [...results, { ...last, output: last.output + rest }]
}
