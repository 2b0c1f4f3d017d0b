/**
 * The `boot` hook: reads the files of the project and reports the next issue to work on
 * (HARNESS-RUNTIME §3.1).
 */
import { refusedClaim } from '../kernel/authority/agent-admission.ts'
import { AgentGrant } from '../kernel/authority/agent-grant.ts'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import { bootstrapFrom } from '../kernel/harness/bootstrap.ts'
import { projectLedger } from '../kernel/harness/ledger-check.ts'
import { type ChosenTarget, chooseTarget } from '../kernel/harness/next-target.ts'
import { activeIntegrity, type GraphIntegrity } from '../kernel/issues/graph/dependency-cycle.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import { shellWord } from '../kernel/text/shell-word.ts'
import type { Session } from '../wire/harness/session.ts'
import type { StepCommand } from '../wire/harness/step-row.ts'
import type { Disk, ProcessGroup } from '../world/world.ts'
import { fromRoot, type Harness } from './harness.ts'
import { observationIn, observationPath, type SeenObservation } from './observed-attention.ts'
import { keepsPayloads } from './payloads.ts'
import {
  type ScopeOptions,
  scopeOfCommand,
  scopeOfSpecs,
  type VerifiedScope,
  witnessScope,
} from './scope-check.ts'
import { beforeClaim } from './step/claim-work.ts'
import { describeEnd, type RanCommand, runCommand } from './step/command.ts'
import { JournalFile } from './step/journal-file.ts'
import { type Recovered, recoverSteps } from './step/recover.ts'
import { type OpenedRef, openRef, StepFolder } from './step/step-folder.ts'

export interface BootOptions {
  /** Runs before the worker claims an issue. Work starts only if it passes. */
  readonly startupCommand?: string | undefined
  readonly startupTimeoutMs: number
  readonly quietWarningMs?: number | undefined
  /** Verified without a start-up command. Steps have none: they verify their work. */
  readonly scope?: ScopeOptions | undefined
  /** Reports the attention of the last observation. Steps do not: they have their own reasons. */
  readonly showsObservation?: boolean
}

export interface MemoryRoot {
  readonly path: string
  readonly present: boolean
}

export interface OpenedHandoff {
  readonly ref: string
  readonly state: OpenedRef
}

export interface BootReport extends ChosenTarget {
  readonly accepted: boolean
  readonly failureClasses: readonly string[]
  readonly memoryRoots: readonly MemoryRoot[]
  readonly recovered: Recovered | undefined
  readonly alsoRecovered: readonly Recovered[]
  readonly diagnostics: GraphIntegrity
  readonly bootstrap: ReturnType<typeof bootstrapFrom>
  readonly refs: readonly OpenedHandoff[]
  readonly snapshot: 'same' | 'moved' | 'unknown'
  readonly startup: StepCommand | undefined
  /** Absent if nothing was to be verified, or a flaw came first. */
  readonly scope: VerifiedScope | undefined
  /** Evidence for people. It changes neither the verdict nor the target. */
  readonly observation: SeenObservation | undefined
  /** For people: each problem that prevents work, and how to fix it. */
  readonly reasons: readonly BootReason[]
  /** Problems that do not prevent work. */
  readonly warnings: readonly BootReason[]
}

/** The caller holds the worker's lock. */
export async function bootHarness(harness: Harness, options: BootOptions): Promise<BootReport> {
  const memoryRoots = await rootsOf(harness)
  const { own: recovered, others: alsoRecovered } = await recoverSteps(harness)
  const memory = await harness.store.read()
  const diagnostics = activeIntegrity(memory)
  const session = await harness.session.read()
  const refs = await openRefs(harness, session)
  const { features, ledgerClasses } = await featuresOf(harness)
  const bootstrap = bootstrapFrom(session, features, {
    sessionRef: fromRoot(harness, harness.session.path),
    featureLedgerRef: fromRoot(harness, harness.ledger.path),
  })
  const flaws = [
    ...waitingFlaws(recovered, harness.policy),
    ...graphFlaws(diagnostics),
    ...refFlaws(refs, harness.session.path),
  ]
  const chosen = await targetOf(harness, memory)
  const { startup, scope } =
    flaws.length === 0
      ? await verifyStart(harness, options, memory.get(chosen.target?.issueId ?? ''))
      : {}
  const found = [
    ...flaws,
    ...startupFlaws(harness, startup, scope?.how === 'verify'),
    ...scopeFlaws(scope),
  ]
  const observation = options.showsObservation ? await observationIn(harness) : undefined
  return {
    accepted: found.length === 0,
    failureClasses: [...new Set(found.map(({ name }) => name))].sort(),
    memoryRoots,
    recovered,
    alsoRecovered,
    diagnostics,
    bootstrap,
    refs,
    snapshot: await snapshotState(harness, session, memory),
    ...chosen,
    startup: startup?.command,
    scope,
    observation,
    reasons: found.map(({ why, next }) => ({ why, next })),
    warnings: ledgerClasses.map(ledgerWarning),
  }
}

/** The first issue that the caller may claim under the policy. */
async function targetOf(harness: Harness, memory: IssueMemory): Promise<ChosenTarget> {
  const { workerId, clock, authority, policy } = harness
  const now = clock.now()
  const starter = authority()
  const ungoverned = policy.isGoverned
    ? await harness.changeAuthority().refusalUnder(policy)
    : undefined
  const refusalOf = (issueId: string) => {
    if (ungoverned) return ungoverned.failureClass
    if (AgentGrant.isIssued(starter)) return refusedClaim(starter, issueId, now)
    if (OperatorGrant.isIssued(starter)) return undefined
    return 'failureClass' in starter ? starter.failureClass : 'mutation_not_granted'
  }
  return chooseTarget(memory, workerId, now, refusalOf)
}

/** True if there are issues to claim, and the caller may claim none of them. */
export async function refusesAll(harness: Harness): Promise<boolean> {
  const { target, passedOver } = await targetOf(harness, await harness.store.read())
  const isRefused = ({ failureClass }: (typeof passedOver)[number]) =>
    failureClass !== 'lease_contention_active'
  return target === undefined && passedOver.length > 0 && passedOver.every(isRefused)
}

export interface BootReason {
  readonly why: string
  readonly next: string
}

interface BootFlaw extends BootReason {
  readonly name: string
}

/** A journal that this caller may not finish blocks every new step of its worker. */
function waitingFlaws(
  recovered: Recovered | undefined,
  { mutationMode }: Harness['policy'],
): readonly BootFlaw[] {
  if (recovered?.how !== 'waiting') return []
  const why = `the interrupted step ${recovered.stepId} cannot be finished: the policy does not allow this caller to change issues`
  const next = mutationMode === 'instruction-linked' ? underInstruction : withReason
  return [{ name: recovered.resultClass, why, next }]
}

const withReason = 'Run the command again with --reason <text>.'

/** In this mode the policy does not accept a reason as authority. */
const underInstruction =
  'Run the command again with the --instruction of the step. If it had none, start the next step or run at a terminal, which finishes this one.'

const ledgerWarning = (failureClass: string): BootReason => ({
  why: `the feature ledger is rejected: ${failureClass}`,
  next: 'List the problems: premath harness-feature check.',
})

async function rootsOf(harness: Harness): Promise<readonly MemoryRoot[]> {
  const { root, disk, store, session } = harness
  const own = root === '/' ? '' : root
  const paths = [session.path, `${own}/artifacts/ciwitness`, observationPath(own)]
  return await Promise.all([
    memoryRoot(harness, store.location, store.exists()),
    ...paths.map(path => memoryRoot(harness, path, isPresent(path, disk))),
  ])
}

async function memoryRoot(
  harness: Harness,
  path: string,
  present: Promise<boolean>,
): Promise<MemoryRoot> {
  return { path: fromRoot(harness, path), present: await present }
}

const isPresent = async (path: string, disk: Disk) => (await disk.stamp(path)) !== undefined

function graphFlaws({ hasCycle, cyclePath }: GraphIntegrity): readonly BootFlaw[] {
  if (!hasCycle) return []
  const why = `active issues form a dependency cycle: ${(cyclePath ?? []).join(' → ')}`
  const [first = '', second = ''] = cyclePath ?? []
  return [
    {
      name: 'dependency_cycle_active',
      why,
      next: `Remove a dependency: premath dep remove ${first} ${second}.`,
    },
  ]
}

async function featuresOf(harness: Harness) {
  const ledger = await harness.ledger.read()
  // An empty ledger is one that nobody has started.
  if (!ledger || ledger.features.length === 0) return { features: undefined, ledgerClasses: [] }
  const projected = projectLedger(ledger)
  return 'failureClasses' in projected
    ? { features: undefined, ledgerClasses: projected.failureClasses }
    : { features: projected, ledgerClasses: [] }
}

async function openRefs(
  harness: Harness,
  session: Session | undefined,
): Promise<readonly OpenedHandoff[]> {
  const refs = session?.witnessRefs ?? []
  return await Promise.all(refs.map(async ref => ({ ref, state: await openRef(ref, harness) })))
}

/** A session can continue without a missing witness, but not with one whose content changed. */
function refFlaws(refs: readonly OpenedHandoff[], session: string): readonly BootFlaw[] {
  return refs
    .filter(({ state }) => state === 'changed')
    .map(({ ref }) => ({
      name: 'handoff_witness_changed',
      why: `${ref} has changed since the handoff`,
      next: `Find out what changed it. To continue without it: premath harness-session write --path ${shellWord(session)} --witness-ref ''.`,
    }))
}

async function snapshotState(
  { sha256, store }: Harness,
  session: Session | undefined,
  memory: IssueMemory,
): Promise<BootReport['snapshot']> {
  const recorded = session?.issuesSnapshotRef
  if (recorded === undefined) return 'unknown'
  if (recorded.startsWith('log1_')) return await store.logState(recorded, sha256)
  return memory.snapshotRef(sha256) === recorded ? 'same' : 'moved'
}

const startUpFolder = (harness: Harness) => new StepFolder(harness, `${harness.workerId}.boot`)

/** The start-up command, else the verify command of the project, else the specs of the issue. */
async function verifyStart(
  harness: Harness,
  options: BootOptions,
  issue: Issue | undefined,
): Promise<{ readonly startup?: RanCommand; readonly scope?: VerifiedScope }> {
  const { startupCommand, startupTimeoutMs, quietWarningMs, scope } = options
  const command = startupCommand ?? scope?.verifyCommand
  const folder = startUpFolder(harness)
  const issueId = issue?.id
  if (command === undefined) {
    if (!scope) return {}
    const found = await scopeOfSpecs(scope, issue)
    return { scope: await witnessScope(harness, folder, found, { issueId }) }
  }
  const isStartup = startupCommand !== undefined
  const timeoutMs = isStartup ? startupTimeoutMs : (scope?.verifyTimeoutMs ?? startupTimeoutMs)
  const startup = await startUp(harness, command, { timeoutMs, quietWarningMs })
  const found = scopeOfCommand(isStartup ? 'startup' : 'verify', !startup.failure)
  const about = { issueId, command: startup.command }
  return { startup, scope: await witnessScope(harness, folder, found, about) }
}

async function startUp(
  harness: Harness,
  command: string,
  limits: { readonly timeoutMs: number; readonly quietWarningMs: number | undefined },
): Promise<RanCommand> {
  const folder = startUpFolder(harness)
  await folder.make()
  const { store, workerId, env } = harness
  const memory = await store.read()
  const journal = new JournalFile(harness, workerId)
  const run = {
    folder,
    env,
    ...limits,
    beforeRun: (group: ProcessGroup) =>
      journal.write({ ...beforeClaim(harness, memory), group: { ...group } }),
  }
  const ran = await runCommand(harness, 'startup', command, run)
  await journal.remove()
  return ran
}

function scopeFlaws(scope: VerifiedScope | undefined): readonly BootFlaw[] {
  const [first] = scope?.errors ?? []
  if (scope === undefined || first === undefined) return []
  const next = `Fix the specs first: premath spec lint ${scope.specs.map(shellWord).join(' ')}.`
  return [
    { name: 'scope_specs_invalid', why: `the specs of the scope have errors: ${first}`, next },
  ]
}

function startupFlaws(
  harness: Harness,
  startup: RanCommand | undefined,
  isVerify: boolean,
): readonly BootFlaw[] {
  if (!startup?.failure) return []
  const { stdout, stderr, stopped } = startup.end
  const why = `the ${isVerify ? 'verify' : 'startup'} command ${describeEnd(startup.end)}`
  const hasOutput = keepsPayloads(harness) && stdout.bytes + stderr.bytes > 0
  const where = hasOutput
    ? ` Its output is in ${fromRoot(harness, startUpFolder(harness).path)}.`
    : ''
  const next = stopped ? 'Run the command again.' : `Fix the failure before work starts.${where}`
  return startup.failure.failureClasses.map(name => ({ name, why, next }))
}
