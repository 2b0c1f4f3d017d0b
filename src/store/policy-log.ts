/** `.premath/policy-log.jsonl`: every policy that was put in force. The last of a kind is in force. */
import { Fault } from '../fault.ts'
import {
  brokenLink,
  type PolicyEntry,
  policyLogPath,
  printPolicyEntry,
  readPolicyEntry,
} from '../kernel/governance/policy-entry.ts'
import { jsonIn } from '../kernel/json.ts'
import type { Disk, DiskFile } from '../world/world.ts'
import { lockWaitMsDefault, underLock } from './lock.ts'
import type { WitnessPlace } from './witness-store.ts'

const lineFeed = 0x0a

interface PolicyLines {
  readonly entries: readonly PolicyEntry[]
  /** An incomplete last line. It was never acknowledged. */
  readonly torn: string | undefined
}

export class PolicyLogFile {
  readonly path: string
  readonly #disk: Disk
  readonly #sha256: (text: string) => string

  constructor({ disk, root, sha256 }: WitnessPlace) {
    this.path = `${root.replace(/\/$/, '')}/${policyLogPath}`
    this.#disk = disk
    this.#sha256 = sha256
  }

  /**
   * A whole last line counts, with its line feed or without. Faults for a line that is not an entry or
   * does not follow the one before: it may hide the policy in force.
   */
  async read(): Promise<PolicyLines> {
    const file = await this.#disk.open(this.path)
    if (!file) return { entries: [], torn: undefined }
    try {
      const { lines, torn } = linesIn(await file.read(0, (await file.stamp()).size))
      return { entries: this.#entriesIn(lines), torn }
    } finally {
      await file.close()
    }
  }

  /**
   * Appends the entry that `follow` returns for the digest of the last entry. The entry is synced before
   * `act` runs, so the log knows every policy that was put in force.
   */
  async add(
    follow: (previous: PolicyEntry['previous']) => PolicyEntry,
    act: () => Promise<void>,
  ): Promise<PolicyEntry> {
    await this.#disk.makeFolder(this.path.slice(0, this.path.lastIndexOf('/')))
    return await this.hold(async (entries, guard) => {
      const entry = follow(entries.at(-1)?.entryDigest ?? null)
      guard()
      await this.#append(printPolicyEntry(entry))
      await act()
      return entry
    })
  }

  /** Runs `act` while no other process puts a policy in force. */
  async hold<T>(
    act: (entries: readonly PolicyEntry[], guard: () => void) => Promise<T>,
  ): Promise<T> {
    const words = { noun: 'policy-log' }
    const acting = async (guard: () => void) => await act((await this.read()).entries, guard)
    return await underLock(this.#disk, `${this.path}.lock`, lockWaitMsDefault, acting, words)
  }

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

  /** Whether the last line lacks its line feed. An incomplete line is copied to a file, and cut. */
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

  #entriesIn(lines: readonly string[]): readonly PolicyEntry[] {
    const entries = lines.map((line, at) => this.#entryIn(line, at + 1))
    const broken = brokenLink(entries)
    if (broken === -1) return entries
    throw this.#untrusted(broken + 1, 'it does not follow the line before it')
  }

  #entryIn(line: string, number: number): PolicyEntry {
    const value = jsonIn(line)
    const entry = value === undefined ? 'it is not JSON' : readPolicyEntry(value, this.#sha256)
    if (typeof entry !== 'string') return entry
    throw this.#untrusted(number, entry)
  }

  #untrusted(line: number, why: string): Fault {
    return new Fault('corrupt', `${this.path}:${line} cannot be trusted: ${why}`, {
      hint: 'Restore the file from version control: it records the policy in force. If two branches each put one in force, keep the lines of one branch and put the other policy in force again.',
      detail: { path: this.path, line },
    })
  }
}

/** An object without its last brace is not JSON, so an incomplete line is never taken for a whole one. */
function linesIn(bytes: Uint8Array) {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const last = lines.pop() ?? ''
  if (last === '') return { lines, torn: undefined }
  return jsonIn(last) === undefined
    ? { lines, torn: last }
    : { lines: [...lines, last], torn: undefined }
}
