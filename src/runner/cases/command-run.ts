/** Runs one command of a case and returns its result, or why it has none. */
import {
  type CommandOutput,
  hiddenCutOutput,
  keptOutput,
  type SeparateOutputs,
  writtenOutput,
} from '../../kernel/spec/assert/written-value.ts'
import type { CommandLine } from '../../kernel/spec/case/cli-command.ts'
import { signalExitCode } from '../../kernel/spec/case/signal-exit-code.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { CommandEnd } from '../../world/world.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'

/**
 * Limit for each output stream. A command that exceeds it fails: its output would be incomplete.
 */
const outputBytesMax = 8 * 1024 * 1024

export interface CommandRun {
  /** The name in messages: `cli.run` or `hook_before`. */
  readonly name: string
  readonly words: CommandLine
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: string
  readonly timeoutMs: number
  /** Returns both outputs as one text, in the order written. */
  readonly joinsOutputs?: boolean
  /** The key of the timeout; `harness.timeout_ms` by default. */
  readonly timeoutKey?: string
}

interface Ended {
  /** As a shell reports it: 128 plus the number of the signal. */
  readonly exitCode: number
}

export type CommandResult = Ended & CommandOutput

/** Why a command has no result, with what it printed until then. */
export interface CommandFailure extends SpecError {
  readonly streams: CommandOutput
}

/** The failure with the output in its message. */
export function withOutput(
  { streams, message, ...failure }: CommandFailure,
  { run }: ExecutionContext,
): CaseFailure {
  const output = hiddenCutOutput(streams, run.secrets)
  return {
    ...failure,
    message: [message, ...writtenOutput(output).map(line => `  ${line}`)].join('\n'),
    output: keptOutput(output),
  }
}

export async function runCommand(
  command: CommandRun & { readonly joinsOutputs?: false },
  context: ExecutionContext,
): Promise<(Ended & SeparateOutputs) | CommandFailure>
export async function runCommand(
  command: CommandRun,
  context: ExecutionContext,
): Promise<CommandResult | CommandFailure>
export async function runCommand(
  { name, words, timeoutKey = 'harness.timeout_ms', ...spec }: CommandRun,
  { run, record }: ExecutionContext,
): Promise<CommandResult | CommandFailure> {
  const processes = await run.world.processes()
  // Listen before starting: a stop right after the start must still end the command.
  run.listen(processes)
  const command = await processes.start({
    ...spec,
    command: words,
    outputBytesMax: 0,
    tailBytesMax: outputBytesMax,
    endAboveBytes: outputBytesMax,
  })
  const forget = run.running(command)
  const end = await command.end
  forget()
  const none = whyNoResult(end, words[0], { ...spec, timeoutKey })
  const why = none?.why
  const exitCode = none === undefined ? (end.exitCode ?? signalExitCode(end.signal)) : null
  const { durationMs, stdout, stderr } = end
  const sizes = { stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes }
  const row = { name, words: [...words], exitCode, ...(why && { why }), durationMs, ...sizes }
  record?.commandRan(row, spec.env)
  const streams = spec.joinsOutputs
    ? { output: stdout.tail }
    : { stdout: stdout.tail, stderr: stderr.tail }
  if (none !== undefined) {
    const { stopped } = end
    const { hint } = none
    const details = { message: `${name} ${why}`, ...(hint !== undefined && { hint }) }
    return { category: 'runtime', ...details, streams, ...(stopped && { stopped }) }
  }
  return { exitCode: end.exitCode ?? signalExitCode(end.signal), ...streams }
}

interface NoResult {
  readonly why: string
  readonly hint?: string
}

function whyNoResult(
  end: CommandEnd,
  program: string,
  {
    timeoutMs,
    timeoutKey,
    joinsOutputs,
  }: Pick<CommandRun, 'timeoutMs' | 'timeoutKey' | 'joinsOutputs'>,
): NoResult | undefined {
  if (end.spawnFailed) {
    const { code, reason } = end.spawnFailed
    const why = `could not start ${program}: ${reason}`
    return code === 'ENOENT' || code === 'EACCES' ? { why, hint: programHint } : { why }
  }
  // Check the size before the timeout: a command with too much output is ended and may take a
  // while.
  const large = (['stdout', 'stderr'] as const).find(from => end[from].bytes > outputBytesMax)
  if (large !== undefined) {
    const stream = joinsOutputs ? 'stdout and stderr' : large
    const why = `wrote more than ${outputBytesMax / 1024 / 1024} MB to ${stream}: ${program}`
    return { why, hint: 'Make it print less, or write to a file and assert on a part of it.' }
  }
  if (end.timedOut) {
    const why = `timed out after ${timeoutMs} ms: ${program}`
    return { why, hint: `Increase ${timeoutKey}, or give the command less to do.` }
  }
  return end.stopped ? { why: `was stopped: ${program}` } : undefined
}

const programHint =
  'Name a program on the PATH, or the path of an executable file relative to the working folder.'
