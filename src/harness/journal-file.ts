/** The journal of one worker's step, beside its session. Written by whoever holds the step lock. */

import { Fault } from '../fault.ts'
import { printJournal, readJournal, type StepJournal } from '../kernel/harness/step-journal.ts'
import { parseJson } from '../kernel/json.ts'
import type { Disk, ProcessGroup } from '../world/world.ts'
import type { Harness } from './harness.ts'

type Place = Pick<Harness, 'disk' | 'session' | 'sha256' | 'tell'>

export class JournalFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: Harness['sha256']
  readonly #tell: Harness['tell']

  constructor({ disk, session, sha256, tell }: Place) {
    this.path = `${session.path.replace(/\.json$/, '')}.step.json`
    this.#disk = disk
    this.#sha256 = sha256
    this.#tell = tell
  }

  async read(): Promise<StepJournal | undefined> {
    const file = await this.#disk.open(this.path)
    if (!file) return undefined
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      return await this.#journalIn(bytes)
    } finally {
      await file.close()
    }
  }

  /** A loss of power may leave anything of it: then the lease is all that is known of the step. */
  async #journalIn(bytes: Uint8Array): Promise<StepJournal | undefined> {
    try {
      return readJournal(parseJson(new TextDecoder().decode(bytes)), this.path)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const aside = `${this.path}.torn-${this.#sha256(new TextDecoder().decode(bytes)).slice(0, 8)}`
      await this.#disk.replace(aside, bytes)
      await this.remove()
      this.#tell(
        `${this.path} cannot be read and is kept in ${aside}; its issue is found by its lease`,
      )
      return undefined
    }
  }

  /** Whole or not at all. Not synced: a loss of power ends the command it tells of, too. */
  async write(journal: StepJournal): Promise<void> {
    await this.#disk.replaceLoosely(this.path, new TextEncoder().encode(printJournal(journal)))
  }

  async remove(): Promise<void> {
    await this.#disk.remove(this.path)
  }
}

export const groupOf = ({ group }: StepJournal) => group as ProcessGroup | undefined
