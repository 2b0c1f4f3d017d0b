/** Somebody kept the lines of both sides of a merge of issue memory, as a merge by lines does. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()

function clone(folder: string) {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=a@example.org', ...args], {
      cwd: folder,
      env: { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const done = (...args: readonly string[]) => {
    const { status, stdout, stderr } = project.premath([...args, '--json'], { cwd: folder })
    expect({ args, status, stderr }).toMatchObject({ status: 0 })
    return JSON.parse(stdout)
  }
  const at = (name: string) => join(folder, '.premath', name)
  const commit = () => {
    git('add', '-A')
    git('commit', '-q', '-m', 'memory')
  }
  const comments = (id: string) =>
    (done('issue', 'show', id).issue.comments ?? []).map(({ text }: { text: string }) => text)
  return { folder, git, done, at, commit, comments }
}

/** Two clones that changed the same issues, and a third that kept the lines of both. */
function kept() {
  const origin = clone(project.folder)
  origin.git('init', '-q', '-b', 'main')
  origin.done('init')
  for (const title of ['one', 'two', 'three']) origin.done('issue', 'add', title)
  origin.commit()
  const cloned = () => {
    const folder = join(mkdtempSync(join(project.folders, 'clone ')), 'c')
    origin.git('clone', '-q', origin.folder, folder)
    return clone(folder)
  }
  const [ann, bob, web] = [cloned(), cloned(), cloned()]
  ann.done('comment', 'bd-1', 'from ann')
  ann.done('issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'test -d .premath')
  ann.commit()
  bob.done('comment', 'bd-1', 'from bob')
  bob.done('comment', 'bd-2', 'only said')
  bob.commit()
  web.git('pull', '-q', '--ff-only', ann.folder, 'main')
  for (const name of ['issues.jsonl', 'memory/events.jsonl']) {
    const [mine, theirs] = [web, bob].map(({ at }) => readFileSync(at(name), 'utf8').split('\n'))
    const added = theirs?.filter(line => line !== '' && !mine?.includes(line)) ?? []
    writeFileSync(web.at(name), [...(mine ?? []).filter(Boolean), ...added, ''].join('\n'))
  }
  web.git('fetch', '-q', bob.folder, 'main')
  web.commit()
  web.git('merge', '-q', '-s', 'ours', '--no-edit', 'FETCH_HEAD')
  return { ann, bob, web, cloned: () => cloneOf(web, cloned) }
}

function cloneOf(of: ReturnType<typeof clone>, cloned: () => ReturnType<typeof clone>) {
  const fresh = cloned()
  fresh.git('pull', '-q', '--ff-only', of.folder, 'main')
  return fresh
}

function hasAll({ done, comments }: ReturnType<typeof clone>) {
  expect(comments('bd-1')).toEqual(['from ann', 'from bob'])
  expect(comments('bd-2')).toEqual(['only said'])
  expect(done('issue', 'show', 'bd-2').issue.status).toBe('closed')
}

test('[memory.2.lines] the clone that acknowledged a change keeps it after a fast-forward', () => {
  const { ann, bob, web } = kept()
  for (const one of [ann, bob]) {
    one.git('pull', '-q', '--ff-only', web.folder, 'main')
    hasAll(one)
    one.done('issue', 'add', 'more')
    expect(one.done('doctor').findings).toEqual([])
    hasAll(one)
  }
})

test('[memory.2.lines] a clone that acknowledged nothing has the changes of both', () => {
  const { web, cloned } = kept()
  const fresh = cloned()
  hasAll(fresh)
  fresh.done('issue', 'add', 'more')
  hasAll(fresh)
  expect(fresh.done('doctor').findings).toEqual([])
  fresh.git('reset', '-q', '--hard')
  hasAll(fresh)
  hasAll(web)
})

test('[memory.2.lines] the merge driver merges them too', () => {
  const { bob, cloned } = kept()
  const one = cloned()
  one.done('init', '--merge-driver')
  one.commit()
  bob.done('comment', 'bd-3', 'later')
  bob.commit()
  // No command has looked at the lines of one, and the last row of each id is not the whole issue.
  one.git('pull', '-q', '--no-rebase', '--no-edit', bob.folder, 'main')
  hasAll(one)
  expect(one.comments('bd-3')).toEqual(['later'])
})

test('[memory.2.patches] a rebase that applies patches keeps the edge of the other clone', () => {
  const origin = clone(project.folder)
  origin.git('init', '-q', '-b', 'main')
  // The driver marks the end of a log, after which no patch fits.
  mkdirSync(origin.at('.'))
  appendFileSync(origin.at('.gitignore'), 'memory/\n')
  origin.done('init', '--merge-driver')
  for (const title of ['one', 'two']) origin.done('issue', 'add', title)
  origin.commit()
  const folder = join(mkdtempSync(join(project.folders, 'clone ')), 'c')
  origin.git('clone', '-q', origin.folder, folder)
  const ann = clone(folder)
  ann.done('init', '--merge-driver')
  origin.done('dep', 'add', 'bd-1', 'bd-2')
  origin.commit()
  // The driver merges this commit. After that, the next one finds the lines before its own.
  for (const title of ['three', 'four', 'five']) ann.done('issue', 'add', title)
  ann.commit()
  ann.done('comment', 'bd-1', 'from ann')
  ann.commit()
  ann.git('fetch', '-q', origin.folder, 'main')
  ann.git('rebase', '-q', '--apply', 'FETCH_HEAD')
  const rows = readFileSync(ann.at('issues.jsonl'), 'utf8').split('\n').filter(Boolean)
  expect(rows.filter(row => row.startsWith('{"id":"bd-1"'))).toHaveLength(2)
  const { issue } = ann.done('issue', 'show', 'bd-1')
  expect(issue.dependencies).toMatchObject([{ dependsOnId: 'bd-2' }])
  expect(ann.comments('bd-1')).toEqual(['from ann'])
  ann.done('issue', 'add', 'six')
  ann.done('dep', 'remove', 'bd-1', 'bd-2')
  ann.commit()
  // The row of the other clone is known by now.
  ann.git('checkout', '-q', 'HEAD~1')
  ann.git('checkout', '-q', 'main')
  expect(ann.done('doctor').findings).toEqual([])
  expect(ann.done('issue', 'show', 'bd-1').issue.dependencies).toEqual([])
})

test('[memory.2.patches] other clones read what the clone says after a branch switch', () => {
  const origin = clone(project.folder)
  origin.git('init', '-q', '-b', 'main')
  origin.done('init')
  for (const title of ['one', 'two']) origin.done('issue', 'add', title)
  origin.done('dep', 'add', 'bd-1', 'bd-2')
  origin.commit()
  origin.git('checkout', '-q', '-b', 'feature')
  origin.done('dep', 'remove', 'bd-1', 'bd-2')
  origin.done('comment', 'bd-1', 'not needed')
  origin.commit()
  origin.git('checkout', '-q', 'main')
  // Its file has the edge, and the next row has only the last state of the other branch.
  origin.done('issue', 'add', 'three')
  origin.commit()
  const folder = join(mkdtempSync(join(project.folders, 'clone ')), 'c')
  origin.git('clone', '-q', origin.folder, folder)
  const fresh = clone(folder)
  fresh.done('issue', 'add', 'four')
  fresh.commit()
  origin.git('pull', '-q', '--ff-only', fresh.folder, 'main')
  for (const one of [fresh, origin]) {
    expect(one.done('issue', 'show', 'bd-1').issue.dependencies).toEqual([])
    expect(one.comments('bd-1')).toEqual(['not needed'])
  }
})

test('[memory.2.lines] a row that no commit has is no side of a merge', () => {
  const { done, at, commit, git } = clone(project.folder)
  git('init', '-q', '-b', 'main')
  done('init')
  done('issue', 'add', 'one')
  done('comment', 'bd-1', 'first')
  done('comment', 'bd-1', 'second')
  commit()
  const rows = readFileSync(at('issues.jsonl'), 'utf8').split('\n')
  writeFileSync(at('issues.jsonl'), rows.map((row, n) => (n === 1 ? damaged(row) : row)).join('\n'))
  expect(done('issue', 'list').items).toHaveLength(1)
})

const damaged = (row: string) => row.replace(/"created_at":"2/, '"created_at":"3')
