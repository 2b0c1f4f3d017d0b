/** The verification of relocated work at its destination. */
import { Fault } from '../../fault.ts'
import type { RelocationVerification } from '../../kernel/harness/relocation/relocation-check.ts'
import type { CommandSpec } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { specCommand } from '../specs/spec-verifier.ts'

interface LocationCommand {
  /** Equal on every machine, because the witness stores its digest. */
  readonly name: string
  readonly command: CommandSpec['command']
}

/** The given command, then the specs of the issue. */
export function locationCommands(
  given: string | undefined,
  specs: readonly string[],
  context: OperationContext,
): readonly [LocationCommand, ...LocationCommand[]] {
  const bySpecs = {
    name: `premath spec run ${specs.join(' ')}`,
    command: specCommand(specs, context),
  }
  const ofIssue = specs.length > 0 ? [bySpecs] : []
  const command = given ?? (context.env['PREMATH_VERIFY_CMD'] || undefined)
  const isNone = command === undefined || command.trim() === '' || command.includes('\0')
  const [first, ...more] = [...(isNone ? [] : [{ name: command, command }]), ...ofIssue]
  if (first) return [first, ...more]
  throw new Fault(
    'usage',
    '--verify-cmd is missing: pass the command that verifies the work here',
    {
      hint: "For example: --verify-cmd 'make test'. An issue with specs needs none.",
    },
  )
}

interface Run {
  /** The project folder of this clone. */
  readonly folder: string
  readonly timeoutMs: number
}

/** Ends at the first failure. A stop signal ends the running command. */
export async function verifyHere(
  commands: readonly LocationCommand[],
  run: Run,
  context: OperationContext,
): Promise<readonly RelocationVerification[]> {
  const done: RelocationVerification[] = []
  for (const one of commands) {
    const verification = await verifyBy(one, run, context)
    done.push(verification)
    if (verification.exitCode !== 0) break
  }
  return done
}

const tailBytes = 16 * 1024

async function verifyBy(
  { name, command }: LocationCommand,
  { folder, timeoutMs }: Run,
  context: OperationContext,
): Promise<RelocationVerification> {
  const { env, sha256, progress } = context
  const processes = await context.processes()
  const running = await processes.start({
    command,
    cwd: folder,
    env,
    timeoutMs,
    outputBytesMax: 0,
    tailBytesMax: tailBytes,
  })
  const unhear = processes.onStopSignal(() => running.stop())
  const end = await running.end.finally(unhear)
  if (end.stopped) {
    throw new Fault('unavailable', 'the check was stopped', { hint: 'Run the command again.' })
  }
  const exitCode = end.timedOut || end.spawnFailed ? null : end.exitCode
  const said = `${end.stdout.tail}${end.stderr.tail}`.trimEnd()
  if (exitCode !== 0 && said !== '') for (const line of said.split('\n')) progress(line)
  return {
    commandDigest: `sha256:${sha256(name)}`,
    exitCode,
    outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
  }
}
