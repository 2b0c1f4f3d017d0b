/**
 * `memory/uses/`: which entries of an instruction were used, and which turns vouched for a change:
 * one small file each.
 */
import { Fault } from '../../fault.ts'
import type { UsedUp } from '../../kernel/authority/agent-door.ts'
import { isJsonObject, jsonIn } from '../../kernel/json.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import { leadsAway } from '../plain-file.ts'

export interface InstructionUse {
  readonly entry: number
  readonly action: string
  readonly issueId: string
  /** The verdict on the turn that vouched for it, by digest. */
  readonly turn?: string | undefined
  readonly at: string
}

const homeOf = (issuesPath: string) => issuesPath.slice(0, issuesPath.lastIndexOf('/'))

export const usesFolderOf = (issuesPath: string) => `${homeOf(issuesPath)}/memory/uses`

/** Asked and told under the lock of issue memory. */
export class InstructionUses {
  readonly #disk: Disk
  readonly #folder: string
  readonly #home: string

  constructor(disk: Disk, issuesPath: string) {
    this.#disk = disk
    this.#folder = usesFolderOf(issuesPath)
    this.#home = homeOf(issuesPath)
  }

  /** By the instruction itself: running it again makes another witness, and no new entries. */
  #pathOf(digest: string): string {
    return `${this.#folder}/${digest.replace(/[^A-Za-z0-9_]/g, '_')}.jsonl`
  }

  async usedOf(instructionDigest: string, turn: string | undefined): Promise<UsedUp> {
    const uses = await this.#usesIn(this.#pathOf(instructionDigest))
    const vouched = turn === undefined ? [] : await this.#usesIn(this.#pathOf(turnName(turn)))
    return {
      entries: new Set(uses.map(({ entry }) => entry)),
      // Those of earlier versions are only in the file of their instruction.
      hasVouched:
        vouched.length > 0 || uses.some(use => use.turn !== undefined && use.turn === turn),
    }
  }

  async #usesIn(path: string): Promise<readonly Use[]> {
    await mustBeIn(path, this.#home, this.#disk)
    const file = await this.#disk.open(path)
    if (!file) return []
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      const lines = new TextDecoder().decode(bytes).split('\n')
      // A last line without an end was never told: the change that it stands for was not made.
      return lines.slice(0, -1).map((line, at) => useIn(line, path, at + 1))
    } finally {
      await file.close()
    }
  }

  /** Synced before the change is made: one that is cut off in between is used up, and not made twice. */
  async add(instructionDigest: string, use: InstructionUse): Promise<void> {
    await this.#disk.makeFolder(this.#folder)
    if (use.turn !== undefined) await this.#append(this.#pathOf(turnName(use.turn)), use)
    await this.#append(this.#pathOf(instructionDigest), use)
  }

  async #append(path: string, use: InstructionUse): Promise<void> {
    const file = await this.#disk.openToAppend(path)
    try {
      await cutTorn(file)
      await file.append(new TextEncoder().encode(`${JSON.stringify(use)}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

/** Beside the instructions, whose digests begin otherwise. */
const turnName = (digest: string) => `turn_${digest}`

/** Somewhere else nothing was used yet: a link on the way would make every entry new again. */
async function mustBeIn(path: string, home: string, disk: Disk): Promise<void> {
  if (!(await leadsAway(path, home, disk))) return
  const leadsTo = await disk.realPath(path)
  throw new Fault('unavailable', `${path} lies behind a symbolic link`, {
    hint: `It leads to ${leadsTo}. Remove the link, and restore what it stands for from version control.`,
    detail: { path, leadsTo },
  })
}

/** What broke off was never told, and the next line must not go on where it ends. */
async function cutTorn(file: DiskFile): Promise<void> {
  const { size } = await file.stamp()
  const whole = (await file.read(0, size)).lastIndexOf(lineFeed) + 1
  if (whole < size) await file.cut(whole)
}

const lineFeed = 0x0a

type Use = Pick<InstructionUse, 'entry' | 'turn'>

function useIn(line: string, path: string, number: number): Use {
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
