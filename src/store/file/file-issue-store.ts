/** Issue memory in one file of rows. Changes append rows, and compaction rewrites the file. */
import { Fault } from '../../fault.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { eventsOf, type IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../../kernel/issues/issue-change.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import type { Admission, AdmissionOptions } from '../admission.ts'
import type { CachePlace } from '../cache-file.ts'
import { printRows } from '../issue-rows.ts'
import {
  type Authority,
  type Changes,
  type IssueStore,
  type LogState,
  missingMemory,
  type RereadClose,
  type Revision,
} from '../issue-store.ts'
import { type LockGuard, type LockWait, lockWaitMsDefault, underLock } from '../lock.ts'
import { revisionOf, rowsSince } from './change-feed.ts'
import { EventLog } from './event-log.ts'
import { FileInstructionUses } from './instruction-uses.ts'
import { IssueCache } from './issue-cache.ts'
import { type IssueFiles, issueFiles } from './issue-files.ts'
import { ForeignIndex } from './issue-index.ts'
import type { KeptIssues } from './kept-issues.ts'
import { rowOnDisk } from './last-row.ts'
import { logRefOf, logStateAt } from './log-ref.ts'
import { type Known, WarmIssues } from './warm-issues.ts'

interface FileIssueStoreOptions extends AdmissionOptions {
  /** The file of rows. */
  readonly path: string
  readonly disk: Disk
  readonly lockWaitMs?: LockWait | undefined
  /** Where the index of a large memory is kept; without it, none is kept. */
  readonly cache?: CachePlace | undefined
  /** Memory that outlives this store, for questions. */
  readonly kept?: KeptIssues | undefined
}

interface Compacted {
  /** Bytes of the file before and after. */
  readonly before: number
  readonly after: number
  readonly issues: number
}

/** A smaller file is not worth rewriting. */
const compactedBytesMin = 1024 * 1024

export class FileIssueStore implements IssueStore {
  readonly kind = 'jsonl'
  readonly location: string
  readonly files: IssueFiles
  readonly notices: string[] = []
  readonly #path: string
  readonly #options: FileIssueStoreOptions
  readonly #log: EventLog
  #admission: Admission | undefined
  #warm: WarmIssues

  constructor(options: FileIssueStoreOptions) {
    const { disk, cache, path } = options
    this.location = path
    this.files = issueFiles(path)
    this.#path = path
    this.#options = options
    const kept = cache && new IssueCache(disk, cache)
    this.#warm = new WarmIssues(path, disk, kept)
    this.#log = new EventLog(disk, this.files)
  }

  async exists(): Promise<boolean> {
    return (await this.#options.disk.stamp(this.#path)) !== undefined
  }

  async read(): Promise<IssueMemory> {
    return await this.#withFile(async file => {
      const { memory, stamp, end } = await (this.#options.kept ?? this.#warm).catchUp(file)
      const notice = skippedTail(this.#path)
      if (stamp.size > end.bytes && !this.notices.includes(notice)) this.notices.push(notice)
      return memory
    })
  }

  async mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    const admission = await this.#loadAdmission()
    const refused = await admission.refusal(authority, change)
    if (refused) return refused
    if (!(await this.exists())) {
      // A refused change leaves nothing behind: no lock file and no folder.
      const refusal = admission.refusalToCreate(change, this.location)
      if (refusal) return refusal
    }
    return await this.#locked(guard => this.#admitAndAppend(authority, change, guard))
  }

  /** Loaded with the first change: it needs the gate, and most commands only read. */
  async #loadAdmission(): Promise<Admission> {
    const { Admission } = await import('../admission.ts')
    const { disk } = this.#options
    this.#admission ??= new Admission(this.#options, new FileInstructionUses(disk, this.files))
    return this.#admission
  }

  async #admitAndAppend(
    authority: Authority,
    change: IssueChange,
    guard: LockGuard,
  ): Promise<IssueChanged | IssueRefusal> {
    const file = await this.#options.disk.openToAppend(this.#path)
    try {
      const known = await this.#settle(file)
      const { memory } = known
      const admission = await this.#loadAdmission()
      const admitted = await admission.admit(authority, change, memory)
      if (isRefusal(admitted) || admitted.rows.length === 0) return admitted
      const { rows } = admitted
      const events = changeEvents(memory, rows, authority)
      await this.#logging(() => this.#log.complete({ file, bytes: known.end.bytes, memory }))
      await this.#append(file, known, { rows, events }, guard)
      return admitted
    } catch (error) {
      this.#warm.forget()
      if (!(error instanceof ForeignIndex)) throw error
      this.#warm = new WarmIssues(this.#path, this.#options.disk, undefined)
      return await this.#admitAndAppend(authority, change, guard)
    } finally {
      await file.close()
    }
  }

  async changes(since?: Revision): Promise<Changes> {
    return await this.#withFile(async file => {
      const followed = since === undefined ? undefined : await rowsSince(since, file, this.#path)
      if (followed) return followed
      const { memory, end, tail, stamp } = await this.#warm.catchUp(file)
      return { rows: memory.all(), revision: revisionOf(stamp, end, tail), isReset: true }
    })
  }

  async logRef(sha256: Sha256): Promise<string> {
    return await this.#withFile(async file => {
      const { end, tail } = await this.#warm.catchUp(file)
      return logRefOf(end.bytes, tail, sha256)
    })
  }

  async logState(ref: string, sha256: Sha256): Promise<LogState> {
    return await this.#withFile(async file => {
      const { end } = await this.#warm.catchUp(file)
      return await logStateAt(ref, file, end.bytes, sha256)
    })
  }

  async reread(closed: Issue): Promise<RereadClose> {
    const chain = closeOf(closed)?.['chain']
    const proofs = typeof chain === 'string' ? await this.#options.proofs?.() : undefined
    return {
      row: await this.#withFile(file => rowOnDisk(file, closed)),
      chain: typeof chain === 'string' ? await proofs?.reread(closed.id, chain) : '',
    }
  }

  async tidyProofs(issueId: string): Promise<void> {
    const { proofs } = this.#options
    if (proofs) await this.#locked(async () => (await proofs()).tidy(issueId))
  }

  /** Replaces all rows with those that `decide` returns, in one step. */
  async replaceRows(
    authority: Authority,
    decide: (memory: IssueMemory) => readonly Issue[] | IssueRefusal,
  ): Promise<Compacted | IssueRefusal> {
    const admission = await this.#loadAdmission()
    const refused = await admission.refusalToReplace(authority)
    if (refused) return refused
    return await this.#locked(async guard => {
      const { memory, end } = (await this.exists())
        ? await this.#settled(async (_file, known) => known)
        : { memory: new IssueMemory(), end: { bytes: 0 } }
      const rows = decide(memory)
      if ('failureClass' in rows) return rows
      const replaced = new IssueMemory()
      for (const row of rows) replaced.put(row)
      const compacted = await this.#rewrite(replaced.all(), end.bytes, guard)
      const compare = (file: DiskFile) =>
        this.#log.compare({ file, bytes: compacted.after, memory: replaced })
      await this.#logging(() => this.#withFile(compare))
      return compacted
    })
  }

  /** Rewrites the file in canonical form: one row for each issue, by id. Changes no issue. */
  async compact(): Promise<Compacted> {
    return await this.#locked(async guard => {
      const { memory, end } = await this.#settled(async (file, known) => {
        const { memory, end } = known
        await this.#logging(() => this.#log.complete({ file, bytes: end.bytes, memory }))
        return known
      })
      const rows = memory.all()
      const compacted = await this.#rewrite(rows, end.bytes, guard)
      await this.#logging(() => this.#log.meet(rows.at(-1)))
      return compacted
    })
  }

  /** Compares the event log with all rows, and appends the events that it lacks. */
  async completeEvents(): Promise<void> {
    await this.locked(() =>
      this.#withFile(async file => {
        const { memory, end } = await this.#warm.catchUp(file)
        await this.#log.compare({ file, bytes: end.bytes, memory })
      }),
    )
  }

  /** Runs `act` while no other process changes the files of this memory. */
  async locked<T>(act: () => Promise<T>): Promise<T> {
    if (!(await this.exists())) throw missingMemory(this.location)
    return await this.#locked(act)
  }

  async #locked<T>(act: (guard: LockGuard) => Promise<T>): Promise<T> {
    const { disk, lockWaitMs = lockWaitMsDefault } = this.#options
    if (!(await this.exists())) await disk.makeFolder(this.files.folder)
    return await underLock(disk, this.files.lock, lockWaitMs, act)
  }

  async #rewrite(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const text = rows.map(issue => `${printIssue(issue)}\n`).join('')
    const content = new TextEncoder().encode(text)
    this.#warm.forget()
    const { disk } = this.#options
    const size = (await disk.stamp(this.#path))?.size ?? 0
    if (size !== before) throw writtenWithoutLock(this.#path)
    await disk.replace(this.#path, content, guard)
    return { before, after: content.length, issues: rows.length }
  }

  async #withFile<T>(act: (file: DiskFile) => Promise<T>): Promise<T> {
    const file = await this.#options.disk.open(this.#path)
    if (!file) throw missingMemory(this.location)
    try {
      return await act(file)
    } finally {
      await file.close()
    }
  }

  /** Sets an incomplete last line aside before the file is replaced. */
  async #settled<T>(act: (file: DiskFile, known: Known) => Promise<T>): Promise<T> {
    if (!(await this.exists())) throw missingMemory(this.location)
    const file = await this.#options.disk.openToAppend(this.#path)
    try {
      return await act(file, await this.#settle(file))
    } finally {
      await file.close()
    }
  }

  /** Catches up with the file, and moves an incomplete last line to a file of its own. */
  async #settle(file: DiskFile): Promise<Known> {
    const known = await this.#warm.catchUp(file)
    const { size } = known.stamp
    const { bytes } = known.end
    if (size === bytes) return known
    const { disk, clock } = this.#options
    const aside = `${this.#path}.torn-${timestampOf(clock.now()).replace(/:/g, '')}`
    await disk.replace(aside, await file.read(bytes, size - bytes))
    await file.cut(bytes)
    const skipped = this.notices.indexOf(skippedTail(this.#path))
    if (skipped >= 0) this.notices.splice(skipped, 1)
    this.notices.push(
      `the last line of ${this.#path} broke off and was never acknowledged; it is kept in ${aside}`,
    )
    return { ...known, stamp: await file.stamp() }
  }

  /** One write and one sync. Rows that could not be synced are removed again. */
  async #append(
    file: DiskFile,
    known: Known,
    { rows, events }: { readonly rows: readonly Issue[]; readonly events: readonly IssueEvent[] },
    guard: LockGuard,
  ): Promise<void> {
    const bytes = printRows(rows, known.end.unfinished)
    guard()
    try {
      await file.append(bytes)
      await file.sync()
    } catch (error) {
      if (error instanceof Fault) await cutBack(file, known.end.bytes)
      throw error
    }
    await this.#afterwards(async () => {
      const { end, garbage } = await this.#warm.take(known, rows, bytes, file)
      const logged = { file, bytes: end.bytes, memory: known.memory }
      await this.#logging(() => this.#log.record(events, logged))
      if (end.bytes < compactedBytesMin || 2 * garbage < end.bytes) return
      const all = known.memory.all()
      await this.#rewrite(all, end.bytes, guard)
      await this.#logging(() => this.#log.meet(all.at(-1)))
    })
  }

  /** The change is durable by now, so a fault becomes a notice. */
  async #afterwards(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#warm.forget()
      if (error instanceof ForeignIndex) return
      this.notices.push(`the change is made, but ${this.#path} was not tidied: ${error.message}`)
    }
  }

  /** The event log is derived from the rows, so a fault of the log does not fail a change. */
  async #logging(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault) || error instanceof ForeignIndex) throw error
      this.notices.push(`the event log is behind: ${error.message}`)
    }
  }
}

/** Where this fails too, the file keeps rows of a change that was reported as failed. */
async function cutBack(file: DiskFile, bytes: number): Promise<void> {
  try {
    await file.cut(bytes)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
}

/** For readers, which change nothing. Another process may be writing the line at this moment. */
const skippedTail = (path: string) =>
  `the last line of ${path} is unfinished and was passed over; the next change sets it aside`

/** The events of rows that are about to be appended. */
function changeEvents(
  memory: IssueMemory,
  rows: readonly Issue[],
  authority: Authority,
): readonly IssueEvent[] {
  const { operator: actor = '', reason = '' } = 'operator' in authority ? authority : {}
  const added = new Set(rows.map(({ id }) => id))
  const has = (id: string) => added.has(id) || memory.has(id)
  return rows.flatMap(row => eventsOf(memory.get(row.id), row, { actor, reason, has }))
}

/** Rewriting the file would lose rows of a process that wrote without the lock. */
const writtenWithoutLock = (path: string) =>
  new Fault('conflict', `${path} was changed while it was to be rewritten`, {
    hint: 'Nothing was rewritten. Try again when nobody else writes to it.',
    detail: { path },
  })
