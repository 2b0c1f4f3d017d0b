/**
 * What one operation is: plain data and one function. The command line, its help, the completions
 * and the reference page are all read off this declaration. It is data and not a schema library's
 * object because the command line reads it at every start.
 */
import type {
  Clock,
  Disk,
  Files,
  Processes,
  Signing,
  Watching,
  WatchListener,
} from '../world/world.ts'

/** How `premath --help` sorts commands: by what a person came to do, in this order. */
export const groups = {
  issue: 'Work with issues',
  dep: 'Order the work',
  harness: 'Run an agent, step by step',
  project: 'Set up and look after a project',
  gate: 'Judge a turn',
  instruction: 'Work under instructions',
  spec: 'Run executable specs',
  witness: 'Verify what was done',
  conformance: 'Prove conformance',
  reference: 'Look things up',
  shell: 'Set up the shell',
} as const

export type Group = keyof typeof groups

interface FieldBase {
  /** One line, for help and the reference page. */
  readonly describe: string
  /** What stands for the value in help: `file` is printed as `<file>`. */
  readonly placeholder?: string
  readonly required?: boolean
  /** May be given any number of times; the operation receives a list. */
  readonly many?: boolean
  /** Given by place instead of by name. Fields fill up in order; only the last may be `many`. */
  readonly positional?: boolean
}

export interface TextField extends FieldBase {
  readonly type: 'text'
  readonly default?: string
  /** The value names a file or folder, so the shell completes paths. */
  readonly path?: boolean
  /** The words behind `--`, whatever they look like: a command to run. By place, and `many`. */
  readonly behindDashes?: boolean
}

export interface CountField extends FieldBase {
  readonly type: 'count'
  readonly default?: number
}

/** A decimal number that is not negative. */
export interface NumberField extends FieldBase {
  readonly type: 'number'
  readonly default?: number
}

export interface ChoiceField extends FieldBase {
  readonly type: 'choice'
  readonly values: readonly string[]
  readonly default?: string
}

export interface FlagField {
  readonly type: 'flag'
  readonly describe: string
}

export type Field = TextField | CountField | NumberField | ChoiceField | FlagField

/** By name in camelCase; the flag is the same words with dashes. */
export type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field> = F extends FlagField
  ? boolean
  : F extends CountField | NumberField
    ? number
    : F extends ChoiceField
      ? F['values'][number]
      : string

type Given<F extends Field> = F extends { readonly many: true }
  ? readonly ValueOf<F>[]
  : F extends FlagField | { readonly required: true } | { readonly default: string | number }
    ? ValueOf<F>
    : ValueOf<F> | undefined

/** What an operation receives for the fields it declares. */
export type InputOf<F extends Fields> = { readonly [Name in keyof F]: Given<F[Name]> }

/** Everything an operation may touch. Nothing is reached for globally. */
export interface OperationContext {
  readonly files: Files
  readonly clock: Clock
  /** Loaded when it is asked for. */
  disk(): Promise<Disk>
  /** Loaded when it is asked for. */
  processes(): Promise<Processes>
  /** Loaded when it is asked for. */
  watch(listener: WatchListener): Promise<Watching>
  /** Loaded when it is asked for. */
  signing(): Promise<Signing>
  readonly stdin: AsyncIterable<Uint8Array>
  /** Whether standard input is a terminal, so that somebody can type. */
  isAtTerminal(): boolean
  /** The working folder. */
  cwd(): string
  /** The folder premath is installed in. */
  packageFolder(): string
  /** The Node that runs premath. */
  nodePath(): string
  /** How many things the machine can do at the same time. */
  cores(): number
  readonly env: Readonly<Record<string, string | undefined>>
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
  /** Sixteen hexadecimal digits that nobody can foresee. */
  random(): string
  /** Tells whoever waits what is being done, while it is done. */
  progress(line: string): void
  /** Whether a program asked: all that standard output gets is one JSON value. */
  readonly json: boolean
  /**
   * Awaits `act`, and shows what `line` says on the last line of a terminal meanwhile, over and
   * over. Where nobody looks, `line` is never asked.
   */
  showing<T>(line: (page: Page) => string, act: () => Promise<T>): Promise<T>
}

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

export interface Example {
  readonly command: string
  readonly shows: string
}

export interface Operation<Input extends Fields = Fields, Output = unknown> {
  readonly group: Group
  /** One line, for lists. */
  readonly summary: string
  /** A few sentences, for the command's own help and its place in the reference. */
  readonly description?: string
  /** It goes on for long: under `--json` whatever it says, a refusal too, is one line. */
  readonly isLive?: true
  /** `projection` writes artifacts derived from memory; `mutation` changes issue memory. */
  readonly effect: 'read' | 'projection' | 'mutation'
  /** The route that the contracts name it by, such as `op/harness.session_read`. */
  readonly opId?: string
  readonly input: Input
  readonly examples: readonly Example[]
  run(input: InputOf<Input>, context: OperationContext): Promise<Outcome<Output>>
}

/** By command words; the operation is loaded when it is asked for. */
export type Operations = Readonly<Record<string, () => Promise<Operation>>>

export function operation<const Input extends Fields, Output>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition
}
