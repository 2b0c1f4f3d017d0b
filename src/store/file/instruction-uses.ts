/** `memory/uses/`: a file for each instruction and each turn, with a line for each use. */
import { Fault } from '../../fault.ts'
import type { UsedGrants } from '../../kernel/authority/agent-admission.ts'
import { isJsonObject, jsonIn } from '../../kernel/json.ts'
import type { InstructionUse } from '../../wire/instruction/instruction-use.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import type { InstructionUses } from '../admission.ts'
import { leadsOutside } from '../plain-file.ts'
import type { IssueFiles } from './issue-files.ts'

export class FileInstructionUses implements InstructionUses {
  readonly #disk: Disk
  readonly #folder: string
  readonly #home: string

  constructor(disk: Disk, { uses, folder }: IssueFiles) {
    this.#disk = disk
    this.#folder = uses
    this.#home = folder
  }

  /** Named after the instruction, not its witness: a second run of it adds no entries. */
  #pathOf(digest: string): string {
    return `${this.#folder}/${digest.replace(/[^A-Za-z0-9_]/g, '_')}.jsonl`
  }

  async usedOf(instructionDigest: string, turn: string | undefined): Promise<UsedGrants> {
    const uses = await this.#usesIn(this.#pathOf(instructionDigest))
    const vouched = turn === undefined ? [] : await this.#usesIn(this.#pathOf(turnName(turn)))
    return {
      entries: new Set(uses.map(({ entry }) => entry)),
      // Earlier versions recorded the turn only in the file of its instruction.
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
      // A last line without a line feed was not acknowledged, so its change was not made.
      return lines.slice(0, -1).map((line, at) => useIn(line, path, at + 1))
    } finally {
      await file.close()
    }
  }

  /** Synced before the rows: after a crash in between, the entry is used and the change is not made. */
  async add(instructionDigest: string, use: InstructionUse): Promise<void> {
    await this.#disk.makeFolder(this.#folder)
    if (use.turn !== undefined) await this.#append(this.#pathOf(turnName(use.turn)), use)
    await this.#append(this.#pathOf(instructionDigest), use)
  }

  async #append(path: string, use: InstructionUse): Promise<void> {
    const file = await this.#disk.openToAppend(path)
    try {
      await removeTornLine(file)
      await file.append(new TextEncoder().encode(`${JSON.stringify(use)}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

/** Never the name of an instruction: their digests start with another prefix. */
const turnName = (digest: string) => `turn_${digest}`

/** A link to another folder would make every used entry free again. */
async function mustBeIn(path: string, home: string, disk: Disk): Promise<void> {
  if (!(await leadsOutside(path, home, disk))) return
  const leadsTo = await disk.realPath(path)
  throw new Fault('unavailable', `${path} lies behind a symbolic link`, {
    hint: `It leads to ${leadsTo}. Remove the link, and restore what it stands for from version control.`,
    detail: { path, leadsTo },
  })
}

/** Removes an incomplete last line, so that the next line starts on its own. */
async function removeTornLine(file: DiskFile): Promise<void> {
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
