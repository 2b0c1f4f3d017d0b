/** `.premath/policy-log.jsonl`: every policy that was put in force, the last one of a kind counts. */
import { Fault } from '../fault.ts'
import {
  type PolicyEntry,
  policyLogPath,
  printPolicyEntry,
  readPolicyEntry,
} from '../kernel/governance/policy-entry.ts'
import { jsonIn } from '../kernel/json.ts'
import type { Disk, DiskFile } from '../world/world.ts'
import { lockWaitMsDefault, underLock } from './issue-lock.ts'

interface PolicyLogOptions {
  readonly disk: Disk
  readonly root: string
  sha256(text: string): string
}

const lineFeed = 0x0a

export class PolicyLogFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: (text: string) => string

  constructor({ disk, root, sha256 }: PolicyLogOptions) {
    this.path = `${root.replace(/\/$/, '')}/${policyLogPath}`
    this.#disk = disk
    this.#sha256 = sha256
  }

  /** A last line without an end was never told. Any other that is no entry may hide what counts. */
  async read(): Promise<readonly PolicyEntry[]> {
    const file = await this.#disk.open(this.path)
    if (!file) return []
    try {
      const bytes = await file.read(0, (await file.stamp()).size)
      const lines = new TextDecoder().decode(bytes).split('\n').slice(0, -1)
      return lines.map((line, at) => this.#entryIn(line, at + 1))
    } finally {
      await file.close()
    }
  }

  /** Synced before `act`: what was put in force is known to the log, whatever happens after. */
  async add(entry: PolicyEntry, act: () => Promise<void>): Promise<void> {
    const words = { noun: 'policy-log' }
    await this.#disk.makeFolder(this.path.slice(0, this.path.lastIndexOf('/')))
    await underLock(
      this.#disk,
      `${this.path}.lock`,
      lockWaitMsDefault,
      async guard => {
        await this.read()
        guard()
        await this.#append(printPolicyEntry(entry))
        await act()
      },
      words,
    )
  }

  async #append(line: string): Promise<void> {
    const file = await this.#disk.openToAppend(this.path)
    try {
      await cutTorn(file)
      await file.append(new TextEncoder().encode(`${line}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
  }

  #entryIn(line: string, number: number): PolicyEntry {
    const value = jsonIn(line)
    const entry = value === undefined ? 'it is no JSON' : readPolicyEntry(value, this.#sha256)
    if (typeof entry !== 'string') return entry
    throw new Fault('corrupt', `${this.path}:${number} cannot be trusted: ${entry}`, {
      hint: 'Restore the file from version control: it says which policy is in force.',
      detail: { path: this.path, line: number },
    })
  }
}

/** What broke off was never told, and the next line must not go on where it ends. */
async function cutTorn(file: DiskFile): Promise<void> {
  const { size } = await file.stamp()
  const whole = (await file.read(0, size)).lastIndexOf(lineFeed) + 1
  if (whole < size) await file.cut(whole)
}
