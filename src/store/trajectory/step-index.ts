/**
 * The index of the trajectory as bytes: a checksum and lengths, the numbers of each block, a head,
 * and the filters of names, which only those read who look for one.
 */
import type { DiskFile } from '../../world/world.ts'
import { checksum } from '../checksum.ts'
import { filterBytes } from '../name-filter.ts'
import type { StepBlock } from './step-block.ts'
import type { BadLine } from './step-lines.ts'

export interface StepIndex {
  readonly blocks: readonly StepBlock[]
  /** The filters of all blocks, one after the other. */
  readonly names: Uint8Array
  /** The first of them. */
  readonly bad: readonly BadLine[]
  /** Checksum of the last bytes that it covers. */
  readonly tail: number
}

const format = 'premath.trajectory_index.v1'

interface Head extends Pick<StepIndex, 'bad' | 'tail'> {
  readonly format: typeof format
  readonly namesChecksum: number
}

/** Numbers of a block, in the order they are kept. */
const columns = [
  'at',
  'line',
  'bytes',
  'lines',
  'rows',
  'failed',
  'retryNeeded',
  'bad',
  'oldest',
  'newest',
  'checksum',
] as const satisfies readonly (keyof StepBlock)[]

const blockBytes = 8 * columns.length
/** Checksum of blocks and head, how many blocks, bytes of the head, and nothing. */
const startBytes = 16

export function printIndex({ blocks, names, bad, tail }: StepIndex): Uint8Array {
  const head: Head = { format, bad, tail, namesChecksum: checksum(names) }
  const headText = new TextEncoder().encode(JSON.stringify(head))
  const headAt = startBytes + blockBytes * blocks.length
  const namesAt = headAt + headText.length
  const bytes = new Uint8Array(namesAt + names.length)
  const numbers = new Float64Array(bytes.buffer, startBytes, columns.length * blocks.length)
  numbers.set(blocks.flatMap(block => columns.map(column => block[column])))
  bytes.set(headText, headAt)
  bytes.set(names, namesAt)
  const sum = checksum(bytes.subarray(startBytes, namesAt))
  new Uint32Array(bytes.buffer, 0, 3).set([sum, blocks.length, headText.length])
  return bytes
}

/** An index whose filters are still on the disk. */
export interface OpenIndex extends Omit<StepIndex, 'names'> {
  /** `undefined` where they are not what was written. */
  names(): Promise<Uint8Array | undefined>
}

/** `undefined` where the bytes are not what was printed. */
export async function readIndex(file: DiskFile): Promise<OpenIndex | undefined> {
  const start = aligned(await file.read(0, startBytes))
  if (start.length < startBytes) return undefined
  const [sum, blocks = 0, headBytes = 0] = new Uint32Array(start.buffer, start.byteOffset, 3)
  const frontBytes = blockBytes * blocks + headBytes
  const { size } = await file.stamp()
  if (size !== startBytes + frontBytes + filterBytes * blocks) return undefined
  const front = aligned(await file.read(startBytes, frontBytes))
  if (checksum(front) !== sum) return undefined
  const head = headIn(front.subarray(blockBytes * blocks))
  if (!head) return undefined
  return {
    blocks: blocksIn(new Float64Array(front.buffer, front.byteOffset, columns.length * blocks)),
    bad: head.bad,
    tail: head.tail,
    names: async () => {
      const names = await file.read(startBytes + frontBytes, filterBytes * blocks)
      return checksum(names) === head.namesChecksum ? names : undefined
    },
  }
}

function headIn(bytes: Uint8Array): Head | undefined {
  const head: Head = JSON.parse(new TextDecoder().decode(bytes))
  return head.format === format ? head : undefined
}

/** Spelled out, because there may be thousands and a command waits for them. */
function blocksIn(numbers: Float64Array): readonly StepBlock[] {
  const blocks: StepBlock[] = []
  for (let from = 0; from < numbers.length; from += columns.length) {
    const number = (column: number) => numbers[from + column] as number
    blocks.push({
      at: number(0),
      line: number(1),
      bytes: number(2),
      lines: number(3),
      rows: number(4),
      failed: number(5),
      retryNeeded: number(6),
      bad: number(7),
      oldest: number(8),
      newest: number(9),
      checksum: number(10),
    })
  }
  return blocks
}

/** So that numbers can be read in place. */
const aligned = (bytes: Uint8Array) => (bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes))
