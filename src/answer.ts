/** The answer of a command, for programs and for people. */

export type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** The output medium for people: its size and its colours. */
export interface Page {
  readonly columns: number
  /** A file or a pipe of no set width: sentences wrap at `columns`, and rows are never cut. */
  readonly keepsRows?: true
  /** The terminal's height; absent for a file or a pipe. */
  readonly rows?: number
  /** Colours the text; returns it unchanged if colour is off. */
  ink(ink: Ink, text: string): string
}

/** 0 yes or done · 1 no · 2 bad usage or input · 3 environment · 4 conflict · 5 integrity. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5

/** One value, printed as JSON or rendered for people. */
export interface Answer<Output> {
  readonly output: Output
  /** `false` if the command succeeded and its verdict is negative. */
  readonly yes: boolean
  /** The exit code if it is not 0 or 1, for example for a conflict. */
  readonly exitCode?: ExitCode
  /** The reason of a refused or failed command, added to `output` with `--json`. */
  readonly error?: CommandError
  /** A message for stderr, with and without `--json`. */
  readonly message?: string
  /** Workflow commands of GitHub, printed last and as they are. Their values are escaped. */
  readonly annotations?: { readonly text: string; readonly to: 'out' | 'err' }
  render(page: Page): string
}

/** Why a command was refused or failed. */
export interface CommandError {
  /** A fault code or a failure class. */
  readonly code: string
  readonly message: string
  /** The next step for the user. */
  readonly hint?: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The JSON answer of every command that is refused or fails. */
export const errorOutput = (output: object, error: CommandError, exitCode: ExitCode) => ({
  ...output,
  error,
  exitCode,
})

interface Refusal {
  readonly failureClasses: readonly string[]
  /** The failure class that the diagnostic is about; the first one if absent. */
  readonly code?: string
  readonly diagnostic: string
  readonly remedy: string
  readonly exitCode?: ExitCode
}

/** The answer of a command that changed nothing because it was refused. */
export function refusedAnswer(
  output: { readonly action: string; readonly [member: string]: unknown },
  { failureClasses, diagnostic, remedy, exitCode = 1, ...refusal }: Refusal,
): Answer<Readonly<Record<string, unknown>>> {
  const code = refusal.code ?? failureClasses[0] ?? 'rejected'
  return {
    output: { ...output, diagnostic, failureClasses, remedy, result: 'rejected' },
    error: { code, message: diagnostic, hint: remedy },
    yes: false,
    exitCode,
    message: `error: ${diagnostic} (${code})\n  ${remedy}`,
    render: () => '',
  }
}

/** Printable text in chunks, for answers that are too large for memory. */
export interface Stream {
  readonly stream: AsyncIterable<string>
  /** As for an answer. */
  readonly message?: string
  /** The whole as one value, for `--json`; absent if the chunks are JSON already. */
  document?(): unknown
  /** Asked once, after the last piece. */
  exitCode(): ExitCode
}

/** One event of a long-running command. */
export interface LiveEvent {
  /** Printed as one line of JSON with `--json`; absent events are skipped. */
  readonly json?: unknown
  /** Clears the terminal before this event. */
  readonly clears?: boolean
  /** Permanent lines for people, if any. */
  line?(page: Page): string
}

/**
 * A long-running command that reports events. It runs to its end even if its output is closed,
 * unless `endsUnheard` is set. It must not print progress as well, which would break the screen.
 */
export interface Live {
  readonly live: AsyncIterable<LiveEvent>
  /** As for an answer. */
  readonly message?: string
  /** The command only reports, so it ends when its output is closed. */
  readonly endsUnheard?: true
  /**
   * For people at a terminal: what is going on, one entry a line, drawn over and over below the
   * lines that stay. What the page has no room for is cut. `now` is what the clock says.
   */
  screen(page: Page, now: bigint): readonly string[]
  /** For people, after the last event. */
  summary(page: Page): string
  /** Asked once, after the last event. */
  exitCode(): ExitCode
}

export type Outcome<Output> = Answer<Output> | Stream | Live
