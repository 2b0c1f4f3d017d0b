/** Changes the file of rows, under its lock: appends rows, and rewrites the file. */
import { Fault } from '../../fault.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { eventsOf, type IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { ContradictingFences, withFence } from '../../kernel/issues/forward/fences.ts'
import { wentBackWords } from '../../kernel/issues/forward/went-back.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../../kernel/issues/issue-change.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { DiskFile } from '../../world/world.ts'
import { Admission } from '../admission.ts'
import { encodedLines } from '../encoded-lines.ts'
import { printRows, rowsStart } from '../issue-rows.ts'
import type { Authority } from '../issue-store.ts'
import { type LockGuard, lockWaitMsDefault, underLock } from '../lock.ts'
import { EventLog, loggedFences } from './event-log.ts'
import type { FileIssueStoreOptions } from './file-issue-store.ts'
import { FileInstructionUses } from './instruction-uses.ts'
import { tailOf } from './issue-cache.ts'
import { ForeignIndex } from './issue-index.ts'
import { type MemoryFile, memoryOf } from './memory-file.ts'
import { type Known, readAllRows } from './warm-issues.ts'

export interface Compacted {
  /** Bytes of the file before and after. */
  readonly before: number
  readonly after: number
  readonly issues: number
}

/** A smaller file is not worth rewriting. */
const compactedBytesMin = 1024 * 1024

export class IssueWriter {
  readonly #memory: MemoryFile
  readonly #options: FileIssueStoreOptions
  readonly #log: EventLog
  readonly #admission: Admission

  constructor(memory: MemoryFile, options: FileIssueStoreOptions) {
    const { disk, files } = memory
    this.#memory = memory
    this.#options = options
    this.#log = new EventLog(disk, files)
    this.#admission = new Admission(options, new FileInstructionUses(disk, files))
  }

  async mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    const refused = await this.#admission.refusal(authority, change)
    if (refused) return refused
    if (!(await this.#memory.hasMemory())) {
      await this.#memory.mustBeNew()
      // A refused change leaves nothing behind: no lock file and no folder.
      const refusal = this.#admission.refusalToCreate(change, this.#memory.path)
      if (refusal) return refusal
    }
    return await this.#locked(guard => this.#admitAndAppend(authority, change, guard))
  }

  async #admitAndAppend(
    authority: Authority,
    change: IssueChange,
    guard: LockGuard,
  ): Promise<IssueChanged | IssueRefusal> {
    const file = await this.#memory.disk.openToAppend(this.#memory.path)
    try {
      const known = await this.#settleForward(file, guard)
      const { memory } = known
      const admitted = await this.#fenced(
        await this.#admission.admit(authority, change, memory),
        memory,
      )
      if (isRefusal(admitted) || admitted.rows.length === 0) return admitted
      const { rows } = admitted
      const events = changeEvents(memory, rows, authority)
      await this.#logging(() => this.#log.complete({ file, bytes: known.end.bytes, memory }))
      const appended = await this.#append(file, known, { rows, events }, guard)
      if (appended) await this.#afterwards(() => this.#dropGarbage(appended, guard))
      return admitted
    } catch (error) {
      this.#memory.warm.forget()
      if (!(error instanceof ForeignIndex)) throw error
      this.#memory.forgetIndex()
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
    const fences = await this.#memory.forward?.mark.retiredFences()
    if (fences === undefined || fences.size === 0) return admitted
    const least = (row: Issue) => withFence(row, memory.has(row.id) ? 0 : (fences.get(row.id) ?? 0))
    const { issue } = admitted
    return { ...admitted, rows: admitted.rows.map(least), ...(issue && { issue: least(issue) }) }
  }

  /** Writes the acknowledged rows that the file lacks. */
  async goForward(): Promise<void> {
    await this.#locked(guard =>
      this.#settled(guard, async (file, { memory, end }) => {
        await this.#logging(() => this.#log.complete({ file, bytes: end.bytes, memory }))
      }),
    )
  }

  /** Takes the rows of the file into the record of acknowledged ones, also where it seems whole. */
  async noteRows(): Promise<void> {
    await this.#locked(guard =>
      this.#settled(guard, async (file, known) => {
        await this.#memory.forward?.takeIn(file, known)
      }),
    )
  }

  /** Resolves fences that contradict each other, or takes the file as it is (`mendedRows`). */
  async mend(choice: 'merge' | 'older', sha256: Sha256): Promise<void> {
    await this.#locked(async guard => {
      const { disk } = this.#memory
      const inFile: Issue[] = []
      const file = await disk.openToAppend(this.#memory.path)
      const { size } = await file.stamp()
      await readAllRows(file, size, this.#memory.path, ({ issue }) => inFile.push(issue))
      await file.close()
      const acknowledged =
        (await this.#memory.forward?.mark.read())?.rows ?? new Map<string, Issue>()
      const logged = await loggedFences(disk, this.#memory.files)
      const { mendedRows } = await import('../../kernel/issues/forward/mend.ts')
      const mended = memoryOf(mendedRows({ inFile, acknowledged, logged }, choice, sha256))
      if (choice === 'older') {
        const givenUp = [...acknowledged.values()].filter(({ id }) => !mended.has(id))
        await this.#memory.forward?.mark.retire(givenUp)
      }
      await this.#rewrite(mended.all(), size, guard)
      if (choice === 'older') await this.#adoptFile()
      await this.#memory.opened(async written => {
        const { memory, end } = await this.#memory.warm.catchUp(written)
        await this.#log.compare({ file: written, bytes: end.bytes, memory })
      })
    })
    await this.goForward()
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
    const refused = await this.#admission.refusalToReplace(authority)
    if (refused) return refused
    return await this.#locked(async guard => {
      const { memory, end } = (await this.#memory.hasMemory())
        ? await this.#settled(guard, async (_file, known) => known)
        : { memory: new IssueMemory(), end: { bytes: 0 } }
      const rows = decide(memory)
      if ('failureClass' in rows) return rows
      const replaced = memoryOf(rows)
      const given = memory.all().filter(({ id }) => !replaced.has(id))
      if (given.length > 0) await this.#memory.forward?.mark.retire(given)
      const compacted = await this.#rewrite(replaced.all(), end.bytes, guard)
      await this.#adoptFile()
      const compare = (file: DiskFile) =>
        this.#log.compare({ file, bytes: compacted.after, memory: replaced })
      await this.#logging(() => this.#memory.opened(compare))
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
      return await this.#rewriteSame(memory.all(), end.bytes, guard)
    })
  }

  /** Compares the event log with all rows, and appends the events that it lacks. */
  async completeEvents(): Promise<void> {
    await this.locked(() =>
      this.#memory.opened(async file => {
        const { memory, end } = await this.#memory.warm.catchUp(file)
        await this.#log.compare({ file, bytes: end.bytes, memory })
      }),
    )
  }

  /** Runs `act` while no other process changes the files of this memory. */
  async locked<T>(act: () => Promise<T>): Promise<T> {
    if (!(await this.#memory.hasMemory())) throw await this.#memory.missing()
    return await this.#locked(act)
  }

  async #locked<T>(act: (guard: LockGuard) => Promise<T>): Promise<T> {
    const { disk, files } = this.#memory
    const { lockWaitMs = lockWaitMsDefault } = this.#options
    if (!(await this.#memory.isThere())) await disk.makeFolder(files.folder)
    const result = await underLock(disk, files.lock, lockWaitMs, act)
    const failed = this.#memory.forward?.mark.failed
    if (failed) this.#memory.notice(unmarked(failed))
    return result
  }

  async #rewrite(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const content = encodedLines(printedRows(rows))
    this.#memory.warm.forget()
    const { disk } = this.#memory
    const size = (await disk.stamp(this.#memory.path))?.size ?? 0
    if (size !== before) throw writtenWithoutLock(this.#memory.path)
    await disk.replace(this.#memory.path, content, guard)
    return { before, after: content.length, issues: rows.length }
  }

  /** Rewrites the file with the rows that it has, which are all acknowledged. */
  async #rewriteSame(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const compacted = await this.#rewrite(rows, before, guard)
    await this.#logging(() => this.#log.meet(rows.at(-1)))
    await this.#memory.opened(async file => {
      const stamp = await file.stamp()
      const end = { ...rowsStart, bytes: compacted.after, lines: rows.length }
      const tail = await tailOf(file, compacted.after)
      await this.#memory.forward?.mark.noteRewritten({ stamp, end, tail })
    })
    return compacted
  }

  /** Sets an incomplete last line aside before the file is replaced. */
  async #settled<T>(
    guard: LockGuard,
    act: (file: DiskFile, known: Known) => Promise<T>,
  ): Promise<T> {
    if (!(await this.#memory.hasMemory())) throw await this.#memory.missing()
    const file = await this.#memory.disk.openToAppend(this.#memory.path)
    try {
      return await act(file, await this.#settleForward(file, guard))
    } finally {
      await file.close()
    }
  }

  /** Memory to change: the rows of the file, and acknowledged ones that it lacks, which are appended. */
  async #settleForward(file: DiskFile, guard: LockGuard): Promise<Known> {
    const known = await this.#settle(file)
    const rows = (await this.#memory.forward?.settle(file, known)) ?? []
    if (rows.length === 0) return known
    const events = changeEvents(known.memory, rows, {})
    const how = wentBackWords(rows, known.memory, 'had')
    await this.#append(file, known, { rows, events }, guard)
    this.#memory.notice(broughtForward(this.#memory.path, how))
    const forward = await this.#settle(file)
    // A merged row may have the time of an event, and other content.
    const { memory, end } = forward
    await this.#logging(() => this.#log.compare({ file, bytes: end.bytes, memory }))
    await this.#memory.forward?.takeIn(file, forward)
    await this.#restoreProofs(rows)
    return forward
  }

  /** A reset takes the proof of a close with its row. */
  async #restoreProofs(rows: readonly Issue[]): Promise<void> {
    for (const row of rows) {
      const chain = row.status === 'closed' ? closeOf(row)?.['chain'] : undefined
      if (typeof chain !== 'string') continue
      const { proofs } = this.#options
      await this.#afterwards(async () => void (await (await proofs?.())?.restore(row.id, chain)))
    }
  }

  /** After the rows were replaced on purpose. */
  async #adoptFile(): Promise<void> {
    await this.#memory.opened(async file => {
      await this.#memory.forward?.mark.adopt(
        this.#memory.path,
        await this.#memory.warm.catchUp(file),
      )
    })
  }

  /** Catches up with the file, and moves an incomplete last line to a file of its own. */
  async #settle(file: DiskFile): Promise<Known> {
    const known = await this.#memory.warm.catchUp(file)
    const { size } = known.stamp
    const { bytes } = known.end
    if (size === bytes) return known
    const { disk } = this.#memory
    const aside = `${this.#memory.path}.torn-${timestampOf(this.#options.clock.now()).replace(/:/g, '')}`
    await disk.replace(aside, await file.read(bytes, size - bytes))
    await file.cut(bytes)
    this.#memory.withdrawSkippedTail()
    this.#memory.notices.push(
      `the last line of ${this.#memory.path} broke off and was never acknowledged; it is kept in ${aside}`,
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
      const taken = await this.#memory.warm.take(known, rows, bytes, file)
      const logged = { file, bytes: taken.end.bytes, memory: known.memory }
      await this.#logging(() => this.#log.record(events, logged))
      // The mark notes the log too.
      await this.#memory.forward?.mark.acknowledge(bytes, taken)
      return taken
    })
  }

  /** Rewrites the file where rows that later ones replaced outweigh the others. */
  async #dropGarbage({ memory, end, garbage }: Known, guard: LockGuard): Promise<void> {
    if (end.bytes < compactedBytesMin || 2 * garbage < end.bytes) return
    await this.#rewriteSame(memory.all(), end.bytes, guard)
  }

  /** The change is durable by now, so a fault becomes a notice. */
  async #afterwards<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#memory.warm.forget()
      if (error instanceof ForeignIndex) return undefined
      this.#memory.notices.push(
        `the change is made, but ${this.#memory.path} was not tidied: ${error.message}`,
      )
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
      this.#memory.notices.push(
        `the event log is behind: ${[error.message, error.hint].filter(text => text !== undefined).join('\n  ')}`,
      )
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

const broughtForward = (path: string, how: string) =>
  `${path} ${how}, as after a branch switch or a reset. The newer state is written again`

const unmarked = ({ message }: Fault) =>
  `the change is made, but premath could not note it beside git: ${message}. A branch switch or a reset could take it back unseen\n  premath doctor says what to do.`

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
