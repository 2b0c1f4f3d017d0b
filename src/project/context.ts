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
  /** Whether stdin is a terminal. */
  isAtTerminal(): boolean
  /** The working folder. */
  cwd(): string
  /** The folder premath is installed in. */
  packageFolder(): string
  /** The Node that runs premath. */
  nodePath(): string
  /** The number of processor cores. */
  cores(): number
  readonly env: Readonly<Record<string, string | undefined>>
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
  /** Sixteen random hexadecimal digits. */
  random(): string
  /** Prints a progress line. */
  progress(line: string): void
  /** True with --json: stdout gets one JSON value. */
  readonly json: boolean
  /**
   * Awaits `act` and shows `line` as a status line meanwhile. Without a terminal, `line` is never
   * called.
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
