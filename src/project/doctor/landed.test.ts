import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses } from '../../testing/sim-processes.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { openContext } from '../context.ts'
import { projectAt } from '../open.ts'
import { examineLanded, lackingOn } from './landed.ts'

/** An issue that closed when its commit was on the target. */
const landed = (id: string, commit: string, target = 'main', status = 'closed'): Issue =>
  readIssueLine(
    JSON.stringify({
      id,
      title: id,
      status,
      metadata: { premathClose: { by: 'verification', commit, tree: 'e'.repeat(40), target } },
    }),
  ) as Issue

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const issue of issues) memory.put(issue)
  return memory
}

test('git is not called if no issue has landed', async () => {
  const disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': '' } })
  const processes = new SimProcesses({ disk })
  const project = projectAt('/p', openContext(simWorld({ disk, processes })))
  const open = landed('a', 'c'.repeat(40), 'main', 'open')
  expect(await examineLanded(memoryOf(open), project)).toEqual({ checks: [], findings: [] })
  expect(processes.started).toEqual([])
})

describeWithGit('the doctor', () => {
  const repository = aRepository()
  const look = async (issues: readonly Issue[], root = repository().root, env = gitEnv) =>
    await examineLanded(memoryOf(...issues), projectAt(root, openContext({ ...nodeWorld(), env })))

  test('finds nothing wrong with commits that are on their target', async () => {
    const { git, root } = repository()
    const [one, two] = [commit(root, 'b.txt'), commit(root, 'c.txt')]
    git('branch', 'other', one)
    const issues = [landed('a', one), landed('b', two), landed('c', one, 'other')]
    expect(await look(issues)).toEqual({ checks: ['landed'], findings: [] })
  })

  test('finds an issue whose commit was rewritten', async () => {
    const { git, root } = repository()
    const [one, two] = [commit(root, 'b.txt'), commit(root, 'c.txt')]
    git('reset', '--quiet', '--hard', one)
    commit(root, 'd.txt')
    expect((await look([landed('a', one), landed('b', two)])).findings).toEqual([
      {
        check: 'landed',
        what: `b landed as ${two}, which main no longer has`,
        why: expect.stringMatching(/\.$/),
        next: expect.stringContaining(`git cherry-pick ${two.slice(0, 12)}`),
        exitCode: 1,
        fixed: false,
      },
    ])
  })

  test('names twenty issues of a branch that was rewritten from its start', async () => {
    const { git, root } = repository()
    const lost = commit(root, 'b.txt')
    git('reset', '--quiet', '--hard', 'HEAD~')
    const issues = Array.from({ length: 25 }, (_, at) => landed(`i${at}`, lost))
    const { findings } = await look(issues)
    expect(findings).toHaveLength(21)
    expect(findings.at(-1)?.what).toBe('main lacks the commits of 5 more issues')
  })

  describe('where the branch on which work landed is gone', () => {
    const worked = () => {
      const { git, root } = repository()
      git('switch', '--quiet', '-c', 'try')
      const lost = commit(root, 'lost.txt')
      git('switch', '--quiet', 'main')
      return { git, root, lost, issues: [landed('a', lost, 'try')] }
    }

    test('finds work that the target lacks', async () => {
      const { git, lost, issues } = worked()
      git('branch', '--quiet', '-D', 'try')
      expect((await look(issues)).findings).toMatchObject([
        {
          what: `a is closed, but its commit ${lost.slice(0, 9)} is not on main: try, on which it landed, is gone`,
          next: expect.stringContaining(`git cherry-pick ${lost.slice(0, 12)}`),
        },
      ])
    })

    test.each([
      ['squashed', ['Squash']],
      ['squashed and changed since', ['Squash', '* a\n\nPremath-Issue: a']],
    ])('takes work that was %s for merged', async (_, messages) => {
      const { git, root, issues } = worked()
      git('merge', '--quiet', '--squash', 'try')
      git('commit', '--quiet', ...messages.flatMap(message => ['-m', message]))
      git('branch', '--quiet', '-D', 'try')
      if (messages.length > 1) {
        writeFileSync(join(root, 'lost.txt'), 'changed')
        git('commit', '--quiet', '-a', '-m', 'Change')
      }
      expect((await look(issues)).findings).toEqual([])
    })

    test('asks nothing while a remote has the branch', async () => {
      const { git, lost, issues } = worked()
      git('update-ref', 'refs/remotes/origin/try', lost)
      git('branch', '--quiet', '-D', 'try')
      expect((await look(issues)).findings).toEqual([])
    })
  })

  describe('what a branch lacks', () => {
    const lacking = async (issues: readonly Issue[], root: string) => {
      const project = projectAt(root, openContext({ ...nodeWorld(), env: gitEnv }))
      return await lackingOn('main', memoryOf(...issues), project)
    }
    const worked = () => {
      const { git, root } = repository()
      git('switch', '--quiet', '-c', 'topic')
      const issues = [landed('a', commit(root, 'a.txt'), 'topic')]
      git('switch', '--quiet', 'main')
      return { git, root, issues }
    }

    test('is also work that landed on a branch that is there', async () => {
      const { git, root, issues } = worked()
      expect(await lacking(issues, root)).toMatchObject([
        { id: 'a', target: 'topic', isGone: false },
      ])
      git('branch', '--quiet', '-D', 'topic')
      expect(await lacking(issues, root)).toMatchObject([{ id: 'a', isGone: true }])
    })

    test.each([
      ['merged', 'merge --quiet topic'],
      ['taken over', 'cherry-pick topic'],
      ['squashed', 'merge --quiet --squash topic'],
    ])('is not work that was %s', async (how, command) => {
      const { git, root, issues } = worked()
      git(...command.split(' '))
      if (how === 'squashed') git('commit', '--quiet', '-m', 'squash')
      expect(await lacking(issues, root)).toEqual([])
    })
  })

  test('has nothing to say without the branch, the commit or the repository', async () => {
    const { root } = repository()
    const head = commit(root, 'b.txt')
    const bad = ['f'.repeat(40), '--all', `^${head}`, 'main']
    const issues = [landed('a', head, 'gone'), ...bad.map((one, at) => landed(`b${at}`, one))]
    expect(await look(issues)).toEqual({ checks: ['landed'], findings: [] })
    const folder = repository().beside('none')
    mkdirSync(folder)
    expect((await look([landed('a', head)], folder)).findings).toEqual([])
  })

  test('reports why git cannot be called', async () => {
    const { root, folder } = repository()
    const without = { ...gitEnv, PATH: folder }
    const issues = [landed('a', gitIn(root, 'rev-parse', 'HEAD'))]
    expect((await look(issues, root, without)).findings).toMatchObject([
      { check: 'landed', what: expect.stringContaining('no program git'), exitCode: 3 },
    ])
  })
})
