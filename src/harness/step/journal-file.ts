/**
 * The journal of one worker's step, beside issue memory: a line for each thing it is about to do,
 * of which the last one counts. Written by whoever holds the worker's lock.
 */
import { Fault } from '../../fault.ts'
import { stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { type Journal, printJournal, readJournal } from '../../kernel/harness/step/step-journal.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import type { Disk, ProcessGroup } from '../../world/world.ts'
import { type Harness, journalFolder } from '../harness.ts'

type Place = Pick<Harness, 'disk' | 'recordsFolder' | 'sha256' | 'tell'>

export class JournalFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: Harness['sha256']
  readonly #tell: Harness['tell']

  /** By the worker's name, whatever session it brings: a lease is held under that name too. */
  constructor(place: Place, workerId: string, path = journalPath(place, workerId)) {
    const { disk, sha256, tell } = place
    this.path = path
    this.#disk = disk
    this.#sha256 = sha256
    this.#tell = tell
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

  /** What was said last. A line that broke off was never said. */
  async #journalIn(bytes: Uint8Array): Promise<Journal | undefined> {
    const text = new TextDecoder().decode(bytes)
    // Cut off between making the file and saying something in it.
    if (text.trim() === '') {
      await this.remove()
      return undefined
    }
    const last =
      text
        .split('\n')
        .slice(0, -1)
        .findLast(line => line !== '') ?? ''
    const value = await this.#valueIn(last, bytes)
    return value === undefined ? undefined : readJournal(value, this.path)
  }

  /** A loss of power may leave anything of it: then the lease is all that is known of the step. */
  async #valueIn(line: string, bytes: Uint8Array): Promise<Json | undefined> {
    try {
      return parseJson(line)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const aside = `${this.path}.torn-${this.#sha256(new TextDecoder().decode(bytes)).slice(0, 8)}`
      await this.#disk.replace(aside, bytes)
      await this.remove()
      const message = `${this.path} cannot be read and is kept in ${aside}; its issue is found by its lease`
      this.#tell({ event: 'note', message })
      return undefined
    }
  }

  /**
   * One line more, in one write, and apart from one that broke off before it. Not synced: a loss of
   * power ends the command it tells of, too.
   */
  async write(journal: Journal): Promise<void> {
    const line = `\n${printJournal(journal)}`
    await this.#disk.appendLoosely(this.path, new TextEncoder().encode(line))
  }

  async remove(): Promise<void> {
    await this.#disk.remove(this.path)
  }
}

const journalPath = (place: Place, workerId: string) =>
  `${journalFolder(place)}/${stepFolderName(workerId, place.sha256)}.jsonl`

export const groupOf = ({ group }: Journal) => group as ProcessGroup | undefined
