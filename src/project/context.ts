import type { Page } from '../answer.ts'
import { visible } from '../kernel/text/visible.ts'
import type {
  Clock,
  Disk,
  Files,
  Processes,
  Signing,
  Watching,
  WatchListener,
  World,
} from '../world/world.ts'

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

/** The world as operations see it: everything but the streams a surface prints on. */
export function openContext(world: World): OperationContext {
  return {
    files: world.files,
    clock: world.clock,
    disk: world.disk,
    processes: world.processes,
    watch: world.watch,
    signing: world.signing,
    stdin: world.input,
    isAtTerminal: world.isAtTerminal,
    cwd: world.cwd,
    packageFolder: world.packageFolder,
    nodePath: world.nodePath,
    cores: world.cores,
    env: world.env,
    sha256: world.sha256,
    random: world.random,
    progress: line => void world.err.write(`${visible(line)}\n`),
    json: false,
    showing: async (_line, act) => await act(),
  }
}
