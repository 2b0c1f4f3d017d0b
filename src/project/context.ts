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

/** Every effect that an operation may use. Operations use no globals. */
export interface OperationContext {
  readonly files: Files
  readonly clock: Clock
  /** Loaded at the first call. */
  disk(): Promise<Disk>
  /** Loaded at the first call. */
  processes(): Promise<Processes>
  /** Loaded at the first call. */
  watch(listener: WatchListener): Promise<Watching>
  /** Loaded at the first call. */
  signing(): Promise<Signing>
  readonly stdin: AsyncIterable<Uint8Array>
  /** Whether stdin is a terminal. */
  isAtTerminal(): boolean
  /** The working folder. */
  cwd(): string
  /** The folder premath is installed in. */
  packageFolder(): string
  /** The path of the running Node. */
  nodePath(): string
  /** The number of processor cores. */
  cores(): number
  readonly env: Readonly<Record<string, string | undefined>>
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  sha256(text: string): string
  /** Sixteen random hexadecimal digits. */
  random(): string
  /** Prints a progress message to stderr. */
  progress(line: string): void
  /** `--json`: stdout gets one JSON value and nothing else. */
  readonly json: boolean
  /**
   * Awaits `act` and keeps the last line of the terminal up to date with `line` meanwhile. Without a
   * terminal `line` is never called.
   */
  showing<T>(line: (page: Page) => string, act: () => Promise<T>): Promise<T>
}

/** The world without the streams that the command line prints to. */
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
