/**
 * The dependencies of the boot, step and stop hooks. Issue memory is authoritative; session, ledger
 * and trajectory are projections of it.
 */

import type { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { GrantRefusal, OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { Digest, Sha256 } from '../kernel/canonical.ts'
import type { StepEvent } from '../kernel/harness/run/run-event.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Json } from '../kernel/json.ts'
import type { CloseProof } from '../kernel/proof/close-proof.ts'
import type { MutationReady, Refusal } from '../kernel/turn/mutation-ready.ts'
import type { IssueStore } from '../store/issue-store.ts'
import type { WitnessedWork, WitnessSigner } from '../store/witness-store.ts'
import type { FeatureLedger } from '../wire/harness/feature-ledger.ts'
import type { StepFailure } from '../wire/harness/feedback.ts'
import type { ObservabilityMode } from '../wire/harness/payload.ts'
import type { Session } from '../wire/harness/session.ts'
import type { FoundProof } from '../wire/harness/step-journal.ts'
import type { StepRow, StepTurn } from '../wire/harness/step-row.ts'
import type { SandboxMode } from '../wire/sandbox-mode.ts'
import type { Clock, Disk, Processes } from '../world/world.ts'
import type { LandingPlace } from './landing/landing-git.ts'
import type { SandboxState } from './sandbox/sandbox.ts'

export interface SessionFile {
  readonly path: string
  read(): Promise<Session | undefined>
  update(decide: (before: Session | undefined) => Session): Promise<Session>
}

interface LedgerFile {
  readonly path: string
  read(): Promise<FeatureLedger | undefined>
  update(decide: (before: FeatureLedger | undefined) => FeatureLedger): Promise<FeatureLedger>
}

interface Trajectory {
  readonly path: string
  append(row: StepRow): Promise<void>
  checkWritable(): Promise<void>
  get(stepId: string): Promise<StepRow | undefined>
  /** The last steps on an issue, newest first. */
  lastOf(issueId: string, limit: number): Promise<readonly StepRow[]>
}

/** The gate's verdict on the turns in the evidence file of a work command. */
export interface EvidenceVerdict {
  readonly turns: number
  readonly joinClosed: boolean
  readonly failureClasses: readonly string[]
  /** The first few findings, as text. */
  readonly findings: readonly string[]
  /** The locations that the turns name as the next place of work, in order. Usually empty. */
  readonly destinations: readonly string[]
  /** The digest of the verdict on each turn, in file order. */
  readonly turnDigests: readonly Digest[]
  /** The most reticent mode that a turn asks for. */
  readonly observabilityMode: ObservabilityMode
  /** The digest of the bytes; `undefined` without a file that could be read. */
  readonly sha256: Digest | undefined
}

export interface Gate {
  /** Checks a turn and writes the verdict. Returns its path relative to the project root. */
  witness(
    turn: Json,
    about: WitnessedWork,
  ): Promise<{ readonly verdict: StepTurn; readonly ref: string }>
  /** Checks every line of the file under the policy. A missing file means zero turns. */
  judgeFile(path: string, policy: HarnessPolicy): Promise<EvidenceVerdict>
}

/** Finds and verifies the proof that closes the issue of a step. */
export interface Proofs {
  /** The project folder of this process. All trees are read there. */
  readonly folder: string
  /** The digest of the project tree now. Calls `onAsked` once git has started, if git is used. */
  tree(onAsked?: () => void): Promise<string>
  /** Builds the proof from a verification and the current tree. */
  find(issue: Issue, ran: VerificationRun): Promise<CloseProof | IssueRefusal>
  /** Verifies a proof from the journal again, because a crash may have happened since. */
  reopen(issueId: string, found: FoundProof): Promise<CloseProof | IssueRefusal>
  /** Returns why the proof does not match the current files, which anyone may have changed. */
  staleness(found: FoundProof): Promise<IssueRefusal | undefined>
}

/** The last command of a verification that passed. */
export interface VerificationRun {
  readonly stepId: string
  readonly commandDigest: string
  readonly outputDigest: string
  /** The witness of the specs that passed. No other is looked for. */
  readonly witness?: string | undefined
  /** The commit that was verified, and git's id of its tree, if it was checked out for that. */
  readonly commit?: string | undefined
  readonly gitTree?: string | undefined
  /** The earlier run of the command, if it passed on the same files and did not run again. */
  readonly reusedFrom?: { readonly stepId: string; readonly commit: string } | undefined
  /** The sandbox in which the command ran. */
  readonly sandbox: SandboxMode
}

/** The policy settings that the hooks obey. */
export interface HarnessPolicy {
  readonly mutationMode: string
  readonly mutationPolicyDigest: string
  /** True if the registry claims governance. Each step then records the digest of this policy. */
  readonly isGoverned: boolean
  readonly requireAgentEvidence: boolean
  /** How many lines the reminder queue of an attempt holds. */
  readonly reminderLines: number
  /** The place that the payloads of steps go to. */
  readonly observabilityMode: ObservabilityMode
  /** The reason of an override, or an empty string. */
  readonly reason: string
}

/**
 * The authority of the caller: a person, an agent under an instruction, or the refusal of either.
 */
type Starter = OperatorGrant | GrantRefusal | AgentGrant | IssueRefusal

/** Policy and authority for one change of issue memory. Each document is read once, when needed. */
export interface ChangeAuthority {
  policy(): Promise<HarnessPolicy>
  /** The authority of the caller, with the witness of its turn if one is given. */
  authority(joinWitness?: string, knownRefs?: readonly string[]): Promise<Starter>
  /** Why no step may start under that policy: governance is claimed and it is not in force. */
  refusalUnder(policy: HarnessPolicy): Promise<IssueRefusal | undefined>
  /**
   * Issues the proof that the step's own turn may change its issue, under the policy of now. The
   * journal of the step vouches for `knownRefs`; all other refs must name artifacts.
   */
  admit(turn: Json, knownRefs: readonly string[]): Promise<MutationReady | Refusal>
}

export interface RefusedPath {
  readonly refusedPath: string
  /** `which is …` */
  readonly why: string
}

export interface Harness {
  /** The project folder. Commands run in `worktree`. */
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
  /** The instruction under which the caller acts, if it is an agent. */
  readonly instructionId: string | undefined
  readonly proofs: Proofs
  readonly policy: HarnessPolicy
  /** Paths of the journals beside issue memory, one for each running or interrupted step. */
  journals(): Promise<readonly string[]>
  /** The names in a folder, sorted. */
  namesIn(folder: string): Promise<readonly string[]>
  /**
   * The session and ledger that a journal names. A journal may come with a clone, so a path that
   * premath would not have written there is refused.
   */
  documentsAt(
    sessionPath: string,
    ledgerPath: string,
  ): Promise<Pick<Harness, 'session' | 'ledger'> | RefusedPath>
  /** The authority of the caller. If it is a refusal, the store refuses the change. */
  authority(): Starter
  /** Begins a change that comes after time has passed: policy and registry are read again. */
  changeAuthority(): ChangeAuthority
  /** What the last run reported about an issue, newest first. */
  attentionOn?(issueId: string): Promise<readonly string[]>
  /** The repository in which work lands, if it is open already. */
  readonly landingPlace?: LandingPlace
  /** Signs the witnesses that the harness makes, if the user has a key for that. */
  readonly signer?: WitnessSigner | undefined
  /** Reads the payloads of steps under `internal_processor`. */
  readonly processorCommand?: string | undefined
  /** The failure of the last attempt, by its step, if the policy lets no file have it. */
  readonly unkeptFailures?: Map<string, StepFailure>
  /** Commands run without a sandbox if it is absent. */
  readonly sandbox?: SandboxState
  /**
   * Aborts when this process receives a stop signal. Running commands end and no new one starts.
   */
  readonly stop: AbortSignal
  /** Reports an event to the observers of the step. */
  emit(event: StepEvent): void
}

/** The sandbox of the commands, for records. */
export const sandboxModeOf = ({ sandbox }: Pick<Harness, 'sandbox'>): SandboxMode =>
  sandbox?.mode ?? 'off'

/** The lock that a worker holds while it works, in any worktree. */
export const workerLockPath = (
  { recordsFolder, sha256 }: Pick<Harness, 'recordsFolder' | 'sha256'>,
  workerId: string,
) => `${journalFolder({ recordsFolder })}/${stepFolderName(workerId, sha256)}.lock`

export const journalFolder = ({ recordsFolder }: Pick<Harness, 'recordsFolder'>) =>
  `${recordsFolder}/steps`

/** Returns a path relative to the project root, so that artifacts are equal on every machine. */
export function fromRoot({ root }: Pick<Harness, 'root'>, path: string): string {
  const prefix = root === '/' ? '/' : `${root}/`
  if (path === root) return '.'
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}
