/** Runs a loop for a command: opens it, reports its events, and computes the exit code. */

import type { ExitCode, Live, LiveEvent } from '../answer.ts'
import { Fault } from '../fault.ts'
import type { InputOf } from '../field.ts'
import type { Harness } from '../harness/harness.ts'
import type { Landing } from '../harness/landing/landing.ts'
import type { WorkCheckout } from '../harness/landing/work-checkout.ts'
import { Attention } from '../harness/loop/attention.ts'
import { Loop, type LoopEnd } from '../harness/loop/loop.ts'
import { notifier } from '../harness/loop/notify.ts'
import type { LoopWorker } from '../harness/loop/pool-worker.ts'
import { RunBudget } from '../harness/loop/run-budget.ts'
import { RunRequestFile } from '../harness/loop/run-request.ts'
import type { LoopOptions } from '../harness/loop/worker-pool.ts'
import { startupOptions } from '../input/harness-fields.ts'
import { type loopFields, mustBeLeaseTerm } from '../input/loop-fields.ts'
import { mustFindPrograms, verifyNotice, workOptions } from '../input/work-options.ts'
import { attentionPathDefault } from '../kernel/harness/run/run-attention.ts'
import {
  isForScreen,
  type RunEvent,
  type RunSummary,
  runEventDocument,
} from '../kernel/harness/run/run-event.ts'
import type { TargetLack } from '../kernel/landing/lacking-work.ts'
import { sandboxNote } from '../project/loop/open-sandbox.ts'
import type { Project } from '../project/open.ts'
import { resolvePath } from '../project/paths.ts'
import { hasLine, RunFeed, runLine, summaryPage } from '../render/harness/run-lines.ts'
import { RunScreen } from '../render/harness/run-screen.ts'
import { LineLog } from '../store/line-log.ts'
import type { OpenedProgram } from './work-program.ts'

type LoopInput = InputOf<typeof loopFields>

interface RunParts {
  readonly mode: LoopOptions['mode']
  /** The coordinating harness, with its lock held. */
  readonly coordinator: Harness
  readonly workers: readonly LoopWorker[]
  readonly parallel: number
  /** Lands the work of the run. */
  readonly landing?: Landing
  /** Work of closed issues that its target lacks. */
  readonly lack?: TargetLack | undefined
  /** Verifies the work of a run that does not land. */
  readonly checkout?: WorkCheckout
  /** Does the work in place of the command. */
  readonly program?: OpenedProgram | undefined
}

type Tell = (event: RunEvent) => void
type Runs = (parts: RunParts) => Promise<void>
type OptionsFor = Awaited<ReturnType<typeof workOptions>>

/** `act` opens the workers, runs them, and cleans up. */
export async function liveLoop(
  input: LoopInput,
  project: Project,
  act: (run: Runs, emit: Tell, optionsFor: OptionsFor) => Promise<void>,
): Promise<Live> {
  mustAllowSomething(input)
  mustBeLeaseTerm(input.leaseTtlSeconds)
  const optionsFor = await workOptions(input, project)
  const { config } = await project.config()
  const runId = `run1_${project.random()}`
  const feed = new RunFeed<LiveEvent>()
  const screen = new RunScreen()
  const emit: Tell = event => {
    const at = project.clock.now()
    screen.take(event, at)
    feed.push(liveEvent(event, at))
  }
  let end: LoopEnd | undefined
  const run: Runs = async parts => {
    const { coordinator, workers } = parts
    for (const { harness } of workers) await mustFindPrograms(input, project, harness.worktree)
    const notice = await verifyNotice(input, project)
    const { workerId } = coordinator
    if (notice !== undefined) emit({ event: 'note', workerId, message: notice })
    const unsafe = sandboxNote(coordinator)
    if (unsafe !== undefined) emit({ event: 'note', workerId, message: unsafe })
    const notifyCommand = input.notifyCmd ?? config.notifyCommand
    const attention = attentionOf(coordinator, runId, emit, notifyCommand)
    const requests = new RunRequestFile(coordinator)
    const limits = {
      maxSteps: input.maxSteps ?? config.budget.maxSteps,
      maxMinutes: input.maxMinutes ?? config.budget.maxMinutes,
      maxFailures: input.maxFailures ?? config.budget.maxFailures,
    }
    const budget = await RunBudget.open(coordinator, { limits, afresh: input.newBudget })
    const options: LoopOptions = {
      runId,
      mode: parts.mode,
      parallel: parts.parallel,
      idleMs: input.idleSeconds * 1000,
      ...startupOptions(input, config),
      quietWarningMs: input.quietWarning * 1000,
      workOptions: harness => ({
        ...optionsFor(harness),
        landing: parts.landing,
        checkout: parts.checkout,
        workProgram: parts.program?.of(harness),
        leaseTtlSeconds: input.leaseTtlSeconds,
        quietWarningMs: input.quietWarning * 1000,
      }),
    }
    end = await new Loop({
      coordinator,
      workers,
      budget,
      attention,
      options,
      lack: parts.lack,
      // A worker by itself has no command that asks it for something.
      ...(parts.mode === 'coordinator' && { request: () => requests.read() }),
      emit,
    }).run()
  }
  return {
    live: whileRunning(feed, () => act(run, emit, optionsFor)),
    screen: (page, now) => screen.lines(page, now),
    summary: page => (end ? summaryPage(end.summary, page) : ''),
    exitCode: () => (end ? exitOf(end) : 3),
  }
}

/** Yields all events before it reports a failure. */
async function* whileRunning(
  feed: RunFeed<LiveEvent>,
  act: () => Promise<void>,
): AsyncIterable<LiveEvent> {
  const acting = act().finally(() => feed.end())
  acting.catch(() => {})
  yield* feed
  await acting
}

function liveEvent(event: RunEvent, at: bigint): LiveEvent {
  if (isForScreen(event)) return {}
  const json = runEventDocument(event, at)
  return hasLine(event) ? { json, line: page => runLine(event, at, page) } : { json }
}

function attentionOf(
  coordinator: Harness,
  runId: string,
  emit: Tell,
  notifyCommand: string | undefined,
): Attention {
  const { root, disk, clock, workerId } = coordinator
  const log = new LineLog(disk, resolvePath(root, attentionPathDefault))
  const note = (message: string) => emit({ event: 'note', workerId, message })
  const notify =
    notifyCommand === undefined ? undefined : notifier(notifyCommand, coordinator, note)
  return new Attention(log, clock, runId, emit, notify)
}

function mustAllowSomething({ maxSteps, maxMinutes, maxFailures, quietWarning }: LoopInput): void {
  for (const [flag, given] of [
    ['--max-steps', maxSteps],
    ['--max-minutes', maxMinutes],
    ['--max-failures', maxFailures],
    ['--quiet-warning', quietWarning],
  ] as const) {
    if (given !== 0) continue
    throw new Fault('usage', `${flag} must be at least 1, not 0`, {
      hint: 'Pass at least 1, or omit the flag.',
    })
  }
}

/** The highest exit code that applies. */
function exitOf({ summary, exits, interrupted }: LoopEnd): ExitCode {
  const own = summary.why === 'environment' ? 3 : isNo(summary) || interrupted > 0 ? 1 : 0
  return Math.max(own, ...exits.map(({ code }) => code)) as ExitCode
}

const isNo = ({
  failed,
  parked = [],
  refused,
  lost,
  lacking,
  why,
  budget: { maxFailures, failures },
}: RunSummary) =>
  failed.length > 0 ||
  parked.length > 0 ||
  refused.length > 0 ||
  lost.length > 0 ||
  why === 'cycle' ||
  why === 'failed' ||
  (why === 'done' && lacking !== undefined) ||
  (maxFailures !== undefined && failures >= maxFailures)
