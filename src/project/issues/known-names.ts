/** Ids, statuses and labels of the project, for completions. Writes nothing and never faults. */
import type { Names } from '../../field.ts'
import { knownStatuses } from '../../kernel/issues/issue-status.ts'
import { visible } from '../../kernel/text/visible.ts'
import { unlessFault } from '../../store/cache-file.ts'
import type { OperationContext } from '../context.ts'
import { openProject, type Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'

export interface KnownName {
  readonly value: string
  /** For shells that show more than the value. */
  readonly about: string
}

/** A longer list helps nobody, and each shell asks before it prints one. */
const namesMax = 200

interface Asked {
  readonly kind: Names
  /** The names begin with it. */
  readonly start: string
  /** The issue memory that the command line names. */
  readonly issues: string | undefined
}

/** None outside of a project, and where the project cannot be read. */
export async function knownNames(
  { kind, start, issues }: Asked,
  context: OperationContext,
): Promise<readonly KnownName[]> {
  const names = await unlessFault(async () => {
    const project = await openProject(context)
    if (!project.isFound) return []
    if (kind === 'status') return await statusNames(project)
    const { store } = await openIssues(project, { issues }, 'look')
    const all = (await store.exists()) ? (await store.read()).all() : []
    if (kind === 'label') {
      const labels = new Set(all.flatMap(issue => issue.labels ?? []))
      return [...labels].sort().map(bare)
    }
    // An open issue is the more likely one, so it comes first.
    const closed = all.filter(({ status }) => status === 'closed')
    const open = all.filter(({ status }) => status !== 'closed')
    return [...open, ...closed].map(({ id, title }) => ({ value: id, about: visible(title) }))
  })
  const fitting = (names ?? []).filter(({ value }) => value.startsWith(start) && isSafe(value))
  return fitting.slice(0, namesMax)
}

/** A broken configuration hides only its own statuses. */
async function statusNames(project: Project): Promise<readonly KnownName[]> {
  const own = await unlessFault(async () => (await project.config()).config.statuses)
  return [...knownStatuses, ...(own ?? [])].map(bare)
}

const bare = (value: string): KnownName => ({ value, about: '' })

/**
 * The shell puts the name into the command line as it is. Rows come from other people, so a name with
 * a character that a shell would obey is not offered.
 */
const isSafe = (value: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:@%+=,/-]*$/u.test(value)
