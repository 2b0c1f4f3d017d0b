/** Issue memory in one file of rows. Changes append rows, and compaction rewrites the file. */
import type { Sha256 } from '../../kernel/canonical.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import type { AdmissionOptions } from '../admission.ts'
import type {
  Authority,
  Changes,
  IssueStore,
  LogState,
  RereadClose,
  Revision,
} from '../issue-store.ts'
import type { LockWait } from '../lock.ts'
import { revisionOf, rowsSince } from './change-feed.ts'
import type { HighWaterMark } from './high-water-mark.ts'
import type { IssueFiles } from './issue-files.ts'
import type { Compacted, IssueWriter } from './issue-writer.ts'
import { rowOnDisk } from './last-row.ts'
import { logRefOf, logStateAt } from './log-ref.ts'
import { type ForwardFault, MemoryFile, type MemoryFileOptions } from './memory-file.ts'

export interface FileIssueStoreOptions extends AdmissionOptions, MemoryFileOptions {
  readonly lockWaitMs?: LockWait | undefined
}

export class FileIssueStore implements IssueStore {
  readonly kind = 'jsonl'
  readonly #file: MemoryFile
  readonly #options: FileIssueStoreOptions
  #writer: IssueWriter | undefined

  constructor(options: FileIssueStoreOptions) {
    this.#file = new MemoryFile(options)
    this.#options = options
  }

  get location(): string {
    return this.#file.path
  }

  get files(): IssueFiles {
    return this.#file.files
  }

  get notices(): readonly string[] {
    return this.#file.notices
  }

  exists(): Promise<boolean> {
    return this.#file.hasMemory()
  }

  /** Faults where the file is missing, and version control has it. */
  mustBeNew(): Promise<void> {
    return this.#file.mustBeNew()
  }

  read(): Promise<IssueMemory> {
    return this.#file.read()
  }

  /** Memory as the file and its cache have it, without a look at the mark. */
  readFile(): Promise<IssueMemory> {
    return this.#file.caughtUp(({ memory }) => memory)
  }

  /** The acknowledged rows that the file lacks, or why nobody can tell. */
  findLacking(): Promise<readonly Issue[] | ForwardFault> {
    return this.#file.findLacking()
  }

  /** The acknowledged rows that their record lacks. */
  findMissingInMark(): Promise<readonly Issue[]> {
    return this.#file.findMissingInMark()
  }

  /** Takes the rows of the file into their record. */
  async noteRows(): Promise<void> {
    await (await this.#loadWriter()).noteRows()
  }

  /** The record of acknowledged rows, which doctor examines. */
  get mark(): HighWaterMark | undefined {
    return this.#file.forward?.mark
  }

  async changes(since?: Revision): Promise<Changes> {
    return await this.#file.opened(async file => {
      const followed = since === undefined ? undefined : await rowsSince(since, file, this.location)
      if (followed) return followed
      const { memory, end, tail, stamp } = await this.#file.warm.catchUp(file)
      return { rows: memory.all(), revision: revisionOf(stamp, end, tail), isReset: true }
    })
  }

  logRef(sha256: Sha256): Promise<string> {
    return this.#file.caughtUp(({ end, tail }) => logRefOf(end.bytes, tail, sha256))
  }

  logState(ref: string, sha256: Sha256): Promise<LogState> {
    return this.#file.caughtUp(({ end }, file) => logStateAt(ref, file, end.bytes, sha256))
  }

  async reread(closed: Issue): Promise<RereadClose> {
    const chain = closeOf(closed)?.['chain']
    const proofs = typeof chain === 'string' ? await this.#options.proofs?.() : undefined
    return {
      row: await this.#file.opened(file => rowOnDisk(file, closed)),
      chain: typeof chain === 'string' ? await proofs?.reread(closed.id, chain) : '',
    }
  }

  async mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    return await (await this.#loadWriter()).mutate(authority, change)
  }

  async tidyProofs(issueId: string): Promise<void> {
    await (await this.#loadWriter()).tidyProofs(issueId)
  }

  /** Writes the acknowledged rows that the file lacks. */
  async goForward(): Promise<void> {
    await (await this.#loadWriter()).goForward()
  }

  /** Resolves fences that contradict each other, or takes the file as it is. */
  async mend(choice: 'merge' | 'older', sha256: Sha256): Promise<void> {
    await (await this.#loadWriter()).mend(choice, sha256)
  }

  /** Replaces all rows with those that `decide` returns, in one step. */
  async replaceRows(
    authority: Authority,
    decide: (memory: IssueMemory) => readonly Issue[] | IssueRefusal,
  ): Promise<Compacted | IssueRefusal> {
    return await (await this.#loadWriter()).replaceRows(authority, decide)
  }

  /** Rewrites the file in canonical form: one row for each issue, by id. Changes no issue. */
  async compact(): Promise<Compacted> {
    return await (await this.#loadWriter()).compact()
  }

  /** Compares the event log with all rows, and appends the events that it lacks. */
  async completeEvents(): Promise<void> {
    await (await this.#loadWriter()).completeEvents()
  }

  /** Runs `act` while no other process changes the files of this memory. */
  async locked<T>(act: () => Promise<T>): Promise<T> {
    return await (await this.#loadWriter()).locked(act)
  }

  /** Loaded with the first change: most commands only read. */
  async #loadWriter(): Promise<IssueWriter> {
    const { IssueWriter } = await import('./issue-writer.ts')
    this.#writer ??= new IssueWriter(this.#file, this.#options)
    return this.#writer
  }
}
