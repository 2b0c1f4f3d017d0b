/**
 * The file by which one process asks the run of another to pause or to drain. It lies beside the
 * journals, which git ignores, and it is gone when no run is asked for anything.
 */
import type { RunRequest } from '../../wire/run/run-event.ts'
import { type Harness, journalFolder } from '../harness.ts'

/** Longer than any request. */
const bytesMax = 16

export class RunRequestFile {
  readonly path: string
  readonly #disk: Harness['disk']

  constructor({ disk, recordsFolder }: Pick<Harness, 'disk' | 'recordsFolder'>) {
    this.#disk = disk
    this.path = `${journalFolder({ recordsFolder })}/run-request`
  }

  /** A file that says nothing else pauses, so that `touch` is enough. */
  async read(): Promise<RunRequest | undefined> {
    const file = await this.#disk.open(this.path)
    if (!file) return undefined
    try {
      const text = new TextDecoder().decode(await file.read(0, bytesMax))
      return text.trim() === 'drain' ? 'drain' : 'pause'
    } finally {
      await file.close()
    }
  }

  async write(request: RunRequest): Promise<void> {
    await this.#disk.replaceLoosely(this.path, new TextEncoder().encode(`${request}\n`))
  }

  async clear(): Promise<void> {
    await this.#disk.remove(this.path)
  }
}
