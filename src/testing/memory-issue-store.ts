/** Issue memory without a disk, for tests and for programs that keep it elsewhere. */
import type { Sha256 } from '../kernel/canonical.ts'
import { type Issue, printIssue } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import { IssueMemory } from '../kernel/issues/issue-memory.ts'
import { closeOf } from '../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../kernel/issues/issue-refusal.ts'
import { Admission, type AdmissionOptions, type InstructionUses } from '../store/admission.ts'
import {
  type Authority,
  type Changes,
  type IssueStore,
  type LogState,
  missingMemory,
  type RereadClose,
  type Revision,
} from '../store/issue-store.ts'
import { SerialQueue } from '../store/lock.ts'
import type { InstructionUse } from '../wire/instruction/instruction-use.ts'

export class MemoryIssueStore implements IssueStore {
  readonly kind = 'memory'
  readonly location = 'memory'
  readonly notices: readonly string[] = []
  readonly #options: AdmissionOptions
  readonly #admission: Admission
  #memory: IssueMemory | undefined
  /** All rows so far. A revision is a number of rows. */
  readonly #rows: Issue[] = []
  readonly #turns = new SerialQueue()

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#admission = new Admission(options, new MemoryInstructionUses())
  }

  async exists(): Promise<boolean> {
    return this.#memory !== undefined
  }

  async read(): Promise<IssueMemory> {
    if (this.#memory) return this.#memory
    throw missingMemory(this.location)
  }

  mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    return this.#turns.run(async () => {
      const refused =
        (await this.#admission.refusal(authority, change)) ??
        (this.#memory ? undefined : this.#admission.refusalToCreate(change, this.location))
      if (refused) return refused
      const memory = this.#memory ?? new IssueMemory()
      const admitted = await this.#admission.admit(authority, change, memory)
      if (isRefusal(admitted)) return admitted
      for (const row of admitted.rows) memory.put(row)
      this.#rows.push(...admitted.rows)
      this.#memory = memory
      return admitted
    })
  }

  async changes(since?: Revision): Promise<Changes> {
    const memory = await this.read()
    const revision = String(this.#rows.length)
    if (since === undefined) return { rows: memory.all(), revision, isReset: true }
    return { rows: this.#rows.slice(Number(since)), revision, isReset: false }
  }

  async logRef(sha256: Sha256): Promise<string> {
    await this.read()
    return this.#refAt(this.#rows.length, sha256)
  }

  async logState(ref: string, sha256: Sha256): Promise<LogState> {
    await this.read()
    const count = Number(/^log1_(\d+)_/.exec(ref)?.[1])
    if (!(count <= this.#rows.length) || this.#refAt(count, sha256) !== ref) return 'unknown'
    return count === this.#rows.length ? 'same' : 'moved'
  }

  #refAt(count: number, sha256: Sha256): string {
    const last = this.#rows[count - 1]
    return `log1_${count}_${sha256(last ? printIssue(last) : '')}`
  }

  async reread({ id, ...closed }: Issue): Promise<RereadClose> {
    const row = (await this.read()).get(id)
    const chain = String(closeOf({ id, ...closed })?.['chain'] ?? '')
    const proofs = chain === '' ? undefined : await this.#options.proofs?.()
    return { row, chain: chain === '' ? '' : await proofs?.reread(id, chain) }
  }

  async tidyProofs(issueId: string): Promise<void> {
    await this.#turns.run(async () => await (await this.#options.proofs?.())?.tidy(issueId))
  }
}

class MemoryInstructionUses implements InstructionUses {
  readonly #uses: (InstructionUse & { readonly instruction: string })[] = []

  async usedOf(instruction: string, turn: string | undefined) {
    const own = this.#uses.filter(use => use.instruction === instruction)
    return {
      entries: new Set(own.map(({ entry }) => entry)),
      hasVouched: turn !== undefined && this.#uses.some(use => use.turn === turn),
    }
  }

  async add(instruction: string, use: InstructionUse): Promise<void> {
    this.#uses.push({ ...use, instruction })
  }
}
