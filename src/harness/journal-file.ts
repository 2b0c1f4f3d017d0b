/** The journal of one worker's step, beside its session. Written by whoever holds the step lock. */
import { printJournal, readJournal, type StepJournal } from '../kernel/harness/step-journal.ts'
import { parseJson } from '../kernel/json.ts'
import type { Disk, ProcessGroup } from '../world/world.ts'

interface Place {
  readonly disk: Disk
  readonly session: { readonly path: string }
}

export class JournalFile {
  readonly path: string
  readonly #disk: Disk

  constructor({ disk, session }: Place) {
    this.path = `${session.path.replace(/\.json$/, '')}.step.json`
    this.#disk = disk
  }

  async read(): Promise<StepJournal | undefined> {
    const file = await this.#disk.open(this.path)
    if (!file) return undefined
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      return readJournal(parseJson(new TextDecoder().decode(bytes)), this.path)
    } finally {
      await file.close()
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
