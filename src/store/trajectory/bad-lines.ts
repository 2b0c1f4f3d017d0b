/**
 * Takes lines that are no steps out of the trajectory: parts of rows that a killed writer or a full disk
 * left, and lines that something damaged. Steps append without a lock, so no byte of another line moves.
 */
import type { Disk } from '../../world/world.ts'
import { endOfLine, lineFeed, pieceBytes, type StepFile } from './step-file.ts'
import { readStepLines } from './step-lines.ts'

/** A line without its line feed. */
interface Place {
  readonly at: number
  readonly bytes: number
}

const space = 0x20

/** Keeps the lines in the file `aside`, and writes spaces over them. Returns their number. */
export async function setBadLinesAside(disk: Disk, path: string, aside: string): Promise<number> {
  const file = await disk.open(path)
  if (!file) return 0
  try {
    const places = await badLinesIn(file, (await file.stamp()).size)
    if (places.length === 0) return 0
    const kept = await disk.openToAppend(aside)
    try {
      for (const place of places) {
        for (const piece of piecesOf(place))
          await kept.append(await file.read(piece.at, piece.bytes))
        await kept.append(new Uint8Array([lineFeed]))
      }
      await kept.sync()
    } finally {
      await kept.close()
    }
    for (const { at, bytes } of places.flatMap(piecesOf)) {
      await disk.overwrite(path, blank(bytes), at)
    }
    return places.length
  } finally {
    await file.close()
  }
}

const blankBytesMax = 64 * 1024

/** A damaged line can be as long as the file. */
const piecesOf = ({ at, bytes }: Place): readonly Place[] =>
  Array.from({ length: Math.ceil(bytes / blankBytesMax) }, (_, n) => ({
    at: at + n * blankBytesMax,
    bytes: Math.min(blankBytesMax, bytes - n * blankBytesMax),
  }))

/** A long line becomes several, because a long one is no step, even if it is blank. */
function blank(bytes: number): Uint8Array {
  const spaces = new Uint8Array(bytes).fill(space)
  if (bytes === blankBytesMax) spaces[bytes - 1] = lineFeed
  return spaces
}

/** An unfinished last line is none of them: a writer may be about to finish it. */
async function badLinesIn(file: StepFile, size: number): Promise<readonly Place[]> {
  const places: Place[] = []
  for (let at = 0; at < size; ) {
    const piece = await file.read(at, Math.min(pieceBytes, size - at))
    const whole = piece.subarray(0, piece.lastIndexOf(lineFeed) + 1)
    const end = whole.length > 0 ? at + whole.length : await endOfLine(file, at, size)
    if (end === undefined) break
    if (whole.length > 0) places.push(...badLinesOf(whole, at))
    else places.push({ at, bytes: end - at - 1 })
    at = end
  }
  return places
}

function badLinesOf(bytes: Uint8Array, start: number): readonly Place[] {
  const bad = new Set(readStepLines(bytes, 0).bad.map(({ line }) => line))
  const places: Place[] = []
  if (bad.size === 0) return places
  for (let [at, line] = [0, 1]; at < bytes.length; line++) {
    const end = bytes.indexOf(lineFeed, at)
    if (bad.has(line)) places.push({ at: start + at, bytes: end - at })
    at = end + 1
  }
  return places
}
