/** Runs the command of `--notify-cmd` for an attention. */
import { clip } from '../../kernel/text/clean.ts'
import type { Attention } from '../../wire/run/attention.ts'
import type { Harness } from '../harness.ts'
import { describeEnd } from '../step/command.ts'

/** The end of a run waits for it, so it is short. */
export const notifyTimeoutMs = 30_000

/** One line of a terminal, or two. */
const noteCharsMax = 160

export type Notify = (row: Attention) => Promise<void>

/** A notification decides nothing about the run, so its failure is a note. */
export const notifier =
  (
    command: string,
    { processes, root, env }: Pick<Harness, 'processes' | 'root' | 'env'>,
    note: (message: string) => void,
  ): Notify =>
  async row => {
    const end = await processes.run({
      command,
      cwd: root,
      env: { ...env, PREMATH_ATTENTION: JSON.stringify(row), PREMATH_ISSUE_ID: row.issueId },
      timeoutMs: notifyTimeoutMs,
      outputBytesMax: 0,
    })
    if (end.exitCode === 0) return
    const said = end.stderr.tail.trim().split('\n').at(-1)
    note(`the notify command ${describeEnd(end)}${said ? `: ${clip(said, noteCharsMax)}` : ''}`)
  }
