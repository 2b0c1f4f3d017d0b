/** `memory/uses/`: which entries of an instruction were used, one small file an instruction. */
import { Fault } from '../fault.ts'
import { isJsonObject, jsonIn } from '../kernel/json.ts'
import type { UsedUp } from '../kernel/work/agent-door.ts'
import type { Disk, DiskFile } from '../world/world.ts'

export interface InstructionUse {
  readonly entry: number
  readonly action: string
  readonly issueId: string
  /** The verdict on the turn that vouched for it, by digest. */
  readonly turn?: string | undefined
  readonly at: string
}

/** Asked and told under the lock of issue memory. */
export class InstructionUses {
  readonly #disk: Disk
  readonly #folder: string

  constructor(disk: Disk, issuesPath: string) {
    this.#disk = disk
    this.#folder = `${issuesPath.slice(0, issuesPath.lastIndexOf('/'))}/memory/uses`
  }

  /** By the instruction itself: running it again makes another witness, and no new entries. */
  #pathOf(instructionDigest: string): string {
    return `${this.#folder}/${instructionDigest.replace(/[^A-Za-z0-9_]/g, '_')}.jsonl`
  }

  async usedOf(instructionDigest: string): Promise<UsedUp> {
    const path = this.#pathOf(instructionDigest)
    const file = await this.#disk.open(path)
    if (!file) return { entries: new Set(), turns: new Set() }
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      const lines = new TextDecoder().decode(bytes).split('\n')
      // A last line without an end was never told: the change that it stands for was not made.
      const uses = lines.slice(0, -1).map((line, at) => useIn(line, path, at + 1))
      return {
        entries: new Set(uses.map(({ entry }) => entry)),
        turns: new Set(uses.flatMap(({ turn }) => turn ?? [])),
      }
    } finally {
      await file.close()
    }
  }

  /** Synced before the change is made: one that is cut off in between is used up, and not made twice. */
  async add(instructionDigest: string, use: InstructionUse): Promise<void> {
    await this.#disk.makeFolder(this.#folder)
    const file = await this.#disk.openToAppend(this.#pathOf(instructionDigest))
    try {
      await cutTorn(file)
      await file.append(new TextEncoder().encode(`${JSON.stringify(use)}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

/** What broke off was never told, and the next line must not go on where it ends. */
async function cutTorn(file: DiskFile): Promise<void> {
  const { size } = await file.stamp()
  const whole = (await file.read(0, size)).lastIndexOf(lineFeed) + 1
  if (whole < size) await file.cut(whole)
}

const lineFeed = 0x0a

function useIn(line: string, path: string, number: number): Pick<InstructionUse, 'entry' | 'turn'> {
  const use = jsonIn(line)
  const { entry, turn } = isJsonObject(use) ? use : {}
  if (typeof entry === 'number' && Number.isSafeInteger(entry)) {
    return { entry, turn: typeof turn === 'string' ? turn : undefined }
  }
  throw new Fault('corrupt', `${path}:${number} does not say which entry was used`, {
    hint: 'Restore the file from version control: it keeps instructions from being used twice.',
    detail: { path },
  })
}
