/** One run over a set of documents: the state its cases share. */
import {
  type Environment,
  healthVariable,
  inheritedEnvironment,
  isSafeMode,
} from '../kernel/spec/case/environment.ts'
import { textsIn } from '../kernel/spec/case/requires.ts'
import type { ChainGraph } from '../kernel/spec/chain/chain-graph.ts'
import type { ContractPath } from '../kernel/spec/contract-path.ts'
import type { Problem, RawCase } from '../kernel/spec/document/raw-case.ts'
import { oauthIn } from '../kernel/spec/http/oauth.ts'
import { Secrets } from '../kernel/text/secrets.ts'
import type { SpecCaseTimes } from '../wire/spec/spec-report.ts'
import type { Clock, HttpClient, Processes, RunningCommand, World } from '../world/world.ts'
import { CaseRecord, type Recording } from './case-record.ts'
import type { CaseHarness } from './cases/case-harness.ts'
import { ContractRoots } from './contract-roots.ts'
import type { ExternalResolver } from './external-reference.ts'
import { Libraries } from './libraries.ts'
import type { LoadedDocument } from './load-documents.ts'
import { namedCredentials } from './oauth-credentials.ts'
import { OAuthTokens } from './oauth-tokens.ts'
import type { Observer } from './observation.ts'
import { PreparedCases } from './prepared-case.ts'
import { SpecRegex } from './regex/spec-regex.ts'
import { ConcurrencyKeys } from './run-plan.ts'
import type { RunnerWorld } from './runner-world.ts'

interface RunWorld extends RunnerWorld {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly startTimer: World['startTimer']
  processes(): Promise<Processes>
  http(): Promise<HttpClient>
  freePort(): Promise<number>
  sha256(content: string | Uint8Array): string
  readonly random: World['random']
}

interface RunSetup {
  readonly world: RunWorld
  readonly documents: readonly LoadedDocument[]
  readonly graph: ChainGraph
  problemsOf(raw: RawCase): readonly Problem[]
  readonly harnesses: ReadonlyMap<string, CaseHarness>
  /** The capabilities of this runner. */
  readonly capabilities: ReadonlySet<string>
  readonly resolvers?: readonly ExternalResolver[]
  /** The level of recording; none by default. */
  readonly recording?: Recording | undefined
  readonly observer?: Observer | undefined
  /** Values of `{{var.name}}`. */
  readonly variables?: ReadonlyMap<string, string> | undefined
  /** Hidden in everything that is shown. */
  readonly secrets?: Secrets | undefined
  /** Whether cases may write files of the contract root. */
  readonly writes?: boolean | undefined
  /** How often each case runs; default 1. */
  readonly repeat?: number | undefined
}

const nanosPerMilli = 1_000_000
const noLocks: readonly string[] = []

export class SpecRun {
  readonly world: RunWorld
  readonly graph: ChainGraph
  readonly problemsOf: RunSetup['problemsOf']
  readonly harnesses: RunSetup['harnesses']
  readonly observer: Observer | undefined
  readonly variables: ReadonlyMap<string, string>
  /** A harness adds the secrets that it meets, such as a token. */
  readonly secrets: Secrets
  readonly writes: boolean
  /** Paths of the files that cases wrote. */
  readonly written: ContractPath[] = []
  readonly prepared: PreparedCases
  readonly regex = new SpecRegex()
  readonly roots: ContractRoots
  readonly libraries: Libraries
  readonly keys = new ConcurrencyKeys()
  /**
   * The environment of commands. Copied once, because reading Node's own costs a system call per
   * variable.
   */
  readonly inheritedEnv: Environment
  readonly safeMode: boolean
  /** The assertion health mode of cases that set none. */
  readonly healthMode: string
  /** The duration of each case over all attempts. */
  readonly times = new Map<RawCase, SpecCaseTimes>()
  readonly #recording: Recording | undefined
  readonly #documents = new Map<RawCase, LoadedDocument>()
  readonly #wanted = new Map<RawCase, Set<string>>()
  readonly #commands = new Set<RunningCommand>()
  readonly #ports = new Set<number>()
  #http: Promise<HttpClient> | undefined
  #began: bigint | undefined
  #stopped = false
  #interrupted = false
  #unlisten: (() => void) | undefined

  constructor({ world, documents, graph, problemsOf, harnesses, ...setup }: RunSetup) {
    this.world = world
    this.graph = graph
    this.problemsOf = problemsOf
    this.harnesses = harnesses
    this.inheritedEnv = { ...inheritedEnvironment(world.env) }
    this.safeMode = isSafeMode(world.env)
    this.healthMode = world.env[healthVariable]?.trim() || 'ignore'
    this.#recording = setup.recording
    this.observer = setup.observer
    this.variables = setup.variables ?? new Map()
    this.secrets = setup.secrets ?? new Secrets()
    this.writes = setup.writes ?? false
    this.prepared = new PreparedCases((setup.repeat ?? 1) > 1)
    this.roots = new ContractRoots(world)
    this.libraries = new Libraries({
      world,
      roots: this.roots,
      startTimer: world.startTimer,
      regex: this.regex,
      offered: setup.capabilities,
      resolvers: setup.resolvers ?? [],
    })
    for (const document of documents) {
      for (const raw of document.cases) {
        this.#documents.set(raw, document)
        // Another case may print them before the one that names them runs.
        const oauth = oauthIn(raw.value)
        if (oauth) namedCredentials(oauth, this)
        for (const { step, cases } of graph.stepsOf(raw)) {
          for (const needed of cases) this.#want(needed, step.exports)
        }
      }
    }
  }

  /** Milliseconds since the first call. */
  readonly now = (): number => {
    const now = this.world.clock.steady()
    this.#began ??= now
    return Number(now - this.#began) / nanosPerMilli
  }

  readonly tokens = new OAuthTokens(this.now)

  /** `undefined` if nothing is recorded. */
  newRecord(): CaseRecord | undefined {
    return (
      this.#recording && new CaseRecord(this.#recording, this.now, this.inheritedEnv, this.secrets)
    )
  }

  recorded(raw: RawCase, { times }: CaseRecord): void {
    const before = this.times.get(raw)
    this.times.set(raw, {
      compilingMs: times.compilingMs + (before?.compilingMs ?? 0),
      chainMs: times.chainMs + (before?.chainMs ?? 0),
      effectsMs: times.effectsMs + (before?.effectsMs ?? 0),
      assertionsMs: times.assertionsMs + (before?.assertionsMs ?? 0),
    })
  }

  documentOf(raw: RawCase): LoadedDocument {
    const document = this.#documents.get(raw)
    if (document === undefined) throw new Error(`${raw.id} belongs to no document of this run`)
    return document
  }

  /** Cases with a common lock never run at the same time. */
  locksOf({ type, value }: RawCase): readonly string[] {
    const own = value.get('concurrency')
    const locks = this.harnesses.get(type)?.locks
    if (own === undefined && locks === undefined) return noLocks
    const named = typeof own === 'string' ? [own] : textsIn(value, 'concurrency')
    return [...new Set([...named, ...(locks?.(value) ?? [])])]
  }

  /** Targets that other cases export; `undefined` if there are none. */
  wantedOf(raw: RawCase): Iterable<string> | undefined {
    return this.#wanted.get(raw)
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** True if a signal or the caller stopped the run. */
  get interrupted(): boolean {
    return this.#interrupted
  }

  /** Ends the running commands. No further case starts. */
  stop(): void {
    this.#stopped = true
    for (const command of this.#commands) command.stop()
    this.#closeHttp()
  }

  /** One client for all cases, so that they share connections. */
  http(): Promise<HttpClient> {
    this.#http ??= this.#openHttp()
    if (this.#stopped) this.#closeHttp()
    return this.#http
  }

  async #openHttp(): Promise<HttpClient> {
    // Listen before sending: a stop right after the start must still end the request.
    this.listen(await this.world.processes())
    return await this.world.http()
  }

  /** A port that no other case of this run gets. */
  async freePort(): Promise<number> {
    const port = await this.world.freePort()
    if (this.#ports.has(port)) return await this.freePort()
    this.#ports.add(port)
    return port
  }

  #closeHttp(): void {
    void this.#http?.then(client => client.close())
  }

  #interrupt(): void {
    this.#interrupted = true
    this.stop()
  }

  /** From now on, a signal to this process stops the run. */
  listen(processes: Processes): void {
    this.#unlisten ??= processes.onStopSignal(() => this.#interrupt())
  }

  /** Ends the command if the run stops, until the returned function is called. */
  running(command: RunningCommand): () => void {
    this.#commands.add(command)
    if (this.#stopped) command.stop()
    return () => this.#commands.delete(command)
  }

  close(): void {
    this.#unlisten?.()
    this.#closeHttp()
    this.regex.close()
  }

  #want(needed: RawCase, exports: readonly { readonly fromTarget: string }[]): void {
    if (exports.length === 0) return
    const targets = this.#wanted.get(needed) ?? new Set()
    for (const { fromTarget } of exports) targets.add(fromTarget)
    this.#wanted.set(needed, targets)
  }
}
