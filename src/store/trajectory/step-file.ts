/** Cuts the bytes of the trajectory into blocks, in bounded memory whatever the file holds. */
import { stepLineBytesMax } from '../../kernel/harness/step/step-row.ts'
import type { DiskFile } from '../../world/world.ts'
import { type BlockPlace, blockOf, type FreshBlock } from './step-block.ts'
import {
  type BadLine,
  readStepLines,
  readTail,
  type StepLines,
  type Tail,
  tooLong,
} from './step-lines.ts'

export type StepFile = Pick<DiskFile, 'read'>

/** A block is full at either limit. */
const blockLinesMax = 256
const blockBytesMax = 64 * 1024

/** More than the longest line. */
export const pieceBytes = 4 * stepLineBytesMax

export const lineFeed = 0x0a

/** The lines after the last full block. */
interface Rest extends StepLines {
  readonly tail: Tail
}

type TakeBlock = (block: FreshBlock, bad: readonly BadLine[]) => void

interface Place {
  readonly at: number
  readonly line: number
}

/** Reads from the beginning of a block up to `size`. Lines that fill no block are the rest. */
export async function readBlocks(
  file: StepFile,
  from: Place,
  size: number,
  take: TakeBlock,
): Promise<Rest> {
  for (let place = from; ; ) {
    const piece = await file.read(place.at, Math.min(pieceBytes, size - place.at))
    const isLast = place.at + piece.length >= size || piece.length === 0
    const next = takeBlocks(piece, place, take)
    const open = piece.subarray(next.at - place.at)
    place = next
    if (open.length > stepLineBytesMax && !open.includes(lineFeed)) {
      const end = await endOfLine(file, place.at, size)
      if (end === undefined) {
        return { ...nothing, tail: { line: place.line + 1, bytes: size - place.at } }
      }
      take(...longLine({ ...place, bytes: end - place.at, lines: 1 }))
      place = { at: end, line: place.line + 1 }
    } else if (isLast) return restOf(open, place.line)
  }
}

/** Takes the full blocks of a piece of the file, and returns where the next one begins. */
function takeBlocks(piece: Uint8Array, from: Place, take: TakeBlock): Place {
  let [used, line] = [0, from.line]
  for (let full = fullBlock(piece, used); full; full = fullBlock(piece, used)) {
    const bytes = piece.subarray(used, used + full.bytes)
    const read = readStepLines(bytes, line)
    take(blockOf({ at: from.at + used, line, ...full }, bytes, read), read.bad)
    used += full.bytes
    line += full.lines
  }
  return { at: from.at + used, line }
}

const nothing: StepLines = { steps: [], bad: [] }

/** The length of the block that begins there; `undefined` where it is not full yet. */
function fullBlock(bytes: Uint8Array, from: number) {
  let [end, lines] = [from, 0]
  while (lines < blockLinesMax && end - from < blockBytesMax) {
    const feed = bytes.indexOf(lineFeed, end)
    if (feed === -1) {
      // A line that is too long follows, so the block ends before it.
      const isEnough = lines > 0 && bytes.length - end > stepLineBytesMax
      return isEnough ? { bytes: end - from, lines } : undefined
    }
    end = feed + 1
    lines++
  }
  return { bytes: end - from, lines }
}

function restOf(bytes: Uint8Array, line: number): Rest {
  const whole = bytes.lastIndexOf(lineFeed) + 1
  const read = readStepLines(bytes.subarray(0, whole), line)
  const lines = bytes.subarray(0, whole).reduce((sum, byte) => sum + (byte === lineFeed ? 1 : 0), 0)
  return { ...read, tail: readTail(bytes.subarray(whole), line + lines + 1) }
}

/** The end of the line that goes on at a position, found without holding the line. */
export async function endOfLine(
  file: StepFile,
  from: number,
  size: number,
): Promise<number | undefined> {
  for (let at = from; at < size; ) {
    const piece = await file.read(at, Math.min(pieceBytes, size - at))
    if (piece.length === 0) return undefined
    const feed = piece.indexOf(lineFeed)
    if (feed !== -1) return at + feed + 1
    at += piece.length
  }
  return undefined
}

/** A line that is too long is a block without rows, which is never read again. */
function longLine(place: BlockPlace): [FreshBlock, readonly BadLine[]] {
  const bad = [{ line: place.line + 1, why: tooLong(place.bytes - 1).why }]
  return [blockOf(place, new Uint8Array(), { steps: [], bad }), bad]
}
