/** The trajectory as it is while one question is answered. */
import { Fault } from '../../fault.ts'
import type { ClassFailures } from '../../kernel/harness/retry/failure-clusters.ts'
import type { PlacedStep } from '../../kernel/harness/step/trajectory.ts'
import { joinedBytes } from '../../world/joined-bytes.ts'
import { checksum } from '../cache-file.ts'
import { filterBytes, mayHold, type StepBlock } from './step-block.ts'
import { endOf, type StepIndex } from './step-cache.ts'
import { FailurePacker, failuresIn, noFailures } from './step-failures.ts'
import { lineFeed, readBlocks, type StepFile } from './step-file.ts'
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
  readonly #index: StepIndex

  private constructor(file: StepFile, index: StepIndex, rest: Rest, isNew: boolean) {
    this.#file = file
    this.#index = index
    this.blocks = index.blocks
    this.newIndex = isNew ? index : undefined
    const { tail } = rest
    this.rest = tail && 'row' in tail ? [...rest.steps, tail] : rest.steps
    this.torn = tail && !('row' in tail) ? tail : undefined
    const inBlocks = this.blocks.reduce((sum, { bad }) => sum + bad, 0)
    this.bad = {
      first: [...index.bad, ...rest.bad].slice(0, badLinesMax),
      count: inBlocks + rest.bad.length,
    }
  }

  /** Reads the lines that the index does not cover. */
  static async open(file: StepFile, size: number, known = emptyIndex): Promise<StepView> {
    const blocks = [...known.blocks]
    const names = [known.names]
    const bad = [...known.bad]
    let packer: FailurePacker | undefined
    const rest = await readBlocks(file, endOf(blocks), size, (fresh, badOfBlock) => {
      blocks.push(fresh.block)
      names.push(fresh.names)
      bad.push(...badOfBlock.slice(0, badLinesMax - bad.length))
      packer ??= new FailurePacker(known.failures)
      packer.add(fresh.failures)
    })
    if (!packer) return new StepView(file, known, rest, false)
    const index = { blocks, names: joinedBytes(names), bad, failures: packer.packed() }
    return new StepView(file, index, rest, true)
  }

  /** The steps of a block. Faults where its bytes changed. */
  async stepsOf(block: StepBlock): Promise<readonly PlacedStep[]> {
    return readStepLines(await this.#bytesOf(block), block.line).steps
  }

  /** The step on a line that has one. */
  async stepAt(line: number): Promise<PlacedStep> {
    const isIt = (step: PlacedStep) => step.line === line
    const block = this.blocks.find(({ line: before, lines }) => line <= before + lines)
    const found = block
      ? readStepLines(lineOf(await this.#bytesOf(block), line - block.line), line - 1).steps[0]
      : this.rest.find(isIt)
    if (!found) throw changed()
    return found
  }

  /** The failures of these blocks by class, without reading the blocks. */
  failuresOf(blocks: ReadonlySet<StepBlock>): readonly ClassFailures[] {
    return failuresIn(this.#index.failures, at => blocks.has(this.blocks[at] as StepBlock))
  }

  /** The blocks that may hold the name. */
  blocksWith(name: string): readonly StepBlock[] {
    const { names } = this.#index
    const holds = mayHold(name)
    const filterAt = (at: number) => names.subarray(at * filterBytes, (at + 1) * filterBytes)
    return this.blocks.filter((_, at) => holds(filterAt(at)))
  }

  async #bytesOf(block: StepBlock): Promise<Uint8Array> {
    const bytes = await this.#file.read(block.at, block.bytes)
    if (checksum(bytes) !== block.checksum) throw changed()
    return bytes
  }
}

/** The line with that number, from 1, with its line feed. */
function lineOf(bytes: Uint8Array, number: number): Uint8Array {
  let from = 0
  for (let line = 1; line < number; line++) from = bytes.indexOf(lineFeed, from) + 1
  return bytes.subarray(from, bytes.indexOf(lineFeed, from) + 1)
}

type Rest = Awaited<ReturnType<typeof readBlocks>>

const emptyIndex: StepIndex = {
  blocks: [],
  names: new Uint8Array(),
  bad: [],
  failures: noFailures,
}

const changed = () =>
  new Fault('conflict', 'the trajectory changed while it was read', {
    hint: 'Another program edits it, but rows may only be appended. Run the command again.',
  })
