/** The answer of a command, for programs and for people. */

export type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** What text for people is written on. */
export interface Page {
  readonly columns: number
  /** The terminal's height; absent where the page has no end. */
  readonly rows?: number
  /** The text in that ink; as it is where colour is not wanted. */
  ink(ink: Ink, text: string): string
}

/** 0 yes or done · 1 no · 2 bad usage or input · 3 environment · 4 conflict · 5 integrity. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5

/** One value, printed as JSON or rendered for people. */
export interface Answer<Output> {
  readonly output: Output
  /** `false` when the work was done and the answer is no. */
  readonly yes: boolean
  /** For a no that is more than a 1, such as a conflict. */
  readonly exitCode?: ExitCode
  /** For the person, on standard error, whatever is printed for the program. */
  readonly talk?: string
  render(page: Page): string
}

/** Text that is ready to print, in pieces, for answers that must not be held in memory. */
export interface Stream {
  readonly stream: AsyncIterable<string>
  /** As of an answer. */
  readonly talk?: string
  /** The same as one value, for `--json`; without it the pieces are JSON already. */
  document?(): unknown
  /** Asked once, after the last piece. */
  exitCode(): ExitCode
}

/** One thing that happened while something goes on. */
export interface LiveEvent {
  /** For programs: printed as one line of JSON. Absent: they are not told. */
  readonly json?: unknown
  /** What a terminal shows is taken away before. */
  readonly clears?: boolean
  /** For people: a line that stays, or several. Absent: there is nothing to keep. */
  line?(page: Page): string
}

/**
 * What goes on for long, and tells of itself while it does. It goes on to its end also when nobody
 * can be told any more, unless it says otherwise. It reports no progress besides: that would tear the screen.
 */
export interface Live {
  readonly live: AsyncIterable<LiveEvent>
  /** As of an answer. */
  readonly talk?: string
  /** It does nothing but tell, so it ends when nobody can be told any more. */
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
