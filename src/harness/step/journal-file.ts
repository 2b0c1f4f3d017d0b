/**
 * The journal of a worker's step, beside issue memory. Each line records the next action, and the
 * last line counts. Only the holder of the worker's lock writes it.
 */
import { Fault } from '../../fault.ts'
import { stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { type Journal, printJournal, readJournal } from '../../kernel/harness/step/step-journal.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import type { Disk, ProcessGroup } from '../../world/world.ts'
import { type Harness, journalFolder } from '../harness.ts'

type Place = Pick<Harness, 'disk' | 'recordsFolder' | 'sha256' | 'emit'>

export class JournalFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: Harness['sha256']
  readonly #emit: Harness['emit']

  /** The file is named after the worker, because leases are held under that name too. */
  constructor(place: Place, workerId: string, path = journalPath(place, workerId)) {
    const { disk, sha256, emit } = place
    this.path = path
    this.#disk = disk
    this.#sha256 = sha256
    this.#emit = emit
  }

  static at(place: Place, path: string): JournalFile {
    return new JournalFile(place, '', path)
  }

  async read(): Promise<Journal | undefined> {
    const file = await this.#disk.open(this.path)
    if (!file) return undefined
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      return await this.#journalIn(bytes)
    } finally {
      await file.close()
    }
  }

  /**
   * Returns the last complete line. A line records an action before it begins, so an incomplete one
   * does not count, even if the line after it was cut off too.
   */
  async #journalIn(bytes: Uint8Array): Promise<Journal | undefined> {
    const text = new TextDecoder().decode(bytes)
    // A crash happened between creating the file and the first line.
    if (text.trim() === '') {
      await this.remove()
      return undefined
    }
    for (const line of text.split('\n').slice(0, -1).toReversed()) {
      const value = line === '' ? undefined : valueIn(line)
      if (value !== undefined) return readJournal(value, this.path)
    }
    // A power loss may corrupt the file.
    await this.#setAside(bytes, { suffix: 'torn', why: 'is damaged' })
    return undefined
  }

  /** For a journal that premath did not write, such as one that came with a clone. */
  async refuse(journal: Journal, why: string): Promise<void> {
    const bytes = new TextEncoder().encode(printJournal(journal))
    await this.#setAside(bytes, { suffix: 'refused', why })
  }

  /** The recovery then finds the issue by its lease only. */
  async #setAside(
    bytes: Uint8Array,
    { suffix, why }: { readonly suffix: string; readonly why: string },
  ): Promise<void> {
    const digest = this.#sha256(new TextDecoder().decode(bytes))
    const aside = `${this.path}.${suffix}-${digest.slice(0, 8)}`
    await this.#disk.replace(aside, bytes)
    await this.remove()
    const message = `the journal ${this.path} ${why} and was moved to ${aside}; its issue is recovered by its lease`
    this.#emit({ event: 'note', message })
  }

  /**
   * Appends a line in one write. The leading newline separates it from an incomplete line. The file
   * is not synced, because a power loss also ends the command that the line records.
   */
  async write(journal: Journal): Promise<void> {
    const line = `\n${printJournal(journal)}`
    await this.#disk.appendLoosely(this.path, new TextEncoder().encode(line))
  }

  async remove(): Promise<void> {
    await this.#disk.remove(this.path)
  }
}

function valueIn(line: string): Json | undefined {
  try {
    return parseJson(line)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

const journalPath = (place: Place, workerId: string) =>
  `${journalFolder(place)}/${stepFolderName(workerId, place.sha256)}.jsonl`

export const groupOf = ({ group }: Journal) => group as ProcessGroup | undefined
