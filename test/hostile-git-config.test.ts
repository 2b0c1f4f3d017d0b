/**
 * A repository whose git configuration names programs. Commands that only read run none of them, and
 * a landing runs none that decides about the content of files.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askGit } from '../src/harness/worktree/git.ts'
import { operations } from '../src/operations/index.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'
import { describeWithGit, gitEnv, gitIn } from './a-repository.ts'
import { runInProcess } from './in-process.ts'
import { fewOf } from './sim/seeded.ts'

let folder = ''
let root = ''
/** Each program leaves a file here, named after its place in the configuration. */
let marks = ''

const premath = (...args: readonly string[]) =>
  runInProcess({ args, cwd: root, env: { ...gitEnv, XDG_CACHE_HOME: folder }, input: '' })

const marked = () => readdirSync(marks).toSorted()

/** A program that leaves a mark. A filter passes its input on. */
function trap(name: string): string {
  const path = join(folder, `trap ${name}`)
  const output = /(clean|smudge)$/.test(name) ? 'cat' : 'exit 1'
  writeFileSync(path, `#!/bin/sh\ntouch '${marks}/${name}'\n${output}\n`)
  chmodSync(path, 0o755)
  return `'${path}'`
}

const hooks = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-merge',
  'post-rewrite',
  'pre-auto-gc',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'reference-transaction',
]

/** Settings that name a program. */
function arm() {
  const set = (key: string, value: string) => gitIn(root, 'config', '--add', key, value)
  for (const hook of hooks) {
    writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\nexec ${trap(`hook-${hook}`)}\n`)
    chmodSync(join(root, '.git/hooks', hook), 0o755)
  }
  for (const key of [
    ...['core.fsmonitor', 'core.pager', 'core.editor', 'sequence.editor', 'core.sshCommand'],
    ...['core.askPass', 'core.gitProxy', 'gpg.program', 'diff.external', 'diff.evil.textconv'],
    ...['diff.evil.command', 'merge.evil.driver', 'filter.evil.clean', 'filter.evil.smudge'],
    ...['merge.a=b.c.driver', 'filter.a=b.c.clean', 'filter.a=b.c.smudge', 'pager.log'],
    ...['filter.lfs.clean', 'filter.lfs.smudge', 'filter.long.process', 'pager.status'],
    ...['core.alternateRefsCommand', 'uploadpack.packObjectsHook', 'interactive.diffFilter'],
  ]) {
    set(key, trap(key))
  }
  for (const alias of ['status', 'log', 'ls-files', 'rev-parse', 'worktree', 'config']) {
    set(`alias.${alias}`, `!${trap(`alias-${alias}`)}`)
  }
  set('credential.helper', `!${trap('credential.helper')}`)
  set('merge.premath.driver', trap('merge.premath.driver'))
  set('commit.gpgSign', 'true')
  set('log.showSignature', 'true')
  set('core.untrackedCache', 'true')
  // A missing object is fetched from there.
  set('remote.evil.url', `ext::sh -c ${trap('transport').replaceAll(' ', '% ')}`)
  set('remote.evil.promisor', 'true')
  set('protocol.ext.allow', 'always')
  set('extensions.partialClone', 'evil')
}

/** Files that git looks into again, since their times differ from the index. */
function touch() {
  const later = new Date(Date.now() + 5_000)
  for (const name of ['a.txt', 'b.long', 'c.lfs', 'd.odd'])
    utimesSync(join(root, name), later, later)
}

const attributes = [
  '*.txt filter=evil diff=evil merge=evil',
  '*.long filter=long',
  '*.lfs filter=lfs',
  '*.odd filter=a=b.c merge=a=b.c',
  '',
].join('\n')

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'premath-git ')))
  root = join(folder, 'project')
  marks = join(folder, 'marks')
  mkdirSync(marks)
  gitIn(folder, 'init', '--quiet', '--initial-branch=main', root)
  for (const name of ['a.txt', 'b.long', 'c.lfs', 'd.odd', 'plain.md']) {
    writeFileSync(join(root, name), `${name}\n1\n2\n3\n4\n5\n`)
  }
  writeFileSync(join(root, '.gitattributes'), attributes)
  writeFileSync(join(root, 'x.spec.md'), spec)
  writeFileSync(join(root, 'turn.json'), '{}')
  mkdirSync(join(root, 'vectors'))
  expect(premath('init').status).toBe(0)
  gitIn(root, 'add', '--all')
  gitIn(root, 'commit', '--quiet', '-m', 'begin')
  expect(premath('add', 'First').status).toBe(0)
  const { status, stderr } = land('echo one > one.md')
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(premath('spec', 'run', 'x.spec.md').status).toBe(0)
  arm()
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  rmSync(marks, { recursive: true })
  mkdirSync(marks)
  touch()
})

const land = (work: string, ...more: readonly string[]) =>
  premath('run', '--workers', '1', '--work-cmd', work, '--verify-cmd', 'test -e plain.md', ...more)

const spec = `# A spec

\`\`\`yaml spec-test
id: X-1
title: a file
type: text.file
path: /plain.md
assert:
- target: text
  must:
  - contain: [plain]
\`\`\`
`

/** Arguments with which a command that only reads gets to its end. */
const readArguments: Readonly<Record<string, readonly string[]>> = {
  'conformance run': ['vectors'],
  'dep tree': ['bd-1'],
  doctor: [],
  'governance-promotion-check': ['--input', 'turn.json'],
  'harness-retry': ['--failure-class', 'flaky_io', '--attempt', '1'],
  'instruction-check': ['--instruction', 'turn.json'],
  'instruction-witness': ['--instruction', 'turn.json', '--runtime', 'turn.json'],
  'issue show': ['bd-1'],
  // A server would serve on. Its calls are the other commands.
  'mcp-serve': ['--http', 'nowhere'],
  'observe-serve': ['--bind', '127.0.0.1:0', '--for-seconds', '0'],
  'policy check': ['.premath/policy.json'],
  'proposal-check': ['--proposal', 'turn.json'],
  'spec conform': ['x.spec.md'],
  'spec explain': ['x.spec.md'],
  'spec lint': ['x.spec.md'],
  'spec list': ['x.spec.md'],
  'witness export': ['bd-1'],
  'witness show': ['bd-1'],
  'witness verify': ['--all', '--tree'],
}

describeWithGit('the programs of a hostile git configuration', () => {
  test('run in an ordinary git, so that these tests can fail', () => {
    spawnSync('git', ['status'], { cwd: root, env: gitEnv })
    for (const path of ['c.lfs', 'd.odd']) {
      spawnSync('git', ['hash-object', `--path=${path}`, path], { cwd: root, env: gitEnv })
    }
    spawnSync('git', ['cat-file', '-e', '1'.repeat(40)], { cwd: root, env: gitEnv })
    spawnSync('git', ['log', '-p', '-1', '--', 'a.txt'], { cwd: root, env: gitEnv })
    expect(marked()).toEqual(
      expect.arrayContaining([
        'core.fsmonitor',
        'diff.evil.textconv',
        'filter.a=b.c.clean',
        'filter.evil.clean',
        'filter.lfs.clean',
        'filter.long.process',
        'transport',
      ]),
    )
  })

  test('do not run in any command that only reads', async () => {
    const reading = ['doctor']
    for (const [words, load] of Object.entries(operations)) {
      if ((await load()).effect === 'read') reading.push(words)
    }
    expect(reading.length).toBeGreaterThan(35)
    for (const words of reading) {
      touch()
      const { status } = premath(...words.split(' '), ...(readArguments[words] ?? []))
      expect({ words, status, marked: marked() }).toEqual({
        words,
        status: expect.toBeOneOf([0, 1, 2]),
        marked: [],
      })
    }
  })

  test.each([
    ['status', '--porcelain'],
    ['diff', '--quiet'],
    ['diff', 'HEAD'],
    ['diff-files', '-p'],
    ['diff-index', '-p', 'HEAD'],
    ['log', '-p'],
    ['ls-files', '-m'],
    ['update-index', '--refresh'],
    ['hash-object', '--path=a.txt', 'a.txt'],
    ['cat-file', '-e', '1'.repeat(40)],
    ['stash', 'create'],
    ['checkout', '--', 'a.txt', 'b.long', 'c.lfs', 'd.odd'],
    ['merge-tree', '--write-tree', 'HEAD', 'HEAD~1'],
  ])('do not run in our git %s %s', async (...args) => {
    appendFileSync(join(root, 'a.txt'), 'x\n')
    // A signal ends git when the fetch of a missing object, which it feeds, was refused.
    await Promise.allSettled([askGit({ processes: nodeProcesses, env: gitEnv }, root, args)])
    expect(marked()).toEqual([])
    writeFileSync(join(root, 'a.txt'), 'a.txt\n1\n2\n3\n4\n5\n')
  })

  test('do not run in a merge, which is made as text', async () => {
    const place = { processes: nodeProcesses, env: gitEnv }
    const plain = { ...gitEnv, GIT_CONFIG_SYSTEM: '/dev/null' }
    const side = (name: string, from: string, to: string) => {
      const blob = (text: string) =>
        execFileSync('git', ['hash-object', '-w', '--stdin', '--no-filters'], {
          ...{ cwd: root, env: plain, encoding: 'utf8', input: text },
        }).trim()
      const index = { ...plain, GIT_INDEX_FILE: join(folder, `index-${name}`) }
      const text = 'a.txt\n1\n2\n3\n4\n5\n'.replace(from, to)
      const run = (...args: readonly string[]) =>
        execFileSync('git', ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/', ...args], {
          ...{ cwd: root, env: index, encoding: 'utf8' },
        }).trim()
      run('read-tree', 'HEAD')
      run('update-index', '--cacheinfo', `100644,${blob(text)},a.txt`)
      return run('commit-tree', '-p', 'HEAD', '-m', name, run('write-tree'))
    }
    const [left, right, other] = [
      side('l', '1', 'one'),
      side('r', '5', 'five'),
      side('o', '1', 'I'),
    ]
    rmSync(marks, { recursive: true })
    mkdirSync(marks)
    const merged = await askGit(place, root, ['merge-tree', '--write-tree', left, right])
    expect(merged.exitCode).toBe(0)
    const read = ['cat-file', 'blob', `${merged.stdout.trim()}:a.txt`]
    expect((await askGit(place, root, read)).stdout).toBe('a.txt\none\n2\n3\n4\nfive\n')
    const conflict = await askGit(place, root, ['merge-tree', '--write-tree', left, other])
    expect(conflict.exitCode).toBe(1)
    expect(marked()).toEqual([])
  })

  test('are replaced by no object of git', async () => {
    const place = { processes: nodeProcesses, env: gitEnv }
    const head = gitIn(root, '-c', 'core.hooksPath=/', 'rev-parse', 'HEAD')
    const first = gitIn(root, 'rev-parse', 'HEAD~1')
    gitIn(root, '-c', 'core.hooksPath=/', 'replace', head, first)
    const asked = ['log', '-1', '--format=%s', head]
    expect((await askGit(place, root, asked)).stdout).not.toBe('begin\n')
    gitIn(root, '-c', 'core.hooksPath=/', 'replace', '-d', head)
  })

  describe('do not run in a landing', () => {
    const clean = () => {
      rmSync(marks, { recursive: true })
      mkdirSync(marks)
    }

    test('of a file without a filter', () => {
      premath('add', 'Second')
      clean()
      const { status, stdout, stderr } = land('echo two > two.md')
      expect({ status, stdout, stderr, marked: marked() }).toMatchObject({ status: 0, marked: [] })
      expect(readFileSync(join(root, 'two.md'), 'utf8')).toBe('two\n')
    })

    test('that the work configured during the run', () => {
      premath('add', 'Own filter')
      clean()
      const program = `git config filter.own.clean 'touch ${marks}/own; echo hello'`
      const attributes = `echo 'own.md filter=own' >> .gitattributes`
      const work = `${program}; ${attributes}; echo goodbye > own.md`
      const { status, stdout, stderr } = land(work, '--sandbox', 'off')
      expect({ status, stdout, stderr, marked: marked() }).toMatchObject({ status: 1, marked: [] })
      expect(stdout + stderr).toContain('own.md has the filter "own"')
      gitIn(root, 'config', '--unset', 'filter.own.clean')
      premath('close', premathIds().at(-1) ?? '', '--force', '--reason', 'tested')
    })

    const filtered = [
      ['a.txt', 'evil'],
      ['d.odd', 'a=b.c'],
      ['new.long', 'long'],
      ['c.lfs', 'lfs'],
    ] as const

    test.each(fewOf(filtered, 2))('which refuses %s by its name', (path, filter) => {
      premath('add', `Change ${path}`)
      clean()
      const { status, stdout, stderr } = land(`echo secret > ${path}`)
      expect({ status, stdout, stderr, marked: marked() }).toMatchObject({ status: 1, marked: [] })
      expect(stdout + stderr).toContain(`${path} has the filter "${filter}"`)
      // The blob of the file as it is, without its filter.
      const blob = createHash('sha1').update('blob 7\0secret\n').digest('hex')
      const stored = join(root, '.git/objects', blob.slice(0, 2), blob.slice(2))
      expect(existsSync(stored)).toBe(false)
      premath('close', premathIds().at(-1) ?? '', '--force', '--reason', 'tested')
    })
  })
})

const premathIds = () =>
  JSON.parse(premath('list', '--json').stdout).items.map(({ id }: { id: string }) => id)

test('git-lfs runs in a checkout if its commands are those of git lfs install', async () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'git-lfs'), `#!/bin/sh\ntouch '${marks}/git-lfs'\ncat\n`, { mode: 0o755 })
  const other = join(folder, 'lfs')
  gitIn(folder, 'init', '--quiet', other)
  writeFileSync(join(other, '.gitattributes'), '*.lfs filter=lfs\n')
  writeFileSync(join(other, 'x.lfs'), 'x')
  gitIn(other, 'config', 'filter.lfs.clean', 'git-lfs clean -- %f')
  const env = { ...gitEnv, PATH: `${bin}:${gitEnv['PATH']}` }
  const add = (checksOut: boolean) =>
    askGit({ processes: nodeProcesses, env }, other, ['add', '--all'], { checksOut })
  await add(false)
  expect(existsSync(join(marks, 'git-lfs'))).toBe(false)
  gitIn(other, 'rm', '--quiet', '--cached', '-r', '.')
  await add(true)
  expect(existsSync(join(marks, 'git-lfs'))).toBe(true)
})
