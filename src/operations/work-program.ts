/**
 * Programs as the work of a step. They run in this process, and act through host functions alone: they
 * read, and ask the harness. The harness verifies and closes as it does after a command.
 */

import { Fault } from '../fault.ts'
import type { Harness } from '../harness/harness.ts'
import type { WorkProgram } from '../harness/step/command.ts'
import { usualBudget } from '../input/scheme-fields.ts'
import { secondOf } from '../kernel/harness/artifact.ts'
import { timeoutClass } from '../kernel/harness/retry/failure-class.ts'
import { type Json, type JsonObject, jsonIn } from '../kernel/json.ts'
import { Globals } from '../kernel/scheme/globals.ts'
import { workCallRefusal } from '../kernel/scheme/host/work-call.ts'
import { isProgramError, schemeLanguage, schemeProgram } from '../kernel/scheme/language.ts'
import { printJson } from '../kernel/text/print-json.ts'
import { visible } from '../kernel/text/visible.ts'
import type { OperationContext } from '../project/context.ts'
import { namingSource, readDocument, sourceName } from '../project/named-document.ts'
import { schemeAnswer } from '../render/scheme-answer.ts'
import { TimeSpan } from '../world/time-span.ts'
import type { CommandEnd, CommandOutput, CommandSpec, Disk } from '../world/world.ts'
import { Host, hostActions } from './scheme-host.ts'
import { type ReadProgram, readProgram } from './scheme-program.ts'
import { type Evaluated, runCalls, SchemeSession } from './scheme-run.ts'

export interface OpenedProgram {
  /** Stands for the command in records: the path, and the digest of the text. */
  readonly text: string
  /** The work of one worker. */
  of(harness: Harness): WorkProgram
}

/** The variable that tells a program about its step. */
const stepVariable = 'step'

/** Reads the program once, before anything is claimed, so that no step changes it for the next. */
export async function openWorkProgram(
  path: string,
  context: OperationContext,
): Promise<OpenedProgram> {
  const source = sourceName(path)
  const text = await namingSource(source, () => readDocument(path, context))
  const read = readProgram(path, text, usualBudget.calls)
  mustBeProgram(source, text, read)
  const program = { ...read, source, text }
  return {
    text: `program ${source} sha256:${context.sha256(text)}`,
    of: harness => ({
      start: async spec => {
        const stopping = new AbortController()
        const end = runProgram(program, { spec, harness, context, stop: stopping.signal })
        return { group: undefined, end, stop: () => stopping.abort() }
      },
    }),
  }
}

function mustBeProgram(source: string, text: string, { form, refusal }: ReadProgram): void {
  if (refusal) throw unreadable(source, refusal.message, refusal.hint)
  if (form === 'calls') return
  const globals = new Globals(schemeLanguage())
  globals.own(stepVariable).value = false
  const program = schemeProgram(text, globals)
  if (!isProgramError(program)) return
  const { line, column, message, hint } = program
  throw unreadable(source, `line ${line}, column ${column}: ${message}`, hint)
}

const unreadable = (source: string, why: string, hint: string) =>
  new Fault('invalid_input', `${source}: ${why}`, { hint: `No issue was claimed. ${hint}` })

interface Program extends ReadProgram {
  readonly source: string
  readonly text: string
}

interface ProgramRun {
  readonly spec: CommandSpec
  readonly harness: Harness
  readonly context: OperationContext
  readonly stop: AbortSignal
}

/** Ends as a command does: 0 if it was accepted, with its result as stdout. */
async function runProgram(program: Program, run: ProgramRun): Promise<CommandEnd> {
  const { spec, harness, stop } = run
  const { clock } = harness
  const span = new TimeSpan(clock)
  const host = hostOf(run)
  const evaluated = await evaluate(program, host, run)
  const {
    output,
    error,
    exitCode = 0,
  } = schemeAnswer(
    {
      schema: 1,
      kind: 'premath.scheme_eval.result.v0',
      profile: 'premath.scheme.v0',
      programPath: program.source,
      programForm: program.form,
      hostActionTransport: 'local-repl',
      trajectoryPath: null,
      allowlistedActions: [...hostActions],
      executedCallCount: host.effects.length,
      startedAt: secondOf(span.startedAt),
      finishedAt: secondOf(span.endedAt),
      effects: host.effects,
      steps: evaluated.steps,
      memoryBytes: evaluated.bytes,
    },
    evaluated,
  )
  // The failure class is at the start of the last line, where the harness looks for it.
  const stderr = error
    ? `${visible(error.hint ?? '')}\n${error.code}: ${visible(error.message)}\n`
    : ''
  const stdout = `${printJson(output)}\n`
  spec.onOutput?.('stdout', stderr.trimEnd().split('\n').at(-1) || 'the program has ended')
  return {
    exitCode,
    signal: null,
    timedOut: error?.code === timeoutClass && !stop.aborted,
    stopped: stop.aborted,
    leftBehind: 'none',
    durationMs: Math.floor(span.ms),
    stdout: await kept(stdout, spec.stdoutPath, run),
    stderr: await kept(stderr, spec.stderrPath, run),
  }
}

async function evaluate(program: Program, host: Host, run: ProgramRun): Promise<Evaluated> {
  const { spec, context, stop } = run
  const { clock } = context
  const limits = { budget: usualBudget, timeoutMs: spec.timeoutMs, isFixed: true, stop }
  const session = async () =>
    new SchemeSession(host, clock, limits, { [stepVariable]: await stepOf(run) })
  const found = program.calls
    ? await runCalls(program.calls, host, clock, limits)
    : await (await session()).evaluate(program.text)
  const { refusal } = found
  // The time of the step is over, which has the same class for a command.
  return refusal?.failureClasses[0] === 'scheme_eval.time_budget_exceeded'
    ? { ...found, refusal: { ...refusal, failureClasses: [timeoutClass] } }
    : found
}

/** The operations know by the environment that work calls them, and ask the harness or refuse. */
function hostOf({ spec, harness, context }: ProgramRun): Host {
  const { place: _, ...here } = context
  const { instructionId } = harness
  const cwd = () => spec.cwd
  const checkTimeoutSeconds = Math.min(86_400, Math.max(1, Math.floor(spec.timeoutMs / 1000)))
  return new Host(
    { ...here, env: spec.env, cwd },
    {
      transport: 'local-repl',
      stepPrefix: 'work',
      metadata: { issueId: spec.env['PREMATH_ISSUE_ID'] },
      mayCall: (action, isRead, args) => workCallRefusal({ action, isRead, args, instructionId }),
      // The step runs under this instruction. Its checks run for the harness, which work may not do.
      elsewhere: new Map([
        ['instruction.run', { context: { ...here, cwd }, args: { checkTimeoutSeconds } }],
      ]),
    },
  )
}

/** The values that a work command finds in its environment, for a program. */
async function stepOf({ spec: { env }, context }: ProgramRun): Promise<JsonObject> {
  const textOf = async (name: string) => {
    const path = env[name]
    const bytes = path ? await context.files.readIfPresent(path) : undefined
    return bytes && new TextDecoder().decode(bytes)
  }
  const issue = (await textOf('PREMATH_ISSUE_FILE')) ?? ''
  const handoff = (await textOf('PREMATH_HANDOFF_FILE')) ?? ''
  const feedback: Json = (await textOf('PREMATH_FEEDBACK_FILE')) ?? false
  return {
    issueId: env['PREMATH_ISSUE_ID'] ?? '',
    title: env['PREMATH_ISSUE_TITLE'] ?? '',
    issue: jsonIn(issue) ?? false,
    stepId: env['PREMATH_STEP_ID'] ?? '',
    workerId: env['PREMATH_WORKER_ID'] ?? '',
    attempt: Number(env['PREMATH_ATTEMPT']),
    handoff: jsonIn(handoff) ?? false,
    feedback,
  }
}

const tailBytesDefault = 4096

async function kept(
  text: string,
  path: string | undefined,
  { spec: { outputBytesMax, tailBytesMax = tailBytesDefault }, harness }: ProgramRun,
): Promise<CommandOutput> {
  const bytes = new TextEncoder().encode(text)
  const head = path === undefined ? bytes.subarray(0, 0) : bytes.subarray(0, outputBytesMax)
  if (path !== undefined) await writeOutput(path, head, harness.disk)
  return {
    bytes: bytes.length,
    sha256: harness.sha256(text),
    keptBytes: head.length,
    truncated: path !== undefined && head.length < bytes.length,
    tail: new TextDecoder().decode(bytes.subarray(-tailBytesMax)),
  }
}

/** An output of a command that is empty has no file. */
async function writeOutput(path: string, bytes: Uint8Array, disk: Disk): Promise<void> {
  if (bytes.length > 0) await disk.replaceLoosely(path, bytes)
  else await disk.remove(path)
}
