/**
 * Many issues, four worktrees that the user made, one branch on which everything lands. Each issue
 * edits a file that others edit too, and so meets real conflicts.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Repository } from './a-git-project.ts'
import { isTorture, seeded } from './sim/seeded.ts'

const issueCount = isTorture ? 40 : 12
const fileCount = 5
/** More issues than workers are ready from the start. */
const rootCount = 8

const idOf = (number: number) => `bd-${number}`
const fileOf = (id: string) => `notes-${Number(id.slice(3)) % fileCount}.txt`

const chance = seeded(7)
const issues = Array.from({ length: issueCount }, (_, at) => {
  const chosen = [1, 2].filter(() => at >= rootCount && chance() < 0.6)
  const blockers = new Set(chosen.map(() => idOf(1 + Math.floor(chance() * at))))
  return { id: idOf(at + 1), title: `Write line ${at + 1}`, blockers: [...blockers] }
})
const ids = issues.map(({ id }) => id)

const rowOf = ({ id, title, blockers }: (typeof issues)[number]) => ({
  id,
  title,
  dependencies: blockers.map(blocker => ({
    issue_id: id,
    depends_on_id: blocker,
    type: 'blocks',
  })),
})

/** A line for the issue. A conflict that premath left in the file is resolved by keeping both sides. */
const work = `file=notes-$((\${PREMATH_ISSUE_ID#bd-} % ${fileCount})).txt
if grep -q '^<<<<<<<' "$file"; then
  grep -Ev '^(<<<<<<<|=======|>>>>>>>)' "$file" > "$file.both" && mv "$file.both" "$file"
else
  echo "$PREMATH_ISSUE_ID" >> "$file"
fi
`

const verify = `grep -qx "$PREMATH_ISSUE_ID" "notes-$((\${PREMATH_ISSUE_ID#bd-} % ${fileCount})).txt"`

class Run {
  readonly repository: Repository
  readonly worktrees: readonly string[]

  constructor(name: string, workers: number) {
    const files = ids.map(fileOf).map(file => [file, `${file} begins.\n`])
    this.repository = new Repository(name, Object.fromEntries(files))
    const { folder, root, git } = this.repository
    git('-C', root, 'branch', 'integration')
    writeFileSync(join(folder, 'work.sh'), work)
    this.repository.given(issues.map(rowOf))
    this.worktrees = Array.from({ length: workers }, (_, at) =>
      this.repository.worktree(`w${at + 1}`),
    )
  }

  get command(): readonly string[] {
    const { folder } = this.repository
    const named = this.worktrees.flatMap(path => ['--worktree', path])
    const commands = ['--work-cmd', `sh '${folder}/work.sh'`, '--verify-cmd', verify]
    return ['harness-loop', 'coordinator', '--onto', 'integration', ...named, ...commands]
  }

  get closed(): readonly string[] {
    const rows = new Map(this.rows('issues.jsonl').map(row => [row.id, row]))
    return [...rows.values()].filter(({ status }) => status === 'closed').map(({ id }) => id)
  }

  rows(name: string) {
    return this.repository.rows(name)
  }

  get completed() {
    return this.rows('harness_trajectory.jsonl').filter(row => row.resultClass === 'completed')
  }

  /** The lines of the branch, sorted, since two issues may write to one file in either order. */
  get lines(): readonly string[] {
    const { git, root } = this.repository
    const files = [...new Set(ids.map(fileOf))]
    return files.flatMap(file => git('-C', root, 'show', `integration:${file}`).split('\n')).sort()
  }

  /** In the order they landed. */
  get landed(): readonly string[] {
    const { git, root } = this.repository
    return git(
      '-C',
      root,
      'log',
      '--reverse',
      '--format=%(trailers:key=Premath-Issue,valueonly)',
      'main..integration',
    )
      .split('\n')
      .filter(line => line !== '')
  }

  document(worktree: string, name: string) {
    return JSON.parse(readFileSync(join(worktree, '.premath/worker', `${name}.json`), 'utf8'))
  }
}

describe(`${issueCount} issues that depend on each other, in a real repository`, () => {
  const four = new Run('loop-run', 4)
  const one = new Run('loop-run', 1)
  const { repository, worktrees } = four

  beforeAll(async () => {
    for (const run of [repository.run(four.command), one.repository.run(one.command)]) {
      const { status, stderr } = await run
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    }
  }, 300_000)
  afterAll(() => {
    repository.remove()
    one.repository.remove()
  })

  test('four workers close the same issues as one, and leave the same lines on the branch', () => {
    expect(four.closed.toSorted()).toEqual(ids.toSorted())
    expect(one.closed.toSorted()).toEqual(ids.toSorted())
    expect(four.lines).toEqual(one.lines)
    expect(four.lines.filter(line => ids.includes(line)).sort()).toEqual(ids.toSorted())
  })

  test.each([
    ['four workers', four],
    ['one worker', one],
  ])('%s take no issue before all its dependencies are closed and landed', (_, run) => {
    const rows = run.rows('issues.jsonl')
    const completed = run.completed.map(({ issueId }) => issueId)
    for (const { id, blockers } of issues) {
      const taken = rows.findIndex(row => row.id === id && row.lease)
      for (const blocker of blockers) {
        const closed = rows.findIndex(row => row.id === blocker && row.status === 'closed')
        expect([id, blocker, closed < taken]).toEqual([id, blocker, true])
        expect(completed.indexOf(blocker)).toBeLessThan(completed.indexOf(id))
        expect(run.landed.indexOf(blocker)).toBeLessThan(run.landed.indexOf(id))
      }
    }
  })

  test('[runtime.7.claim] each issue is claimed once, under the lease that issue and worker give', () => {
    const leased = four.rows('issues.jsonl').filter(({ lease }) => lease)
    const claims = new Set(
      leased.map(({ id, lease, metadata }) => `${id} ${lease.lease_id} ${metadata.premathFence}`),
    )
    const workers = new Map(four.completed.map(({ issueId, workerId }) => [issueId, workerId]))
    const expected = ids.map(id => `${id} lease1_${id}_${workers.get(id)?.replace('.', '_')} 1`)
    expect([...claims].sort()).toEqual(expected.sort())
  })

  test('[runtime.7.session-and-feature] every worker works, and keeps a session and features of its own', () => {
    const closed = worktrees.map((worktree, at) => {
      const workerId = `worker.${at + 1}`
      const own = four.completed.filter(row => row.workerId === workerId)
      const session = four.document(worktree, 'harness_session')
      expect(session).toMatchObject({ state: 'stopped', issueId: own.at(-1)?.issueId })
      const { features } = four.document(worktree, 'harness_feature_ledger')
      const completed = features.filter(({ status }: { status: string }) => status === 'completed')
      expect(completed).toHaveLength(own.length)
      expect(completed).toEqual(features)
      return completed.map(({ issueId }: { issueId: string }) => issueId)
    })
    expect(closed.map(({ length }) => length)).not.toContain(0)
    expect(closed.flat().sort()).toEqual(ids.toSorted())
  })

  test('the worktrees hold no uncommitted work, and no process is left', () => {
    const { git, root } = repository
    for (const path of [root, ...worktrees]) {
      expect(git('-C', path, 'status', '--porcelain', '--untracked-files=all')).toBe('')
    }
    // Each has its branch again, and the branches of the issues are gone.
    for (const [at, path] of worktrees.entries()) {
      expect(git('-C', path, 'branch', '--show-current')).toBe(`w${at + 1}`)
    }
    expect(repository.branches).toEqual(['integration', 'main', 'w1', 'w2', 'w3', 'w4'])
    expect(repository.worktrees).toEqual([root, ...worktrees])
    expect(repository.processes).toEqual([])
  })
})
