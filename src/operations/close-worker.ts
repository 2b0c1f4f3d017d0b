/** Works off the queue of closes: each is verified, landed and closed as the agent asked for it. */
import type { CommandError } from '../answer.ts'
import { Fault } from '../fault.ts'
import { askLanding } from '../harness/landing/landing-git.ts'
import { shownLinesMax } from '../kernel/harness/feedback.ts'
import { isRefusal, refuse } from '../kernel/issues/issue-refusal.ts'
import { isPending } from '../kernel/landing/close-request.ts'
import { closeRef } from '../kernel/landing/landing-refs.ts'
import { timestampOf } from '../kernel/timestamp.ts'
import { authorityOf, isStepWork } from '../project/authority/authority.ts'
import { inStepOf } from '../project/authority/known-step.ts'
import { admittedClose } from '../project/closes/admitted-close.ts'
import { type CloseQueue, closeQueueIfAny } from '../project/closes/close-queue.ts'
import { commitClosedMemory, landClose } from '../project/closes/land-close.ts'
import type { OperationContext } from '../project/context.ts'
import { landingPlaceOf } from '../project/loop/landing-status.ts'
import { openProject, type Project } from '../project/open.ts'
import { openIssues } from '../project/open-issues.ts'
import { withProof } from '../project/proofs/issue-closing.ts'
import { described } from '../render/fault-answer.ts'
import { errorOfRefusal } from '../render/issues/issue-answer.ts'
import type { CloseRequest } from '../wire/landing/close-request.ts'
import { changeIssues, finishLandings } from './change-issues.ts'
import { unattended } from './unattended.ts'

interface Working {
  /** Stops the verification, and leaves the rest of the queue. */
  readonly signal: AbortSignal
  /** Waits for another process that works the queue off, and then for what it left. */
  readonly isPatient: boolean
}

/** For a command. Ctrl-C ends the verification, and the command with it. */
export async function workOffCloses(context: OperationContext): Promise<readonly CloseRequest[]> {
  const stopping = new AbortController()
  const { signal } = stopping
  const processes = await context.processes()
  const unlisten = processes.onStopSignal(() => stopping.abort())
  try {
    const ended = await workOff(context, { signal, isPatient: false })
    if (!signal.aborted) return ended
  } finally {
    unlisten()
  }
  throw new Fault('unavailable', 'stopped while queued closes were verified', {
    hint: 'The closes stay queued. Run the command again, or premath land.',
  })
}

/** Returns the closes that ended. The work of a step works nothing off. */
async function workOff(
  context: OperationContext,
  working: Working,
): Promise<readonly CloseRequest[]> {
  const known = await inStepOf(context, {})
  if (isStepWork(known)) return []
  const project = await openProject(known)
  const queue = await closeQueueIfAny(project)
  if (!queue || (await queue.pending()).length === 0) return []
  const disk = await project.disk()
  for (;;) {
    const lock = await disk.lock(queue.lockPath, working.isPatient ? lockWaitMs : 0)
    if (lock.held) {
      try {
        return await workAll(queue, project, working)
      } finally {
        await lock.release()
      }
    }
    const isOver = working.signal.aborted || (await queue.pending()).length === 0
    if (!working.isPatient || isOver) return []
  }
}

const lockWaitMs = 500

/** Others may ask for closes meanwhile, so the queue is read again after each. */
async function workAll(
  queue: CloseQueue,
  project: Project,
  { signal }: Working,
): Promise<readonly CloseRequest[]> {
  const ended: CloseRequest[] = []
  const targets = new Set<string>()
  const tried = new Set<string>()
  const keyOf = ({ issuesPath, issueId, fence }: CloseRequest) =>
    `${issuesPath} ${issueId} ${fence}`
  while (!signal.aborted) {
    const next = (await queue.pending()).find(one => !tried.has(keyOf(one)))
    if (!next) break
    tried.add(keyOf(next))
    project.progress(`note: closes ${next.issueId}, as the holder of fence ${next.fence} asked`)
    const { done, target } = await workOne(next, queue, project, signal)
    if (!isPending(done)) ended.push(done)
    if (target !== undefined) targets.add(target)
  }
  for (const target of targets) await commitClosedMemory(target, project)
  return ended
}

async function workOne(
  request: CloseRequest,
  queue: CloseQueue,
  project: Project,
  signal: AbortSignal,
): Promise<{ readonly done: CloseRequest; readonly target: string | undefined }> {
  const now = () => timestampOf(project.clock.now())
  const { startedAt: _before, ...asked } = request
  await queue.put({ ...asked, state: 'verifying', startedAt: now() })
  const lines: string[] = []
  const end = await closeAsAsked(request, withLines(project, lines), signal)
  const error = 'code' in end ? end : undefined
  // A stop and a busy lock say nothing about the work.
  const isUndecided = error && (signal.aborted || error.code === 'conflict')
  const { observabilityMode = 'dashboard' } = await project.policy()
  const done: CloseRequest = isUndecided
    ? { ...asked, state: 'queued' }
    : error
      ? { ...asked, state: 'failed', endedAt: now(), ...failureOf(error) }
      : { ...asked, state: 'state' in end ? end.state : 'closed', endedAt: now() }
  const isKept = done.state === 'failed' && lines.length > 0 && observabilityMode === 'dashboard'
  if (isUndecided && !signal.aborted) {
    project.progress(`note: ${request.issueId}: ${error.message}. ${error.hint ?? ''}`.trimEnd())
  }
  if (!isPending(done)) await dropWork(done, project)
  await queue.put(isKept ? { ...done, lastLines: lines.slice(-shownLinesMax) } : done)
  return { done, target: 'target' in end ? end.target : undefined }
}

/** The close was made. A target is the branch that has the work. */
interface Closed {
  readonly state: 'closed' | 'in_review'
  readonly target?: string | undefined
}

const failureOf = ({ code, message, hint }: CommandError) => ({
  failureClasses: [code],
  diagnostic: message,
  remedy: hint ?? 'Ask for the close again.',
})

/** The output of a failed verification is printed as progress, without a prefix. */
const withLines = (project: Project, lines: string[]): Project => ({
  ...project,
  progress(line) {
    if (!line.startsWith('note: ')) lines.push(project.secrets.text(line))
    project.progress(line)
  },
})

/** Makes the change as the agent asked for it. */
async function closeAsAsked(
  request: CloseRequest,
  project: Project,
  signal: AbortSignal,
): Promise<Closed | CommandError> {
  const { folder, origin } = request
  try {
    const { place: _place, origin: _origin, ...context } = unattended(project, signal)
    const env = ownVariables(context.env)
    const here = await openProject({
      ...context,
      env,
      cwd: () => folder,
      ...(origin && { origin }),
    })
    if (here.root !== project.root) return errorOfRefusal(elsewhere(folder))
    return await closeIn(here, request)
  } catch (error) {
    return described(error)
  }
}

async function closeIn(
  here: Project,
  { issueId: id, issuesPath, instructionId, joinWitness, leaseId, fence, commit }: CloseRequest,
): Promise<Closed | CommandError> {
  const input = {
    issues: issuesPath,
    instruction: instructionId,
    joinWitness,
    reason: undefined,
    verify: false,
    verifyCmd: undefined,
    force: false,
    commit,
  }
  const open = await openIssues(here, input)
  await finishLandings(open, await authorityOf(open.project, input))
  // Somebody else closed it, or this process was killed after it did.
  if ((await open.store.read()).get(id)?.status === 'closed') return { state: 'closed' }
  const proof = { leaseId, fence }
  const issue = await admittedClose(id, proof, input, open)
  if (isRefusal(issue)) return errorOfRefusal(issue)
  const landed = await landClose({ issue, proof, input }, here)
  if (landed !== 'not_landing') return 'state' in landed ? landed : errorOfRefusal(landed)
  const update = { action: 'issue.update', id, fields: { status: 'closed' }, proof } as const
  const change = await withProof(update, input, here)
  // A verification takes minutes, so its close reads policy and registry again.
  const { error } = await changeIssues(here.reopened(), input, change, () => ({
    output: {},
    text: () => '',
  }))
  return error ?? { state: 'closed' }
}

/** Variables of premath belong to whoever works the queue off, and the agent had others. */
const ownVariables = (env: OperationContext['env']): OperationContext['env'] =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('PREMATH_') || name === 'PREMATH_ROOT'),
  )

const elsewhere = (folder: string) =>
  refuse(
    'close_request_invalid',
    `${folder} is no folder of this project`,
    'Ask for the close again, in the folder that has the work.',
  )

/** The ref kept the commit until here. A process that was killed may have removed it before. */
async function dropWork({ issueId, commit }: CloseRequest, project: Project): Promise<void> {
  if (commit === undefined || !(await project.isInRepository())) return
  const place = await landingPlaceOf(project)
  const args = ['update-ref', '-d', closeRef(issueId, place.sha256), commit]
  await askLanding(place, place.top, args)
}

/** Works the queue off beside the calls of a server. */
export class CloseWorker {
  readonly #context: OperationContext
  readonly #stopping = new AbortController()
  #working: Promise<void> = Promise.resolve()

  constructor(context: OperationContext) {
    this.#context = context
  }

  /** Looks for closes that wait. Returns at once. */
  wake(): void {
    this.#working = this.#working.then(() => this.#work())
  }

  /** Returns when the verification that ran has ended. Its close is queued again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  /** The server goes on, whatever becomes of the queue: a later call finds it as it is. */
  async #work(): Promise<void> {
    const { signal } = this.#stopping
    if (signal.aborted) return
    try {
      await workOff(this.#context, { signal, isPatient: true })
    } catch (error) {
      this.#context.progress(`note: the queue of closes waits: ${described(error).message}`)
    }
  }
}
