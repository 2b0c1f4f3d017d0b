/** What the hooks work with: issue memory, which decides, and projections, which tell. */

import type { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { GrantRefusal, OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { Sha256 } from '../kernel/canonical.ts'
import type { FeatureLedger } from '../kernel/harness/feature-ledger.ts'
import type { StepEvent } from '../kernel/harness/run/run-event.ts'
import type { Session } from '../kernel/harness/session.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import type { FoundProof } from '../kernel/harness/step/step-journal.ts'
import type { StepRow, StepTurn } from '../kernel/harness/step/step-row.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Json } from '../kernel/json.ts'
import type { CloseProof } from '../kernel/proof/close-proof.ts'
import type { MutationReady, Refusal } from '../kernel/turn/mutation-ready.ts'
import type { IssueStore } from '../store/issue-store.ts'
import type { Clock, Disk, Processes } from '../world/world.ts'

export interface SessionFile {
  readonly path: string
  read(): Promise<Session | undefined>
  update(decide: (before: Session | undefined) => Session): Promise<Session>
}

export interface LedgerFile {
  readonly path: string
  read(): Promise<FeatureLedger | undefined>
  update(decide: (before: FeatureLedger | undefined) => FeatureLedger): Promise<FeatureLedger>
}

export interface Trajectory {
  readonly path: string
  append(row: StepRow): Promise<void>
  has(stepId: string): Promise<boolean>
  /** The last steps on an issue, newest first. */
  lastOf(issueId: string, limit: number): Promise<readonly StepRow[]>
}

/** What the turns that the work left in its evidence file came to. */
export interface EvidenceVerdict {
  readonly turns: number
  readonly joinClosed: boolean
  readonly failureClasses: readonly string[]
  /** The first few things that are open, for people. */
  readonly findings: readonly string[]
  /** Locations at which the work is to go on, in order; mostly none. */
  readonly destinations: readonly string[]
  /** The verdict on each turn, by its digest, as they were left. */
  readonly turnDigests: readonly string[]
}

export interface Gate {
  /** The proof that the step's own turn may change its issue. */
  admit(turn: Json): Promise<MutationReady | Refusal>
  /** Judges a turn and writes the verdict down; answers where, from the project's folder. */
  witness(turn: Json): Promise<{ readonly verdict: StepTurn; readonly ref: string }>
  /** Judges every line of the file; nothing was left where there is none. */
  judgeFile(path: string): Promise<EvidenceVerdict>
}

/** How a step shows that its issue is done. */
export interface Proofs {
  /** The project's folder here, which trees are read in. */
  readonly folder: string
  /** What is in the project's folder now. Where git is asked, `onAsked` is called when it runs. */
  tree(onAsked?: () => void): Promise<string>
  /** From what its verification left, on the tree as it is now. */
  find(issue: Issue, ran: VerificationRun): Promise<CloseProof | IssueRefusal>
  /** From what was found before, which is opened again: a crash may lie between. */
  reopen(issueId: string, found: FoundProof): Promise<CloseProof | IssueRefusal>
  /** Why what was found is not true of the files as they are: anybody may have changed them since. */
  staleness(found: FoundProof): Promise<IssueRefusal | undefined>
}

/** The last command of a verification that passed. */
export interface VerificationRun {
  readonly stepId: string
  readonly commandDigest: string
  readonly outputDigest: string
  /** The tree that was verified, where something ran since; without it, the tree as it is. */
  readonly treeDigest?: string | undefined
  /** The tree as it is, for whoever has read it since the last command. */
  readonly treeNow?: string | undefined
}

/** Rules of the project that the hooks follow, as data. */
export interface HarnessPolicy {
  readonly mutationMode: string
  readonly mutationPolicyDigest: string
  /** Governance is claimed: what a step does is pinned to that policy. */
  readonly isGoverned: boolean
  readonly requireAgentEvidence: boolean
  /** Why an override was asked for; blank elsewhere. */
  readonly reason: string
}

/** A person, or an agent under an instruction; or why neither. */
export type Starter = OperatorGrant | GrantRefusal | AgentGrant | IssueRefusal

export interface Harness {
  /** The project's folder, and the one that commands run in. */
  readonly root: string
  readonly worktree: string
  readonly workerId: string
  readonly issuesPath: string
  readonly store: IssueStore
  /** Holds the records that belong to issue memory: step journals, locks of workers. */
  readonly recordsFolder: string
  readonly session: SessionFile
  readonly ledger: LedgerFile
  readonly trajectory: Trajectory
  readonly disk: Disk
  readonly clock: Clock
  readonly processes: Processes
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sha256: Sha256
  readonly gate: Gate
  readonly proofs: Proofs
  readonly policy: HarnessPolicy
  /** Why no step may begin under the policy, where governance is claimed: it is not in force. */
  policyRefusal(): Promise<IssueRefusal | undefined>
  /** By its digest, read again: somebody may have put another one in its place. */
  policyDigestNow(): Promise<string>
  /** Steps that are under way, or were cut off: names of files beside issue memory. */
  journals(): Promise<readonly string[]>
  /** What another worker's step tells of itself in. */
  documentsAt(sessionPath: string, ledgerPath: string): Pick<Harness, 'session' | 'ledger'>
  /** Whoever started the harness. A refused one is for the store to refuse. */
  authority(): Starter
  /** The same, asked again with the turn that it came of: what lets it may be gone by now. */
  authorityNow(joinWitness: string): Promise<Starter>
  /** Aborts when this process is asked to stop: what runs is ended, and nothing new begins. */
  readonly stop: AbortSignal
  /** Tells whoever watches what goes on. */
  tell(event: StepEvent): void
}

/** Held by a worker while it is at work, wherever it is. */
export const workerLockPath = (
  { recordsFolder, sha256 }: Pick<Harness, 'recordsFolder' | 'sha256'>,
  workerId: string,
) => `${journalFolder({ recordsFolder })}/${stepFolderName(workerId, sha256)}.lock`

export const journalFolder = ({ recordsFolder }: Pick<Harness, 'recordsFolder'>) =>
  `${recordsFolder}/steps`

/** A path of the project, as artifacts name it: from the root, so that two machines agree. */
export function fromRoot({ root }: Pick<Harness, 'root'>, path: string): string {
  const prefix = root === '/' ? '/' : `${root}/`
  if (path === root) return '.'
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}
