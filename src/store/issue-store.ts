/** The authority over work items: one file of rows, one door to change it. */

import type { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { GrantRefusal, OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { MutationReady } from '../kernel/turn/mutation-ready.ts'

/** Who asks for a change. A refused grant is taken too: it is the door that says no. */
export type Authority = MutationReady | OperatorGrant | AgentGrant | GrantRefusal | IssueRefusal

export interface Compacted {
  /** Bytes of the file before and after. */
  readonly before: number
  readonly after: number
  readonly issues: number
}

export interface IssueStore {
  /** Where the rows are. */
  readonly path: string
  /** What was found and set right on the way, one sentence each; worth telling a person. */
  readonly notices: readonly string[]
  /** Whether there is a file at all. */
  exists(): Promise<boolean>
  /**
   * Memory as it is now. Reads only what was appended since the last time, takes no lock, and
   * faults as `invalid_input` where there is no file.
   */
  read(): Promise<IssueMemory>
  /**
   * The one door. Decides under the lock, appends the changed rows and syncs once before it returns;
   * a refusal changes nothing.
   */
  mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal>
  /** Puts other rows in the place of all of them, in one step and under the lock. */
  replaceRows(
    authority: Authority,
    decide: (memory: IssueMemory) => readonly Issue[] | IssueRefusal,
  ): Promise<Compacted | IssueRefusal>
  /** Under the lock: removes what a close that was cut off left in the proofs of that issue. */
  tidyProofs(issueId: string): Promise<void>
  /** Rewrites the file in canonical form: one row an issue, by id. Decides nothing. */
  compact(): Promise<Compacted>
}
