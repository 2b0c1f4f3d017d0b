/** The snapshot ref of issue memory, for documents that record the memory they were written beside. */
import { Fault } from '../fault.ts'
import { trim } from '../kernel/text/clean.ts'
import type { Project } from './open.ts'
import { issuesPlace, openIssues, talkOf } from './open-issues.ts'

export interface IssuesSnapshot {
  /** As the person gave it, or where it is by default. */
  readonly issuesPath: string
  /** Absent where there is no memory, or it cannot be trusted. */
  readonly ref: string | undefined
  /** Why there is none, or which repairs the store made. */
  readonly talk: { readonly talk?: string }
}

export async function issuesSnapshot(
  project: Project,
  given: string | undefined,
): Promise<IssuesSnapshot> {
  const issues = given === undefined ? undefined : trim(given)
  if (issues === '') return { issuesPath: '', ref: undefined, talk: {} }
  try {
    const open = await openIssues(project, { issues }, 'ask')
    const ref = (await open.store.read()).snapshotRef(project.sha256)
    return { issuesPath: open.issuesPath, ref, talk: talkOf(open) }
  } catch (error) {
    // The handoff is written even so; other commands report what is wrong with the memory.
    if (!(error instanceof Fault)) throw error
    const { issuesPath } = issuesPlace(project, issues)
    const talk = `note: no issuesSnapshotRef was kept: ${error.message}`
    return { issuesPath, ref: undefined, talk: { talk } }
  }
}
