/** One obligation of `premath coherence-check`: what it begins with, and what it does with each row. */
import type { RuleText, Tally } from '../../../kernel/checks/check.ts'
import type { IssueStore } from '../../../store/issue-store.ts'
import type { TrajectoryLog } from '../../../store/trajectory/trajectory-log.ts'
import type { FeatureLedger } from '../../../wire/harness/feature-ledger.ts'
import type { Session } from '../../../wire/harness/session.ts'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import type { Project } from '../../open.ts'
import type { OpenWitnesses } from '../../open-witnesses.ts'
import type { Refs } from './refs.ts'

/** A document that is absent, or why it cannot be read. */
export type Document<T> = { readonly value: T | undefined } | { readonly why: string }

export interface CoherenceVisit {
  readonly project: Project
  readonly open: OpenWitnesses
  readonly store: IssueStore
  readonly session: Document<Session>
  readonly ledger: Document<FeatureLedger>
  readonly log: TrajectoryLog
  /** The events of issues, with their lines. */
  readonly events: Awaited<ReturnType<OpenWitnesses['events']>>
  readonly refs: Refs
}

/** Takes each row of the trajectory once, in the order of the file, then ends. */
export interface Examiner {
  row?(row: StepRow): void | Promise<void>
  end?(): void | Promise<void>
}

export interface CoherenceObligation extends RuleText {
  begin(visit: CoherenceVisit, tally: Tally): Examiner
}
