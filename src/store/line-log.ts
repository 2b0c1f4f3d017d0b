/**
 * A file of lines that only grows. Each line is one write, and the writer looks whether it became a
 * line of its own. So an append needs no lock.
 */
import type { Disk, DiskFile, FileStamp } from '../world/world.ts'

const lineFeed = 0x0a

export class LineLog {
  readonly path: string
  readonly #disk: Disk

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.path = path
  }

  async append(line: string): Promise<void> {
    const file = await openToAppend(this.#disk, this.path)
    try {
      await appendLine(file, await file.stamp(), line)
    } finally {
      await file.close()
    }
  }
}

/** Creates the folder where there is none. */
export async function openToAppend(disk: Disk, path: string): Promise<DiskFile> {
  if (!(await disk.stamp(path))) {
    await disk.makeFolder(path.slice(0, path.lastIndexOf('/')) || '/')
  }
  return await disk.openToAppend(path)
}

/**
 * Appends a line in one write, on its own also after an incomplete line. Returns the stamp after it,
 * or `undefined` if others changed the file too.
 */
export async function appendLine(
  file: DiskFile,
  before: FileStamp,
  line: string,
): Promise<FileStamp | undefined> {
  const apart = new TextEncoder().encode(`\n${line}\n`)
  const bytes = (await isTorn(file, before)) ? apart : apart.subarray(1)
  await file.append(bytes)
  const after = await file.stamp()
  if (after.size === before.size + bytes.length) return after
  // A writer that was killed since `before` leaves a part of a line, and this line continues it.
  if (!(await hasBetween(file, apart, before.size, after.size))) await file.append(apart)
  return undefined
}

/** Whether its last line is incomplete. */
async function isTorn(file: DiskFile, { size }: FileStamp): Promise<boolean> {
  return size > 0 && (await file.read(size - 1, 1))[0] !== lineFeed
}

/** Whether the line was added between two sizes of the file. */
async function hasBetween(
  file: DiskFile,
  apart: Uint8Array,
  from: number,
  to: number,
): Promise<boolean> {
  // Someone may have cut the file.
  const added = await file.read(from, Math.max(0, to - from))
  const decoder = new TextDecoder()
  // A line that was added first has its line feed before `from`.
  return `\n${decoder.decode(added)}`.includes(decoder.decode(apart))
}
