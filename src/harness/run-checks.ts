/** Runs checks by their commands: one after another, or several at a time. */
import { classifyEnd, verificationClasses } from '../kernel/harness/retry/failure-class.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import type { Checks } from '../kernel/instruction/checks.ts'
import { signalExitCode } from '../kernel/spec/case/signal-exit-code.ts'
import type { CheckResult } from '../wire/instruction/instruction-witness.ts'
import type { CommandEnd, Disk, Processes } from '../world/world.ts'
import { payloadBytesMax } from './payloads.ts'
import { outputBytesMax } from './step/command.ts'

export interface ChecksRun {
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
  /** The timeout of a check that has its own. */
  timeoutMsOf?(checkId: string): number | undefined
  /** How many checks run at the same time. One after another by default. */
  readonly atOnce?: number
  /** The checks that must pass before this one starts, if they run too. Without cycles. */
  after?(checkId: string): readonly string[]
  /** Added to the environment of a check. */
  envOf?(checkId: string): Readonly<Record<string, string>>
  /** Aborts when this process receives a stop signal. */
  readonly stop: AbortSignal
  print(line: string): void
}

/**
 * The results in the order of the ids. Returns `undefined` if a stop signal arrived before the last
 * check ended. The results are then unknown.
 */
export async function runChecks(
  checkIds: readonly string[],
  run: ChecksRun,
): Promise<readonly CheckResult[] | undefined> {
  const ending = new AbortController()
  const running = new Set<Promise<void>>()
  try {
    const stop = AbortSignal.any([run.stop, ending.signal])
    const results = await scheduled(checkIds, { ...run, stop }, running)
    return run.stop.aborted ? undefined : checkIds.flatMap(checkId => results.get(checkId) ?? [])
  } catch (error) {
    ending.abort()
    await Promise.allSettled(running)
    throw error
  }
}

async function scheduled(
  checkIds: readonly string[],
  run: ChecksRun,
  running: Set<Promise<void>>,
): Promise<ReadonlyMap<string, CheckResult>> {
  const { atOnce = 1 } = run
  const results = new Map<string, CheckResult>()
  const pending = new Set(checkIds)
  const carryOut = async (checkId: string, failed: string | undefined) => {
    const result = failed === undefined ? await runCheck(checkId, run) : skipped(checkId)
    results.set(checkId, result)
    const why = failed === undefined ? '' : `, not run because ${failed} did not pass`
    if (!run.stop.aborted) run.print(`${checkId}: ${result.status}${why}`)
  }
  const begin = (checkId: string, failed: string | undefined) => {
    pending.delete(checkId)
    const one = carryOut(checkId, failed).finally(() => running.delete(one))
    running.add(one)
  }
  while (pending.size > 0 || running.size > 0) {
    if (run.stop.aborted) pending.clear()
    for (const checkId of pending) {
      if (running.size >= atOnce) break
      const before = (run.after?.(checkId) ?? []).filter(one => checkIds.includes(one))
      if (before.some(one => !results.has(one))) continue
      begin(
        checkId,
        before.find(one => results.get(one)?.status !== 'passed'),
      )
    }
    if (running.size > 0) await Promise.race(running)
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
    env: { ...run.env, ...run.envOf?.(checkId), PREMATH_CHECK_ID: checkId },
    timeoutMs: run.timeoutMsOf?.(checkId) ?? run.timeoutMs,
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

/** Waits for a check that did not pass. Shells give 125 to a command that was not run. */
const skipped = (checkId: string): CheckResult => ({
  checkId,
  status: 'failed',
  exitCode: 125,
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
export function exitCodeOf({ exitCode, signal, timedOut, spawnFailed }: CommandEnd): number {
  if (spawnFailed) return 127
  if (timedOut) return 124
  return exitCode ?? signalExitCode(signal)
}
