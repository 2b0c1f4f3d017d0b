import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aRepository, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses } from '../../testing/sim-processes.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { openContext } from '../context.ts'
import { projectAt } from '../open.ts'
import { examineWorktrees } from './harness.ts'

test('git is not called if no worker has a worktree', async () => {
  const disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': '' } })
  const processes = new SimProcesses({ disk })
  const looked = await examineWorktrees(projectAt('/p', openContext(simWorld({ disk, processes }))))
  expect(looked).toEqual({ checks: ['worktrees'], findings: [] })
  expect(processes.started).toEqual([])
})

describeWithGit('the doctor', () => {
  const repository = aRepository()
  const look = async (root = repository().root, env = gitEnv) =>
    (await examineWorktrees(projectAt(root, openContext({ ...nodeWorld(), env })))).findings
  const made = (worker: string) => {
    const path = repository().worktree(worker)
    repository().git('worktree', 'add', '--quiet', '-b', `premath/${worker}`, path)
    return path
  }
  const found = (what: string, next: string) => ({
    check: 'worktrees',
    what,
    why: expect.stringMatching(/\.$/),
    next: expect.stringContaining(next),
    exitCode: 1,
    fixed: false,
  })

  test('finds nothing wrong with worktrees that git knows', async () => {
    made('w.1')
    gitIn(repository().root, 'worktree', 'lock', made('w.2'))
    const elsewhere = repository().beside('elsewhere')
    repository().git('worktree', 'add', '--quiet', elsewhere)
    rmSync(elsewhere, { recursive: true })
    expect(await look()).toEqual([])
    symlinkSync(repository().root, repository().beside('link'))
    expect(await look(repository().beside('link'))).toEqual([])
  })

  test('finds folders that git does not know, and worktrees that are gone', async () => {
    const [lost, gone, kept] = [made('lost'), made('gone'), made('kept')]
    const stray = repository().worktree('stray')
    mkdirSync(stray)
    writeFileSync(repository().worktree('a file'), '')
    rmSync(`${lost}/.git`)
    rmSync(gone, { recursive: true })
    expect(await look()).toEqual([
      found(`${lost} is not a worktree of this repository`, 'git worktree repair'),
      found(`${stray} is not a worktree of this repository`, 'remove it'),
      found(`${gone} is missing, but git still lists it`, 'git worktree prune'),
    ])
    repository().git('worktree', 'repair')
    repository().git('worktree', 'prune')
    rmSync(stray, { recursive: true })
    expect(await look()).toEqual([])
    expect(existsSync(kept)).toBe(true)
  })

  test('names the remedy if the project was moved', async () => {
    made('w')
    const root = repository().beside('moved')
    renameSync(repository().root, root)
    const path = `${root}/.premath/worktrees/w`
    expect(await look(root)).toEqual([
      found(`${path} is not a worktree of this repository`, 'git worktree repair with that path'),
    ])
    gitIn(root, 'worktree', 'repair', path)
    expect(await look(root)).toEqual([])
  })

  test('reports why git cannot be called', async () => {
    mkdirSync(repository().worktree(''), { recursive: true })
    const without = { ...gitEnv, PATH: repository().folder }
    expect(await look(repository().root, without)).toMatchObject([
      { what: expect.stringContaining('no program git'), exitCode: 3 },
    ])
    const root = repository().beside('none')
    mkdirSync(`${root}/.premath/worktrees`, { recursive: true })
    expect(await look(root)).toMatchObject([
      { what: expect.stringContaining('is not in a git repository'), exitCode: 3 },
    ])
  })
})
