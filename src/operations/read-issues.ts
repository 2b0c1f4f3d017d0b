/** How commands read issue memory. A question needs none of the code that changes it. */
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { Project } from '../project/open.ts'
import { messageOf, openIssues } from '../project/open-issues.ts'

interface Asked {
  /** The project of the issues, which may be another one. */
  readonly project: Project
  readonly issuesPath: string
  /** The file of the memory. */
  readonly location: string
  readonly memory: IssueMemory
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** Compares the memory with the one that a ref names. */
  hasMovedSince(ref: string): Promise<boolean>
  /** The repairs that the store made, for the answer. */
  readonly notices: { readonly message?: string }
}

/** Reads memory to answer a question. */
export async function readIssueMemory(
  project: Project,
  input: { readonly issues: string | undefined },
): Promise<Asked> {
  const open = await openIssues(project, input, 'ask')
  const memory = await open.store.read()
  const { issuesPath } = open
  return {
    project: open.project,
    issuesPath,
    location: open.store.location,
    memory,
    now: project.clock.now(),
    hasMovedSince: async ref => (await open.store.logState(ref, project.sha256)) === 'moved',
    notices: messageOf(open),
  }
}
