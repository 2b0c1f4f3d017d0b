/** The trajectory as it is while one question is answered. */
import { Fault } from '../../fault.ts'
import type { PlacedStep } from '../../kernel/harness/step/trajectory.ts'
import { joinedBytes } from '../../world/joined-bytes.ts'
import { checksum } from '../cache-file.ts'
import { type FreshBlock, filterBytes, mayHold, type StepBlock } from './step-block.ts'
import { endOf, type StepIndex } from './step-cache.ts'
import { readBlocks, type StepFile } from './step-file.ts'
import { type BadLine, readStepLines, type TornTail } from './step-lines.ts'

/** The first bad lines, and the number of all of them. */
export interface BadLines {
  readonly first: readonly BadLine[]
  readonly count: number
}

const badLinesMax = 20

export class StepView {
  readonly blocks: readonly StepBlock[]
  readonly bad: BadLines
  /** The steps after the last block. */
  readonly rest: readonly PlacedStep[]
  readonly torn: TornTail | undefined
  /** The index of all blocks; `undefined` where the index that was read has them already. */
  readonly newIndex: StepIndex | undefined
  readonly #file: StepFile
  readonly #names: Uint8Array

  private constructor(file: StepFile, known: StepIndex, read: Read) {
    const { fresh, badInBlocks, rest } = read
    this.#file = file
    this.blocks = [...known.blocks, ...fresh.map(({ block }) => block)]
    this.#names = joinedBytes([known.names, ...fresh.map(({ names }) => names)])
    this.newIndex =
      fresh.length > 0 ? { blocks: this.blocks, names: this.#names, bad: badInBlocks } : undefined
    const { tail } = rest
    this.rest = tail && 'row' in tail ? [...rest.steps, tail] : rest.steps
    this.torn = tail && !('row' in tail) ? tail : undefined
    const inBlocks = this.blocks.reduce((sum, { bad }) => sum + bad, 0)
    this.bad = {
      first: [...badInBlocks, ...rest.bad].slice(0, badLinesMax),
      count: inBlocks + rest.bad.length,
    }
  }

  /** Reads the lines that the index does not cover. */
  static async open(file: StepFile, size: number, index = emptyIndex): Promise<StepView> {
    const fresh: FreshBlock[] = []
    const badInBlocks = [...index.bad]
    const rest = await readBlocks(file, endOf(index.blocks), size, (block, bad) => {
      fresh.push(block)
      badInBlocks.push(...bad.slice(0, badLinesMax - badInBlocks.length))
    })
    return new StepView(file, index, { fresh, badInBlocks, rest })
  }

  /** The steps of a block. Faults where its bytes changed. */
  async stepsOf(block: StepBlock): Promise<readonly PlacedStep[]> {
    const bytes = await this.#file.read(block.at, block.bytes)
    if (checksum(bytes) !== block.checksum) throw changed()
    return readStepLines(bytes, block.line).steps
  }

  /** The blocks that may hold the name. */
  blocksWith(name: string): readonly StepBlock[] {
    const holds = mayHold(name)
    const filterAt = (at: number) => this.#names.subarray(at * filterBytes, (at + 1) * filterBytes)
    return this.blocks.filter((_, at) => holds(filterAt(at)))
  }
}

interface Read {
  readonly fresh: readonly FreshBlock[]
  readonly badInBlocks: readonly BadLine[]
  readonly rest: Awaited<ReturnType<typeof readBlocks>>
}

const emptyIndex: StepIndex = { blocks: [], names: new Uint8Array(), bad: [] }

const changed = () =>
  new Fault('conflict', 'the trajectory changed while it was read', {
    hint: 'Another program edits it, but rows may only be appended. Run the command again.',
  })
