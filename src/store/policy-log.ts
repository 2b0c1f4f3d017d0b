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

/** What the file holds. */
export interface PolicyLines {
  readonly entries: readonly PolicyEntry[]
  /** What broke off at the end, where something did: it is no JSON, and was never told. */
  readonly torn: string | undefined
}

export class PolicyLogFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: (text: string) => string

  constructor({ disk, root, sha256 }: PolicyLogOptions) {
    this.path = `${root.replace(/\/$/, '')}/${policyLogPath}`
    this.#disk = disk
    this.#sha256 = sha256
  }

  /**
   * A last line that is whole counts, with its end or without. Any line that is no entry may hide
   * what counts.
   */
  async read(): Promise<PolicyLines> {
    const file = await this.#disk.open(this.path)
    if (!file) return { entries: [], torn: undefined }
    try {
      const { lines, torn } = linesIn(await file.read(0, (await file.stamp()).size))
      return { entries: lines.map((line, at) => this.#entryIn(line, at + 1)), torn }
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

  /** The new line stands by itself, whatever is before it. */
  async #append(line: string): Promise<void> {
    const file = await this.#disk.openToAppend(this.path)
    try {
      const isOpen = await this.#endsOpen(file)
      await file.append(new TextEncoder().encode(`${isOpen ? '\n' : ''}${line}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** Whether the last line is whole but for its end. What broke off goes aside before it is cut. */
  async #endsOpen(file: DiskFile): Promise<boolean> {
    const bytes = await file.read(0, (await file.stamp()).size)
    const end = bytes.lastIndexOf(lineFeed) + 1
    const { torn } = linesIn(bytes)
    if (torn === undefined) return end < bytes.length
    await this.#disk.replace(
      `${this.path}.torn-${this.#sha256(torn).slice(0, 8)}`,
      bytes.slice(end),
    )
    await file.cut(end)
    return false
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

/** An object is no JSON until its last brace, so a line that broke off is told from a whole one. */
function linesIn(bytes: Uint8Array) {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const last = lines.pop() ?? ''
  if (last === '') return { lines, torn: undefined }
  return jsonIn(last) === undefined
    ? { lines, torn: last }
    : { lines: [...lines, last], torn: undefined }
}
