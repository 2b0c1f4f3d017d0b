/** The harness, as its hooks open it: the project's memory and documents, and one worker's name. */
import { Fault } from '../fault.ts'
import type { Harness, HarnessPolicy } from '../harness/harness.ts'
import { canonicalJson } from '../kernel/canonical.ts'
import { trim } from '../kernel/clean.ts'
import { underLock } from '../store/issue-lock.ts'
import { openLedger, openSession } from './harness-files.ts'
import { mutationPolicy } from './mutation-policy.ts'
import { openIssues } from './open-issues.ts'
import { openTrajectory } from './open-trajectory.ts'
import type { OperationContext } from './operation.ts'
import { stepGate } from './step-gate.ts'

export interface HarnessInput {
  readonly worker: string | undefined
  readonly session: string | undefined
  readonly ledger: string | undefined
  readonly trajectory: string | undefined
  readonly issues: string | undefined
  readonly reason: string | undefined
}

export interface OpenHarness {
  readonly harness: Harness
  /** Has to be called when the hook is done. */
  close(): void
}

export async function openHarness(
  context: OperationContext,
  input: HarnessInput,
): Promise<OpenHarness> {
  const open = await openIssues(context, input)
  const { root, store, issuesPath } = open
  const session = await openSession(context, input.session, false)
  const ledger = await openLedger(context, input.ledger, { flag: '--ledger', durable: false })
  const trajectory = await openTrajectory(context, input.trajectory, '--trajectory')
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  const stopping = new AbortController()
  const close = processes.onStopSignal(() => stopping.abort())
  const harness: Harness = {
    root,
    worktree: await disk.realPath(context.cwd()),
    workerId: workerOf(input.worker, context),
    issuesPath,
    store,
    session: session.cell,
    ledger: ledger.cell,
    trajectory: trajectory.log,
    disk,
    clock: context.clock,
    processes,
    env: context.env,
    sha256: context.sha256,
    gate: await stepGate(context),
    policy: await policyOf(root, context),
    authority: () => open.authority(input.reason),
    stop: stopping.signal,
    tell: context.progress,
  }
  return { harness, close }
}

function workerOf(given: string | undefined, { env }: OperationContext): string {
  const name = trim(given ?? env['PREMATH_WORKER_ID'] ?? '') || 'worker'
  if (/^[^\s\p{C}/]{1,100}$/u.test(name)) return name
  throw new Fault('usage', `${JSON.stringify(name)} cannot name a worker`, {
    hint: 'Give one word without slashes, of at most 100 characters.',
  })
}

async function policyOf(root: string, context: OperationContext): Promise<HarnessPolicy> {
  const policy = await mutationPolicy(root, context)
  return {
    mutationMode: policy.modes.cli,
    mutationPolicyDigest: `sha256:${context.sha256(canonicalJson(policy as never))}`,
    requireAgentEvidence: policy.requireAgentEvidence,
  }
}

/** One at a time: two hooks of one worker would take each other's work for their own. */
export async function asWorker<T>(
  { harness, close }: OpenHarness,
  act: () => Promise<T>,
): Promise<T> {
  const { disk, session, store } = harness
  // Whoever is in the wrong folder is told so before anything is made in it.
  await store.read()
  await disk.makeFolder(session.path.slice(0, session.path.lastIndexOf('/')) || '/')
  try {
    return await underLock(disk, `${session.path}.step.lock`, workerWaitMs, act, 'worker')
  } finally {
    close()
  }
}

/** A step may take hours: whoever finds one running is told at once. */
const workerWaitMs = 200
