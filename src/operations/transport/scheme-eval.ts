import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { schemeBudgetFields, schemeHostFields, schemeLimits } from '../../input/scheme-fields.ts'
import { Flaw } from '../../kernel/artifact/flaw.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { Replay, readRecordedEffects } from '../../kernel/scheme/host/replay.ts'
import { isStepWork } from '../../project/authority/authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { mustNotReplaceProjectFile } from '../../project/harness-files.ts'
import { namingSource, readDocument, sourceName } from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { openTrajectory } from '../../project/open-trajectory.ts'
import { schemeAnswer } from '../../render/scheme-answer.ts'
import type { SchemeRequest } from '../../wire/scheme/scheme-request.ts'
import { SchemeResult } from '../../wire/scheme/scheme-result.ts'
import { TimeSpan } from '../../world/time-span.ts'
import { operation } from '../operation.ts'
import { Host, hostActions } from '../scheme-host.ts'
import { readProgram } from '../scheme-program.ts'
import { different, type Evaluated, runCalls, SchemeSession } from '../scheme-run.ts'

export const schemeEval = operation({
  group: 'program',
  summary: 'Run a small program over the project.',
  description:
    'The program is Scheme, or a JSON object with a list of host calls. Its only effects are host functions, which are operations of premath: (issue.ready :limit 3). It reads no file, opens no connection and runs no command. A host function that changes something needs an accepted instruction (--instruction), which is judged before the call, with the policy in force; otherwise it is refused with mutation.use_evidence_missing. Each call leaves one row in the trajectory. In the work of a step, calls that change something are requests to the harness or are refused, and leave no row. --replay runs the program against recorded effects, makes none, and names the first difference. Exits 1 if the program failed, was refused or exceeded a budget, and 2 if it cannot be read.',
  effect: 'projection',
  opId: 'op/transport.scheme_eval',
  input: {
    program: textField('file', 'The program; - reads stdin.', { path: true, document: true }),
    expression: textField('text', 'A Scheme program as text, in place of --program.'),
    ...schemeBudgetFields,
    ...schemeHostFields,
    stepPrefix: textField('text', 'The start of the step ids in the trajectory.', {
      default: 'scheme_eval',
    }),
    trajectory: textField(
      'file',
      'The trajectory to use; without it, .premath/harness_trajectory.jsonl of the project.',
      { path: true, also: ['trajectory-path'] },
    ),
    replay: textField(
      'file',
      'Recorded effects: the JSON result of an earlier run, or one effect per line.',
      { path: true, document: true },
    ),
  },
  output: SchemeResult,
  examples: {
    'premath scheme-eval --program triage.scm': 'the value of the program',
    'premath scheme-eval --program triage.scm --max-calls 8 --json': 'value and effects as JSON',
    'premath scheme-eval --program triage.scm --replay result.json':
      'whether the program still makes the same calls',
  },

  async run(input, context) {
    const limits = schemeLimits(input)
    const programPath = nameOf(input)
    const text = await programText(input, context)
    const { form, calls, refusal } = readProgram(input.program, text, limits.budget.calls)
    const replay = await replayOf(input.replay, context)
    const isRecorded = replay === undefined && !isStepWork(context)
    const trajectory = isRecorded ? await trajectoryOf(input.trajectory, context) : undefined
    const program: Partial<SchemeRequest> = calls?.request ?? {}
    const { issueId, policyDigest, instruction: instructionRef } = input
    const host = new Host(context, {
      transport: input.hostActionTransport,
      stepPrefix: input.stepPrefix,
      metadata: {
        issueId: issueId ?? program.issueId,
        policyDigest: policyDigest ?? program.policyDigest,
        instructionRef: instructionRef ?? program.instructionRef,
      },
      trajectory,
      replay,
    })
    const span = new TimeSpan(context.clock)
    const evaluated = await untilCancelled(context, evaluate)
    return schemeAnswer(
      {
        schema: 1,
        kind: 'premath.scheme_eval.result.v0',
        profile: 'premath.scheme.v0',
        programPath,
        programForm: form,
        hostActionTransport: input.hostActionTransport,
        trajectoryPath: trajectory?.path ?? null,
        allowlistedActions: [...hostActions],
        executedCallCount: host.effects.length,
        startedAt: secondOf(span.startedAt),
        finishedAt: secondOf(span.endedAt),
        effects: host.effects,
        steps: evaluated.steps,
        memoryBytes: evaluated.bytes,
        ...(replay && { replayedRows: replay.used }),
      },
      evaluated,
    ) satisfies Answer<unknown>

    async function evaluate(stop: AbortSignal): Promise<Evaluated> {
      if (refusal !== undefined) return { refusal, steps: 0, bytes: 0 }
      const stoppable = { ...limits, stop }
      const found = calls
        ? await runCalls(calls, host, context.clock, stoppable)
        : await new SchemeSession(host, context.clock, stoppable).evaluate(text)
      const missing = found.refusal ? undefined : replay?.missing()
      return missing === undefined ? found : { ...found, refusal: different(missing) }
    }
  },
})

/** A client cancels its call, and the server goes on. On the command line, Ctrl-C ends the process. */
async function untilCancelled<T>(
  { surface, processes }: OperationContext,
  act: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController()
  if (surface !== 'mcp') return await act(stopping.signal)
  const unlisten = (await processes()).onStopSignal(() => stopping.abort())
  try {
    return await act(stopping.signal)
  } finally {
    unlisten()
  }
}

interface Named {
  readonly program: string | undefined
  readonly expression: string | undefined
}

function nameOf({ program, expression }: Named): string {
  if (program !== undefined && expression === undefined) return sourceName(program)
  if (expression !== undefined && program === undefined) return '--expression'
  const message = program === undefined ? 'no program is named' : 'two programs are named'
  throw new Fault('usage', message, { hint: 'Pass either --program or --expression.' })
}

async function programText(
  { program, expression }: Named,
  context: OperationContext,
): Promise<string> {
  if (program === undefined) return expression ?? ''
  return await namingSource(sourceName(program), () => readDocument(program, context))
}

async function replayOf(path: string | undefined, context: OperationContext) {
  if (path === undefined) return undefined
  const source = sourceName(path)
  const text = await namingSource(source, () => readDocument(path, context))
  const effects = readRecordedEffects(text)
  if (!(effects instanceof Flaw)) return new Replay(effects)
  throw new Fault('invalid_input', `${source} ${effects}`, {
    hint: 'Record one: premath scheme-eval --program <program> --json > <file>.',
  })
}

/** Opened before the first effect, so that none is made that could not be recorded. */
async function trajectoryOf(given: string | undefined, context: OperationContext) {
  const project = await openProject(context)
  const opened = await openTrajectory(project, given, '--trajectory')
  await mustNotReplaceProjectFile(opened, project)
  return opened
}
