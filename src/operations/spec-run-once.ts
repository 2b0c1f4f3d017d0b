/** Runs the chosen cases once, remembers their verdicts and renders the result. */

import type { ExitCode, Page } from '../answer.ts'
import { type Fault, faultCodes } from '../fault.ts'
import type { InputOf } from '../field.ts'
import type { Tree } from '../harness/worktree/tree.ts'
import type { RunFlags } from '../input/spec-run-flags.ts'
import { isError, type RawCase } from '../kernel/spec/document/raw-case.ts'
import { type Shard, shardOf } from '../kernel/spec/shard.ts'
import { visible } from '../kernel/text/visible.ts'
import { isStepWork } from '../project/authority/authority.ts'
import type { ProjectSeeker } from '../project/open.ts'
import { storeSpecWitness, treeBefore } from '../project/proofs/spec-witness.ts'
import { failedCases, keepVerdicts } from '../project/specs/last-run.ts'
import {
  type Choice,
  type ChosenSpecs,
  chosen,
  ownOffer,
  runSpecs,
} from '../project/specs/outcomes.ts'
import { problemsMessage } from '../project/specs/problems.ts'
import type { specFields } from '../project/specs/spec-fields.ts'
import { isUnreadable, readSpecs } from '../project/specs/spec-input.ts'
import { witnessVariable } from '../project/specs/spec-verifier.ts'
import { profilePage, specProfile } from '../render/specs/profile.ts'
import { SpecProgress } from '../render/specs/progress.ts'
import { specReport, specRunPage, witnessedReport } from '../render/specs/run-page.ts'
import { tracePage } from '../render/specs/trace-page.ts'
import type { PlannedOutcome } from '../runner/run-plan.ts'
import type { SpecReport } from '../wire/spec/spec-report.ts'
import { TimeSpan } from '../world/time-span.ts'

export interface SpecRunInput extends InputOf<typeof specFields>, Choice {
  readonly jobs: number | undefined
  readonly failFast: boolean
  readonly failed: boolean
  readonly noWitness: boolean
  readonly write: boolean
  readonly profile: boolean
}

/** The request from the command line. */
interface RunAsked {
  readonly input: SpecRunInput
  readonly flags: RunFlags
  /** Whether to show progress. */
  readonly isShown: boolean
  readonly signal?: AbortSignal
}

const nanosPerMilli = 1_000_000

/** Filters by name and tag, then by shard, then by last failure. */
export async function readChosen(
  input: SpecRunInput,
  { shard }: RunFlags,
  context: ProjectSeeker,
  choose = chosen,
): Promise<ChosenSpecs> {
  const span = new TimeSpan(context.clock)
  const specs = await readSpecs(input, context)
  const readingMs = span.ms
  const fit = choose(specs, input)
  const all = shard === undefined ? fit : shardOf(fit, shard)
  const read = { specs, cases: all, all, readingMs }
  if (shard !== undefined && all.length === 0) return { ...read, idle: emptyShard(shard, fit) }
  if (!input.failed || all.length === 0) return read
  const failed = await failedCases(all, specs.documents, context)
  return { ...read, ...failed, idle: 'No case failed last time, so nothing runs.' }
}

const emptyShard = ({ index, count }: Shard, all: readonly RawCase[]) =>
  `Shard ${index}/${count} contains none of ${all.length} cases.`

export interface RanSpecs {
  readonly report: SpecReport
  readonly outcomes: readonly PlannedOutcome[]
  /** Milliseconds since 1970. */
  readonly startedMs: number
  readonly message?: string
  readonly exitCode: ExitCode
  /** The tree of the written witness. */
  readonly witnessed?: Tree | undefined
  page(page: Page): string
}

export async function runChosen(
  { specs, cases, readingMs, idle, changed, ...choice }: ChosenSpecs,
  { input: { jobs, failFast, profile, noWitness, write }, flags, isShown, signal }: RunAsked,
  context: ProjectSeeker,
): Promise<RanSpecs> {
  const { shard, repeat, retry, recording, variables } = flags
  const plan = { cases, offer: ownOffer, jobs, failFast, repeat, retry }
  const request = { ...plan, recording, variables, signal, writes: write }
  // A run that changes files does not judge the files that it found.
  const isUnwitnessed = noWitness || write
  const isWork = !isUnwitnessed && isWorkOfStep(context)
  const before = isUnwitnessed || isWork ? undefined : await treeBefore(await context.project())
  const progress = new SpecProgress(cases.length, context.clock)
  const startedMs = Number(context.clock.now()) / nanosPerMilli
  const act = () => runSpecs(specs, { ...request, watch: progress }, context)
  const ran = await (isShown ? context.withStatusLine(progress.line, act) : act())
  const outcome = specReport(ran, specs)
  const witness = ran.interrupted
    ? before && { why: 'the run was stopped' }
    : before
      ? await storeSpecWitness(before, outcome, specs, await context.project())
      : isWork
        ? { why: 'the work of a step writes none' }
        : undefined
  const notStored = await keepVerdicts(ran.outcomes, specs.documents, context)
  const report: SpecReport = {
    ...witnessedReport(outcome, witness),
    // No case is reported as a rejection, never as silence.
    ...(cases.length === 0 && idle === undefined && { result: 'rejected' as const }),
    ...(shard && { shard }),
    ...(changed && { changed: [...changed] }),
    ...(write && { written: [...ran.written] }),
    ...(profile && { profile: specProfile(ran.times, readingMs) }),
  }
  const problems = problemsMessage(specs.documentProblems.filter(isError))
  const fault = witness && 'why' in witness ? witness.fault : undefined
  const messages = [problems, choice.message, notStored, fault && unwitnessedMessage(fault)].filter(
    one => one !== undefined,
  )
  const verdict = isUnreadable(specs) ? 2 : report.result === 'accepted' ? 0 : 1
  return {
    report,
    outcomes: ran.outcomes,
    startedMs: Math.floor(startedMs),
    ...(messages.length > 0 && { message: messages.join('\n') }),
    witnessed: witness && 'path' in witness ? before?.tree : undefined,
    // The verdict of the cases takes precedence over a failed witness.
    exitCode: verdict === 0 && fault ? faultCodes[fault.code] : verdict,
    page: page =>
      cases.length === 0 && idle !== undefined
        ? `${idle}\n`
        : wholePage(report, specRunPage(report, ran.outcomes, page, witness), page),
  }
}

/** The harness runs specs in a step too, and asks for their witness. */
const isWorkOfStep = (context: ProjectSeeker) =>
  isStepWork(context) && !context.env[witnessVariable]

const unwitnessedMessage = ({ message, hint }: Fault) =>
  `error: the witness was not written: ${visible(message)}${hint === undefined ? '' : `\n  ${hint}`}`

/** Trace, results and profile. */
const wholePage = (report: SpecReport, verdicts: string, page: Page) =>
  [
    tracePage(report.results, page),
    verdicts,
    report.profile ? `\n${profilePage(report.profile, page)}` : '',
  ].join('')
