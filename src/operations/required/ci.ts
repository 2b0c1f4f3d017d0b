import { Fault } from '../../fault.ts'
import { countField, flagField, textField } from '../../field.ts'
import { gitDelta } from '../../harness/worktree/changed-paths.ts'
import type { InstructionRefusal } from '../../kernel/instruction/instruction-refusal.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import { changedPathsOf } from '../../kernel/required/changed-paths.ts'
import { headName } from '../../kernel/required/delta.ts'
import { projectChecks } from '../../kernel/required/projection.ts'
import { normalizerIdDefault } from '../../kernel/required/typed-core.ts'
import { openProject, type Project } from '../../project/open.ts'
import { type Attested, attestRequired } from '../../project/required/attest.ts'
import { openPathRules, requiredCommands } from '../../project/required/open-rules.ts'
import { latest, requiredFolder } from '../../project/required/required-files.ts'
import { runRequired } from '../../project/required/run-required.ts'
import { refusedInstruction, verdictMessage } from '../../render/instruction-answer.ts'
import { projectionPage, requiredWitnessPage } from '../../render/required-page.ts'
import { underLock } from '../../store/lock.ts'
import { CiRequiredAnswer } from '../../wire/answers/required.ts'
import type { RequiredDelta } from '../../wire/required/delta.ts'
import type { RequiredWitness } from '../../wire/required/required-witness.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const ciRequired = operation({
  group: 'required',
  opId: 'op/ci.required',
  summary: 'Run the checks that a change requires and write their witnesses.',
  description: `Finds the changed paths as premath required-delta does, and the checks that .premath/required-checks.json requires for them. Runs the checks side by side in the project folder, each with its timeout. Writes latest-delta.json, latest-required.json, <projection>.json and a gate witness for each check to ${witnessFolder}, and the output of the checks beside them. A .sha256 file has the digest of its document, and a .source file says if the check wrote its gate witness itself (native) or not (fallback). With --attested it then verifies these files, writes latest-decision.json, and verifies that. A check may write its own gate witness to PREMATH_GATE_WITNESS_OUT. Exits 0 if the verdict is accepted, 1 if it is rejected, and 2 if rules, paths or commits are invalid. An interrupted run writes no witness.`,
  effect: 'projection',
  input: {
    attested: flagField('Verify the witnesses, decide, and verify the decision.'),
    changedFile: textField('path', 'A changed path, instead of asking git.', { many: true }),
    fromRef: textField('commit', 'The commit before the change.'),
    toRef: textField('commit', 'The commit after the change. Defaults to HEAD.'),
    outDir: textField('dir', 'The folder of the witnesses, relative to the project.', {
      path: true,
      default: witnessFolder,
    }),
    requireNativeCheck: textField(
      'check',
      'A check that must write its own gate witness. Defaults to PREMATH_CI_NATIVE_REQUIRED_CHECKS.',
      { many: true },
    ),
    jobs: countField('n', 'How many checks run at the same time.', { default: 4 }),
    checkTimeoutSeconds: countField('seconds', 'The timeout of a check without its own.', {
      default: 1800,
    }),
    allowFailure: flagField('Exit 0 even if the verdict is rejected.'),
    printPlan: flagField('Print the required checks and run nothing.'),
  },
  output: CiRequiredAnswer,
  examples: {
    'premath ci-required': 'run what the change requires',
    'premath ci-required --print-plan --from-ref main': 'only list the checks',
    'premath ci-required --attested --json': 'the witness and the decision',
  },

  async run(input, context) {
    const inStep = notForWork(action, 'run required checks', context)
    if (inStep) return inStep
    mustBeInRange('--jobs', input.jobs, jobsMax)
    mustBeInRange('--check-timeout-seconds', input.checkTimeoutSeconds, timeoutSecondsMax)
    const project = await openProject(context)
    const rules = await openPathRules(project)
    if (isRefused(rules)) return refusedInstruction(action, rules)
    const delta = await deltaOf(input, project)
    if (isRefused(delta)) return refusedInstruction(action, delta)
    const projection = projectChecks(rules, delta.changedPaths, context.sha256)
    const commands = await requiredCommands(projection.requiredChecks, rules, project)
    if (isRefused(commands)) return refusedInstruction(action, commands)
    if (input.printPlan) {
      const output = { action, delta, projection }
      return { output, yes: true, render: page => projectionPage(projection, page) }
    }
    const folder = await requiredFolder(project.root, input.outDir, context)
    const disk = await context.disk()
    await disk.makeFolder(folder.path)
    const act = async () => {
      const witness = await runRequired({
        project,
        rules,
        delta,
        projection,
        commands,
        folder,
        normalizerId: context.env['PREMATH_REQUIRED_NORMALIZER_ID']?.trim() || normalizerIdDefault,
        timeoutMs: input.checkTimeoutSeconds * 1000,
        atOnce: input.jobs,
      })
      const attested = input.attested
        ? await attestRequired(project, rules, folder, nativeChecks(input, project))
        : undefined
      return answerOf(witness, attested, input.allowFailure, folder.shown)
    }
    const words = { noun: 'required checks', hint: 'They are already running: wait for their end.' }
    return await underLock(disk, `${folder.path}/required.lock`, lockWaitMs, act, words)
  },
})

const action = 'ci-required'
const jobsMax = 64
const timeoutSecondsMax = 86_400

/** Checks may take an hour, so a second caller is refused at once. */
const lockWaitMs = 200

function mustBeInRange(flag: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return
  throw new Fault('usage', `${flag} ${value} is out of range`, { hint: `Use 1 to ${most}.` })
}

interface DeltaInput {
  readonly changedFile: readonly string[]
  readonly fromRef: string | undefined
  readonly toRef: string | undefined
}

async function deltaOf(
  { changedFile, fromRef, toRef }: DeltaInput,
  project: Project,
): Promise<RequiredDelta | InstructionRefusal> {
  const { env, root } = project
  if (changedFile.length === 0) {
    const [processes, disk] = await Promise.all([project.processes(), project.disk()])
    const place = { root, processes, disk, env }
    return await gitDelta(place, await project.folderHere(), { fromRef, toRef })
  }
  const at = { at: '--changed-file', failureClass: 'required_delta_invalid' } as const
  const changedPaths = changedPathsOf(changedFile, at)
  if (isRefused(changedPaths)) return changedPaths
  return {
    schema: 1,
    deltaKind: 'ci.required.delta.v1',
    changedPaths,
    source: 'explicit',
    fromRef: fromRef ?? null,
    toRef: headName(toRef, env),
  }
}

function nativeChecks(
  { requireNativeCheck }: { readonly requireNativeCheck: readonly string[] },
  { env }: Project,
): readonly string[] {
  if (requireNativeCheck.length > 0) return requireNativeCheck
  const given = env['PREMATH_CI_NATIVE_REQUIRED_CHECKS'] ?? ''
  return given.split(',').flatMap(name => name.trim() || [])
}

function answerOf(
  witness: RequiredWitness,
  attested: Attested | undefined,
  allowFailure: boolean,
  folder: string,
) {
  const { decision, decisionPath, errors = [] } = attested ?? {}
  const isAccepted =
    witness.verdictClass === 'accepted' &&
    (decision?.decision ?? 'accept') === 'accept' &&
    errors.length === 0
  const witnessPath = `${folder}/${latest.required}.json`
  const failed = witness.results.filter(({ exitCode }) => exitCode !== 0)
  const reasons = [
    ...failed.map(({ checkId, exitCode }) => `${checkId} ended with exit code ${exitCode}`),
    ...(failed.length === 0 ? (decision?.errors ?? []) : []),
    ...errors,
  ]
  const classes =
    witness.failureClasses.length > 0 ? witness.failureClasses : [decision?.reasonClass ?? '']
  return {
    output: {
      action,
      failureClasses: witness.failureClasses,
      result: isAccepted ? 'accepted' : 'rejected',
      witness,
      witnessPath,
      ...(attested && { decision, decisionPath, decisionErrors: errors }),
    },
    yes: isAccepted,
    exitCode: isAccepted || allowFailure ? (0 as const) : (1 as const),
    ...(!isAccepted && verdictMessage(classes, reasons.join('; '))),
    render: (page: Parameters<typeof requiredWitnessPage>[1]) =>
      requiredWitnessPage(witness, page, [
        ['decision', decision && `${decision.decision} (${decision.reasonClass})`],
        ['witness', witnessPath],
      ]),
  }
}
