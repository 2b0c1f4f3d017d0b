/** The trajectory as it stands while one question is answered. */
import { Fault } from '../../fault.ts'
import type { PlacedStep } from '../../kernel/harness/step/trajectory.ts'
import { checksum } from '../checksum.ts'
import { filterBytes, mayHold } from '../name-filter.ts'
import type { FreshBlock, StepBlock } from './step-block.ts'
import { endOf } from './step-cache.ts'
import { readBlocks, type StepFile } from './step-file.ts'
import type { OpenIndex } from './step-index.ts'
import { type BadLine, readStepLines, type TornTail } from './step-lines.ts'

/** The first bad lines, and how many there are. */
export interface BadLines {
  readonly first: readonly BadLine[]
  readonly count: number
}

export const badLinesMax = 20

export class StepView {
  readonly blocks: readonly StepBlock[]
  readonly bad: BadLines
  /** Steps after the last block, which were just read. */
  readonly rest: readonly PlacedStep[]
  readonly torn: TornTail | undefined
  /** Blocks that the index does not know yet, and the bad lines it should. */
  readonly fresh: readonly FreshBlock[]
  readonly badInBlocks: readonly BadLine[]
  readonly #file: StepFile
  readonly #index: OpenIndex | undefined

  private constructor(file: StepFile, index: OpenIndex | undefined, read: Read) {
    const { fresh, badInBlocks, rest } = read
    this.#file = file
    this.#index = index
    this.fresh = fresh
    this.blocks = [...(index?.blocks ?? []), ...fresh]
    this.badInBlocks = badInBlocks
    const { tail } = rest
    this.rest = tail && 'row' in tail ? [...rest.steps, tail] : rest.steps
    this.torn = tail && !('row' in tail) ? tail : undefined
    const inBlocks = this.blocks.reduce((sum, { bad }) => sum + bad, 0)
    this.bad = {
      first: [...badInBlocks, ...rest.bad].slice(0, badLinesMax),
      count: inBlocks + rest.bad.length,
    }
  }

  /** Reads what the index does not cover. */
  static async open(file: StepFile, size: number, index: OpenIndex | undefined): Promise<StepView> {
    const fresh: FreshBlock[] = []
    const badInBlocks = [...(index?.bad ?? [])]
    const rest = await readBlocks(file, endOf(index?.blocks ?? []), size, (block, bad) => {
      fresh.push(block)
      badInBlocks.push(...bad.slice(0, badLinesMax - badInBlocks.length))
    })
    return new StepView(file, index, { fresh, badInBlocks, rest })
  }

  /** The steps of a block, which must be what it was. */
  async stepsOf(block: StepBlock): Promise<readonly PlacedStep[]> {
    const bytes = await this.#file.read(block.at, block.bytes)
    if (checksum(bytes) !== block.checksum) throw changed()
    return readStepLines(bytes, block.line).steps
  }

  /** The filters of all blocks. */
  async names(): Promise<Uint8Array> {
    const kept = this.#index ? await this.#index.names() : new Uint8Array()
    if (!kept) throw changed()
    const names = new Uint8Array(filterBytes * this.blocks.length)
    names.set(kept)
    for (const [at, block] of this.fresh.entries())
      names.set(block.names, kept.length + at * filterBytes)
    return names
  }

  /** Blocks that may hold the name. */
  async blocksWith(name: string): Promise<readonly StepBlock[]> {
    const names = await this.names()
    const holds = mayHold(name)
    const may = (at: number) => holds(names.subarray(at * filterBytes, (at + 1) * filterBytes))
    return this.blocks.filter((_, at) => may(at))
  }
}

interface Read {
  readonly fresh: readonly FreshBlock[]
  readonly badInBlocks: readonly BadLine[]
  readonly rest: Awaited<ReturnType<typeof readBlocks>>
}

const changed = () =>
  new Fault('conflict', 'the trajectory changed while it was read', {
    hint: 'Somebody edits it: rows are only ever appended. Ask again.',
  })
