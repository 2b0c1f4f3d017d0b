/** Runs one command of a step in its own process group and keeps its output in the step folder. */
import { classifyEnd, type Failure } from '../../kernel/harness/retry/failure-class.ts'
import { inTerminal } from '../../kernel/harness/step/terminal-command.ts'
import type { InstructionRefusal } from '../../kernel/instruction/instruction-refusal.ts'
import type { SandboxRole } from '../../kernel/sandbox/home.ts'
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { RequiredDelta } from '../../wire/required/delta.ts'
import type { Phase } from '../../wire/run/run-event.ts'
import type {
  Clock,
  CommandEnd,
  CommandSpec,
  ProcessGroup,
  RunningCommand,
} from '../../world/world.ts'
import type { Harness } from '../harness.ts'
import { handOverOutputs, keepsPayloads, payloadBytesMax, payloadPlace } from '../payloads.ts'
import type { Contained } from '../sandbox/sandbox.ts'
import { renewCheckMs } from './lease-renewer.ts'
import type { StepFolder } from './step-folder.ts'

export const outputBytesMax = 10 * 1024 * 1024

/**
 * A program that does the work in this process. It acts through host functions alone, which decide
 * about each call, so it needs no sandbox.
 */
export interface WorkProgram {
  start(spec: CommandSpec): Promise<RunningCommand>
}

export interface CommandRun {
  readonly folder: StepFolder
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs: number
  /**
   * Awaited before the command runs, so that a recovery can find its process group after a crash.
   */
  beforeRun?(group: ProcessGroup): Promise<void>
  /** Called regularly while the command runs. Returns false to end it. */
  pulse?(): Promise<boolean>
  /** A folder that a work command may write to, beside its worktree. */
  readonly mailbox?: string | undefined
  /** The program that gives the command a pseudo-terminal. Without it, the command has none. */
  readonly terminal?: string | undefined
  /** Runs in place of the command, whose text names it. */
  readonly program?: WorkProgram | undefined
  /** The command leaves witnesses of specs, which prove that the work is done. */
  readonly leavesWitnesses?: boolean | undefined
  /** The paths that the work changed, for a verifier whose checks depend on them. Absent if none. */
  delta?(): Promise<RequiredDelta | InstructionRefusal>
  /** Report the command if it prints nothing for this long. Never reported if absent. */
  readonly quietWarningMs?: number | undefined
}

export interface RanCommand {
  readonly end: CommandEnd
  readonly command: StepCommand
  /** `undefined` if it passed. */
  readonly failure: Failure | undefined
  /** Its text and the name of its output files, for the feedback about a failure. */
  readonly text: string
  readonly phase: Phase
  /** The witness of the specs that it ran, as it names it on its last lines. */
  readonly witness?: string | undefined
  /** Where it could write, if it ran in the sandbox. */
  readonly writable?: readonly string[] | undefined
}

export async function runCommand(
  harness: Harness,
  role: StepCommand['role'],
  text: string,
  run: CommandRun,
  name: Phase = role as Phase,
): Promise<RanCommand> {
  const { processes, worktree, sha256, stop, clock, emit } = harness
  emit({ event: 'phase', phase: name, command: text })
  const contained = await containedCommand(harness, role, text, run, name)
  const isKept = keepsPayloads(harness)
  const { terminal } = run
  const command = { command: contained?.command ?? text, env: contained?.env ?? run.env }
  const silence = new Silence(clock, run.quietWarningMs)
  const running = await (run.program ?? processes).start({
    ...(terminal === undefined ? command : inTerminal(terminal, command)),
    cwd: worktree,
    ...(contained && { isContained: terminal === undefined, endsDetached: true }),
    ...(terminal !== undefined && { usesTerminal: true, endsDetached: true }),
    timeoutMs: run.timeoutMs,
    ...(isKept
      ? {
          stdoutPath: run.folder.file(`${name}.stdout`),
          stderrPath: run.folder.file(`${name}.stderr`),
        }
      : { tailBytesMax: payloadBytesMax }),
    outputBytesMax,
    onOutput(_from, line) {
      silence.end()
      if (isKept && terminal === undefined) emit({ event: 'output', line })
    },
    ...(run.beforeRun && { beforeRun: run.beforeRun }),
  })
  const pulse = async () => {
    const seconds = silence.warning()
    if (seconds !== undefined) emit({ event: 'quiet', phase: name, seconds })
    return (await run.pulse?.()) ?? true
  }
  const end = await untilEnd(running, stop, { clock, pulse })
  for (const message of (await contained?.end()) ?? []) emit({ event: 'note', message })
  if (!isKept) await handOverOutputs(payloadPlace(harness), run.folder.stepId, name, end)
  const failure = classifyEnd({
    spawnFailed: end.spawnFailed !== undefined,
    exitCode: end.exitCode,
    signal: end.signal,
    timedOut: end.timedOut,
    stderrTail: end.stderr.tail,
    stdoutTail: end.stdout.tail,
  })
  const bytes = end.stdout.bytes + end.stderr.bytes
  const ran = { ...commandOf(role, text, end, sha256), ...(!isKept && { outputBytes: bytes }) }
  const witness = run.leavesWitnesses ? witnessNamedIn(end.stdout.tail, contained) : undefined
  return { end, failure, command: ran, text, phase: name, writable: contained?.writable, witness }
}

/** Only the witness of this run counts. Others may lie beside it, and anybody may have written them. */
function witnessNamedIn(stdout: string, contained: Contained | undefined): string | undefined {
  const named = [...stdout.matchAll(/^witness (\S+)$/gm)].at(-1)?.[1]
  if (named === undefined || !contained) return named
  return contained.taken().get(named)
}

/** A command that carries work elsewhere needs the logins of the user, so it has no sandbox. */
const sandboxRoles: readonly StepCommand['role'][] = ['startup', 'work', 'verify']

async function containedCommand(
  harness: Harness,
  role: StepCommand['role'],
  text: string,
  { folder, env, mailbox, terminal, program, leavesWitnesses }: CommandRun,
  name: Phase,
): Promise<Contained | undefined> {
  const { sandbox } = harness
  if (sandbox?.mode !== 'bubblewrap' || !sandboxRoles.includes(role) || program) return undefined
  return await sandbox.sandbox.contain(harness, {
    role: role as SandboxRole,
    name,
    text,
    folder,
    env,
    mailbox: role === 'work' ? mailbox : undefined,
    input: env['PREMATH_ISSUE_FILE'],
    hasTerminal: terminal !== undefined,
    leavesWitnesses,
  })
}

interface Pulse {
  readonly clock: Clock
  pulse(): Promise<boolean>
}

/** Measures how long a command has printed nothing. */
class Silence {
  readonly #clock: Clock
  readonly #warningMs: number | undefined
  #since: bigint
  #isReported = false

  constructor(clock: Clock, warningMs: number | undefined) {
    this.#clock = clock
    this.#warningMs = warningMs
    this.#since = clock.steady()
  }

  end(): void {
    this.#since = this.#clock.steady()
  }

  /** The seconds without output, once per command, when they exceed the limit. */
  warning(): number | undefined {
    const lasted = Number((this.#clock.steady() - this.#since) / 1_000_000n)
    if (this.#isReported || this.#warningMs === undefined || lasted < this.#warningMs)
      return undefined
    this.#isReported = true
    return Math.floor(lasted / 1000)
  }
}

async function untilEnd(
  running: RunningCommand,
  stop: AbortSignal,
  pulse: Pulse,
): Promise<CommandEnd> {
  const onStop = () => running.stop()
  if (stop.aborted) onStop()
  stop.addEventListener('abort', onStop)
  try {
    return await pulsing(running, pulse)
  } finally {
    stop.removeEventListener('abort', onStop)
  }
}

async function pulsing(running: RunningCommand, { clock, pulse }: Pulse): Promise<CommandEnd> {
  let mayGoOn = true
  for (;;) {
    const ended = await Promise.race([running.end, clock.sleep(renewCheckMs)])
    if (ended) return ended
    if (!mayGoOn) continue
    mayGoOn = await pulse().catch(async error => {
      // After a failed pulse nothing would supervise the command.
      running.stop()
      await running.end
      throw error
    })
    if (!mayGoOn) running.stop()
  }
}

function commandOf(
  role: StepCommand['role'],
  text: string,
  end: CommandEnd,
  sha256: Harness['sha256'],
): StepCommand {
  return {
    role,
    commandDigest: `sha256:${sha256(text)}`,
    exitCode: end.exitCode,
    ...(end.signal !== null && { signal: end.signal }),
    durationMs: Math.round(end.durationMs),
    outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
  }
}

/** Continues a sentence: `ended with exit code 1`, `was ended by SIGKILL`, `ran out of time`. */
export function describeEnd({
  exitCode,
  signal,
  timedOut,
  spawnFailed,
  stopped,
}: CommandEnd): string {
  if (spawnFailed) return `could not be started: ${spawnFailed.reason}`
  if (stopped) return 'was stopped'
  if (timedOut) return 'timed out'
  return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`
}
