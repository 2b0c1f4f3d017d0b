import type { Page } from '../answer.ts'
import { Secrets } from '../kernel/text/secrets.ts'
import { visible } from '../kernel/text/visible.ts'
import type { CallOrigin } from '../wire/issue/call-origin.ts'
import type { World } from '../world/world.ts'
import { resolvePath } from './paths.ts'
import type { ProjectPlace } from './root.ts'

/** Every effect that an operation may use. Operations use no globals. */
export interface OperationContext extends Omit<World, 'input' | 'out' | 'err'> {
  readonly stdin: World['input']
  /** Prints a progress message to stderr. */
  progress(line: string): void
  /** The path of the key that the user names for signing. No command that premath runs gets it. */
  readonly signingKey: string | undefined
  /** Where the request comes from. The policy has a mode for each. */
  readonly surface: 'cli' | 'mcp'
  /** The tool call that the request came by. */
  readonly origin?: CallOrigin
  /** Documents that came with the request, by the names that stand for their paths. */
  readonly documents?: ReadonlyMap<string, Uint8Array>
  /** `--json`: stdout gets one JSON value and nothing else. */
  readonly json: boolean
  /** The project of the working folder, if it was looked for already. */
  readonly place?: ProjectPlace
  /** Issue memory that a resident process keeps between questions, by path. */
  readonly keptMemory?: Map<string, object>
  /** Hidden in everything that the command prints or reports. */
  readonly secrets: Secrets
  /**
   * Awaits `act` and keeps the last line of the terminal up to date with `line` meanwhile. Without a
   * terminal `line` is never called.
   */
  withStatusLine<T>(line: (page: Page) => string, act: () => Promise<T>): Promise<T>
  /** Asks the person at the terminal; `undefined` without a terminal, in CI and with `--json`. */
  asker(): Asker | undefined
  /**
   * Asks about a change that no proof backs. Only whether stdin and stderr are terminals decides: no
   * variable and no flag makes or hides one.
   */
  confirmer(): Asker | undefined
}

/** Prints a question and returns the answer without white space around it; `undefined` at its end. */
export type Asker = (question: string) => Promise<string | undefined>

const signingVariable = 'PREMATH_SIGNING_KEY'

/** The world without the streams that the command line prints to. */
export function openContext(
  { input, out: _, err, env: given, ...world }: World,
  secrets = new Secrets(),
): OperationContext {
  const { [signingVariable]: signingKey, ...env } = given
  return {
    ...world,
    // Commands inherit this environment.
    env: signingKey === undefined ? given : env,
    // Workers run in other folders.
    signingKey: signingKey ? resolvePath(world.cwd(), signingKey) : undefined,
    stdin: input,
    secrets,
    progress: line => void err.write(`${visible(secrets.text(line))}\n`),
    surface: 'cli',
    json: false,
    withStatusLine: async (_line, act) => await act(),
    asker: () => undefined,
    confirmer: () => undefined,
  }
}
