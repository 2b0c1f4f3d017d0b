import type { Answer, ExitCode, Outcome, Page } from '../../answer.ts'
import { countField, flagField, type InputOf, textField } from '../../field.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { summaryPlace, writeSummary } from '../../project/checks/summary-file.ts'
import type { OperationContext } from '../../project/context.ts'
import { instructionFields, instructionPlace } from '../../project/policies/instruction-file.ts'
import { markdownSummary } from '../../render/ci-summary.ts'
import { factsPage } from '../../render/titled-page.ts'
import { CiInstruction } from '../../wire/checks/ci-instruction.ts'
import { operation } from '../operation.ts'

const action = 'ci-instruction'

const fields = {
  ...instructionFields,
  allowFailure: flagField('Exit 0 even if the verdict is rejected; ALLOW_FAILURE=1 does the same.'),
  checkTimeoutSeconds: countField('seconds', 'The timeout of each check in seconds.', {
    default: 1800,
  }),
  summaryOut: textField('file', 'A file for the summary in Markdown.', { path: true }),
}

export const ciInstruction = operation({
  group: 'checks',
  opId: 'op/ci.instruction',
  summary: 'Check an instruction, run its checks and verify the witness, for CI.',
  description:
    'Does what premath instruction-check, premath instruction-run and premath witness verify do, one after the other. It adds a summary in Markdown to the file that GITHUB_STEP_SUMMARY names, and writes it to --summary-out. Exits 0 if the verdict is accepted and the witness verifies, 1 if it is rejected, 2 if the instruction is invalid, and 5 if the witness is not what was written.',
  effect: 'projection',
  input: fields,
  output: CiInstruction,
  examples: {
    'premath ci-instruction --instruction instructions/20260221T000000Z-fix.json':
      'the verdict, with a summary for the job',
    'premath ci-instruction --instruction 20260221T000000Z-fix.json --summary-out artifacts/summary.md':
      'the same with a file',
  },

  async run(input, context) {
    const place = await instructionPlace(input, context)
    const summary = await summaryPlace(input.summaryOut, place.project)
    const stages = await stagesOf(input, context)
    const { run } = stages
    const worst = Math.max(...Object.values(stages).map(stage => stage?.exitCode ?? 0)) as ExitCode
    const isAllowed = input.allowFailure || context.env['ALLOW_FAILURE'] === '1'
    const exitCode = worst === 1 && isAllowed ? 0 : worst
    const output = answerOf(stages, worst)
    const text = markdownSummary(summaryOf(output, checksIn(run.output)))
    await writeSummary(text, summary, context)
    return {
      ...(run.error && exitCode !== 0 && { error: run.error }),
      ...(run.message !== undefined && { message: run.message }),
      output: { ...output, summary: text },
      yes: worst === 0,
      exitCode,
      render: page => pageOf(output, page),
    }
  },
})

interface Stage {
  readonly output: JsonObject
  readonly exitCode: ExitCode
  readonly error?: Answer<unknown>['error']
  readonly message?: string
}

interface Stages {
  readonly check: Stage
  readonly run: Stage
  /** Absent if no witness was written. */
  readonly verify?: Stage
}

async function stagesOf(input: InputOf<typeof fields>, context: OperationContext): Promise<Stages> {
  const { instruction, repoRoot, checkTimeoutSeconds } = input
  const { instructionCheck } = await import('../instruction/check.ts')
  const { instructionRun } = await import('../instruction/run.ts')
  const check = stageOf(await instructionCheck.run({ instruction, repoRoot }, context))
  const run = stageOf(
    await instructionRun.run(
      { instruction, repoRoot, checkTimeoutSeconds, outDir: undefined, allowFailure: false },
      context,
    ),
  )
  const path = run.output['witnessPath']
  if (typeof path !== 'string') return { check, run }
  return { check, run, verify: await verified(path, input, context) }
}

/** A witness of a rejection verifies, too: only a changed one does not. */
async function verified(
  path: string,
  input: InputOf<typeof fields>,
  context: OperationContext,
): Promise<Stage> {
  const { project } = await instructionPlace(input, context)
  const { openWitnesses } = await import('../../project/open-witnesses.ts')
  const { namedWitness } = await import('../../project/proofs/witness-named.ts')
  const { verdictOn } = await import('../../project/proofs/witness-verdict.ts')
  const open = await openWitnesses(project, { issues: undefined })
  const named = await namedWitness(project.at(path), open, context)
  const options = { tree: false, named: false, allowForced: false }
  const { result, digest } = await verdictOn(named, open, options)
  return { output: { result, digest }, exitCode: result === 'broken' ? 5 : 0 }
}

function stageOf(outcome: Outcome<unknown>): Stage {
  // Neither command reports events or streams.
  if (!('output' in outcome)) return { output: {}, exitCode: 0 }
  const { output, yes, exitCode = yes ? 0 : 1, error, message } = outcome
  const value: Json = JSON.parse(JSON.stringify(output))
  return {
    output: isJsonObject(value) ? value : {},
    exitCode,
    ...(error && { error }),
    ...(message !== undefined && { message }),
  }
}

function answerOf({ check, run, verify }: Stages, worst: ExitCode) {
  const witness = run.output['witness']
  const members = isJsonObject(witness) ? witness : {}
  const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : null)
  const classes = run.output['failureClasses']
  return {
    schema: 1,
    checkKind: 'premath.ci_instruction.v1',
    action,
    result: worst === 0 ? 'accepted' : 'rejected',
    failureClasses: Array.isArray(classes) ? classes : [],
    instructionId: textOf(members['instructionId']),
    instructionDigest: textOf(members['instructionDigest']),
    witnessPath: textOf(run.output['witnessPath']),
    witnessDigest: textOf(verify?.output['digest']),
    stages: [
      { stage: 'check', exitCode: check.exitCode },
      { stage: 'run', exitCode: run.exitCode },
      ...(verify ? [{ stage: 'verify', exitCode: verify.exitCode }] : []),
    ],
  }
}

type CiAnswer = ReturnType<typeof answerOf>

interface CheckRow {
  readonly checkId: string
  readonly status: string
  readonly exitCode: string
  readonly durationMs: string
}

function checksIn({ witness }: JsonObject): readonly CheckRow[] {
  const results = isJsonObject(witness) ? witness['results'] : []
  return (Array.isArray(results) ? results : []).filter(isJsonObject).map(result => ({
    checkId: String(result['checkId'] ?? ''),
    status: String(result['status'] ?? ''),
    exitCode: String(result['exitCode'] ?? ''),
    durationMs: String(result['durationMs'] ?? ''),
  }))
}

const factsOf = (answer: CiAnswer): readonly (readonly [string, string])[] => [
  ['verdict', answer.result],
  ...(answer.failureClasses.length > 0
    ? [['failure classes', answer.failureClasses.join(', ')] as const]
    : []),
  ['instruction', answer.instructionId ?? ''],
  ['digest', answer.instructionDigest ?? ''],
  ['witness', answer.witnessPath ?? 'none was written'],
  ['witness digest', answer.witnessDigest ?? ''],
]

const summaryOf = (answer: CiAnswer, checks: readonly CheckRow[]) => ({
  title: `Instruction ${answer.instructionId ?? ''}: ${answer.result}`,
  facts: factsOf(answer).filter(([, text]) => text !== ''),
  head: ['check', 'result', 'exit code', 'milliseconds'],
  rows: checks.map(one => [one.checkId, one.status, one.exitCode, one.durationMs]),
})

const pageOf = (answer: CiAnswer, page: Page) =>
  factsPage(`${action}: ${answer.result}`, factsOf(answer), page)
