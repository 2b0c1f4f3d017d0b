/** The harness, as its hooks open it: the project's memory and documents, and one worker's name. */

import { Fault } from '../fault.ts'
import { makeOwnFolder } from '../harness/gitignored-folder.ts'
import {
  type Harness,
  type HarnessPolicy,
  journalFolder,
  workerLockPath,
} from '../harness/harness.ts'
import { isGoverned, stepRefusal } from '../kernel/governance/policy-standing.ts'
import { relocationFolder } from '../kernel/harness/relocation/relocation.ts'
import type { StepEvent } from '../kernel/harness/run/run-event.ts'
import { trim } from '../kernel/text/clean.ts'
import { LedgerCell } from '../store/ledger-cell.ts'
import { underLock } from '../store/lock.ts'
import { SessionCell } from '../store/session-cell.ts'
import { modeHere } from './authority/acting-surface.ts'
import { type AgentInput, instructionIn } from './authority/agent-fields.ts'
import type { OperationContext } from './context.ts'
import { mustBeOwnFile, openLedger, openSession } from './harness-files.ts'
import { stepGate } from './loop/step-gate.ts'
import { type OpenIssues, openIssues } from './open-issues.ts'
import { openTrajectory } from './open-trajectory.ts'
import { mustStayInside, resolvePath } from './paths.ts'
import { policyDigestOf } from './policy-file.ts'
import { policyInForce } from './policy-in-force.ts'
import { proofPlace } from './proofs/close-proof.ts'
import { stepProofs } from './proofs/step-proofs.ts'
import { registryClaims } from './registry.ts'

export interface HarnessInput extends AgentInput {
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

/** Several workers of one process share what they are handed. */
export async function openHarness(
  context: OperationContext,
  input: HarnessInput,
  shared?: OpenIssues,
): Promise<OpenHarness> {
  const open = shared ?? (await openIssues(context, input))
  const { root, store, recordsFolder, issuesPath } = open
  const session = await openSession(context, input.session, false)
  const ledger = await openLedger(context, input.ledger ?? ledgerOf(input.session), {
    flag: '--ledger',
    durable: false,
  })
  const trajectory = await openTrajectory(context, input.trajectory, '--trajectory')
  for (const { path, real } of [
    { path: session.path, real: session.cell.path },
    { path: ledger.path, real: ledger.cell.path },
    trajectory,
  ]) {
    await mustBeOwnFile({ path, real }, context)
  }
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  await mustHaveFolder(session.cell.path, root, context)
  for (const folder of ['artifacts/steps', relocationFolder]) {
    await mustStayInside(resolvePath(root, folder), root, disk)
  }
  const stopping = new AbortController()
  const close = processes.onStopSignal(() => stopping.abort())
  const policy = await policyOf(root, input.reason, context)
  const harness: Harness = {
    root,
    worktree: await disk.realPath(context.cwd()),
    workerId: workerOf(input.worker, context),
    issuesPath,
    store,
    recordsFolder,
    session: session.cell,
    ledger: ledger.cell,
    trajectory: trajectory.log,
    disk,
    clock: context.clock,
    processes,
    env: context.env,
    sha256: context.sha256,
    gate: await stepGate({ root, instructionId: instructionIn(input, context) ?? null }, context),
    proofs: stepProofs(await proofPlace(root, context), context),
    policy,
    policyRefusal: async () =>
      policy.isGoverned ? await notPinned(policy.mutationPolicyDigest, root, context) : undefined,
    policyDigestNow: async () => policyDigestOf(await policyInForce(root, context), context),
    journals: () => journalsIn(journalFolder({ recordsFolder }), context),
    documentsAt: (sessionPath, ledgerPath) => ({
      session: new SessionCell({ disk, path: sessionPath, durable: false }),
      ledger: new LedgerCell({ disk, path: ledgerPath, durable: false }),
    }),
    authority: () => open.authority(input.reason),
    authorityNow: joinWitness => open.authorityNow(input.reason, joinWitness),
    stop: stopping.signal,
    tell: event => {
      const line = progressLine(event)
      if (line !== undefined) context.progress(line)
    },
  }
  return { harness, close }
}

/** What somebody who waits for one step is told. */
function progressLine(event: StepEvent): string | undefined {
  switch (event.event) {
    case 'note':
      return event.message
    case 'claimed':
      return `${event.issueId}: ${event.title}`
    case 'phase':
      return `${event.phase}: ${event.command}`
    case 'quiet':
      return `${event.phase}: nothing was said for ${event.seconds} s`
    case 'lease.ending':
      return `${event.issueId}: the lease ends at ${event.leaseExpiresAt} and could not be renewed`
    case 'attempt.ended':
      return `${event.stepId}: ${event.resultClass}`
    case 'waiting':
      return `again in ${event.milliseconds} ms`
    default:
      return undefined
  }
}

export async function journalsIn(folder: string, { files }: OperationContext) {
  if ((await files.kindOf(folder)) !== 'folder') return []
  const names = (await files.list(folder)).filter(({ name }) => name.endsWith('.jsonl'))
  return names.map(({ name }) => `${folder}/${name}`)
}

/** A session of its own has a ledger of its own: one worker, one feature in progress. */
const ledgerOf = (session: string | undefined) =>
  session === undefined ? undefined : `${session.replace(/\.json$/, '')}.ledger.json`

/** A folder that nobody made is a name that was mistyped; in the project we make our own. */
async function mustHaveFolder(path: string, root: string, { files }: OperationContext) {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/'
  if (folder.startsWith(`${root}/`) || (await files.kindOf(folder)) === 'folder') return
  throw new Fault('usage', `there is no folder ${folder} for the session`, {
    hint: 'Make it, or name another session: --session or PREMATH_HARNESS_SESSION_PATH.',
    detail: { path },
  })
}

function workerOf(given: string | undefined, { env }: OperationContext): string {
  const name = trim(given ?? env['PREMATH_WORKER_ID'] ?? '') || 'worker'
  if (/^[^\s\p{C}/]{1,100}$/u.test(name)) return name
  throw new Fault('usage', `${JSON.stringify(name)} cannot name a worker`, {
    hint: 'Give one word without slashes, of at most 100 characters.',
  })
}

async function policyOf(
  root: string,
  reason = '',
  context: OperationContext,
): Promise<HarnessPolicy> {
  const policy = await policyInForce(root, context)
  return {
    mutationMode: modeHere(policy, context),
    mutationPolicyDigest: policyDigestOf(policy, context),
    isGoverned: isGoverned({ registryClaims: await registryClaims(context, root) }),
    requireAgentEvidence: policy.requireAgentEvidence,
    reason,
  }
}

/** What governed projects need is loaded in one. */
async function notPinned(digest: string, root: string, context: OperationContext) {
  const { openPolicyLog } = await import('./policies/governed-files.ts')
  return stepRefusal(digest, await openPolicyLog(root, context))
}

/**
 * One at a time, by name and by session: two hooks of one worker would take each other's work for
 * their own, and two workers in one session would overwrite what the other one tells.
 */
export async function asWorker<T>(
  { harness, close }: OpenHarness,
  act: () => Promise<T>,
  words: { readonly noun: string; readonly hint: string } = workerWords,
): Promise<T> {
  const { disk, session, store, workerId } = harness
  // Whoever is in the wrong folder is told so before anything is made in it.
  await store.read()
  await makeOwnFolder(journalFolder(harness), disk)
  const worker = workerLockPath(harness, workerId)
  const inSession = () =>
    underLock(disk, `${session.path}.step.lock`, workerWaitMs, act, {
      noun: 'session',
      hint: 'Another worker uses this session: give each one its own, with --session.',
    })
  try {
    return await underLock(disk, worker, workerWaitMs, inSession, words)
  } finally {
    close()
  }
}

const workerWords = {
  noun: 'worker',
  hint: 'A worker is in one place at a time: wait for it, or take another name, with --worker.',
}

/** A step may take hours: whoever finds one running is told at once. */
const workerWaitMs = 200
