/** What `git status --porcelain=v2 --branch -z` says about a worktree, without renames. */
export interface WorktreeStatus {
  /** The commit that is checked out. */
  readonly commit: string | undefined
  /** Tracked files that differ from it, on disk or in the index. */
  readonly changed: readonly string[]
  readonly hasUntracked: boolean
}

const commitLine = '# branch.oid '

/** The fields before the path, in the lines of a changed and of an unmerged file. */
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, u: 10 }

export function readStatus(lines: readonly string[]): WorktreeStatus {
  const changed: string[] = []
  for (const line of lines) {
    const fields = fieldsBefore[line[0] ?? '']
    // A path may contain spaces.
    if (fields !== undefined) changed.push(line.split(' ').slice(fields).join(' '))
  }
  return {
    commit: lines.find(line => line.startsWith(commitLine))?.slice(commitLine.length),
    changed,
    hasUntracked: lines.some(line => line.startsWith('? ')),
  }
}
