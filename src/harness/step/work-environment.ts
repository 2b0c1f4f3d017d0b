/** The environment variables of work, verify and transport commands. */

import { mailboxName } from '../../kernel/harness/step/mailbox.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { clip } from '../../kernel/text/clean.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import type { Handoff } from './handoff.ts'
import { evidenceName, type StepFolder } from './step-folder.ts'

/** The row of the issue, for the work. */
export const issueName = 'issue.json'

/** The system does not start a program whose environment is too large. */
const valueCharsMax = 32 * 1024

/**
 * Adds to the environment of this process. `PREMATH_ISSUE_JSON` is empty if the row is too long.
 */
export function workEnvironment(
  harness: Harness,
  { stepId, workerId, leaseId, fence, attempt }: StepJournal,
  issue: Issue,
  { folder, packet, feedback }: Omit<Handoff, 'given'> & { readonly folder: StepFolder },
): Readonly<Record<string, string | undefined>> {
  const { env, root, store, session } = harness
  const row = printIssue(issue)
  return {
    ...env,
    PREMATH_ROOT: root,
    PREMATH_ISSUES_PATH: store.location,
    PREMATH_HARNESS_SESSION_PATH: session.path,
    PREMATH_ISSUE_ID: issue.id,
    PREMATH_ISSUE_TITLE: withoutNul(clip(issue.title, valueCharsMax)),
    PREMATH_ISSUE_JSON: row.length > valueCharsMax ? '' : row,
    PREMATH_ISSUE_FILE: folder.file(issueName),
    PREMATH_WORKER_ID: workerId,
    PREMATH_LEASE_ID: leaseId,
    PREMATH_FENCE: String(fence),
    PREMATH_STEP_ID: stepId,
    PREMATH_ATTEMPT: String(attempt),
    PREMATH_HANDOFF_FILE: packet ?? '',
    PREMATH_FEEDBACK_FILE: feedback ?? '',
    PREMATH_TURN_EVIDENCE: evidencePath(harness, folder),
  }
}

/** The folder of a step that its work can write to from the sandbox. */
export const mailboxPath = (folder: StepFolder): string => folder.file(mailboxName)

/** Where the work leaves its turns. */
export const evidencePath = ({ sandbox }: Harness, folder: StepFolder): string =>
  `${sandbox?.mode === 'bubblewrap' ? mailboxPath(folder) : folder.path}/${evidenceName}`

/** Removed for a transport: a command at another location would take them for its own. */
const localVariables = [
  'PREMATH_ROOT',
  'PREMATH_ISSUES_PATH',
  'PREMATH_HARNESS_SESSION_PATH',
  'PREMATH_LEASE_ID',
  'PREMATH_FENCE',
] as const

export const transportEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  { inputs, answers }: { readonly inputs: string; readonly answers: string },
): Readonly<Record<string, string | undefined>> => ({
  ...env,
  ...Object.fromEntries(localVariables.map(name => [name, undefined])),
  PREMATH_RELOCATION: inputs,
  PREMATH_RELOCATION_EVIDENCE: answers,
})

/** An environment variable cannot hold NUL. */
const withoutNul = (text: string) => text.replaceAll('\0', '')
