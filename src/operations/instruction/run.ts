import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { countField, flagField, textField } from '../../field.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { type CheckedInstruction, checkEnvelope } from '../../kernel/instruction/envelope.ts'
import { instructionIdOf } from '../../kernel/instruction/instruction-id.ts'
import { type InstructionRefusal, isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { rejectWitness, witnessInstruction } from '../../kernel/instruction/instruction-witness.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { OperationContext } from '../../project/context.ts'
import { openChecks } from '../../project/policies/checks-file.ts'
import {
  type InstructionFile,
  type InstructionPlace,
  instructionFields,
  instructionPlace,
  readInstruction,
} from '../../project/policies/instruction-file.ts'
import { instructionPolicies } from '../../project/policies/instruction-policies.ts'
import { runProjectChecks } from '../../project/policies/run-project-checks.ts'
import { type WitnessPlace, witnessPlace, writeWitness } from '../../project/proofs/witness-file.ts'
import { refusedInstruction, verdictMessage } from '../../render/instruction-answer.ts'
import { whyRejected, witnessPage } from '../../render/witness-page.ts'
import { underLock } from '../../store/lock.ts'
import { InstructionRunAnswer } from '../../wire/answers/instruction.ts'
import type { CheckResult, InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import { TimeSpan } from '../../world/time-span.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const instructionRun = operation({
  group: 'instruction',
  summary: 'Run the checks of an instruction and write its witness.',
  description: `Checks the instruction, runs each requested check in the project folder, and writes the witness to <id>.json in ${witnessFolder}. .premath/checks.json maps checks to commands; a check without a command counts as not run. The output of the checks is kept beside it, in instructions/<id>. An invalid instruction runs nothing and gets a witness that says so. Exits 0 if the verdict is accepted, 1 if it is rejected, and 2 if the instruction is invalid. An interrupted run writes no witness.`,
  effect: 'projection',
  opId: 'op/mcp.instruction_run',
  input: {
    ...instructionFields,
    outDir: textField(
      'dir',
      `The folder of the witness, relative to the project; default ${witnessFolder}.`,
      { path: true },
    ),
    allowFailure: flagField('Exit 0 even if the verdict is rejected.'),
    checkTimeoutSeconds: countField('seconds', 'The timeout of each check in seconds.', {
      default: 1800,
    }),
  },
  output: InstructionRunAnswer,
  examples: {
    'premath instruction-run --instruction instructions/20260221T000000Z-fix.json':
      'the verdict and the path of its witness',
    'premath instruction-run --instruction 20260221T000000Z-fix.json --check-timeout-seconds 60 --json':
      'the witness as JSON, with a short timeout',
  },

  async run(input, context) {
    const inStep = notForWork(action, 'run an instruction', context)
    if (inStep) return inStep
    mustBeHere(context)
    const timeoutMs = timeoutOf(input.checkTimeoutSeconds)
    const place = await instructionPlace(input, context)
    // Before anything is read: an id with path tricks must not choose where to write.
    const id = instructionIdOf(place.path)
    if (isRefused(id)) return refusedInstruction(action, id)
    const { outDir } = input
    const target = await witnessPlace(id, { root: place.project.root, outDir }, context)
    const file = await readInstruction(place)
    if (isRefused(file)) return refusedInstruction(action, file)
    const run: Run = { place, target, file, timeoutMs, context, span: new TimeSpan(context.clock) }
    const instruction = await checkedIn(run)
    if (isRefused(instruction)) return await rejected(instruction, run)
    const witness = await witnessed(instruction, run)
    return answerOf(witness, target, input.allowFailure)
  },
})

const action = 'instruction-run'

interface Run {
  readonly place: InstructionPlace
  readonly target: WitnessPlace
  readonly file: InstructionFile
  readonly timeoutMs: number
  readonly context: OperationContext
  readonly span: TimeSpan
}

const profile = 'local'

/** A request for another site must not get a witness of this one. */
function mustBeHere({ env }: OperationContext): void {
  const asked = env['PREMATH_SQUEAK_SITE_PROFILE'] || env['PREMATH_EXECUTOR_PROFILE'] || profile
  if (asked === profile) return
  throw new Fault('usage', `checks are requested at ${JSON.stringify(asked)}, but run here only`, {
    hint: 'Unset PREMATH_SQUEAK_SITE_PROFILE, or run them there and use premath instruction-witness.',
  })
}

const timeoutSecondsMax = 86_400

function timeoutOf(seconds: number): number {
  if (seconds >= 1 && seconds <= timeoutSecondsMax) return seconds * 1000
  throw new Fault('usage', `--check-timeout-seconds ${seconds} is out of range`, {
    hint: `Use 1 to ${timeoutSecondsMax} seconds; the default is 1800.`,
  })
}

async function checkedIn({
  place,
  file,
  context,
}: Run): Promise<CheckedInstruction | InstructionRefusal> {
  if (isRefused(file.envelope)) return file.envelope
  const registry = await instructionPolicies(place.project.root, context)
  return checkEnvelope(file.envelope, registry, context.sha256)
}

/** Nothing ran, and the witness says so. */
async function rejected(refusal: InstructionRefusal, run: Run): Promise<Answer<unknown>> {
  const { target, file, context } = run
  const { failureClass, message } = refusal
  const parsed = isRefused(file.envelope) ? undefined : file.envelope
  const reason = { failureClass, reason: message }
  const witness = rejectWitness(parsed, runtimeOf(run, []), reason, context.sha256)
  await writeWitness(witness, target, await context.disk())
  return refusedInstruction(action, refusal, { witness, witnessPath: target.shown })
}

async function witnessed(instruction: CheckedInstruction, run: Run): Promise<InstructionWitness> {
  const { target, context } = run
  const disk = await context.disk()
  const isToRun = instruction.executionDecision.state === 'execute'
  const write = async (results: readonly CheckResult[]) => {
    const witness = witnessInstruction(instruction, runtimeOf(run, results), context.sha256)
    await writeWitness(witness, target, disk)
    return witness
  }
  if (!isToRun) return await write([])
  await disk.makeFolder(target.outputFolder)
  return await underLock(
    disk,
    `${target.outputFolder}/run.lock`,
    lockWaitMs,
    async () => await write(await resultsOf(instruction, run)),
    { noun: 'instruction', hint: 'It is already running: wait for its witness.' },
  )
}

/** Checks may take an hour, so a second caller is refused at once. */
const lockWaitMs = 200

async function resultsOf(
  { requestedChecks }: CheckedInstruction,
  { place, target, file, timeoutMs }: Run,
): Promise<readonly CheckResult[]> {
  const { instructionId } = file
  return await runProjectChecks(requestedChecks, place.project, {
    checks: await openChecks(place.project),
    id: instructionId,
    env: { PREMATH_INSTRUCTION_ID: instructionId },
    cwd: place.worktree,
    outputFolder: target.outputFolder,
    timeoutMs,
  })
}

function runtimeOf({ file, span }: Run, results: readonly CheckResult[]) {
  const { instructionId, instructionRef, instructionDigest } = file
  return {
    instructionId,
    instructionRef,
    instructionDigest,
    squeakSiteProfile: profile,
    runStartedAt: secondOf(span.startedAt),
    runFinishedAt: secondOf(span.endedAt),
    runDurationMs: Math.floor(span.ms),
    results,
  }
}

function answerOf(
  witness: InstructionWitness,
  { shown }: WitnessPlace,
  allowFailure: boolean,
): Answer<unknown> {
  const { verdictClass, failureClasses } = witness
  const isAccepted = verdictClass === 'accepted'
  return {
    output: { action, failureClasses, result: verdictClass, witness, witnessPath: shown },
    yes: isAccepted,
    exitCode: isAccepted || allowFailure ? 0 : 1,
    ...verdictMessage(failureClasses, whyRejected(witness)),
    render: page => witnessPage(witness, page, shown),
  }
}
