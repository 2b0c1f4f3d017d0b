/** Runs all checks of an instruction, in order. */
import { classifyEnd, verificationClasses } from '../kernel/harness/retry/failure-class.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import type { Checks } from '../kernel/instruction/checks.ts'
import { signalExitCode } from '../kernel/spec/case/signal-exit-code.ts'
import type { CheckResult } from '../wire/instruction/instruction-witness.ts'
import type { CommandEnd, Disk, Processes } from '../world/world.ts'
import { payloadBytesMax } from './payloads.ts'
import { outputBytesMax } from './step/command.ts'

interface ChecksRun {
  readonly checks: Checks
  readonly processes: Processes
  readonly disk: Disk
  readonly sha256: (text: string) => string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The existing folder for the output of the checks. */
  readonly outputFolder: string
  /** Takes the output of a check instead of a file. */
  takeOutput?(checkId: string, end: CommandEnd): Promise<void>
  readonly timeoutMs: number
  /** Aborts when this process receives a stop signal. */
  readonly stop: AbortSignal
  print(line: string): void
}

/**
 * Returns `undefined` if a stop signal arrived before the last check ended. The results are then
 * unknown.
 */
export async function runChecks(
  checkIds: readonly string[],
  run: ChecksRun,
): Promise<readonly CheckResult[] | undefined> {
  const results: CheckResult[] = []
  for (const checkId of checkIds) {
    const result = await runCheck(checkId, run)
    if (run.stop.aborted) return undefined
    results.push(result)
    run.print(`${checkId}: ${result.status}`)
  }
  return results
}

async function runCheck(checkId: string, run: ChecksRun): Promise<CheckResult> {
  const command = run.checks.get(checkId)
  if (command === undefined) return missingCommand(checkId)
  const file = (from: string) =>
    `${run.outputFolder}/${stepFolderName(checkId, run.sha256)}.${from}`
  const [stdoutPath, stderrPath] = [file('stdout'), file('stderr')]
  // The file of an earlier run may be a link to another place.
  await run.disk.remove(stdoutPath)
  await run.disk.remove(stderrPath)
  const running = await run.processes.start({
    command,
    cwd: run.cwd,
    env: { ...run.env, PREMATH_CHECK_ID: checkId },
    timeoutMs: run.timeoutMs,
    ...(run.takeOutput ? { tailBytesMax: payloadBytesMax } : { stdoutPath, stderrPath }),
    outputBytesMax,
  })
  const onStop = () => running.stop()
  if (run.stop.aborted) onStop()
  run.stop.addEventListener('abort', onStop)
  const end = await running.end
  run.stop.removeEventListener('abort', onStop)
  await run.takeOutput?.(checkId, end)
  return resultOf(checkId, command, end, run.sha256)
}

/** 127 is the exit code of a shell for a missing command. */
const missingCommand = (checkId: string): CheckResult => ({
  checkId,
  status: 'failed',
  exitCode: 127,
  durationMs: 0,
  failureClass: verificationClasses.wiring,
})

function resultOf(
  checkId: string,
  command: string,
  end: CommandEnd,
  sha256: ChecksRun['sha256'],
): CheckResult {
  const failureClass = failureClassOf(end)
  return {
    checkId,
    status: failureClass === undefined ? 'passed' : 'failed',
    exitCode: exitCodeOf(end),
    durationMs: Math.round(end.durationMs),
    ...(failureClass !== undefined && { failureClass }),
    commandDigest: `sha256:${sha256(command)}`,
    outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
  }
}

/** One of three classes. The check's own names for its failures stay in its output. */
function failureClassOf(end: CommandEnd): string | undefined {
  const { exitCode, signal, timedOut } = end
  const spawnFailed = end.spawnFailed !== undefined
  const failure = classifyEnd({ exitCode, signal, timedOut, spawnFailed })
  if (!failure) return undefined
  const { verificationClass: kind } = failure
  return verificationClasses[kind === 'typed' ? 'semantic' : kind]
}

/** A failed check never gets exit code 0, even if its first process exited with 0. */
function exitCodeOf({ exitCode, signal, timedOut, spawnFailed }: CommandEnd): number {
  if (spawnFailed) return 127
  if (timedOut) return 124
  return exitCode ?? signalExitCode(signal)
}
