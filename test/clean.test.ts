/** `premath clean`, on real folders and git refs. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { describeWithGit, gitEnv, gitIn } from './a-repository.ts'

const project = aProject()
const { done, premath } = project
const at = (path: string) => join(project.folder, path)
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)

/** The outputs of a step that ended so many days ago. */
function outputOf(step: string, days: number) {
  const folder = at(`artifacts/steps/${step}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'work.stdout'), 'x')
  for (const path of [join(folder, 'work.stdout'), folder]) {
    utimesSync(path, daysAgo(days), daysAgo(days))
  }
}
const steps = () => readdirSync(at('artifacts/steps')).filter(name => !name.startsWith('.'))

beforeEach(() => done('init'))

test('removes the outputs of steps after thirty days, or after the time that is set', () => {
  for (const days of [31, 29, 8, 6]) outputOf(`w.bd-${days}.1.1`, days)
  expect(done('clean', '--dry-run')).toMatchObject({
    count: 1,
    days: 30,
    isRemoved: false,
    items: [{ kind: 'output', name: 'artifacts/steps/w.bd-31.1.1' }],
  })
  expect(steps()).toHaveLength(4)
  expect(premath(['clean']).stdout).toContain('Removed 1 output and 0 attempts older than 30 days.')
  expect(steps()).toEqual(['w.bd-29.1.1', 'w.bd-6.1.1', 'w.bd-8.1.1'])
  done('config', 'set', 'retention.days', '7')
  expect(done('clean', '--older-than', '28').count).toBe(1)
  expect(done('clean').count).toBe(1)
  expect(steps()).toEqual(['w.bd-6.1.1'])
  expect(premath(['clean']).stdout).toBe('Nothing is older than 7 days.\n')
})

test('keeps a folder with a young file, and follows no link', () => {
  outputOf('w.bd-1.1.1', 90)
  writeFileSync(at('artifacts/steps/w.bd-1.1.1/verify.stdout'), 'still growing')
  utimesSync(at('artifacts/steps/w.bd-1.1.1'), daysAgo(90), daysAgo(90))
  mkdirSync(at('mine'))
  utimesSync(at('mine'), daysAgo(90), daysAgo(90))
  symlinkSync('../../mine', at('artifacts/steps/w.bd-2.1.1'))
  expect(done('clean').count).toBe(0)
  expect(existsSync(at('mine'))).toBe(true)
})

test('keeps the last step of an issue that is not closed, which tells what failed', () => {
  done('issue', 'add', 'One')
  const step = ['--work-cmd', 'true', '--verify-cmd', 'echo "two tests fail" && false']
  premath(['harness-step', '--issue', 'bd-1', '--worker', 'w', ...step])
  const all = steps()
  const last = all.at(-1) ?? ''
  for (const step of all) {
    for (const name of readdirSync(at(`artifacts/steps/${step}`))) {
      utimesSync(at(`artifacts/steps/${step}/${name}`), daysAgo(40), daysAgo(40))
    }
    utimesSync(at(`artifacts/steps/${step}`), daysAgo(40), daysAgo(40))
  }
  expect(done('clean').count).toBe(all.length - 1)
  expect(steps()).toEqual([last])
  expect(premath(['issue', 'show', 'bd-1']).stdout).toContain('two tests fail')
  done('issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'Moot')
  expect(done('clean').items).toMatchObject([{ name: `artifacts/steps/${last}` }])
})

describeWithGit('in a repository', () => {
  test('removes attempts that were set aside before that time, and no branch', () => {
    gitIn(project.folder, 'init', '--quiet', '--initial-branch=main')
    const tree = gitIn(project.folder, 'write-tree')
    const commitAt = (days: number) => {
      const date = daysAgo(days).toISOString()
      const env = { ...gitEnv, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date }
      const args = ['commit-tree', tree, '-m', `${days}`]
      return execFileSync('git', args, { cwd: project.folder, env, encoding: 'utf8' }).trim()
    }
    for (const days of [40, 3]) {
      const commit = commitAt(days)
      for (const ref of [`refs/premath/attempts/bd-1/${days}`, `refs/heads/premath/bd-${days}`]) {
        gitIn(project.folder, 'update-ref', ref, commit)
      }
    }
    expect(done('clean').items).toMatchObject([
      { kind: 'attempt', name: 'refs/premath/attempts/bd-1/40' },
    ])
    const refs = gitIn(project.folder, 'for-each-ref', '--format=%(refname)').split('\n')
    expect(refs).toEqual([
      'refs/heads/premath/bd-3',
      'refs/heads/premath/bd-40',
      'refs/premath/attempts/bd-1/3',
    ])
  })
})
