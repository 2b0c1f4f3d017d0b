/** Two branches that both changed issue memory, merged by real git. */

import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { mergeDriverInstall, withGitAttributes } from '../src/project/setup/merge-driver.ts'
import { main } from './built-command.ts'
import { runInProcess } from './in-process.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** A path with a space, as people have them. */
let repo = ''

/** A path with these programs alone: under npx and in a graphical git, premath is not on it. */
function pathWith(programs: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'premath-path-'))
  folders.push(folder)
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, join(folder, name))
  return folder
}

const whereIs = (program: string) =>
  execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()

const bare = pathWith({ git: whereIs('git') })

const environment = (path: string) => ({
  ...process.env,
  PATH: path,
  PREMATH_ROOT: '',
  PREMATH_ISSUES_PATH: '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
})

function run(command: string, args: readonly string[], cwd = repo, path = bare) {
  const env = environment(path)
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd, env })
  return { status, stdout, stderr }
}

/** A branch stands for a clone here, so what was acknowledged on another one is not known. */
const git = (...args: readonly string[]) => {
  const answer = run('git', args)
  if (args[0] === 'checkout') {
    rmSync(join(repo, '.git/premath/memory'), { recursive: true, force: true })
  }
  return answer
}
const premath = (...args: readonly string[]) =>
  runInProcess({ args, cwd: repo, env: environment(bare), input: '' })

/** Checks that a command succeeded, and returns its JSON or its text. */
function done({ status, stdout, stderr }: ReturnType<typeof run>) {
  expect({ status, stderr }).toMatchObject({ status: 0 })
  return stdout.startsWith('{') ? JSON.parse(stdout) : stdout
}

const add = (title: string, ...more: readonly string[]) =>
  done(premath('issue', 'add', title, ...more, '--json')).issue.id as string
const commit = (message: string) => {
  done(git('add', '-A'))
  done(git('commit', '-q', '-m', message))
}
const show = (id: string) => done(premath('issue', 'show', id, '--json')).issue
const memoryFile = () => readFileSync(join(repo, '.premath/issues.jsonl'), 'utf8')
const rows = () =>
  memoryFile()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown> & { id: string })

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'premath-merge-'))
  folders.push(folder)
  repo = join(folder, 'a repository')
  mkdirSync(repo, { recursive: true })
  done(git('init', '-q', '-b', 'main'))
  done(git('config', 'user.name', 'ann'))
  done(git('config', 'user.email', 'ann@example.org'))
  done(premath('init', '--merge-driver'))
})

describe('two branches with changes', () => {
  test('merge automatically, and nothing is lost', () => {
    for (const title of ['Login', 'Logout', 'Docs', 'Tests']) add(title)
    done(premath('dep', 'add', 'bd-3', 'bd-1'))
    commit('four issues')

    done(git('checkout', '-q', '-b', 'left'))
    done(premath('issue', 'claim', 'bd-1', '--assignee', 'ann', '--json'))
    done(premath('issue', 'update', 'bd-2', '--title', 'Log out', '--label', 'left'))
    done(premath('dep', 'remove', 'bd-3', 'bd-1'))
    done(premath('issue', 'update', 'bd-4', '--status', 'closed', '--force', '--reason', 'done'))
    const left = add('Only left', '--id', 'bd-left')
    const clash = add('Left’s five')
    commit('left')

    done(git('checkout', '-q', 'main'))
    done(premath('issue', 'update', 'bd-2', '--description', 'Say bye', '--label', 'right'))
    done(premath('issue', 'update', 'bd-1', '--notes', 'see the log'))
    done(premath('dep', 'add', 'bd-3', 'bd-2'))
    done(premath('issue', 'update', 'bd-4', '--title', 'More tests'))
    const right = add('Only right', '--id', 'bd-right')
    expect(add('Right’s five')).toBe(clash)
    commit('right')

    const merged = git('merge', '--no-edit', 'left')
    expect(merged).toMatchObject({ status: 0 })
    expect(merged.stderr).toContain(`${clash} was two issues; "Right’s five" is ${clash}-`)

    const byId = new Map(rows().map(row => [row.id, row]))
    const renamed = [...byId.keys()].filter(id => id.startsWith(`${clash}-`))
    expect([...byId.keys()].sort()).toEqual(
      ['bd-1', 'bd-2', 'bd-3', 'bd-4', clash, ...renamed, left, right].sort(),
    )
    expect(byId.get('bd-1')).toMatchObject({
      status: 'in_progress',
      assignee: 'ann',
      notes: 'see the log',
      metadata: { premathFence: 1 },
    })
    expect(byId.get('bd-2')).toMatchObject({ title: 'Log out', description: 'Say bye' })
    expect(byId.get('bd-2')?.['labels']).toEqual(['left', 'right'])
    expect(byId.get('bd-3')?.['dependencies']).toEqual([
      { issue_id: 'bd-3', depends_on_id: 'bd-2', type: 'blocks' },
    ])
    expect(byId.get('bd-4')).toMatchObject({ status: 'closed', title: 'More tests' })
    expect(byId.get(clash)).toMatchObject({ title: 'Left’s five' })
    expect(renamed.map(id => byId.get(id))).toMatchObject([{ title: 'Right’s five' }])
    expect(show(renamed[0] ?? '').title).toBe('Right’s five')
    expect(done(git('status', '--porcelain'))).toBe('')

    // The merged log is completed from the merged rows, and then it replays to them.
    add('After the merge', '--id', 'bd-after')
    const backend = done(premath('issue', 'backend-status', '--json'))
    const log = join(repo, '.premath/memory/events.jsonl')
    const copy = ['issue', 'replay-events', '--issues', 'copy.jsonl', '--events', log, '--json']
    expect(done(premath(...copy)).snapshotRef).toBe(backend.canonicalMemory.snapshotRef)
  })

  test('[memory.2.gave-way] keep the newer value of a field, and show the other until it is acknowledged', () => {
    const id = add('Login')
    commit('base')
    done(git('checkout', '-q', '-b', 'left'))
    done(premath('issue', 'update', id, '--title', 'Log in'))
    commit('left')
    done(git('checkout', '-q', 'main'))
    done(premath('issue', 'update', id, '--title', 'Sign in'))
    commit('right')
    const { status, stderr } = git('merge', '--no-edit', 'left')
    expect(status).toBe(0)
    expect(stderr).toContain(`${id}: both sides changed title`)
    expect(stderr).toContain('"Log in"')
    expect(rows()).toMatchObject([
      {
        title: 'Sign in',
        metadata: { premathMergeConflicts: [{ field: 'title', value: 'Log in' }] },
      },
    ])
    const acknowledge = ['issue', 'update', id, '--acknowledge-merge']
    const line = `premath ${acknowledge.join(' ')} ends this.`
    const findings = () =>
      JSON.parse(premath('doctor', '--json').stdout).findings.map(
        ({ check, what }: Record<string, string>) => [check, what],
      )
    const gaveWay = ['merges', `in a merge of ${id} this value gave way: title "Log in"`]
    for (const text of [
      done(premath('issue', 'show', id)),
      done(premath('prime', '--issue', id)),
    ]) {
      expect(text).toMatch(/gave way in a merge/i)
      expect(text).toContain('title: "Log in"')
      expect(text).toContain(line)
    }
    expect(findings()).toContainEqual(gaveWay)
    // An agent whose claim a merge ended has no issue.
    expect(done(premath('prime'))).toContain(`\n- ${id}: title\n`)
    // Another change says nothing about it.
    done(premath('issue', 'update', id, '--notes', 'n'))
    expect(findings()).toContainEqual(gaveWay)
    done(premath(...acknowledge))
    expect(findings()).not.toContainEqual(gaveWay)
    expect(show(id)).toMatchObject({ title: 'Sign in', metadata: null })
    expect(done(premath('issue', 'show', id))).not.toContain('gave way')
    expect(done(premath('prime', '--issue', id))).not.toContain('Gave way')
    expect(done(premath('prime'))).not.toContain('gave way')
  })

  test('merge to the same bytes whichever branch is merged into which', () => {
    for (const title of ['Login', 'Logout']) add(title)
    commit('base')
    done(git('checkout', '-q', '-b', 'left'))
    done(premath('issue', 'claim-next', '--assignee', 'ann'))
    add('Left')
    commit('left')
    done(git('checkout', '-q', '-b', 'right', 'main'))
    done(premath('issue', 'claim-next', '--assignee', 'bob'))
    add('Right')
    commit('right')
    done(git('checkout', '-q', '-b', 'left-into-right'))
    done(git('merge', '-q', '--no-edit', 'left'))
    const into = memoryFile()
    done(git('checkout', '-q', '-b', 'right-into-left', 'left'))
    done(git('merge', '-q', '--no-edit', 'right'))
    expect(memoryFile()).toBe(into)
    expect(rows().find(row => row.id === 'bd-1')).toMatchObject({ assignee: 'bob' })
  })

  test.each([
    ['a merge', ['merge', '-q', '--no-edit', 'left']],
    ['a rebase', ['rebase', '-q', 'left']],
    ['a squash', ['merge', '-q', '--squash', 'left']],
  ])('by %s are no finding of doctor, although the event log is behind', (_, command) => {
    const id = add('Login')
    commit('base')
    done(git('checkout', '-q', '-b', 'left'))
    done(premath('comment', id, 'Seen', '--author', 'ann'))
    commit('left')
    done(git('checkout', '-q', 'main'))
    done(premath('comment', id, 'Seen too', '--author', 'bob'))
    commit('right')
    done(git(...command))
    expect(done(premath('doctor', '--json')).findings).toEqual([])
    const { findings } = done(premath('doctor', '--fix', '--json'))
    expect(findings).toMatchObject([{ check: 'events', fixed: true }])
  })

  test('rebase and cherry-pick use it too', () => {
    add('Login')
    commit('base')
    done(git('checkout', '-q', '-b', 'left'))
    add('Left', '--id', 'bd-left')
    commit('left')
    done(git('checkout', '-q', 'main'))
    add('Right', '--id', 'bd-right')
    commit('right')
    done(git('checkout', '-q', 'left'))
    done(git('rebase', '-q', 'main'))
    expect(rows().map(row => row.id)).toEqual(['bd-1', 'bd-left', 'bd-right'])
  })
})

describe('the driver as a command', () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(repo, name), text)
    return name
  }
  const row = (id: string, title: string, second = 0) =>
    `{"id":"${id}","title":"${title}","status":"open","priority":2,"issue_type":"task","created_at":"2026-02-22T00:00:00Z","updated_at":"2026-02-22T00:00:0${second}Z","ephemeral":false}\n`

  test('leaves our side unchanged if a side cannot be read, and names the line', () => {
    const ours = `${row('bd-1', 'Ours')}`
    const [o, a, b] = [
      file('base', ''),
      file('ours', ours),
      file('theirs', `${row('bd-1', 'A')}<<<<<<< HEAD\n${row('bd-2', 'B')}`),
    ]
    const { status, stderr } = premath('merge-driver', o, a, b, '.premath/issues.jsonl')
    expect(status).toBe(5)
    expect(stderr).toContain('.premath/issues.jsonl (their version)')
    expect(stderr).toContain('line 2')
    expect(readFileSync(join(repo, 'ours'), 'utf8')).toBe(ours)
  })

  test('does not write over the memory itself', () => {
    const memory = join(repo, '.premath/issues.jsonl')
    const before = readFileSync(memory, 'utf8')
    const theirs = file('theirs', row('bd-9', 'Theirs'))
    const { status, stderr } = premath(
      'merge-driver',
      file('base', ''),
      '.premath/../.premath/issues.jsonl',
      theirs,
    )
    expect([status, stderr]).toEqual([2, expect.stringContaining('is the live issue memory')])
    expect(readFileSync(memory, 'utf8')).toBe(before)
  })

  test.each([
    ['its event log', '.premath/memory/events.jsonl', {}],
    ['one that the environment names', 'kept.jsonl', { PREMATH_ISSUES_PATH: 'kept.jsonl' }],
    ['one that a link leads to', '.premath/issues.jsonl', {}],
    ['one with a lock beside it', 'locked.jsonl', {}],
  ])('does not write over %s', (what, ours, env) => {
    file('kept.jsonl', row('bd-1', 'Kept'))
    file('locked.jsonl', row('bd-1', 'Kept'))
    file('locked.jsonl.lock', '')
    premath('issue', 'add', 'One')
    if (what.includes('link')) {
      renameSync(join(repo, '.premath/issues.jsonl'), join(repo, 'moved.jsonl'))
      symlinkSync('../moved.jsonl', join(repo, '.premath/issues.jsonl'))
    }
    const before = readFileSync(join(repo, ours), 'utf8')
    const words = ['merge-driver', file('base', ''), ours, file('theirs', row('bd-9', 'Theirs'))]
    const { status, stderr } = spawnSync(process.execPath, [main, ...words], {
      cwd: repo,
      env: { ...process.env, PREMATH_ROOT: '', PREMATH_ISSUES_PATH: '', ...env },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([2, expect.stringContaining('is the live issue memory')])
    expect(readFileSync(join(repo, ours), 'utf8')).toBe(before)
  })

  test('recognizes an event log by its content', () => {
    const event = (id: string, second: number) =>
      `{"schema":"issue.event.v1","event_id":"issue.upsert:${id}","issue_id":"${id}","occurred_at":"2026-02-22T00:00:0${second}Z","action":"upsert_issue","issue":${row(id, 'T').trimEnd()}}\n`
    const base = event('bd-1', 1)
    const [o, a, b] = [
      file('base', base),
      file('ours', base + event('bd-3', 3)),
      file('theirs', `${base + event('bd-2', 2)}{"schema":"issue.ev`),
    ]
    const { status, stdout, stderr } = premath('merge-driver', o, a, b, '--json')
    expect({ status, answer: JSON.parse(stdout) }).toEqual({
      status: 0,
      answer: { action: 'merge-driver', eventCount: 3, path: 'ours', result: 'merged' },
    })
    expect(stderr).toContain('ends in an incomplete line')
    expect(readFileSync(join(repo, 'ours'), 'utf8')).toBe(
      `${event('bd-1', 1) + event('bd-2', 2) + event('bd-3', 3)}# premath:merged\n`,
    )
  })

  test('warns of a cycle that the merge of both sides makes', () => {
    const edge = (id: string, to: string) =>
      row(id, 'T', 1).replace(
        '}\n',
        `,"dependencies":[{"issue_id":"${id}","depends_on_id":"${to}","type":"blocks"}]}\n`,
      )
    const [one, two] = [row('bd-1', 'T'), row('bd-2', 'T')]
    const [o, a, b] = [
      file('base', one + two),
      file('ours', edge('bd-1', 'bd-2') + two),
      file('theirs', one + edge('bd-2', 'bd-1')),
    ]
    const { status, stderr } = premath('merge-driver', o, a, b)
    expect(status).toBe(0)
    expect(stderr).toContain('edges of both sides make a cycle: bd-1 -> bd-2 -> bd-1')
  })
})

describe('the merge driver that init installs', () => {
  const gone = { node: "/gone/it's 100%/node", main: '/gone/premath/main.cjs' }

  /** Merges two branches on that path, with the driver that was installed for it. */
  function merged(path: string, installed?: typeof gone) {
    const config = installed ? mergeDriverInstall('', installed).gitConfig : []
    for (const [key, value] of config) done(git('config', key, value))
    writeFileSync(join(repo, '.gitignore'), 'node_modules\n')
    add('Login')
    commit('base')
    done(git('checkout', '-q', '-b', 'left'))
    add('Left', '--id', 'bd-left')
    commit('left')
    done(git('checkout', '-q', 'main'))
    add('Right', '--id', 'bd-right')
    commit('right')
    const { status, stderr } = run('git', ['merge', '--no-edit', 'left'], repo, path)
    return { status, stderr, ids: rows().map(row => row.id) }
  }

  const all = { status: 0, ids: ['bd-1', 'bd-left', 'bd-right'] }
  const nodeOnPath = { git: whereIs('git'), node: process.execPath }

  test('works if neither premath nor node is on the path', () => {
    expect(merged(bare)).toMatchObject(all)
  })

  test('works after Node was upgraded', () => {
    expect(merged(pathWith(nodeOnPath), { node: gone.node, main })).toMatchObject(all)
  })

  test('works with the project’s own premath when the one that installed it is gone', () => {
    mkdirSync(join(repo, 'node_modules'))
    symlinkSync(resolve('.'), join(repo, 'node_modules/premath'))
    expect(merged(pathWith(nodeOnPath), gone)).toMatchObject(all)
  })

  test('works with the premath on the path when there is no other', () => {
    // Starts Node by its first line, as npm installs it.
    const path = pathWith({ ...nodeOnPath, premath: main, env: whereIs('env') })
    expect(merged(path, gone)).toMatchObject(all)
  })

  test('leaves the merge to a person when there is none at all', () => {
    expect(merged(bare, gone)).toMatchObject({ status: 1, ids: ['bd-1', 'bd-right'] })
    expect(git('status', '--porcelain').stdout).toContain('UU .premath/issues.jsonl')
  })

  test('names the files of a project in a folder of the repository', () => {
    expect(mergeDriverInstall('my tool/', gone).gitAttributes).toEqual([
      '"my tool/.premath/issues.jsonl" merge=premath',
      '"my tool/.premath/memory/events.jsonl" merge=premath',
    ])
  })

  test('adds only the lines that are missing', () => {
    const { gitAttributes } = mergeDriverInstall('', gone)
    const once = withGitAttributes('*.png binary', gitAttributes)
    expect(once).toBe(
      '*.png binary\n.premath/issues.jsonl merge=premath\n.premath/memory/events.jsonl merge=premath\n',
    )
    expect(withGitAttributes(once, gitAttributes)).toBe(once)
  })
})
