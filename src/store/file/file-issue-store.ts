/** Issue memory in one file that is only ever appended to, until it is compacted. */
import { Fault } from '../../fault.ts'
import { agentAdmission } from '../../kernel/authority/agent-door.ts'
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { scopeRefusal } from '../../kernel/authority/mutation-scope.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { withOverride } from '../../kernel/authority/override.ts'
import { withWriteWitness } from '../../kernel/authority/write-witness.ts'
import { eventsOf, type IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import {
  decideChange,
  type IssueChange,
  type IssueChanged,
} from '../../kernel/issues/issue-change.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { withChain } from '../../kernel/proof/proof-chain.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { MutationReady } from '../../kernel/turn/mutation-ready.ts'
import type { Clock, Disk, DiskFile } from '../../world/world.ts'
import type { Authority, Compacted, IssueStore } from '../issue-store.ts'
import { type LockGuard, lockWaitMsDefault, underLock } from '../lock.ts'
import { EventLog } from './event-log.ts'
import { InstructionUses } from './instruction-uses.ts'
import { IssueCache } from './issue-cache.ts'
import { StrayIndex } from './issue-index.ts'
import { printRows } from './issue-rows.ts'
import type { GatheredProof, ProofStore } from './proof-store.ts'
import { type Known, WarmIssues } from './warm-issues.ts'

export interface IssueStoreOptions {
  readonly path: string
  readonly disk: Disk
  readonly clock: Pick<Clock, 'now'>
  /** A free id for a new issue; counted when absent. */
  readonly newId?: ((memory: IssueMemory, now: bigint) => string) | undefined
  readonly lockWaitMs?: number | undefined
  /** Where an index may be kept, and under which name; none is kept when absent. */
  readonly cache?: { readonly folder: string; readonly name: string } | undefined
  /** Where a closed issue leaves what it was closed by, loaded then; nowhere when absent. */
  proofs?(): Promise<ProofStore>
}

/** A smaller file is not worth rewriting. */
const compactedBytesMin = 1024 * 1024

export class FileIssueStore implements IssueStore {
  readonly path: string
  readonly notices: string[] = []
  readonly #options: IssueStoreOptions
  readonly #log: EventLog
  readonly #uses: InstructionUses
  #warm: WarmIssues

  constructor(options: IssueStoreOptions) {
    this.path = options.path
    this.#options = options
    const { disk, cache } = options
    const kept = cache && new IssueCache(disk, cache.folder, cache.name)
    this.#warm = new WarmIssues(this.path, disk, kept)
    this.#log = new EventLog(disk, this.path)
    this.#uses = new InstructionUses(disk, this.path)
  }

  async exists(): Promise<boolean> {
    return (await this.#options.disk.stamp(this.path)) !== undefined
  }

  async read(): Promise<IssueMemory> {
    return await this.#withFile(async file => {
      const { memory, stamp, end } = await this.#warm.catchUp(file)
      if (stamp.size > end.bytes) this.#noteOnce(passedOver(this.path))
      return memory
    })
  }

  #noteOnce(notice: string): void {
    if (!this.notices.includes(notice)) this.notices.push(notice)
  }

  async mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    const refused = refusalOf(authority) ?? beyondScope(authority, change)
    if (refused) return refused
    if (!(await this.exists())) {
      if (!beginsMemory(change)) throw noMemory(this.path)
      // A change that is refused leaves nothing behind, no lock and no folder either.
      const decided = this.#decide(new IssueMemory(), change)
      if (isRefusal(decided)) return decided
    }
    return await this.#locked(guard => this.#decideAndAppend(authority, change, guard))
  }

  async #decideAndAppend(
    authority: Authority,
    change: IssueChange,
    guard: LockGuard,
  ): Promise<IssueChanged | IssueRefusal> {
    const file = await this.#options.disk.openToAppend(this.path)
    try {
      const known = await this.#settle(file)
      const { memory } = known
      const asked = this.#decide(memory, change)
      if (isRefusal(asked) || asked.rows.length === 0) return asked
      const proof = await this.#proofOf(authority, change, asked, memory)
      if (proof && isRefusal(proof)) return proof
      const proven = proof ? withChain(asked, proof.chain) : asked
      const decided = await this.#vouched(authority, change, proven)
      if (isRefusal(decided)) return decided
      // Before the row: what was acknowledged as closed can be shown, also after a crash.
      await proof?.keep()
      const logged = { file, bytes: known.end.bytes, memory }
      const events = changeEvents(memory, decided.rows, authority)
      await this.#logging(() => this.#log.complete(logged))
      await this.#append(file, known, { rows: decided.rows, events }, guard)
      return decided
    } catch (error) {
      this.#warm.forget()
      if (!(error instanceof StrayIndex)) throw error
      this.#warm = new WarmIssues(this.path, this.#options.disk, undefined)
      return await this.#decideAndAppend(authority, change, guard)
    } finally {
      await file.close()
    }
  }

  /** The change with the trace of whoever it is made by. An entry of an instruction is used up here. */
  async #vouched(
    authority: Authority,
    change: IssueChange,
    asked: IssueChanged,
  ): Promise<IssueChanged | IssueRefusal> {
    if (OperatorGrant.isIssued(authority)) return withOverride(asked, authority)
    if (!AgentGrant.isIssued(authority)) return asked
    const now = this.#options.clock.now()
    const { instructionDigest } = authority.instruction
    const used = await this.#uses.usedOf(instructionDigest, authority.turn?.witnessDigest)
    const admitted = agentAdmission(authority, change, now, used)
    if (isRefusal(admitted)) return admitted
    const { action } = change
    if (admitted.entry !== undefined) {
      const issueId = asked.issue?.id ?? ''
      const { entry, turn } = admitted
      const use = { entry, action, issueId, turn, at: timestampOf(now) }
      await this.#uses.add(instructionDigest, use)
    }
    return withWriteWitness(asked, authority, { action, now })
  }

  /** Of a change that closes an issue: all that its proof is to hold. */
  async #proofOf(
    authority: Authority,
    change: IssueChange,
    { issue: after }: IssueChanged,
    memory: IssueMemory,
  ): Promise<GatheredProof | IssueRefusal | undefined> {
    const { proofs } = this.#options
    if (change.action !== 'issue.update' || change.done === undefined) return undefined
    const before = memory.get(change.id)
    if (proofs === undefined || after?.status !== 'closed' || before?.status === 'closed') {
      return undefined
    }
    const { done, turn } = change
    return await (await proofs()).gather({ before, after, done, turn }, authority)
  }

  #decide(memory: IssueMemory, change: IssueChange): IssueChanged | IssueRefusal {
    const now = this.#options.clock.now()
    const newId = this.#options.newId ?? (known => known.nextCountedId('bd'))
    return decideChange(memory, change, { now, newId: known => newId(known, now) })
  }

  async replaceRows(
    authority: Authority,
    decide: (memory: IssueMemory) => readonly Issue[] | IssueRefusal,
  ): Promise<Compacted | IssueRefusal> {
    const refused = refusalOf(authority) ?? wholesale(authority)
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
      await this.#logging(() =>
        this.#withFile(file =>
          this.#log.compare({ file, bytes: compacted.after, memory: replaced }),
        ),
      )
      return compacted
    })
  }

  async tidyProofs(issueId: string): Promise<void> {
    const { proofs } = this.#options
    if (proofs) await this.#locked(async () => (await proofs()).tidy(issueId))
  }

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

  /** The rows, which stand in order, in the place of the file. */
  async #rewrite(rows: readonly Issue[], before: number, guard: LockGuard): Promise<Compacted> {
    const text = rows.map(issue => `${printIssue(issue)}\n`).join('')
    const content = new TextEncoder().encode(text)
    this.#warm.forget()
    const { disk } = this.#options
    if (((await disk.stamp(this.path))?.size ?? 0) !== before) throw grownMeanwhile(this.path)
    await disk.replace(this.path, content, guard)
    return { before, after: content.length, issues: rows.length }
  }

  async #withFile<T>(act: (file: DiskFile) => Promise<T>): Promise<T> {
    const file = await this.#options.disk.open(this.path)
    if (!file) throw noMemory(this.path)
    try {
      return await act(file)
    } finally {
      await file.close()
    }
  }

  async #locked<T>(act: (guard: LockGuard) => Promise<T>): Promise<T> {
    const { disk, lockWaitMs = lockWaitMsDefault } = this.#options
    if (!(await this.exists())) await disk.makeFolder(folderOf(this.path))
    return await underLock(disk, `${this.path}.lock`, lockWaitMs, act)
  }

  /** For rewriting: what was never acknowledged is set aside before anything is replaced. */
  async #settled<T>(act: (file: DiskFile, known: Known) => Promise<T>): Promise<T> {
    if (!(await this.exists())) throw noMemory(this.path)
    const file = await this.#options.disk.openToAppend(this.path)
    try {
      return await act(file, await this.#settle(file))
    } finally {
      await file.close()
    }
  }

  /** Up to date, and without an end that was never acknowledged: it is set aside. */
  async #settle(file: DiskFile): Promise<Known> {
    const known = await this.#warm.catchUp(file)
    const { size } = known.stamp
    const { bytes } = known.end
    if (size === bytes) return known
    const { disk, clock } = this.#options
    const aside = `${this.path}.torn-${timestampOf(clock.now()).replace(/:/g, '')}`
    await disk.replace(aside, await file.read(bytes, size - bytes))
    await file.cut(bytes)
    const passed = this.notices.indexOf(passedOver(this.path))
    if (passed >= 0) this.notices.splice(passed, 1)
    this.notices.push(
      `the last line of ${this.path} broke off and was never acknowledged; it is kept in ${aside}`,
    )
    return { ...known, stamp: await file.stamp() }
  }

  /** One write and one sync; what was not acknowledged does not stay. */
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

  /** The change is made and durable; whatever becomes of this must not take it back. */
  async #afterwards(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#warm.forget()
      if (error instanceof StrayIndex) return
      this.notices.push(`the change is made, but ${this.path} was not tidied: ${error.message}`)
    }
  }

  /** The log is derived from the rows: they decide, and stand, whatever becomes of it. */
  async #logging(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault) || error instanceof StrayIndex) throw error
      this.notices.push(`the event log is behind: ${error.message}`)
    }
  }
}

/** Where even this fails, what is left is a row that came without an answer. */
async function cutBack(file: DiskFile, bytes: number): Promise<void> {
  try {
    await file.cut(bytes)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
}

function refusalOf(authority: Authority): IssueRefusal | undefined {
  if (OperatorGrant.isIssued(authority) || MutationReady.isIssued(authority)) return undefined
  if (AgentGrant.isIssued(authority)) return undefined
  if ('failureClass' in authority) return authority
  const { message, remedy } =
    'remedy' in authority
      ? authority
      : { message: 'nobody vouches for it', remedy: 'Ask the gate.' }
  return refuse('mutation_not_granted', message, remedy)
}

/** No instruction lists what replaces all rows. */
const wholesale = (authority: Authority) =>
  AgentGrant.isIssued(authority)
    ? refuse(
        'instruction_scope_exceeded',
        'an instruction allows one change',
        'Have a person do it.',
      )
    : undefined

const beyondScope = (authority: Authority, change: IssueChange) =>
  MutationReady.isIssued(authority) ? scopeRefusal(authority, change) : undefined

/** For readers, who set nothing aside. Rows that somebody is just writing look the same. */
const passedOver = (path: string) =>
  `the last line of ${path} is unfinished and was passed over; the next change sets it aside`

/** What the log is to tell of rows that are about to be added. */
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

/** Changes that make the file where there is none; all others speak of issues in it. */
const beginsMemory = ({ action }: IssueChange) =>
  action === 'issue.add' || (action as string) === 'issue.import'

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'

/** Somebody wrote without the lock: rewriting would lose what they wrote. */
const grownMeanwhile = (path: string) =>
  new Fault('conflict', `${path} was changed while it was to be rewritten`, {
    hint: 'Nothing was rewritten. Try again when nobody else writes to it.',
    detail: { path },
  })

const noMemory = (path: string) =>
  new Fault('invalid_input', `there is no issue memory at ${path}`, {
    hint: 'Check the path. premath issue add begins one there; premath init sets up a project.',
    detail: { path },
  })
