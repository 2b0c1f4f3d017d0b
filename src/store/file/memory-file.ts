/** The file of rows, with what this process knows of it. Questions and changes share it. */
import type { Fault } from '../../fault.ts'
import { ContradictingFences } from '../../kernel/issues/forward/fences.ts'
import { wentBackWords } from '../../kernel/issues/forward/went-back.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import type { CachePlace } from '../cache-file.ts'
import { missingMemory } from '../issue-store.ts'
import { ForwardIssues, type ForwardPlace, NotCheckedOut } from './forward-issues.ts'
import { DamagedMark } from './high-water-mark.ts'
import { IssueCache, isSameStamp } from './issue-cache.ts'
import { type IssueFiles, issueFiles } from './issue-files.ts'
import type { KeptIssues } from './kept-issues.ts'
import { type Known, WarmIssues } from './warm-issues.ts'

/** Faults about rows that were acknowledged. */
export type ForwardFault = ContradictingFences | DamagedMark | NotCheckedOut

export interface MemoryFileOptions {
  /** The file of rows. */
  readonly path: string
  readonly disk: Disk
  /** Where the index of a large memory is kept; without it, none is kept. */
  readonly cache?: CachePlace | undefined
  /** Memory that outlives this store, for questions. */
  readonly kept?: KeptIssues | undefined
  /** The place of the high-water mark. Without it, a file that goes back takes rows with it. */
  readonly forward?: ForwardPlace | undefined
}

export class MemoryFile {
  readonly path: string
  readonly disk: Disk
  readonly files: IssueFiles
  readonly notices: string[] = []
  readonly forward: ForwardIssues | undefined
  warm: WarmIssues
  readonly #kept: KeptIssues | undefined

  constructor({ path, disk, cache, kept, forward }: MemoryFileOptions) {
    this.path = path
    this.disk = disk
    this.files = issueFiles(path)
    this.warm = new WarmIssues(path, disk, cache && new IssueCache(disk, cache))
    this.forward = forward && new ForwardIssues(disk, this.files, forward)
    this.#kept = kept
  }

  /** Also where somebody deleted the file: its rows were acknowledged. */
  async hasMemory(): Promise<boolean> {
    return (await this.isThere()) || ((await this.forward?.mark.hasRows()) ?? false)
  }

  async isThere(): Promise<boolean> {
    return (await this.disk.stamp(this.path)) !== undefined
  }

  /** The rows of the file, and the acknowledged ones that it lacks. */
  async read(): Promise<IssueMemory> {
    if (!(await this.isThere()) && (await this.hasMemory())) return await this.#readMark()
    for (;;) {
      const memory = await this.opened(file => this.#readForward(file))
      if (memory) return memory
    }
  }

  /** `undefined` where the file changed meanwhile: the mark may have rows of that change. */
  async #readForward(file: DiskFile): Promise<IssueMemory | undefined> {
    const known = await (this.#kept ?? this.warm).catchUp(file)
    if (known.stamp.size > known.end.bytes) this.notice(skippedTail(this.path))
    const lacking = await this.#lackingFrom(file, known)
    if (lacking?.length === 0) return known.memory
    if (!lacking || !(await this.#isAsKnown(known))) return undefined
    this.notice(wentBack(this.path, wentBackWords(lacking, known.memory, 'has')))
    return memoryOf([...known.memory.all(), ...lacking])
  }

  /**
   * `undefined` where the fences of the rows contradict a log or a mark that was read after them, and the
   * file changed meanwhile: a writer appends its row before it writes to either.
   */
  async #lackingFrom(file: DiskFile, known: Known): Promise<readonly Issue[] | undefined> {
    try {
      return (await this.forward?.lackingFrom(file, known)) ?? []
    } catch (error) {
      if (error instanceof ContradictingFences && !(await this.#isAsKnown(known))) return undefined
      throw error
    }
  }

  async #isAsKnown({ stamp }: Known): Promise<boolean> {
    const now = await this.disk.stamp(this.path)
    return now !== undefined && isSameStamp(now, stamp)
  }

  /** Somebody deleted the file. */
  async #readMark(): Promise<IssueMemory> {
    const rows = (await this.forward?.allRows()) ?? []
    this.notice(wentBack(this.path, wentBackWords(rows, new Set(), 'has')))
    return memoryOf(rows)
  }

  /** The acknowledged rows that the file lacks, or why nobody can tell. */
  async findLacking(): Promise<readonly Issue[] | ForwardFault> {
    try {
      await this.mustBeNew()
      await this.forward?.mark.read()
      if (!(await this.isThere())) return (await this.forward?.allRows()) ?? []
      for (;;) {
        const lacking = await this.caughtUp((known, file) => this.#lackingFrom(file, known))
        if (lacking) return lacking
      }
    } catch (error) {
      if (error instanceof ContradictingFences) return error
      if (error instanceof DamagedMark || error instanceof NotCheckedOut) return error
      throw error
    }
  }

  /** The rows of the file that were acknowledged here, and the record of them lacks. */
  async findMissingInMark(): Promise<readonly Issue[]> {
    const { forward } = this
    if (!forward || !(await this.isThere())) return []
    return await this.caughtUp((known, file) => forward.missingInMark(file, known))
  }

  /** The rows of the file and its cache, without a look at the mark. */
  async caughtUp<T>(act: (known: Known, file: DiskFile) => T | Promise<T>): Promise<T> {
    return await this.opened(async file => act(await this.warm.catchUp(file), file))
  }

  async opened<T>(act: (file: DiskFile) => Promise<T>): Promise<T> {
    const file = await this.disk.open(this.path)
    if (!file) throw await this.missing()
    try {
      return await act(file)
    } finally {
      await file.close()
    }
  }

  /** Faults where the file is missing, and git has it. */
  async mustBeNew(): Promise<void> {
    if (!(await this.hasMemory())) await this.forward?.mustNotBeCommitted()
  }

  async missing(): Promise<Fault> {
    await this.mustBeNew()
    return missingMemory(this.path)
  }

  notice(text: string): void {
    if (!this.notices.includes(text)) this.notices.push(text)
  }

  /** An unfinished line was passed over, and is set aside now. */
  withdrawSkippedTail(): void {
    const skipped = this.notices.indexOf(skippedTail(this.path))
    if (skipped >= 0) this.notices.splice(skipped, 1)
  }

  /** Forgets an index that another program damaged. */
  forgetIndex(): void {
    this.warm = new WarmIssues(this.path, this.disk, undefined)
  }
}

export function memoryOf(rows: Iterable<Issue>): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

/** For readers, which change nothing. Another process may be writing the line at this moment. */
const skippedTail = (path: string) =>
  `the last line of ${path} is unfinished and was passed over; the next change sets it aside`

/** For readers, which change nothing. */
const wentBack = (path: string, how: string) =>
  `${path} ${how}, as after a branch switch or a reset. This answer has the newer state, and the next change writes it. To keep the older one: premath doctor --accept-older --reason <text>`
