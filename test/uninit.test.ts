/** `premath uninit`, on real folders and a real git. */
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { aProject, leased } from './a-project.ts'
import { commit, describeWithGit, gitIn } from './a-repository.ts'
import { Terminal } from './a-terminal.ts'
import { checkedOperations } from './checked-answers.ts'

const project = aProject()
const { asked, done, premath } = project
const at = (path: string) => join(project.folder, path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)
const own = () => readdirSync(at('.premath')).toSorted()
const step = ['--work-cmd', 'true', '--verify-cmd', 'true', '--worker', 'w']

describe('without git', () => {
  beforeEach(() => done('init'))

  test('removes the state of runs, and keeps issues and proofs', () => {
    done('add', 'One')
    expect(premath(['harness-step', ...step]).status).toBe(0)
    mkdirSync(at('.premath/cache'))
    mkdirSync(at('.premath/closes'))
    const { removed, stays } = done('uninit', '--yes')
    expect(names(removed)).toEqual(
      expect.arrayContaining([
        '.premath/cache',
        '.premath/closes',
        '.premath/issues.jsonl.lock',
        '.premath/steps',
        'artifacts/ciwitness',
        'artifacts/steps',
      ]),
    )
    expect(names(stays)).toEqual(own().map(name => `.premath/${name}`))
    expect(own().filter(name => /lock$|^(cache|steps)$/.test(name))).toEqual([])
    expect(existsSync(at('artifacts'))).toBe(false)
    expect(done('witness', 'verify', 'bd-1')).toMatchObject({ result: 'accepted' })
    expect(done('uninit')).toMatchObject({ isRemoved: false, removed: [] })
    expect(premath(['uninit']).stdout).toContain('Nothing to remove in ')
  })

  test('removes everything with --all, and leaves the files of others', () => {
    done('add', 'One')
    expect(premath(['harness-step', ...step]).status).toBe(0)
    writeFileSync(at('artifacts/ciwitness/governance-promotion.json'), '{}')
    mkdirSync(at('artifacts/relocations'))
    writeFileSync(at('artifacts/relocations/mine.json'), '{}')
    const { removed, stays } = done('uninit', '--all', '--yes')
    expect(removed).toContainEqual({
      kind: 'file',
      name: '.premath/issues.jsonl',
      holds: '1 issue',
    })
    expect(names(stays)).toEqual([
      'artifacts/ciwitness/governance-promotion.json',
      'artifacts/relocations',
    ])
    expect(readdirSync(project.folder)).toEqual(['artifacts'])
    expect(readdirSync(at('artifacts')).toSorted()).toEqual(['ciwitness', 'relocations'])
    expect(premath(['uninit', '--all']).status).toBe(0)
  })

  test('without a terminal it needs --yes, and lists what it would remove', () => {
    done('add', 'One')
    const before = own()
    const { status, stdout, stderr } = premath(['uninit', '--all'])
    expect([status, own()]).toEqual([2, before])
    expect(stdout).toMatch(/^file +\.premath\/issues\.jsonl +1 issue$/m)
    expect(stderr).toContain('pass --yes')
  })

  test.each<[string, object, Readonly<Record<string, string>>, number, string]>([
    ['an active lease', leased('bd-1', 'ana', 600), {}, 4, 'ana holds a lease on bd-1 until '],
    ['an agent', {}, { PREMATH_STEP_ID: 's' }, 1, 'no agent, instruction or step may '],
    ['nobody', leased('bd-1', 'ana', -600), {}, 0, ''],
  ])('refuses for %s', (_, row, env, exit, message) => {
    project.given({ id: 'bd-1', title: 'One', status: 'open', ...row })
    writeFileSync(at('.premath/issues.jsonl.lock'), '')
    const { status, stderr } = premath(['uninit', '--yes'], { env })
    expect({ status, stderr }).toEqual({ status: exit, stderr: expect.stringContaining(message) })
    expect(existsSync(at('.premath/issues.jsonl.lock'))).toBe(exit !== 0)
  })

  test.each([
    '.premath/harness_session.json.step.lock',
    '.premath/steps/w.lock',
    '.premath/closes/queue.lock',
  ])('refuses while %s is held', async path => {
    mkdirSync(at('.premath/steps'))
    mkdirSync(at('.premath/closes'))
    const lock = await nodeDisk.lock(at(path), 0)
    if (!lock.held) throw new Error('the lock is free')
    const { status, stderr } = premath(['uninit', '--all', '--yes'])
    await lock.release()
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining(path) })
    expect(existsSync(at(path))).toBe(true)
    expect(premath(['uninit', '--all', '--yes']).status).toBe(0)
    expect(existsSync(at('.premath'))).toBe(false)
  })

  test('refuses while a step that was cut off waits for its recovery', () => {
    mkdirSync(at('.premath/steps'))
    writeFileSync(at('.premath/steps/w.jsonl'), '{}\n')
    const { status, json } = asked(['uninit', '--yes'])
    expect([status, json.error.hint]).toEqual([4, expect.stringContaining('harness-boot')])
    expect(existsSync(at('.premath/steps/w.jsonl'))).toBe(true)
  })
})

test.each([
  ['y', 0, false],
  ['Yes', 0, false],
  ['', 1, true],
  ['n', 1, true],
])('at a terminal the answer %j decides', async (answer, exit, isThere) => {
  const disk = new SimDisk({ files: { '/p/.premath/cache/issues.state': '' } })
  const err = new Terminal(100, 24)
  const world = simWorld({ disk, cwd: '/p', isAtTerminal: true, input: `${answer}\n` })
  expect(await runCommand(['uninit'], checkedOperations, { ...world, err })).toBe(exit)
  const question = err.writes.join('')
  expect(question).toMatch(/^folder +\.premath\/cache +cache$/m)
  expect(question).toMatch(/Remove these\? \[y\/N\] $/)
  expect((await disk.stamp('/p/.premath/cache')) !== undefined).toBe(isThere)
})

describeWithGit('in a repository', () => {
  const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
  const branches = () => git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')

  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=main')
    commit(project.folder, 'a.txt')
  })

  test('removes the merge driver, and nothing else of the files of others', () => {
    const before = text('.git/config')
    done('init', '--merge-driver')
    done('uninit', '--yes')
    expect(text('.git/config')).toBe(before)
    expect(existsSync(at('.gitattributes'))).toBe(false)
    writeFileSync(at('.gitattributes'), '*.png binary')
    done('init', '--merge-driver')
    appendFileSync(at('.gitattributes'), '*.gif binary\n')
    expect(done('uninit', '--yes').removed).toMatchObject([
      { kind: 'file', name: '.premath/issues.jsonl.lock' },
      { kind: 'lines', name: '.gitattributes' },
      { kind: 'settings', name: '.git/config' },
    ])
    expect(text('.gitattributes')).toBe('*.png binary\n*.gif binary\n')
    expect(text('.git/config')).toBe(before)
  })

  test('keeps a driver that a person wrote, and one that another project uses', () => {
    git('config', 'merge.premath.name', 'mine')
    done('init')
    expect(done('uninit', '--all', '--yes').stays).toEqual([
      { name: '.git/config', why: expect.stringContaining('not written by premath') },
    ])
    git('config', '--remove-section', 'merge.premath')
    mkdirSync(at('sub'))
    for (const folder of ['.', 'sub']) done('init', folder, '--merge-driver')
    expect(done('uninit', '--all', '--yes').stays).toEqual([
      { name: '.git/config', why: expect.stringContaining('another project') },
    ])
    expect(text('.gitattributes')).toMatch(/^sub\/\.premath\/issues/)
    const last = asked(['uninit', '--all', '--yes'], { cwd: at('sub') })
    expect(names(last.json.removed)).toEqual(
      expect.arrayContaining([`${project.folder}/.gitattributes`, `${project.folder}/.git/config`]),
    )
    expect(existsSync(at('.gitattributes'))).toBe(false)
    expect(git('config', '--get-regexp', '.*')).not.toContain('premath')
  })

  test('keeps the acknowledged rows of another project in the repository', () => {
    mkdirSync(at('sub'))
    for (const folder of ['.', 'sub']) done('init', folder)
    for (const cwd of [at(''), at('sub')]) asked(['add', 'One'], { cwd })
    commit(project.folder, 'b.txt')
    git('worktree', 'add', '-q', '-b', 'other', '../another')
    asked(['list', '--issues', '../another/.premath/issues.jsonl'])
    const own = '.git/premath/memory/issues'
    const { removed, stays } = done('uninit', '--yes')
    expect(names(removed)).toContain(own)
    expect(names(stays)).toContain('.git/premath')
    expect(existsSync(at(own))).toBe(false)
    rmSync(at('sub/.premath/issues.jsonl'))
    expect(asked(['list'], { cwd: at('sub') }).json.items).toHaveLength(1)
    expect(names(asked(['uninit', '--yes'], { cwd: at('sub') }).json.removed)).toContain(
      at('.git/premath'),
    )
  })

  /** The worktrees of workers: without work, with a commit, and with an uncommitted file. */
  function withWork() {
    done('init')
    for (const worker of ['idle', 'ahead', 'dirty']) {
      git('worktree', 'add', '-q', '-b', `premath/${worker}`, `.premath/worktrees/${worker}`)
    }
    const work = commit(at('.premath/worktrees/ahead'), 'b.txt')
    writeFileSync(at('.premath/worktrees/dirty/c.txt'), 'c')
    git('branch', 'premath/again', work)
    git('branch', 'premath/merged')
    git('update-ref', 'refs/premath/attempts/bd-1/1', work)
    git('update-ref', 'refs/premath/candidates/bd-2', 'main')
    return work
  }

  test('keeps work that the target lacks, and says so', () => {
    withWork()
    const { stays } = done('uninit', '--yes')
    expect(stays.slice(0, 5)).toEqual([
      { name: '.premath/worktrees/dirty', why: 'it holds 1 uncommitted change (c.txt)' },
      { name: 'premath/again', why: '1 commit that main lacks' },
      { name: 'premath/ahead', why: '1 commit that main lacks' },
      { name: 'premath/dirty', why: 'checked out at .premath/worktrees/dirty' },
      { name: 'refs/premath/attempts/bd-1/1', why: '1 commit that main lacks' },
    ])
    expect(branches().split('\n')).toEqual([
      'main',
      'premath/again',
      'premath/ahead',
      'premath/dirty',
    ])
    expect(git('for-each-ref', '--format=%(refname)', 'refs/premath')).toBe(
      'refs/premath/attempts/bd-1/1',
    )
    expect(text('.premath/worktrees/dirty/c.txt')).toBe('c')
    expect(existsSync(at('.premath/worktrees/ahead'))).toBe(false)
  })

  test('with --all no commit of a branch is lost, not even one that two of them have', () => {
    const work = withWork()
    const { stays } = done('uninit', '--all', '--yes')
    expect(names(stays)).toEqual([
      '.premath/worktrees/dirty',
      'premath/again',
      'premath/ahead',
      'premath/dirty',
    ])
    expect(own()).toEqual(['worktrees'])
    expect(git('for-each-ref', 'refs/premath')).toBe('')
    git('branch', 'kept', work)
    rmSync(at('.premath/worktrees/dirty/c.txt'))
    expect(done('uninit', '--all', '--yes').stays).toEqual([])
    expect(branches().split('\n')).toEqual(['kept', 'main'])
    expect(existsSync(at('.premath'))).toBe(false)
    expect(git('worktree', 'list').split('\n')).toHaveLength(1)
  })

  test('removes the entry of a worktree whose folder is gone, and keeps a folder of others', () => {
    done('init')
    git('worktree', 'add', '-q', '--detach', '.premath/worktrees/gone')
    rmSync(at('.premath/worktrees'), { recursive: true })
    expect(names(done('uninit', '--yes').removed)).toContain('.premath/worktrees/gone')
    expect(existsSync(at('.premath/worktrees'))).toBe(false)
    mkdirSync(at('.premath/worktrees/notes'), { recursive: true })
    writeFileSync(at('.premath/worktrees/notes/a.txt'), 'a')
    expect(done('uninit', '--all', '--yes').stays).toEqual([
      { name: '.premath/worktrees/notes', why: 'git does not list it as a worktree' },
    ])
    expect(text('.premath/worktrees/notes/a.txt')).toBe('a')
  })

  test('keeps every branch where no target is checked out', () => {
    done('init')
    git('checkout', '-q', '--detach')
    git('branch', 'premath/bd-1')
    expect(done('uninit', '--yes').stays).toContainEqual({
      name: 'premath/bd-1',
      why: 'no target branch is checked out to compare it with',
    })
  })

  test.each([
    ['a reset', () => git('reset', '-q', '--hard')],
    ['a deletion of the file', () => rmSync(project.issues)],
  ])('writes the acknowledged rows that %s took, before it removes their record', (_, takes) => {
    done('init')
    done('add', 'One')
    git('add', '-A')
    git('commit', '-q', '-m', 'one')
    done('add', 'Acknowledged')
    takes()
    const { stderr, status } = asked(['uninit', '--yes'])
    expect(status).toBe(0)
    expect(stderr).toMatch(
      /^note: .* (lacked|had an older version of|had older versions of) \d issues? .* written again/,
    )
    expect(existsSync(at('.git/premath'))).toBe(false)
    expect(Object.keys(project.rowsById())).toEqual(['bd-1', 'bd-2'])
    expect(done('list').items).toHaveLength(2)
  })

  test('keeps the record where the rows that the file lacks cannot be written', () => {
    done('init')
    done('add', 'One')
    git('add', '-A')
    git('commit', '-q', '-m', 'one')
    done('add', 'Acknowledged')
    git('reset', '-q', '--hard')
    linkSync(project.issues, at('other-name.jsonl'))
    expect(asked(['uninit', '--yes']).status).toBe(3)
    expect(existsSync(at('.git/premath/memory'))).toBe(true)
    rmSync(at('other-name.jsonl'))
    expect(asked(['list']).json.items).toHaveLength(2)
  })

  test('refuses while a landing that was cut off waits to be finished', () => {
    done('init')
    mkdirSync(at('.git/premath'))
    writeFileSync(at('.git/premath/landing.json'), '{}\n')
    expect(asked(['uninit', '--yes'])).toMatchObject({ status: 4 })
    expect(existsSync(at('.git/premath/landing.json'))).toBe(true)
  })
})
