/** Opens the harness: the project's memory and documents for one worker. */

import { Fault } from '../fault.ts'
import {
  type Harness,
  type HarnessPolicy,
  journalFolder,
  workerLockPath,
} from '../harness/harness.ts'
import { shownOutput } from '../kernel/harness/feedback.ts'
import { relocationFolder } from '../kernel/harness/relocation/relocation.ts'
import type { StepEvent } from '../kernel/harness/run/run-event.ts'
import { isReservedName } from '../kernel/harness/step/step-id.ts'
import { failureClassOf } from '../kernel/harness/step/step-words.ts'
import { trim } from '../kernel/text/clean.ts'
import { makeGitignoredFolder } from '../store/gitignored-folder.ts'
import { LedgerCell, SessionCell } from '../store/harness-cells.ts'
import { type LockWords, underLock } from '../store/lock.ts'
import type { Attention } from '../wire/run/attention.ts'
import { type Asking, recordedInstruction } from './authority/authority.ts'
import { changeAuthorityOf } from './authority/change-authority.ts'
import type { OperationContext } from './context.ts'
import { mustNotReplaceProjectFile, openLedger, openSession } from './harness-files.ts'
import { refusedDocument } from './journal-documents.ts'
import { lastAttention } from './loop/last-attention.ts'
import { stepGate } from './loop/step-gate.ts'
import { type Project, projectFrom } from './open.ts'
import { type OpenIssues, openIssues } from './open-issues.ts'
import { openTrajectory } from './open-trajectory.ts'
import { mustStayInside } from './paths.ts'
import { signerOf } from './proofs/birth-signing.ts'
import { stepProofs } from './proofs/step-proofs.ts'

interface HarnessInput extends Asking {
  readonly worker: string | undefined
  /** The name that premath gives a worker of its own, in place of one from outside. */
  readonly ownName?: string
  readonly session: string | undefined
  readonly ledger: string | undefined
  readonly trajectory: string | undefined
  readonly issues: string | undefined
}

interface OpenHarness {
  readonly harness: Harness
  /** Stops listening for stop signals. */
  close(): void
}

/** Workers of one process share one store. */
export async function openHarness(
  here: Project,
  input: HarnessInput,
  shared?: OpenIssues,
): Promise<OpenHarness> {
  const { store, recordsFolder, issuesPath, ...open } = shared ?? (await openIssues(here, input))
  // Shared issues come from the coordinator, but this worker has its own folder.
  const project = shared ? projectFrom(open.project, here) : open.project
  const { root, clock, env, sha256 } = project
  const opening = changeAuthorityOf(project, input)
  const authority = await opening.authority()
  const session = await openSession(here, input.session, false)
  const ledger = await openLedger(here, input.ledger ?? ledgerOf(input.session), {
    flag: '--ledger',
    durable: false,
  })
  const trajectory = await openTrajectory(here, input.trajectory, '--trajectory')
  for (const { path, real } of [
    { path: session.path, real: session.cell.path },
    { path: ledger.path, real: ledger.cell.path },
    trajectory,
  ]) {
    await mustNotReplaceProjectFile({ path, real }, here)
  }
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  await mustHaveFolder(session.cell.path, project)
  for (const folder of ['artifacts/steps', relocationFolder]) {
    await mustStayInside(project.at(folder), root, disk)
  }
  const journals = journalFolder({ recordsFolder })
  await mustStayInside(journals, recordsFolder, disk)
  // A key that cannot be used stops the step before it begins.
  const signer = await signerOf(project)
  const policy = await opening.policy()
  const { processorCommand } = (await project.config()).config
  mustHaveProcessor(policy, processorCommand)
  const stopping = new AbortController()
  const close = processes.onStopSignal(() => stopping.abort())
  const claims = await project.claims()
  const instructionId = recordedInstruction(input, project)
  const harness: Harness = {
    root,
    worktree: await disk.realPath(project.cwd()),
    workerId: input.ownName ?? workerOf(input.worker, project),
    issuesPath,
    store,
    recordsFolder,
    session: session.cell,
    ledger: ledger.cell,
    trajectory: trajectory.log,
    disk,
    clock,
    processes,
    env,
    sha256,
    gate: await stepGate(project, instructionId ?? null),
    instructionId,
    proofs: await stepProofs(project),
    policy,
    processorCommand,
    unkeptFailures: new Map(),
    journals: () => journalsIn(journals, project),
    namesIn: async folder => (await project.files.list(folder)).map(({ name }) => name),
    documentsAt: async (sessionPath, ledgerPath) => {
      const own = [session.cell.path, ledger.cell.path]
      const refused = await refusedDocument([sessionPath, ledgerPath], own, project)
      return (
        refused ?? {
          session: new SessionCell({ disk, path: sessionPath, durable: false }),
          ledger: new LedgerCell({ disk, path: ledgerPath, durable: false }),
        }
      )
    },
    signer,
    attentionOn: async issueId => attentionLines(await lastAttention(project), issueId),
    authority: () => authority,
    changeAuthority: () => changeAuthorityOf(project.reopened(), input, claims),
    stop: stopping.signal,
    emit: event => {
      for (const line of progressLines(event)) project.progress(line)
    },
  }
  return { harness, close }
}

/** Without it every payload would be lost. */
function mustHaveProcessor({ observabilityMode }: HarnessPolicy, command: string | undefined) {
  if (observabilityMode !== 'internal_processor' || command !== undefined) return
  throw new Fault('usage', 'the policy sends payloads to a command, and there is none', {
    hint: "Name it: premath config set processorCommand '<command>'. Or change harness.observabilityMode in .premath/policy.json.",
  })
}

const attentionLines = (rows: readonly Attention[], issueId: string): readonly string[] =>
  rows.filter(row => row.issueId === issueId).map(({ message, next }) => `${message}. ${next}`)

/** The progress lines of one step's event. */
function progressLines(event: StepEvent): readonly string[] {
  switch (event.event) {
    case 'note':
      return [event.message]
    case 'claimed':
      return [`${event.issueId}: ${event.title}`]
    case 'phase':
      return [`${event.phase}: ${event.command}`]
    case 'quiet':
      return [`${event.phase}: no output for ${event.seconds} s`]
    case 'lease.ending':
      return [
        `${event.issueId}: the lease ends at ${event.leaseExpiresAt} and could not be renewed`,
      ]
    case 'attempt.ended':
      return [
        `${event.issueId}, attempt ${event.attempt}: ${failureClassOf(event.resultClass)}`,
        ...shownOutput(event).map(line => `    ${line}`),
      ]
    case 'waiting':
      return [
        `tries ${event.issueId} again${event.milliseconds > 0 ? ` in ${event.milliseconds / 1000} s` : ''}`,
      ]
    default:
      return []
  }
}

export async function journalsIn(folder: string, { files }: OperationContext) {
  if ((await files.kindOf(folder)) !== 'folder') return []
  const names = (await files.list(folder)).filter(({ name }) => name.endsWith('.jsonl'))
  return names.map(({ name }) => `${folder}/${name}`)
}

/** A session with its own path has its own ledger, since one worker has one feature in progress. */
const ledgerOf = (session: string | undefined) =>
  session === undefined ? undefined : `${session.replace(/\.json$/, '')}.ledger.json`

/** A missing folder outside of the project is probably a typing mistake, so it is not made. */
async function mustHaveFolder(path: string, { root, files }: Project) {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/'
  if (folder.startsWith(`${root}/`) || (await files.kindOf(folder)) === 'folder') return
  throw new Fault('usage', `there is no folder ${folder} for the session`, {
    hint: 'Make it, or name another session: --session or PREMATH_HARNESS_SESSION_PATH.',
    detail: { path },
  })
}

function workerOf(given: string | undefined, { env }: OperationContext): string {
  const name = trim(given ?? env['PREMATH_WORKER_ID'] ?? '') || 'worker'
  if (isReservedName(name)) {
    throw new Fault('usage', `${JSON.stringify(name)} is a name that premath uses itself`, {
      hint: 'Take another name for the worker: --worker or PREMATH_WORKER_ID.',
    })
  }
  if (/^[^\s\p{C}/]{1,100}$/u.test(name)) return name
  throw new Fault('usage', `${JSON.stringify(name)} cannot name a worker`, {
    hint: 'Give one word without slashes, of at most 100 characters.',
  })
}

/**
 * Holds the locks of the worker's name and of its session. Two hooks of one worker would each take
 * the other's work for their own; two workers in one session would overwrite each other's report.
 */
export async function asWorker<T>(
  { harness, close }: OpenHarness,
  act: () => Promise<T>,
  words: LockWords = workerWords,
): Promise<T> {
  const { disk, session, store, workerId } = harness
  // In a wrong folder this faults, before anything is made there.
  await store.read()
  await makeGitignoredFolder(journalFolder(harness), disk)
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

/** A step may take hours, so a second one fails instead of waiting. */
const workerWaitMs = 200
