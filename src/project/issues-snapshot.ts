/** The name of issue memory as it stands, for documents that remember what they were written beside. */
import { Fault } from '../fault.ts'
import { trim } from '../kernel/text/clean.ts'
import type { OperationContext } from './context.ts'
import { issuesPlace, openIssues, talkOf } from './open-issues.ts'
import { projectRoot } from './root.ts'

export interface IssuesSnapshot {
  /** As the person gave it, or where it is by default. */
  readonly issuesPath: string
  /** Absent where memory is not there, or cannot be trusted. */
  readonly ref: string | undefined
  /** Of an answer: why there is none, or what the store set right on the way. */
  readonly talk: { readonly talk?: string }
}

export async function issuesSnapshot(
  context: OperationContext,
  given: string | undefined,
): Promise<IssuesSnapshot> {
  const issues = given === undefined ? undefined : trim(given)
  if (issues === '') return { issuesPath: '', ref: undefined, talk: {} }
  try {
    const open = await openIssues(context, { issues }, 'ask')
    const ref = (await open.store.read()).snapshotRef(context.sha256)
    return { issuesPath: open.issuesPath, ref, talk: talkOf(open) }
  } catch (error) {
    // A handoff is worth keeping whatever became of issue memory, which has commands to say so.
    if (!(error instanceof Fault)) throw error
    const { issuesPath } = issuesPlace(context, await projectRoot(context), issues)
    const talk = `note: no issuesSnapshotRef was kept: ${error.message}`
    return { issuesPath, ref: undefined, talk: { talk } }
  }
}
