/**
 * The trajectory: one line a step, only ever appended to. Who appends needs no lock, because a line
 * is one write. Who asks reads the blocks that the question needs, and what no index covers yet.
 */
import { Fault } from '../../fault.ts'
import { printStepRow, type StepRow, stepLineBytesMax } from '../../kernel/harness/step/step-row.ts'
import { belongsTo, passes } from '../../kernel/harness/step/trajectory.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { isTorn, openToAppend } from '../line-log.ts'
import {
  answer,
  blocksFor,
  countIn,
  hasStep,
  type StepAnswer,
  type StepQuestion,
} from './step-answer.ts'
import { type CachePlace, cachedBytesMin, endOf, StepCache } from './step-cache.ts'
import type { StepFile } from './step-file.ts'
import type { OpenIndex } from './step-index.ts'
import type { TornTail } from './step-lines.ts'
import { type BadLines, StepView } from './step-view.ts'

export interface TrajectoryLogOptions {
  readonly disk: Disk
  readonly path: string
  /** Where an index is kept; without it every question reads all. */
  readonly cache?: CachePlace | undefined
}

/** What a reader of the file has to know besides the rows. */
export interface TrajectoryState {
  readonly bad: BadLines
  /** A last line that was never finished. It is no row, and no error. */
  readonly torn: TornTail | undefined
}

const attemptsMax = 3

export class TrajectoryLog {
  readonly path: string
  readonly #disk: Disk
  readonly #cache: StepCache | undefined

  constructor({ disk, path, cache }: TrajectoryLogOptions) {
    this.path = path
    this.#disk = disk
    this.#cache = cache && new StepCache(disk, cache)
  }

  /** One write. What a crash left unfinished becomes a line of its own, and a bad one. */
  async append(row: StepRow): Promise<void> {
    const line = new TextEncoder().encode(`\n${printStepRow(row)}\n`)
    if (line.length - 2 > stepLineBytesMax) throw rowTooLong(line.length - 2)
    const file = await openToAppend(this.#disk, this.path)
    try {
      const stamp = await file.stamp()
      const bytes = (await isTorn(file, stamp)) ? line : line.subarray(1)
      const moveOn = await this.#cache?.beforeAppend(stamp, bytes.length)
      await file.append(bytes)
      if (moveOn) await moveOn(await file.stamp())
    } finally {
      await file.close()
    }
  }

  async has(stepId: string): Promise<boolean> {
    return await this.#asking(view => hasStep(view, stepId))
  }

  /** What was written last comes first: of several tries in one second the last one, too. */
  async lastOf(issueId: string, limit: number): Promise<readonly StepRow[]> {
    return (await this.query({ mode: 'latest', issueId, limit, order: 'by-line' })).rows
  }

  async query(question: StepQuestion): Promise<StepAnswer & TrajectoryState> {
    return await this.#asking(async view => ({
      ...(await answer(view, question)),
      ...stateOf(view),
    }))
  }

  /** Every row that is asked for, in the order of the file, into what `begin` makes. */
  async gather<Into extends { take(row: StepRow): void }>(
    asked: Omit<StepQuestion, 'limit' | 'order'>,
    begin: () => Into,
  ): Promise<TrajectoryState & { readonly gathered: Into }> {
    return await this.#asking(async view => {
      const gathered = begin()
      const take = ({ row }: { readonly row: StepRow }) => {
        if (belongsTo(asked.mode, row.resultClass) && passes(asked, row)) gathered.take(row)
      }
      for (const block of await blocksFor(view, asked)) {
        if (countIn(block, asked.mode) > 0) (await view.stepsOf(block)).forEach(take)
      }
      view.rest.forEach(take)
      return { gathered, ...stateOf(view) }
    })
  }

  /** Where an index turns out to be wrong, again without it. */
  async #asking<T>(ask: (view: StepView) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#viewing(ask, attempt === 1)
      } catch (error) {
        const mayHelp = error instanceof Fault && error.code === 'conflict'
        if (!mayHelp || attempt === attemptsMax) throw error
      }
    }
  }

  async #viewing<T>(ask: (view: StepView) => Promise<T>, mayUseIndex: boolean): Promise<T> {
    const file = await this.#disk.open(this.path)
    if (!file) return await ask(await StepView.open(nothing, 0, undefined))
    try {
      const stamp = await file.stamp()
      const look = async (index: OpenIndex | undefined) => {
        const view = await StepView.open(file, stamp.size, index)
        await this.#keep(view, file, stamp)
        return await ask(view)
      }
      return this.#cache && mayUseIndex
        ? await this.#cache.with(file, stamp, look)
        : await look(undefined)
    } finally {
      await file.close()
    }
  }

  /** The index, where there is more to it than was known. */
  async #keep(view: StepView, file: DiskFile, stamp: FileStamp): Promise<void> {
    const { blocks, fresh, badInBlocks: bad } = view
    if (!this.#cache || fresh.length === 0 || endOf(blocks).at < cachedBytesMin) return
    await this.#cache.write({ blocks, names: await view.names(), bad }, file, stamp)
  }
}

const stateOf = ({ bad, torn }: StepView): TrajectoryState => ({ bad, torn })

/** A trajectory that nobody has begun. */
const nothing: StepFile = { read: async () => new Uint8Array() }

const rowTooLong = (bytes: number) =>
  new Fault(
    'invalid_input',
    `the step row is ${bytes} bytes long; the most is ${stepLineBytesMax}`,
    {
      hint: 'A row refers to what is large: keep that in a file and name it with a ref.',
    },
  )
