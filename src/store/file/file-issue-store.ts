/** Issue memory in one file of rows. Changes append rows, and compaction rewrites the file. */
import { Fault } from '../../fault.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { eventsOf, type IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { ContradictingFences, withFence } from '../../kernel/issues/forward/fences.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../../kernel/issues/issue-change.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import type { Admission, AdmissionOptions } from '../admission.ts'
import type { CachePlace } from '../cache-file.ts'
import { encodedLines } from '../encoded-lines.ts'
import { printRows, rowsStart } from '../issue-rows.ts'
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
import { EventLog, loggedFences } from './event-log.ts'
import { ForwardIssues, type ForwardPlace } from './forward-issues.ts'
import { FileInstructionUses } from './instruction-uses.ts'
import { IssueCache, isSameStamp, tailOf } from './issue-cache.ts'
import { type IssueFiles, issueFiles } from './issue-files.ts'
import { ForeignIndex } from './issue-index.ts'
import type { KeptIssues } from './kept-issues.ts'
import { rowOnDisk } from './last-row.ts'
import { logRefOf, logStateAt } from './log-ref.ts'
import { type Known, readAllRows, WarmIssues } from './warm-issues.ts'

interface FileIssueStoreOptions extends AdmissionOptions {
  /** The file of rows. */
  readonly path: string
  readonly disk: Disk
  readonly lockWaitMs?: LockWait | undefined
  /** Where the index of a large memory is kept; without it, none is kept. */
  readonly cache?: CachePlace | undefined
  /** Memory that outlives this store, for questions. */
  readonly kept?: KeptIssues | undefined
  /** The place of the high-water mark. Without it, a file that goes back takes rows with it. */
  readonly forward?: ForwardPlace | undefined
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
  readonly #forward: ForwardIssues | undefined
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
    this.#forward = options.forward && new ForwardIssues(disk, this.files, options.forward)
  }

  async exists(): Promise<boolean> {
    return (await this.#hasFile()) || ((await this.#forward?.mark.hasRows()) ?? false)
  }

  async #hasFile(): Promise<boolean> {
    return (await this.#options.disk.stamp(this.#path)) !== undefined
  }

  async read(): Promise<IssueMemory> {
    if (!(await this.#hasFile()) && (await this.exists())) return await this.#readMark()
    for (;;) {
      const memory = await this.#withFile(file => this.#readForward(file))
      if (memory) return memory
    }
  }

  /** `undefined` where the file changed meanwhile: the mark may have rows of that change. */
  async #readForward(file: DiskFile): Promise<IssueMemory | undefined> {
    const known = await (this.#options.kept ?? this.#warm).catchUp(file)
    if (known.stamp.size > known.end.bytes) this.#notice(skippedTail(this.#path))
    const lacking = (await this.#forward?.lackingFrom(file, known)) ?? []
    if (lacking.length === 0) return known.memory
    const now = await this.#options.disk.stamp(this.#path)
    if (!now || !isSameStamp(now, known.stamp)) return undefined
    this.#notice(wentBack(this.#path, lacking.length))
    return memoryOf([...known.memory.all(), ...lacking])
  }

  /** Memory as the file and its cache have it, without a look at the mark. */
  async readFile(): Promise<IssueMemory> {
    return await this.#withFile(async file => (await this.#warm.catchUp(file)).memory)
  }

  /** The acknowledged rows that the file lacks, or the fences that contradict each other. */
  async findLacking(): Promise<readonly Issue[] | ContradictingFences> {
    try {
      if (!(await this.#hasFile())) return (await this.#forward?.allRows()) ?? []
      return await this.#withFile(async file => {
        const known = await this.#warm.catchUp(file)
        return (await this.#forward?.lackingFrom(file, known)) ?? []
      })
    } catch (error) {
      if (error instanceof ContradictingFences) return error
      throw error
    }
  }

  /** Writes the acknowledged rows that the file lacks. */
  async goForward(): Promise<void> {
    await this.#locked(guard =>
      this.#settled(guard, async (file, { memory, end }) => {
        await this.#logging(() => this.#log.complete({ file, bytes: end.bytes, memory }))
      }),
    )
  }

  /** Resolves fences that contradict each other, or takes the file as it is (`mendedRows`). */
  async mend(choice: 'merge' | 'older'): Promise<void> {
    await this.#locked(async guard => {
      const { disk } = this.#options
      const inFile: Issue[] = []
      const file = await disk.openToAppend(this.#path)
      const { size } = await file.stamp()
      await readAllRows(file, size, this.#path, ({ issue }) => inFile.push(issue))
      await file.close()
      const acknowledged = (await this.#forward?.mark.read())?.rows ?? new Map<string, Issue>()
      const logged = await loggedFences(disk, this.files)
      const { mendedRows } = await import('../../kernel/issues/forward/mend.ts')
      const mended = memoryOf(mendedRows({ inFile, acknowledged, logged }, choice))
      if (choice === 'older') {
        const givenUp = [...acknowledged.values()].filter(({ id }) => !mended.has(id))
        await this.#forward?.mark.retire(givenUp)
      }
      await this.#rewrite(mended.all(), size, guard)
      if (choice === 'older') await this.#adoptFile()
      await this.#withFile(async written => {
        const { memory, end } = await this.#warm.catchUp(written)
        await this.#log.compare({ file: written, bytes: end.bytes, memory })
      })
    })
    await this.goForward()
  }

  /** Somebody deleted the file. */
  async #readMark(): Promise<IssueMemory> {
    const rows = (await this.#forward?.allRows()) ?? []
    this.#notice(wentBack(this.#path, rows.length))
    return memoryOf(rows)
  }

  #notice(text: string): void {
    if (!this.notices.includes(text)) this.notices.push(text)
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
      const known = await this.#settleForward(file, guard)
      const { memory } = known
      const admission = await this.#loadAdmission()
      const admitted = await this.#fenced(await admission.admit(authority, change, memory), memory)
      if (isRefusal(admitted) || admitted.rows.length === 0) return admitted
      const { rows } = admitted
      const events = changeEvents(memory, rows, authority)
      await this.#logging(() => this.#log.complete({ file, bytes: known.end.bytes, memory }))
      const appended = await this.#append(file, known, { rows, events }, guard)
      if (appended) await this.#afterwards(() => this.#dropGarbage(appended, guard))
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

  /** An issue with the id of one that was given up continues its fences. */
  async #fenced<T extends IssueChanged | IssueRefusal>(
    admitted: T,
    memory: IssueMemory,
  ): Promise<T> {
    if (isRefusal(admitted) || admitted.rows.every(row => memory.has(row.id))) return admitted
    const fences = await this.#forward?.mark.retiredFences()
    if (fences === undefined || fences.size === 0) return admitted
    const least = (row: Issue) => withFence(row, memory.has(row.id) ? 0 : (fences.get(row.id) ?? 0))
    const { issue } = admitted
    return { ...admitted, rows: admitted.rows.map(least), ...(issue && { issue: least(issue) }) }
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
        ? await this.#settled(guard, async (_file, known) => known)
        : { memory: new IssueMemory(), end: { bytes: 0 } }
      const rows = decide(memory)
      if ('failureClass' in rows) return rows
      const replaced = memoryOf(rows)
      const given = memory.all().filter(({ id }) => !replaced.has(id))
      if (given.length > 0) await this.#forward?.mark.retire(given)
      const compacted = await this.#rewrite(replaced.all(), end.bytes, guard)
      await this.#adoptFile()
      const compare = (file: DiskFile) =>
        this.#log.compare({ file, bytes: compacted.after, memory: replaced })
      await this.#logging(() => this.#withFile(compare))
      return compacted
    })
  }

  /** Rewrites the file in canonical form: one row for each issue, by id. Changes no issue. */
  async compact(): Promise<Compacted> {
    return await this.#locked(async guard => {
      const { memory, end } = await this.#settled(guard, async (file, known) => {
        const { memory, end } = known
        await this.#logging(() => this.#log.complete({ file, bytes: end.bytes, memory }))
        return known
      })
      const rows = memory.all()
      const compacted = await this.#rewriteSame(rows, end.bytes, guard)
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
    if (!(await this.#hasFile())) await disk.makeFolder(this.files.folder)
    return await underLock(disk, this.files.lock, lockWaitMs, act)
  }

  async #rewrite(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const content = encodedLines(printedRows(rows))
    this.#warm.forget()
    const { disk } = this.#options
    const size = (await disk.stamp(this.#path))?.size ?? 0
    if (size !== before) throw writtenWithoutLock(this.#path)
    await disk.replace(this.#path, content, guard)
    return { before, after: content.length, issues: rows.length }
  }

  /** Rewrites the file with the rows that it has, which are all acknowledged. */
  async #rewriteSame(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const compacted = await this.#rewrite(rows, before, guard)
    await this.#withFile(async file => {
      const stamp = await file.stamp()
      const end = { ...rowsStart, bytes: compacted.after, lines: rows.length }
      const tail = await tailOf(file, compacted.after)
      await this.#forward?.mark.noteRewritten({ stamp, end, tail })
    })
    return compacted
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
  async #settled<T>(
    guard: LockGuard,
    act: (file: DiskFile, known: Known) => Promise<T>,
  ): Promise<T> {
    if (!(await this.exists())) throw missingMemory(this.location)
    const file = await this.#options.disk.openToAppend(this.#path)
    try {
      return await act(file, await this.#settleForward(file, guard))
    } finally {
      await file.close()
    }
  }

  /** Memory to change: the rows of the file, and acknowledged ones that it lacks, which are appended. */
  async #settleForward(file: DiskFile, guard: LockGuard): Promise<Known> {
    const known = await this.#settle(file)
    const rows = (await this.#forward?.settle(file, known)) ?? []
    if (rows.length === 0) return known
    const events = changeEvents(known.memory, rows, {})
    await this.#append(file, known, { rows, events }, guard)
    this.#notice(broughtForward(this.#path, rows.length))
    const forward = await this.#settle(file)
    await this.#forward?.takeIn(file, forward)
    // A merged row may have the time of an event, and other content.
    const { memory, end } = forward
    await this.#logging(() => this.#log.compare({ file, bytes: end.bytes, memory }))
    return forward
  }

  /** After the rows were replaced on purpose. */
  async #adoptFile(): Promise<void> {
    await this.#withFile(async file => {
      await this.#forward?.mark.adopt(this.#path, await this.#warm.catchUp(file))
    })
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
  ): Promise<Known | undefined> {
    const bytes = printRows(rows, known.end.unfinished)
    guard()
    try {
      await file.append(bytes)
      await file.sync()
    } catch (error) {
      if (error instanceof Fault) await cutBack(file, known.end.bytes)
      throw error
    }
    return await this.#afterwards(async () => {
      const taken = await this.#warm.take(known, rows, bytes, file)
      await this.#forward?.mark.acknowledge(bytes, taken)
      const logged = { file, bytes: taken.end.bytes, memory: known.memory }
      await this.#logging(() => this.#log.record(events, logged))
      return taken
    })
  }

  /** Rewrites the file where rows that later ones replaced outweigh the others. */
  async #dropGarbage({ memory, end, garbage }: Known, guard: LockGuard): Promise<void> {
    if (end.bytes < compactedBytesMin || 2 * garbage < end.bytes) return
    const all = memory.all()
    await this.#rewriteSame(all, end.bytes, guard)
    await this.#logging(() => this.#log.meet(all.at(-1)))
  }

  /** The change is durable by now, so a fault becomes a notice. */
  async #afterwards<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#warm.forget()
      if (error instanceof ForeignIndex) return undefined
      this.notices.push(`the change is made, but ${this.#path} was not tidied: ${error.message}`)
      return undefined
    }
  }

  /** The event log is derived from the rows, so a fault of the log does not fail a change. */
  async #logging(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault) || error instanceof ForeignIndex) throw error
      if (error instanceof ContradictingFences) throw error
      this.notices.push(`the event log is behind: ${error.message}`)
    }
  }
}

function* printedRows(rows: readonly Issue[]): Iterable<string> {
  for (const row of rows) yield printIssue(row)
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

/** For readers, which change nothing. */
const wentBack = (path: string, count: number) =>
  `${path} went back: it lacks ${counted(count, 'acknowledged row')}. This answer has them, and the next change writes them; premath doctor --accept-older --reason <text> gives them up`

const broughtForward = (path: string, count: number) =>
  `${path} went back: it lacked ${counted(count, 'acknowledged row')}, which are written again`

function memoryOf(rows: Iterable<Issue>): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

/** The events of rows that are about to be appended. */
function changeEvents(
  memory: IssueMemory,
  rows: readonly Issue[],
  authority: Authority | Record<string, never>,
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
