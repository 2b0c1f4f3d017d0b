/**
 * The commands of a step, read from flags, environment and configuration before anything is claimed.
 */

import { Fault } from '../fault.ts'
import type { InputOf } from '../field.ts'
import type { BootOptions } from '../harness/boot.ts'
import type { Harness } from '../harness/harness.ts'
import type { AttemptOptions } from '../harness/step/attempt.ts'
import { checkedVerifier } from '../harness/step/checked-verifier.ts'
import { commandVerifier, type Verifier } from '../harness/step/command-verifier.ts'
import { missingProgram } from '../harness/step/find-program.ts'
import type { Transport } from '../harness/step/relocation.ts'
import { requiredVerifier } from '../harness/step/required-verifier.ts'
import { cannotFailNotice } from '../kernel/harness/vacuous-command.ts'
import { quotedText } from '../kernel/text/visible.ts'
import { type Asking, mustNotNest } from '../project/authority/authority.ts'
import { mustNotChooseVerification } from '../project/authority/on-target.ts'
import type { OperationContext } from '../project/context.ts'
import type { Project } from '../project/open.ts'
import { openRetryPolicy } from '../project/policies/control-policy.ts'
import { requiredChecks } from '../project/policies/required-checks.ts'
import { requiredOnTarget } from '../project/required/required-on-target.ts'
import { specVerifier } from '../project/specs/spec-verifier.ts'
import type { Config } from '../wire/config/config.ts'
import { startupOptions, type workFields } from './harness-fields.ts'

/** With a program, `workCmd` is the text that names it. */
type WorkInput = InputOf<typeof workFields> & {
  readonly workProgram?: string | undefined
  /** The target branch, of a run that lands. */
  readonly onto?: string | undefined
}

/** Returns a function, because each worker has its own worktree. */
export async function workOptions(
  input: WorkInput & Asking,
  project: Project,
): Promise<(harness: Harness) => AttemptOptions & BootOptions> {
  mustNotNest(project)
  mustTakeTime(input)
  await mustNotChooseVerification(input, project)
  const { config } = await project.config()
  const { timeouts } = config
  const workCommand = needed(input.workCmd ?? config.work, '--work-cmd')
  const verifier = await verifierOf(input, config, project)
  const checks = await requiredChecks(input, project)
  await mustFindPrograms(input, project)
  const transport = transportOf(input, project)
  const retryPolicy = await openRetryPolicy(project, input.retryPolicy)
  return harness => ({
    ...startupOptions(input, config),
    workCommand,
    workTimeoutMs: (input.workTimeoutSeconds ?? timeouts.workSeconds) * 1000,
    verifier: checkedVerifier(checks(harness.authority()), verifier(harness), () => harness),
    specVerifier: specs => specVerifier(specs, () => harness, project),
    verifyTimeoutMs: (input.verifyTimeoutSeconds ?? timeouts.verifySeconds) * 1000,
    transport,
    retryPolicy,
  })
}

/**
 * Faults if a program is missing, before anything is claimed: otherwise every issue would fail. A
 * program on PATH is looked for at once. Call this again with the folder of each worker for a
 * program that is named by its path. With a startup command, which may install it, nothing is known.
 */
export async function mustFindPrograms(
  input: WorkInput,
  project: Project,
  folder?: string,
): Promise<void> {
  const { config } = await project.config()
  const { env, disk } = project
  if ((input.startupCmd ?? config.startup) !== undefined) return
  const { command, specs } = verificationOf(input, config)
  const commands = [
    ['--work-cmd', input.workProgram === undefined ? (input.workCmd ?? config.work ?? '') : ''],
    ['--verify-cmd', specs.length > 0 ? '' : (command ?? '')],
  ] as const
  for (const [flag, command] of commands) {
    const program = await missingProgram(command, { folder, env, disk: await disk() })
    if (program !== undefined) throw programMissing(flag, program, folder)
  }
}

function programMissing(flag: string, program: string, folder = ''): Fault {
  const isRelative = program.includes('/') && !program.startsWith('/')
  const why = isRelative
    ? `is not an executable file in ${folder}`
    : program.startsWith('/')
      ? 'is not an executable file'
      : 'is not on PATH'
  const where = isRelative ? ' A new worktree has committed files only.' : ''
  return new Fault('usage', `${flag} starts with ${quotedText(program)}, which ${why}`, {
    hint: `No issue was claimed. Correct the command, or install the program.${where}`,
    detail: { flag, program },
  })
}

/** A flag for a command or for specs overrides a setting for the other. */
function verificationOf(
  { verifyCmd, verifySpec }: Pick<WorkInput, 'verifyCmd' | 'verifySpec'>,
  { verify, verifySpecs }: Config,
): { readonly command: string | undefined; readonly specs: readonly string[] } {
  const isGiven = verifySpec.length > 0 || verifyCmd !== undefined
  return { command: verifyCmd ?? verify, specs: isGiven ? verifySpec : verifySpecs }
}

/** Tells that the verify command cannot fail. Ask once, not for each worker. */
export async function verifyNotice(
  input: Pick<WorkInput, 'verifyCmd' | 'verifySpec'>,
  project: Project,
): Promise<string | undefined> {
  const { command, specs } = verificationOf(input, (await project.config()).config)
  return specs.length > 0 || command === undefined ? undefined : cannotFailNotice(command)
}

/** Verifies by a command or by specs, after the required checks if they are asked for. */
async function verifierOf(
  input: WorkInput,
  config: Config,
  project: Project,
): Promise<(harness: Harness) => Verifier> {
  if (!input.verifyRequired && !config.verifyRequired) return ownVerifier(input, config, project)
  const { command, specs } = verificationOf(input, config)
  const isAlone = command === undefined && specs.length === 0
  const own = isAlone ? undefined : ownVerifier(input, config, project)
  const required = await requiredOnTarget(project, input.onto)
  return harness => requiredVerifier(required, own?.(harness), () => harness)
}

function ownVerifier(
  input: WorkInput,
  config: Config,
  context: OperationContext,
): (harness: Harness) => Verifier {
  const { command: given, specs } = verificationOf(input, config)
  if (specs.length === 0) {
    const command = needed(given, '--verify-cmd')
    return harness => commandVerifier(command, () => harness)
  }
  if (input.verifyCmd !== undefined) {
    throw new Fault('usage', '--verify-cmd and --verify-spec exclude each other', {
      hint: 'Pass one of them. A spec can run the command as a case of type cli.run.',
    })
  }
  const blank = specs.find(path => path.trim() === '' || path.includes('\0'))
  if (blank !== undefined) throw new Fault('usage', '--verify-spec is empty')
  return harness => specVerifier(specs, () => harness, context)
}

/** Optional, because most work stays in its clone. */
function transportOf(
  { transportCmd, transportTimeoutSeconds }: WorkInput,
  { env }: OperationContext,
): Transport | undefined {
  const given = transportCmd ?? (env['PREMATH_TRANSPORT_CMD'] || undefined)
  if (given === undefined) return undefined
  const command = needed(given, '--transport-cmd')
  return { command, timeoutMs: transportTimeoutSeconds * 1000 }
}

function mustTakeTime(input: WorkInput): void {
  for (const [flag, given] of [
    ['--work-timeout-seconds', input.workTimeoutSeconds],
    ['--verify-timeout-seconds', input.verifyTimeoutSeconds],
    ['--transport-timeout-seconds', input.transportTimeoutSeconds],
    ['--startup-timeout-seconds', input.startupTimeoutSeconds],
  ] as const) {
    if (given === 0) throw new Fault('usage', `${flag} must be greater than 0`)
  }
}

const commandFlags = {
  '--work-cmd': {
    why: 'the command that does the work',
    hint: "For example: --work-cmd 'make fix'. To set it for the project: premath config set work 'make fix'.",
  },
  '--verify-cmd': {
    why: 'the verification of the work',
    hint: "For example: --verify-cmd 'make test', --verify-spec specs or --verify-required. To set it for the project: premath config set verify 'make test'.",
  },
  '--transport-cmd': {
    why: 'the command that carries work to another location',
    hint: "For example: --transport-cmd './to-the-lab.sh'.",
  },
} as const

function needed(command: string | undefined, flag: keyof typeof commandFlags): string {
  if (command !== undefined && command.trim() !== '' && !command.includes('\0')) return command
  const { why, hint } = commandFlags[flag]
  throw new Fault('usage', `${flag} is missing: pass ${why}`, { hint })
}
