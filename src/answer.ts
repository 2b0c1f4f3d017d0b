/** The answer of a command, for programs and for people. */

export type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** The output medium for people: its size and its colours. */
export interface Page {
  readonly columns: number
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
  /** A message for stderr, with and without `--json`. */
  readonly talk?: string
  render(page: Page): string
}

/** Printable text in chunks, for answers that are too large for memory. */
export interface Stream {
  readonly stream: AsyncIterable<string>
  /** As for an answer. */
  readonly talk?: string
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
  readonly talk?: string
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
