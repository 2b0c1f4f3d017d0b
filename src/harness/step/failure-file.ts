/** Writes `failure.json` in the folder of a failed step: the failed command and the end of its output. */
import { documentOf } from '../../kernel/artifact/print.ts'
import {
  feedbackLinesMax,
  feedbackOf,
  lastLines,
  outputLines,
} from '../../kernel/harness/feedback.ts'
import { deniedLine } from '../../kernel/sandbox/denied.ts'
import type { WitnessPlace } from '../../store/witness-store.ts'
import {
  type Conflict,
  type FailedCommand,
  type Feedback,
  StepFailure,
} from '../../wire/harness/feedback.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { type EvidenceVerdict, fromRoot, type Harness } from '../harness.ts'
import { keepsPayloads } from '../payloads.ts'
import type { RanCommand } from './command.ts'
import type { Verification } from './command-verifier.ts'
import { failureName, readFeedback } from './read-failure.ts'
import type { Relocated } from './relocation.ts'
import type { StepFolder } from './step-folder.ts'

/** The parts of an attempt that can fail. */
interface FailedParts {
  readonly folder: StepFolder
  readonly work: RanCommand
  readonly verification: Verification | undefined
  readonly evidence: EvidenceVerdict
  readonly relocated: Relocated | undefined
  /** Set if the work was verified as a candidate for landing. */
  readonly submitted?: { readonly conflicts?: readonly Conflict[] } | undefined
  /** What was left out of the work, and requests that were refused or dropped. */
  readonly notes: readonly string[]
}

/** Returns what the report of the step says about the failure. */
export async function writeFailure(harness: Harness, parts: FailedParts): Promise<StepFailure> {
  const { notes } = parts
  const failure = {
    ...(await failureOf(harness, parts)),
    ...(notes.length > 0 && { notes: notes.slice(0, notesMax) }),
  }
  if (keepsPayloads(harness)) {
    await parts.folder.write(failureName, documentOf(StepFailure, failure))
    return failure
  }
  // For the next attempt of this process. A worker has one issue at a time, so the last is enough.
  harness.unkeptFailures?.clear()
  harness.unkeptFailures?.set(parts.folder.stepId, failure)
  return { ...failure, lines: [], findings: [] }
}

/** A step takes fewer requests, and names few of the others. */
const notesMax = 100

async function failureOf(harness: Harness, parts: FailedParts): Promise<StepFailure> {
  const { folder, work, verification, evidence, relocated, submitted } = parts
  const { conflicts } = submitted ?? {}
  const ran = [work, verification?.failed, relocated?.transport].find(
    // A stopped command did not fail by itself.
    one => one?.failure && !one.end.stopped,
  )
  const refused = (relocated?.findings ?? []).map(({ message }) => message)
  const findings = [...evidence.findings, ...refused]
  if (!ran) {
    const none = { command: null, lines: [], output: [], findings }
    return { ...none, ...(conflicts && { conflicts }) }
  }
  const path = (from: string) => folder.file(`${ran.phase}.${from}`)
  const [stdout, stderr] = keepsPayloads(harness)
    ? await Promise.all([path('stdout'), path('stderr')].map(one => endOfFile(harness, one)))
    : [ran.end.stdout, ran.end.stderr].map(({ tail }) => ({ lines: outputLines(tail), path: '' }))
  const lines = lastLines(stdout?.lines ?? [], stderr?.lines ?? [], feedbackLinesMax)
  const denied = ran.writable && deniedLine(lines, ran.writable)
  return {
    command: commandOf(ran),
    lines: denied === undefined ? lines : [...lines, denied].slice(-feedbackLinesMax),
    output: [stdout, stderr].flatMap(one => (one?.path ? [fromRoot(harness, one.path)] : [])),
    findings,
  }
}

const commandOf = ({ phase, text, end }: RanCommand): FailedCommand => ({
  phase,
  command: text,
  exitCode: end.exitCode,
  ...(end.signal !== null && { signal: end.signal }),
  timedOut: end.timedOut,
})

/** Far more than 200 usual lines. */
const endBytesMax = 64 * 1024

/** Returns `undefined` for an output that is empty, or that something replaced. */
async function endOfFile(
  { disk }: WitnessPlace,
  path: string,
): Promise<{ readonly path: string; readonly lines: readonly string[] } | undefined> {
  const entry = await disk.entry(path)
  const file = entry?.kind === 'file' ? await disk.open(path) : undefined
  if (!file) return undefined
  try {
    const { size } = await file.stamp()
    if (size === 0) return undefined
    const start = Math.max(0, size - endBytesMax)
    const text = new TextDecoder().decode(await file.read(start, size - start))
    // The first line may be cut.
    return { path, lines: outputLines(text).slice(start > 0 ? 1 : 0) }
  } finally {
    await file.close()
  }
}

/** The same for the next attempt, also if the failure was not kept. */
export async function feedbackFor(harness: Harness, row: StepRow): Promise<Feedback> {
  const failure = harness.unkeptFailures?.get(row.stepId)
  return failure ? feedbackOf(row, failure) : await readFeedback(harness, row)
}
