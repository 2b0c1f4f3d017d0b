/** A file of lines that only grows. Each line is one write, so an append needs no lock. */
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
      const torn = await isTorn(file, await file.stamp())
      await file.append(new TextEncoder().encode(`${torn ? '\n' : ''}${line}\n`))
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

/** Whether its last line is incomplete. */
export async function isTorn(file: DiskFile, { size }: FileStamp): Promise<boolean> {
  return size > 0 && (await file.read(size - 1, 1))[0] !== lineFeed
}
