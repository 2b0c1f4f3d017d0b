/**
 * The port to issue memory, the authority over work items. A backend lives in a folder of its own and
 * passes `testing/issue-store.contract.ts`.
 */
import { Fault } from '../fault.ts'
import type { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { GrantRefusal, OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { Sha256 } from '../kernel/canonical.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { MutationReady } from '../kernel/turn/mutation-ready.ts'

/** The caller's right to change memory. A caller without one passes the refusal, and gets it back. */
export type Authority = MutationReady | OperatorGrant | AgentGrant | GrantRefusal | IssueRefusal

/** Whether memory is as a log ref named it, has more rows, or cannot be compared any more. */
export type LogState = 'same' | 'moved' | 'unknown'

export interface RereadClose {
  /** The row, or the newest row of its id if it is not kept. */
  readonly row: Issue | undefined
  /** The digest of its chain, computed again. */
  readonly chain: string | undefined
}

/** A position in the change feed. Only the backend that returned it can read it. */
export type Revision = string

export interface Changes {
  /** In the order in which they were made. A reset returns the last row of every issue, by id. */
  readonly rows: readonly Issue[]
  /** The position after these rows: pass it to the next call. */
  readonly revision: Revision
  /** The rows since the given revision are not all known, so `rows` starts over. */
  readonly isReset: boolean
}

export interface IssueStore {
  /** The storage format, as `issue backend-status` reports it. */
  readonly kind: string
  /** Names this memory to another process: the value of `--issues` and `PREMATH_ISSUES_PATH`. */
  readonly location: string
  /** Repairs and warnings so far, one sentence each, for the person who runs the command. */
  readonly notices: readonly string[]
  exists(): Promise<boolean>
  /**
   * Memory with every acknowledged change. Takes no lock. A later call may return the same object,
   * brought up to date. Faults as `invalid_input` where no memory exists.
   */
  read(): Promise<IssueMemory>
  /**
   * The only way to change issues. The kernel decides on the newest memory, with other writers kept
   * out: authority, lease and fence, entries of the instruction, and the proof of a close. The rows
   * of one change become visible together, and are durable when the call returns. A refusal changes
   * nothing. Where no memory exists, `issue.add` and `issue.import` create it; any other change
   * faults as `invalid_input`.
   */
  mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal>
  /**
   * The rows that were written after a revision, each once and without a gap. Without a revision, or
   * with one that the backend cannot continue from (it was rewritten or compacted), the feed resets.
   * Takes no lock, and faults as `invalid_input` where no memory exists.
   */
  changes(since?: Revision): Promise<Changes>
  /**
   * Names memory as it is now by the end of its log. Unlike `IssueMemory.snapshotRef`, its cost does
   * not depend on the number of issues.
   */
  logRef(sha256: Sha256): Promise<string>
  /** Compares memory with a log ref from before. */
  logState(ref: string, sha256: Sha256): Promise<LogState>
  /** Reads the row of a close and its chain from where they are kept, not from memory. */
  reread(closed: Issue): Promise<RereadClose>
  /** Removes files that an interrupted close left among the proofs of the issue. */
  tidyProofs(issueId: string): Promise<void>
}

export const missingMemory = (location: string) =>
  new Fault('invalid_input', `no issue memory at ${location}`, {
    hint: 'Check the path. premath issue add creates it; premath init sets up a project.',
    detail: { path: location },
  })
