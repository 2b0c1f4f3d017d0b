/** Runs specs, and reruns affected cases after each change until it is stopped. */

import type { ExitCode, Live, LiveEvent, Page } from '../answer.ts'
import type { RunFlags } from '../input/spec-run-flags.ts'
import { counted } from '../kernel/text/counted.ts'
import { visible, visibleLines } from '../kernel/text/visible.ts'
import type { ProjectSeeker } from '../project/open.ts'
import { ChangeFeed } from '../project/specs/change-feed.ts'
import type { ChosenSpecs } from '../project/specs/outcomes.ts'
import { matchingCases } from '../project/specs/outcomes.ts'
import { WatchedCases } from '../project/specs/watched-cases.ts'
import { clockTime } from '../render/durations.ts'
import { isPassedOver, placeOf } from '../runner/discover.ts'
import { shownPath } from '../runner/runner-world.ts'
import type { Watching } from '../world/world.ts'
import { type RanSpecs, readChosen, runChosen, type SpecRunInput } from './spec-run-once.ts'

export async function watchSpecs(
  input: SpecRunInput,
  flags: RunFlags,
  context: ProjectSeeker,
): Promise<Live> {
  const watch = new SpecWatch(input, flags, context)
  return {
    live: watch.rounds(),
    endsUnheard: true,
    screen: () => [watch.doing],
    summary: () => '',
    exitCode: () => watch.exitCode,
  }
}

class SpecWatch {
  readonly #input: SpecRunInput
  readonly #flags: RunFlags
  readonly #context: ProjectSeeker
  readonly #feed: ChangeFeed
  readonly #cases: WatchedCases
  doing = ''
  #isUnreadable = false
  /** True after the first round. */
  #hasLooked = false
  /** The running round. */
  #round: AbortController | undefined

  constructor(input: SpecRunInput, flags: RunFlags, context: ProjectSeeker) {
    // The tree is being edited, so no witness is written.
    this.#input = { ...input, noWitness: true }
    this.#flags = flags
    this.#context = context
    this.#feed = new ChangeFeed(context.clock)
    this.#cases = new WatchedCases(context)
  }

  /** The exit code of a full run, from the last verdict of each case. */
  get exitCode(): ExitCode {
    if (this.#isUnreadable) return 2
    // A case that did not run does not pass.
    return !this.#hasLooked || this.#cases.areSomeUnseen || this.#cases.failing > 0 ? 1 : 0
  }

  async *rounds(): AsyncIterable<LiveEvent> {
    const processes = await this.#context.processes()
    const unlisten = processes.onStopSignal(() => this.#feed.stop())
    const watching = await this.#context.watch({
      changed: path => this.#changed(path),
      failed: fault => this.#feed.failed(fault),
      passesOver: isPassedOver,
    })
    try {
      // Watch before reading, so that no change is missed.
      await watching.follow(await this.#places())
      // Large folders take a while.
      if (this.#feed.isStopped) return
      yield await this.#first(watching)
      for (let batch = await this.#feed.next(); batch; batch = await this.#feed.next()) {
        const event = await this.#again(batch, watching)
        if (event) yield event
      }
    } finally {
      unlisten()
      await watching.close()
    }
  }

  #changed(path: string): void {
    if (!this.#cases.mayConcern(path)) return
    this.#feed.changed(path)
    void this.#endEarly(path)
  }

  /** Ends a round early if one of its documents changed. */
  async #endEarly(path: string): Promise<void> {
    const round = this.#round
    if (round && (await this.#cases.isOtherDocument(path))) round.abort()
  }

  async #places(): Promise<readonly string[]> {
    const paths = this.#input.path.length > 0 ? this.#input.path : ['.']
    return await Promise.all(paths.map(path => placeOf(path, this.#context)))
  }

  async #first(watching: Watching): Promise<LiveEvent> {
    const found = await readChosen(this.#input, this.#flags, this.#context)
    await this.#cases.touched(found, new Set())
    await watching.follow([...this.#cases.files])
    return await this.#run(found)
  }

  /** `undefined` if the changes affect no case. */
  async #again(batch: ReadonlySet<string>, watching: Watching): Promise<LiveEvent | undefined> {
    const really = await this.#cases.reallyChanged(batch)
    if (really.size === 0 && !this.#cases.isOwing) return undefined
    const input = { ...this.#input, failed: false }
    const found = await readChosen(input, this.#flags, this.#context, matchingCases)
    const { cases, paths } = await this.#cases.touched(found, really)
    await watching.follow([...this.#cases.files])
    if (paths.length === 0 && cases.length === 0) return undefined
    const changed = paths.map(path => shownPath(path, this.#context)).sort()
    return await this.#run({ ...found, cases, changed, idle: 'No case is affected.' })
  }

  async #run(found: ChosenSpecs): Promise<LiveEvent> {
    this.doing = `Running ${counted(found.cases.length, 'case')}…`
    const round = new AbortController()
    this.#round = round
    const asked = { input: this.#input, flags: this.#flags, isShown: false, signal: round.signal }
    const ran = await runChosen(found, asked, this.#context)
    this.#round = undefined
    const isCutOff = round.signal.aborted && ran.report.notRun > 0
    if (isCutOff) this.#cases.cutOff(ran.outcomes)
    else this.#cases.ended(ran.outcomes)
    this.#isUnreadable = ran.exitCode === 2
    this.#hasLooked = true
    this.doing = isCutOff
      ? 'A document changed while its cases ran; they run again.'
      : `Watching ${counted(this.#cases.files.size, 'file')}. Press Ctrl-C to stop.`
    return this.#event(ran, found.changed ?? [], isCutOff)
  }

  #event(ran: RanSpecs, names: readonly string[], isCutOff: boolean): LiveEvent {
    const at = this.#context.clock.now()
    const others = this.#cases.failing - ran.report.failed
    const watching = this.doing
    return {
      json: ran.report,
      ...(names.length > 0 && { clears: true }),
      line: page =>
        [
          names.length > 0 ? triggerLine(at, names, page) : '',
          ran.message === undefined ? '' : `${visibleLines(ran.message)}\n`,
          ran.page(page),
          others > 0 ? `${counted(others, 'other case')} still failing\n` : '',
          (names.length === 0 || isCutOff) && page.rows === undefined ? `${watching}\n` : '',
        ].join(''),
    }
  }
}

/** Limit for listed names. */
const namesMax = 5

function triggerLine(at: bigint, names: readonly string[], page: Page): string {
  const shown = names.slice(0, namesMax).map(visible).join(', ')
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  return `${page.ink('dim', clockTime(at))} changed: ${shown}${more}\n`
}
