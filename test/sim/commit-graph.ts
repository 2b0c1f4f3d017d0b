/** Commits of one file of issue memory, merged as git does. */
import { createHash } from 'node:crypto'
import { sideOf } from '../../src/kernel/issues/forward/apart.ts'
import { type Issue, printIssue } from '../../src/kernel/issues/issue.ts'
import { mergeIssues } from '../../src/kernel/issues/merge/issue-merge.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The rows of the file, in its order. */
export type Lines = readonly Issue[]

export interface Commit {
  readonly parents: readonly Commit[]
  readonly lines: Lines
  /** The facts that were acknowledged before it, as text. */
  readonly facts: ReadonlySet<string>
}

export const lastRows = (lines: Lines): ReadonlyMap<string, Issue> =>
  new Map(lines.map(row => [row.id, row]))

const texts = new WeakMap<Lines, ReadonlySet<string>>()

/** The rows as text. */
export function textsOf(lines: Lines): ReadonlySet<string> {
  const found = texts.get(lines) ?? new Set(lines.map(printIssue))
  texts.set(lines, found)
  return found
}

export const textOf = (lines: Lines): string => [...textsOf(lines)].join('\n')

/** What the driver leaves: one row for each issue. */
export function drive(base: Lines, ours: Lines, theirs: Lines) {
  const [was, our, their] = [sideOf(base, sha256), sideOf(ours, sha256), sideOf(theirs, sha256)]
  const earlier = { ours: our.earlier, theirs: their.earlier }
  return mergeIssues({ base: was.rows, ours: our.rows, theirs: their.rows, earlier }, sha256)
}

/** git asks no driver where only one side changed the file. */
export function mergeFiles(base: Lines, ours: Lines, theirs: Lines): Lines {
  if (ours === theirs || theirs === base) return ours
  if (ours === base) return theirs
  const [was, our, their] = [base, ours, theirs].map(textOf)
  if (our === their || their === was) return ours
  if (our === was) return theirs
  return drive(base, ours, theirs).rows
}

const known = new WeakMap<Commit, ReadonlySet<Commit>>()

/** The commit and all before it. */
export function ancestors(of: Commit): ReadonlySet<Commit> {
  const found = known.get(of) ?? new Set([of, ...of.parents.flatMap(one => [...ancestors(one)])])
  known.set(of, found)
  return found
}

/** The best common commits; of several, git merges them to one. */
export function baseOf(a: Commit, b: Commit): Lines {
  const [left, right] = [ancestors(a), ancestors(b)]
  const best = new Set([...left].filter(commit => right.has(commit)))
  for (const one of best) {
    for (const before of ancestors(one)) if (before !== one) best.delete(before)
  }
  const [first, ...more] = best
  if (!first) return []
  let merged = first
  for (const next of more) {
    const lines = mergeFiles(baseOf(merged, next), merged.lines, next.lines)
    merged = { parents: [merged, next], lines, facts: merged.facts }
  }
  return merged.lines
}

/** The commits that a rebase takes again, oldest first. */
export function commitsToRebase(head: Commit, upstream: Commit): readonly Commit[] {
  const there = ancestors(upstream)
  const list: Commit[] = []
  const seen = new Set<Commit>()
  const visit = (commit: Commit) => {
    if (seen.has(commit) || there.has(commit)) return
    seen.add(commit)
    for (const parent of commit.parents) visit(parent)
    if (commit.parents.length === 1) list.push(commit)
  }
  visit(head)
  return list
}
