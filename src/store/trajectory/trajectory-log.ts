/**
 * The trajectory: one line for each step, only ever appended. An append needs no lock (`appendLine`).
 * A question reads the blocks that it needs, and the lines that the index does not cover yet.
 */
import { Fault } from '../../fault.ts'
import { printStepRow, stepLineBytesMax } from '../../kernel/harness/step/step-row.ts'
import { belongsTo, type PlacedStep, passes } from '../../kernel/harness/step/trajectory.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import type { CachePlace } from '../cache-file.ts'
import { appendLine, openToAppend } from '../line-log.ts'
import {
  answer,
  blocksFor,
  countIn,
  type StepAnswer,
  type StepQuestion,
  stepIn,
} from './step-answer.ts'
import { cachedBytesMin, endOf, StepCache, type StepIndex } from './step-cache.ts'
import type { StepFile } from './step-file.ts'
import type { TornTail } from './step-lines.ts'
import { type BadLines, StepView } from './step-view.ts'

interface TrajectoryLogOptions {
  readonly disk: Disk
  readonly path: string
  /** Where the index is kept; without it every question reads the whole file. */
  readonly cache?: CachePlace | undefined
}

export interface TrajectoryState {
  readonly bad: BadLines
  /** An incomplete last line. It is neither a row nor an error. */
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

  /** One write. An incomplete last line becomes a bad line of its own. */
  async append(row: StepRow): Promise<void> {
    const line = printStepRow(row)
    const { length } = new TextEncoder().encode(line)
    if (length > stepLineBytesMax) throw rowTooLong(length)
    const file = await openToAppend(this.#disk, this.path)
    try {
      const stamp = await file.stamp()
      const moveOn = await this.#cache?.beforeAppend(stamp)
      const after = await appendLine(file, stamp, line)
      if (after) await moveOn?.(after)
    } finally {
      await file.close()
    }
  }

  /** Keeps the lines that are no steps in another file. Returns their number. */
  async setBadLinesAside(aside: string): Promise<number> {
    // Loaded by doctor alone.
    const { setBadLinesAside } = await import('./bad-lines.ts')
    await this.#cache?.forget()
    const count = await setBadLinesAside(this.#disk, this.path, aside)
    await this.#cache?.forget()
    return count
  }

  /** Faults where no row can be appended. Asked before a change that a row has to follow. */
  async checkWritable(): Promise<void> {
    if (await this.#disk.entry(this.path)) await (await this.#disk.openToAppend(this.path)).close()
  }

  async get(stepId: string): Promise<StepRow | undefined> {
    return await this.#asking(view => stepIn(view, stepId))
  }

  /** The row that was written last comes first, also among rows of one second. */
  async lastOf(issueId: string, limit: number): Promise<readonly StepRow[]> {
    return (await this.query({ mode: 'latest', issueId, limit, order: 'by-line' })).rows
  }

  async query(question: StepQuestion): Promise<StepAnswer & TrajectoryState> {
    return await this.#asking(async view => ({
      ...(await answer(view, question)),
      ...stateOf(view),
    }))
  }

  /**
   * Every row that passes, in the order of the file, taken by the object that `begin` makes. Each
   * `take` is awaited, so that no more than a block of rows is in memory.
   */
  async gather<Into extends { take(row: StepRow): void | Promise<void> }>(
    asked: Omit<StepQuestion, 'limit' | 'order'>,
    begin: () => Into,
  ): Promise<TrajectoryState & { readonly gathered: Into }> {
    return await this.#asking(async view => {
      const gathered = begin()
      const takeAll = async (steps: readonly PlacedStep[]) => {
        for (const { row } of steps) {
          if (!belongsTo(asked.mode, row.resultClass) || !passes(asked, row)) continue
          const taken = gathered.take(row)
          if (taken) await taken
        }
      }
      for (const block of blocksFor(view, asked)) {
        if (countIn(block, asked.mode) > 0) await takeAll(await view.stepsOf(block))
      }
      await takeAll(view.rest)
      return { gathered, ...stateOf(view) }
    })
  }

  /** Tries again without the index where the file does not match it. */
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
    if (!file) return await ask(await StepView.open(emptyFile, 0))
    try {
      const stamp = await file.stamp()
      const index = mayUseIndex ? await this.#cache?.open(file, stamp) : undefined
      const view = await StepView.open(file, stamp.size, index)
      if (view.newIndex) await this.#keep(view.newIndex, file, stamp)
      return await ask(view)
    } finally {
      await file.close()
    }
  }

  async #keep(index: StepIndex, file: DiskFile, stamp: FileStamp): Promise<void> {
    if (endOf(index.blocks).at >= cachedBytesMin) await this.#cache?.write(index, file, stamp)
  }
}

const stateOf = ({ bad, torn }: StepView): TrajectoryState => ({ bad, torn })

const emptyFile: StepFile = { read: async () => new Uint8Array() }

const rowTooLong = (bytes: number) =>
  new Fault(
    'invalid_input',
    `the step row is ${bytes} bytes long; the most is ${stepLineBytesMax}`,
    {
      hint: 'Keep large content in a file, and name the file with a ref.',
    },
  )
