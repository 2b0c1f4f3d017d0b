/** The result of running the verification of a closed issue again. */
import type { SandboxMode } from '../../wire/sandbox-mode.ts'
import type { Digest } from '../canonical.ts'
import { finding, type ProofFinding } from './proof-classes.ts'

/** A command that ran again. */
export interface RerunCommand {
  readonly role: 'startup' | 'verify' | 'specs'
  readonly command: string
  /** `null` where it was ended, or did not start. */
  readonly exitCode: number | null
  readonly durationMs: number
}

export interface Rerun {
  readonly issueId: string
  readonly result: 'reproduced' | 'failed' | 'not_rerunnable'
  /** Why it was not reproduced; `null` if it was. */
  readonly why: string | null
  /** The commit that landed, and its parent, which says how it is verified. */
  readonly commit: string | null
  readonly base: string | null
  readonly commands: readonly RerunCommand[]
  /** The sandbox in which the commands ran. */
  readonly sandbox: SandboxMode
  /** The end of the output of the command that failed. */
  readonly lastLines: readonly string[]
  /** Differences that decide nothing. */
  readonly notes: readonly string[]
}

export function rerunFindings({ issueId, result, why }: Rerun): readonly ProofFinding[] {
  if (result === 'reproduced') return []
  const failureClass = result === 'failed' ? 'rerun_failed' : 'not_rerunnable'
  return [finding(failureClass, issueId, why ?? '')]
}

/** The proof may name any command, so its commands are compared and never run. */
export function commandNotes(
  recorded: readonly Digest[],
  run: readonly Digest[],
): readonly string[] {
  const isOther = recorded.some(digest => !run.includes(digest))
  return isOther ? ['the proof was made with another command than the one that ran now'] : []
}
