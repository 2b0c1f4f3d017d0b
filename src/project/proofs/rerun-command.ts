/** Runs the commands of a rerun, in the sandbox if there is one: they are code of the repository. */
import { describeEnd } from '../../harness/step/command.ts'
import { withoutRepository } from '../../harness/worktree/git.ts'
import { outputLines } from '../../kernel/harness/feedback.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { RerunCommand } from '../../kernel/proof/rerun.ts'
import { quoted } from '../../kernel/spec/case/shell-session.ts'
import type { Processes, RunningCommand } from '../../world/world.ts'
import type { RerunSandbox } from './rerun-sandbox.ts'

/** Text for a shell, or words, with the text that is shown for them. */
export interface JudgingCommand {
  readonly role: RerunCommand['role']
  readonly shown: string
  readonly command: string | readonly [string, ...string[]]
  /** The text whose digest a proof of this command has. */
  readonly recordedAs: string
  /** The required check that this is. Without a timeout of its own, that of the verification counts. */
  readonly check?: { readonly id: string; readonly timeoutMs: number | undefined }
}

export interface RanAgain extends RerunCommand {
  readonly how: 'passed' | 'failed' | 'not started'
  /** Continues a sentence: `ended with exit code 1`. */
  readonly ended: string
  readonly lastLines: readonly string[]
}

interface RunAt {
  /** The project's folder in the clean checkout. */
  readonly folder: string
  readonly issue: Issue
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs: number
}

const tailBytesMax = 16 * 1024
const shownLinesMax = 20

/** Exit codes of a shell that could not run the command. */
const notRun = [126, 127]

export class RerunCommands {
  readonly #processes: Processes
  readonly #sandbox: RerunSandbox
  #running: RunningCommand | undefined
  #isStopped = false

  constructor(processes: Processes, sandbox: RerunSandbox) {
    this.#processes = processes
    this.#sandbox = sandbox
  }

  /** Ends the command that runs. None is started after it. */
  stop(): void {
    this.#isStopped = true
    this.#running?.stop()
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  async run({ role, shown, command, check }: JudgingCommand, at: RunAt): Promise<RanAgain> {
    const env = { ...environmentOf(at), ...(check && { PREMATH_CHECK_ID: check.id }) }
    const text = typeof command === 'string' ? command : command.map(quoted).join(' ')
    const contained = await this.#sandbox.contain({ role: sandboxRoles[role], text, env })
    this.#running = await this.#processes.start({
      command: contained?.command ?? command,
      cwd: at.folder,
      env: contained?.env ?? env,
      ...(contained && { isContained: true }),
      timeoutMs: at.timeoutMs,
      outputBytesMax: 0,
      tailBytesMax,
      joinsOutputs: true,
      endsDetached: true,
    })
    if (this.#isStopped) this.#running.stop()
    const end = await this.#running.end
    this.#running = undefined
    await contained?.end()
    const { exitCode, durationMs } = end
    const hasStarted = !end.spawnFailed && !notRun.includes(exitCode ?? 0)
    return {
      role,
      command: shown,
      exitCode,
      durationMs: Math.round(durationMs),
      how: exitCode === 0 ? 'passed' : hasStarted ? 'failed' : 'not started',
      ended: describeEnd(end),
      lastLines: outputLines(end.stdout.tail.trimEnd()).slice(-shownLinesMax),
    }
  }
}

const sandboxRoles = { startup: 'startup', verify: 'verify', specs: 'verify' } as const

/** Without the variables of the caller's project: the command must see the checkout alone. */
function environmentOf({ env, issue }: RunAt): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(withoutRepository(env)).filter(
    ([name]) => !name.startsWith('PREMATH_'),
  )
  return {
    ...Object.fromEntries(kept),
    PREMATH_ISSUE_ID: issue.id,
    PREMATH_ISSUE_TITLE: issue.title.replaceAll('\0', ''),
  }
}
