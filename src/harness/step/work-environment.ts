/** What a work or verify command is told about its issue. */

import type { StepJournal } from '../../kernel/harness/step/step-journal.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { clip } from '../../kernel/text/clean.ts'
import type { Harness } from '../harness.ts'
import type { StepFolder } from './step-folder.ts'

/** A system refuses to start a program whose environment is too large. */
const valueCharsMax = 32 * 1024

/** Our own environment and these. `PREMATH_ISSUE_JSON` is the row, or blank where that is too long. */
export function workEnvironment(
  { env, root, store, session }: Harness,
  { stepId, workerId, leaseId, fence, attempt }: StepJournal,
  issue: Issue,
  { folder, packet }: { readonly folder: StepFolder; readonly packet: string | undefined },
): Readonly<Record<string, string | undefined>> {
  const row = printIssue(issue)
  return {
    ...env,
    PREMATH_ROOT: root,
    PREMATH_ISSUES_PATH: store.location,
    PREMATH_HARNESS_SESSION_PATH: session.path,
    PREMATH_ISSUE_ID: issue.id,
    PREMATH_ISSUE_TITLE: withoutNul(clip(issue.title, valueCharsMax)),
    PREMATH_ISSUE_JSON: row.length > valueCharsMax ? '' : row,
    PREMATH_ISSUE_FILE: folder.file('issue.json'),
    PREMATH_WORKER_ID: workerId,
    PREMATH_LEASE_ID: leaseId,
    PREMATH_FENCE: String(fence),
    PREMATH_STEP_ID: stepId,
    PREMATH_ATTEMPT: String(attempt),
    PREMATH_HANDOFF_FILE: packet ?? '',
    PREMATH_TURN_EVIDENCE: folder.file('evidence.ndjson'),
  }
}

/** Memory, session and lease of here: a command at another location would take them for its own. */
const ofHere = [
  'PREMATH_ROOT',
  'PREMATH_ISSUES_PATH',
  'PREMATH_HARNESS_SESSION_PATH',
  'PREMATH_LEASE_ID',
  'PREMATH_FENCE',
] as const

/** What a transport is told beside the rest: where its inputs lie, and where its answers go. */
export const transportEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  { inputs, answers }: { readonly inputs: string; readonly answers: string },
): Readonly<Record<string, string | undefined>> => ({
  ...env,
  ...Object.fromEntries(ofHere.map(name => [name, undefined])),
  PREMATH_RELOCATION: inputs,
  PREMATH_RELOCATION_EVIDENCE: answers,
})

/** No environment can hold one. */
const withoutNul = (text: string) => text.replaceAll('\0', '')
