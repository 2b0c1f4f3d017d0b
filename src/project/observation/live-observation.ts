/** The surface of a project in memory, built again when its inputs change. */
import { Fault } from '../../fault.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { readSurface, type WrittenSurface } from '../../kernel/observation/read-surface.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import { ObservationSurface } from '../../wire/observation/surface.ts'
import type { Project } from '../open.ts'
import { ChangeFeed } from '../specs/change-feed.ts'
import { buildObservation, type ObservationInput } from './build-observation.ts'
import { CachedParts } from './cached-parts.ts'

export interface LiveSurface {
  readonly surface: ObservationSurface
  /** For the modes of `premath observe`. */
  readonly written: WrittenSurface
}

/** The surface, or why it could not be built. */
export interface Seen {
  /** Differs when something but the time of the question differs. */
  readonly digest: string
  readonly now: LiveSurface | { readonly fault: Fault }
}

/** Branches and worktrees lie outside of the watched folders. */
const rebuildSeconds = 30
const tickMs = 250
/** Streams of events send something this often, so that a dead connection is noticed. */
const ticksPerBeat = 60

/** Files that are written all the time and say nothing. */
const passedOver: readonly string[] = ['cache', 'steps', 'worktrees', 'instructions']

export class LiveObservation {
  readonly #project: Project
  readonly #input: Omit<ObservationInput, 'at'>
  readonly #parts = new CachedParts()
  readonly #feed: ChangeFeed
  readonly #waiting = new Set<() => void>()
  #seen: Seen
  #builtAt = 0n

  private constructor(project: Project, input: Omit<ObservationInput, 'at'>, seen: Seen) {
    this.#project = project
    this.#input = input
    this.#feed = new ChangeFeed(project.clock)
    this.#seen = seen
  }

  static async open(project: Project, input: Omit<ObservationInput, 'at'>) {
    const live = new LiveObservation(project, input, unseen)
    await live.#build()
    return live
  }

  get seen(): Seen {
    return this.#seen
  }

  stop(): void {
    this.#feed.stop()
    this.#wake()
  }

  /** Returns after a change, a beat, or the end of the caller. */
  async next(gone: AbortSignal): Promise<void> {
    if (gone.aborted || this.#feed.isStopped) return
    await new Promise<void>(resolve => {
      const done = () => {
        this.#waiting.delete(done)
        gone.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      gone.addEventListener('abort', done)
    })
  }

  get isStopped(): boolean {
    return this.#feed.isStopped
  }

  /** Builds the surface again after each change, until it is stopped. Yields each new one. */
  async *changes(): AsyncIterable<Seen> {
    const watching = await this.#project.watch({
      changed: path => this.#feed.changed(path),
      failed: fault => this.#feed.failed(fault),
      passesOver: name => passedOver.includes(name) || name.endsWith('.lock'),
    })
    try {
      const { at } = this.#project
      await watching.follow([at('.premath'), at('artifacts/ciwitness')])
      void this.#tick()
      while ((await this.#feed.next()) !== undefined) {
        const { digest } = this.#seen
        await this.#build()
        if (this.#seen.digest === digest) continue
        this.#wake()
        yield this.#seen
      }
    } finally {
      this.stop()
      await watching.close()
    }
  }

  async #build(): Promise<void> {
    const at = this.#project.clock.now()
    this.#builtAt = at
    this.#seen = await this.#look(at)
  }

  /** A witness that cannot be read is an answer here: the next change may repair it. */
  async #look(at: bigint): Promise<Seen> {
    const { sha256 } = this.#project
    try {
      const project = this.#project.reopened()
      const surface = await buildObservation(project, { ...this.#input, at }, this.#parts)
      this.#parts.settle()
      const document = documentOf(ObservationSurface, surface)
      const written = readSurface(document)
      if ('why' in written) throw new Fault('corrupt', `the surface is invalid: ${written.why}`)
      return { digest: digestOf(surface, sha256), now: { surface, written } }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { digest: sha256(error.message), now: { fault: error } }
    }
  }

  /** Asks for a build when a lease has ended, and once in a while. */
  async #tick(): Promise<void> {
    for (let ticks = 1; !this.#feed.isStopped; ticks++) {
      await this.#project.clock.sleep(tickMs)
      const now = this.#project.clock.now()
      // A clock that was set back changes how long leases last.
      if (now >= this.#dueAt() || now < this.#builtAt) this.#feed.changed('')
      if (ticks % ticksPerBeat === 0) this.#wake()
    }
  }

  #dueAt(): bigint {
    const { now } = this.#seen
    const leases = 'surface' in now ? (now.surface.harness?.leases ?? []) : []
    const ends = leases.flatMap(({ expiresAt }) => instantOf(expiresAt ?? '') ?? [])
    const usual = this.#builtAt + seconds(rebuildSeconds)
    const sooner = ends.filter(end => end > this.#builtAt && end < usual)
    return sooner.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? usual
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }
}

const unseen: Seen = {
  digest: '',
  now: { fault: new Fault('unavailable', 'the surface is not built yet') },
}

/** Without the times at which it was evaluated. */
function digestOf(surface: ObservationSurface, sha256: (text: string) => string): string {
  const { evaluatedAt: _, ...rest } = documentOf(ObservationSurface, surface)
  return sha256(canonicalJson(rest).replace(/"referenceTime":"[^"]*"/g, ''))
}
