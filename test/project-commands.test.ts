/** Setting up a project and looking after it, by the built command. `npm test` builds first. */

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { nodeDisk } from '../src/world/node-disk.ts'
import { aProject, leased, open } from './a-project.ts'

const project = aProject()
const { asked, done, given, premath } = project

describe('init', () => {
  test('begins no project inside of another one’s .premath', () => {
    done('init')
    for (const folder of ['.premath', '.premath/deep/er']) {
      const { status, stderr } = premath(['init', folder])
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('lies inside a .premath folder'),
      ])
    }
    expect(premath(['init'], { cwd: join(project.folder, '.premath') }).status).toBe(0)
    expect(existsSync(join(project.folder, '.premath/.premath'))).toBe(false)
  })

  test('makes a project, reports it, and does nothing the second time', () => {
    const created = {
      attributesFile: true,
      configFile: true,
      ignoreFile: true,
      issuesFile: true,
      policyFile: true,
    }
    const first = done('init')
    expect(first).toEqual({
      action: 'init',
      configPath: join(project.folder, '.premath/config.json'),
      created: { ...created, premathDir: true, repoRoot: false },
      ids: 'counted',
      issuesPath: project.issues,
      migratedFromLegacy: null,
      policyPath: join(project.folder, '.premath/policy.json'),
      premathDir: join(project.folder, '.premath'),
      repoRoot: project.folder,
    })
    expect(readdirSync(project.folder)).toEqual(['.premath'])
    const files = () =>
      ['issues.jsonl', 'policy.json', 'config.json', '.gitignore'].map(name =>
        readFileSync(join(project.folder, '.premath', name), 'utf8'),
      )
    const before = files()
    expect(done('init').created).toEqual({
      attributesFile: false,
      configFile: false,
      ignoreFile: false,
      issuesFile: false,
      policyFile: false,
      premathDir: false,
      repoRoot: false,
    })
    expect(files()).toEqual(before)
    expect(premath(['init']).stdout).toContain('there already')
    expect(done('issue', 'list').count).toBe(0)
  })

  test('lists the created files in text', () => {
    const { status, stdout } = premath(['init', 'new project'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Set up .*new project\n {2}\.premath\/issues\.jsonl +made\n/)
    expect(existsSync(join(project.folder, 'new project/.premath/issues.jsonl'))).toBe(true)
  })

  test('below a project sets up that project, and with a folder that folder', () => {
    done('init')
    const below = join(project.folder, 'a/b')
    mkdirSync(below, { recursive: true })
    expect(asked(['init'], { cwd: below }).json.repoRoot).toBe(project.folder)
    expect(asked(['init', '.'], { cwd: below }).json.repoRoot).toBe(below)
  })

  test('copies the issues of an earlier tool, byte for byte, once', () => {
    mkdirSync(join(project.folder, '.beads'))
    const legacy = '# theirs\n{"title":"x","id":"bd-7","kept":1}\n'
    writeFileSync(join(project.folder, '.beads/issues.jsonl'), legacy)
    expect(done('init').migratedFromLegacy).toBe(join(project.folder, '.beads/issues.jsonl'))
    expect(readFileSync(project.issues, 'utf8')).toBe(legacy)
    done('issue', 'add', 'Another')
    expect(done('init').migratedFromLegacy).toBeNull()
    expect(done('issue', 'list').count).toBe(2)
  })

  test.each([
    ['counted', 'api-1'],
    ['hash', /^api-[a-z0-9]{4,}$/],
  ] as const)('goes on with the prefix and the types of what it copied, ids %s', (ids, next) => {
    mkdirSync(join(project.folder, '.beads'))
    const rows = [
      { id: 'api-12', title: 'One', issue_type: 'Decision' },
      { id: 'api-a3f', title: 'Two', issue_type: 'BUG' },
    ]
    const legacy = rows.map(row => `${JSON.stringify(row)}\n`).join('')
    writeFileSync(join(project.folder, '.beads/issues.jsonl'), legacy)
    done('init', '--ids', ids)
    expect(done('issue', 'add', 'Three').issue.id).toMatch(next)
    done('issue', 'update', 'api-12', '--title', 'Changed')
    const types = ['api-12', 'api-a3f'].map(id => done('issue', 'show', id).issue.issueType)
    expect(types).toEqual(['Decision', 'bug'])
    expect(premath(['show', 'api-12']).stdout).toMatch(/type +Decision\n/)
    // As soon as the ids differ, new ones have the usual prefix.
    done('issue', 'add', 'Four', '--id', 'web-1')
    expect(done('issue', 'add', 'Five').issue.id).toMatch(/^bd-/)
  })

  test('refuses to copy a corrupt memory, and creates nothing', () => {
    mkdirSync(join(project.folder, '.beads'))
    writeFileSync(
      join(project.folder, '.beads/issues.jsonl'),
      '{"id":"a","title":"x","issue_type":1}\n',
    )
    const { status, stderr } = asked(['init'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/line 1: issue_type must be a word\n {2}Nothing was made\./)
    expect(readdirSync(project.folder)).toEqual(['.beads'])
  })

  test('with --ids hash names issues so that clones do not clash, also later', () => {
    done('init')
    expect(done('issue', 'add', 'x').issue.id).toBe('bd-1')
    expect(done('init', '--ids', 'hash')).toMatchObject({
      ids: 'hash',
      created: { policyFile: false },
    })
    expect(done('issue', 'add', 'x').issue.id).toMatch(/^bd-[a-z0-9]{4,}$/)
    expect(done('init').ids).toBe('hash')
    expect(asked(['init', '--ids', 'random']).status).toBe(2)
  })

  test('keeps the other members of the policy, and does not replace a corrupt one', () => {
    done('init')
    const path = join(project.folder, '.premath/policy.json')
    const policy = JSON.parse(readFileSync(path, 'utf8'))
    const more = { harness: { requireAgentEvidence: true } }
    writeFileSync(path, JSON.stringify({ ...policy, ...more }))
    done('init', '--ids', 'hash')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...policy, ids: 'hash', ...more })
    for (const untrusted of ['{', JSON.stringify({ ...policy, theirs: [1] })]) {
      writeFileSync(path, untrusted)
      expect(asked(['init', '--ids', 'counted']).status).toBe(5)
      expect(readFileSync(path, 'utf8')).toBe(untrusted)
    }
  })

  test('installs the merge driver on request, once', () => {
    const git = (...args: readonly string[]) =>
      spawnSync('git', args, { cwd: project.folder, encoding: 'utf8' }).stdout.trim()
    expect(asked(['init', '--merge-driver']).json.error.message).toContain(
      'not in a git repository',
    )
    expect(readdirSync(project.folder)).toEqual([])
    git('init')
    writeFileSync(join(project.folder, '.gitattributes'), '*.png binary')
    const config = join(project.folder, '.git/config')
    const before = readFileSync(config, 'utf8')
    mkdirSync(join(project.folder, 'part'))
    const init = ['init', 'part', '--merge-driver']
    expect(done(...init).created).toMatchObject({ gitAttributes: true, gitConfig: true })
    expect(git('config', 'merge.premath.driver')).toMatch(/ merge-driver %O %A %B %P$/)
    expect(git('check-attr', 'merge', 'part/.premath/issues.jsonl')).toMatch(/merge: premath$/)
    expect(git('check-attr', 'binary', 'x.png')).toMatch(/binary: set$/)
    const after = readFileSync(config, 'utf8')
    expect(after.startsWith(before)).toBe(true)
    expect(done(...init).created).toMatchObject({ gitAttributes: false, gitConfig: false })
    expect(premath(init).stdout).toMatch(/\.git\/config +there already/)
    expect(readFileSync(config, 'utf8')).toBe(after)
    // One that points to where premath was is followed by one that counts; a person's own stays.
    writeFileSync(config, after.replace(/(?<=driver = ).*/, '"premath merge-driver %O %A %B %P"'))
    expect(done(...init).created).toMatchObject({ gitConfig: true })
    expect(git('config', 'merge.premath.driver')).toContain(process.execPath)
    expect(done(...init).created).toMatchObject({ gitConfig: false })
    const theirs = `${before}[merge "premath"]\n\tdriver = sh my-own merge-driver %O %A %B\n`
    writeFileSync(config, theirs)
    expect(done(...init).created).toMatchObject({ gitConfig: false })
    expect(readFileSync(config, 'utf8')).toBe(theirs)
  })

  test('keeps derived files out of the repository', () => {
    const git = (...args: readonly string[]) =>
      spawnSync('git', args, { cwd: project.folder, encoding: 'utf8' }).stdout
    git('init')
    done('init')
    done('issue', 'add', 'x')
    done('issue', 'replay-events')
    const files = [
      '.gitattributes',
      '.gitignore',
      'config.json',
      'issues.jsonl',
      'memory/events.jsonl',
      'policy.json',
    ]
    expect(git('status', '--porcelain', '-uall').trimEnd().split('\n')).toEqual(
      files.map(name => `?? .premath/${name}`),
    )
  })

  describe('lets git ignore the records of runs:', () => {
    const records = [
      'harness_session.json',
      'harness_feature_ledger.json',
      'harness_trajectory.jsonl',
      'harness_attention.jsonl',
    ]
    const ignoreFile = () => join(project.folder, '.premath/.gitignore')
    const git = (...args: readonly string[]) =>
      spawnSync('git', args, { cwd: project.folder, encoding: 'utf8' }).stdout
    const untracked = () => git('ls-files', '--others', '--exclude-standard').split('\n')
    const writeRecords = () => {
      mkdirSync(join(project.folder, '.premath'), { recursive: true })
      for (const name of records) writeFileSync(join(project.folder, '.premath', name), '')
      return records.map(name => `.premath/${name}`)
    }

    test('in a new project', () => {
      git('init')
      done('init')
      writeRecords()
      expect(untracked().filter(path => path.includes('harness_'))).toEqual([])
    })

    test('in an older project, beside the lines of others', () => {
      git('init')
      const paths = writeRecords()
      writeFileSync(ignoreFile(), 'mine\n!harness_attention.jsonl')
      expect(untracked()).toEqual(expect.arrayContaining(paths))
      expect(premath(['init']).stdout).toMatch(/\.premath\/\.gitignore +changed\n/)
      expect(readFileSync(ignoreFile(), 'utf8')).toMatch(/^mine\n!harness_attention\.jsonl\n#.*\n/)
      expect(untracked().filter(path => path.includes('harness_'))).toEqual([
        '.premath/harness_attention.jsonl',
      ])
      expect(premath(['init']).stdout).toContain('Nothing to do in')
    })

    test('but not where git tracks one of them', () => {
      git('init')
      const [session = '', ...others] = writeRecords()
      git('add', session)
      done('init')
      expect(untracked()).toEqual(expect.arrayContaining(others))
      expect(premath(['init']).stdout).toContain('Nothing to do in')
    })
  })

  test('in a linked worktree sets up the main one', () => {
    const git = (...args: readonly string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: project.folder,
      })
    git('init')
    git('commit', '--allow-empty', '-m', 'first')
    git('worktree', 'add', '../linked')
    const linked = join(project.folders, 'linked')
    const { json } = asked(['init', '--merge-driver'], { cwd: linked })
    expect(json.repoRoot).toBe(project.folder)
    expect(asked(['issue', 'add', 'x'], { cwd: linked }).status).toBe(0)
    expect(done('issue', 'list').count).toBe(1)
    expect(existsSync(join(linked, '.premath'))).toBe(false)
    // Its configuration is the main one's, whichever folder is named.
    const own = asked(['init', '.', '--merge-driver'], { cwd: linked }).json
    expect(own).toMatchObject({ repoRoot: linked, created: { gitConfig: false } })
  })

  test.each([
    ['.premath is a file', () => writeFileSync(join(project.folder, '.premath'), ''), 2],
    ['issues.jsonl is a folder', () => mkdirSync(project.issues, { recursive: true }), 2],
    [
      '.premath is a link that leaves the project',
      () => {
        mkdirSync(join(project.folders, 'elsewhere'), { recursive: true })
        symlinkSync(join(project.folders, 'elsewhere'), join(project.folder, '.premath'))
      },
      3,
    ],
    [
      'issues.jsonl is a link that leaves the project',
      () => {
        const elsewhere = join(project.folders, 'issues of others')
        writeFileSync(elsewhere, '')
        mkdirSync(dirname(project.issues))
        symlinkSync(elsewhere, project.issues)
      },
      3,
    ],
  ])('stops if %s', (_, prepare, exitCode) => {
    prepare()
    const { status, json } = asked(['init', '.'])
    expect(status).toBe(exitCode)
    expect(json.error.hint).toMatch(/\w/)
    if (existsSync(join(project.folders, 'elsewhere'))) {
      expect(readdirSync(join(project.folders, 'elsewhere'))).toEqual([])
    }
  })
})

describe('doctor', () => {
  const found = (json: { findings: { check: string; what: string }[] }) =>
    json.findings.map(({ check }) => check)

  test('finds nothing in a healthy project', () => {
    done('init')
    done('issue', 'add', 'x')
    expect(done('doctor')).toMatchObject({ action: 'doctor', findings: [], result: 'accepted' })
    expect(premath(['doctor']).stdout).toMatch(/^ok {5}policy\n(ok .*\n)+$/)
  })

  test('names premath init without a project', () => {
    const { status, json } = asked(['doctor'])
    expect([status, found(json)]).toEqual([1, ['memory']])
    expect(json.findings[0].next).toContain('premath init')
    expect(readdirSync(project.folder)).toEqual([])
  })

  test('reports for each finding the problem, its effect and a remedy', () => {
    const edge = (from: string, to: string, type: string) => ({
      issue_id: from,
      depends_on_id: to,
      type,
    })
    given(
      open('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'blocks')] }),
      open('bd-2', { dependencies: [edge('bd-2', 'bd-1', 'blocks')] }),
      open('bd-3', { dependencies: [edge('bd-3', 'nowhere', 'related')] }),
      leased('bd-4', 'gone', -60),
      leased('bd-5', 'busy', 600, { status: 'open' }),
      open('bd-6', { metadata: { premathFence: -1 } }),
    )
    const { status, json } = asked(['doctor'])
    expect(status).toBe(1)
    expect(json).toMatchObject({
      result: 'rejected',
      summary: { attentionCount: 5, fixedCount: 0 },
    })
    expect(json.findings).toEqual(
      ['cycles', 'dangling', 'fences', 'leases', 'leases'].map(check => ({
        check,
        exitCode: 1,
        fixed: false,
        next: expect.stringMatching(/\.$/),
        what: expect.stringMatching(/bd-\d/),
        why: expect.stringMatching(/\.$/),
      })),
    )
    expect(json.findings[0].what).toContain('bd-1 -> bd-2 -> bd-1')
    expect(json.findings[1].next).toContain('premath dep remove bd-3 nowhere --type related')
    const { stdout } = premath(['doctor'], { env: { COLUMNS: '60' } })
    // The line of a remedy is whole, because its commands are copied.
    const wrapped = stdout.split('\n').filter(line => !line.includes('→'))
    expect(Math.max(...wrapped.map(line => line.length))).toBeLessThanOrEqual(70)
    expect(stdout).toContain('premath dep remove bd-3 nowhere --type related')
  })

  test('with --fix sets a torn tail aside, and removes leftovers of a crash', () => {
    given(open('bd-1'))
    const whole = readFileSync(project.issues, 'utf8')
    writeFileSync(project.issues, `${whole}{"id":"bd-2","ti`)
    writeFileSync(`${project.issues}.tmp.4711.0`, 'half')
    const first = asked(['doctor'])
    expect([first.status, found(first.json)]).toEqual([1, ['torn', 'drafts']])
    const second = asked(['doctor', '--fix'])
    expect([second.status, second.json.summary.fixedCount]).toEqual([0, 2])
    expect(readFileSync(project.issues, 'utf8')).toBe(whole)
    const kept = readdirSync(dirname(project.issues)).filter(name => name.includes('torn'))
    expect(kept.map(name => readFileSync(join(dirname(project.issues), name), 'utf8'))).toEqual([
      '{"id":"bd-2","ti',
    ])
    expect(existsSync(`${project.issues}.tmp.4711.0`)).toBe(false)
    expect(done('doctor').findings).toEqual([])
  })

  test('removes leftovers of witnesses, but no file that may still be written', () => {
    given(open('bd-1'))
    const folder = join(project.folder, 'artifacts/ciwitness/verify')
    const [left, fresh, other] = ['a.json.tmp.4711.0', 'b.json.tmp.4712.3', 'notes.tmp.1.1']
    mkdirSync(folder, { recursive: true })
    for (const name of [left, fresh, other]) writeFileSync(join(folder, name), 'half')
    const old = Date.now() / 1000 - 61
    for (const name of [left, other]) utimesSync(join(folder, name), old, old)
    expect(done('doctor').findings).toEqual([])
    const { status, json } = asked(['doctor', '--fix'])
    expect([status, found(json)]).toEqual([0, ['drafts']])
    expect(json.findings[0].what).toContain(left)
    expect(readdirSync(folder).sort()).toEqual([fresh, other])
  })

  test('with --fix removes drafts whose writer is gone', () => {
    given(open('bd-1'))
    done('harness-session', 'write', '--state', 'active', '--issue-id', 'bd-1')
    const beside = (name: string) => join(project.folder, '.premath', name)
    const worker = join(project.folder, '.premath/worktrees/w1/.premath/worker')
    mkdirSync(worker, { recursive: true })
    const old = [
      beside('harness_session.json.tmp.7120.0'),
      beside('policy.json.tmp.7121.2'),
      join(worker, 'harness_feature_ledger.json.tmp.7122.0'),
    ]
    const others = [
      beside('checks.json.tmp.7123.0'),
      beside('notes.txt.tmp.7124.0'),
      beside('harness_session.json.tmp.mine'),
    ]
    for (const path of [...old, ...others]) writeFileSync(path, 'half')
    const long = Date.now() / 1000 - 61
    for (const path of [...old, ...others.slice(1)]) utimesSync(path, long, long)
    const drafts = (json: { findings: readonly { check: string; what: string }[] }) =>
      json.findings.flatMap(({ check, what }) =>
        check === 'drafts' ? [what.split(' was left')[0]] : [],
      )
    // A killed loop leaves drafts, which are no finding without --fix.
    expect(drafts(asked(['doctor']).json)).toEqual([])
    expect(drafts(asked(['doctor', '--fix']).json)).toEqual(old)
    expect(drafts(asked(['doctor']).json)).toEqual([])
    expect([...old, ...others].filter(path => existsSync(path))).toEqual(others)
  })

  test('leaves files behind a link unchanged', () => {
    given(open('bd-1'))
    const elsewhere = join(project.folders, 'elsewhere')
    mkdirSync(join(elsewhere, 'ciwitness'), { recursive: true })
    const draft = join(elsewhere, 'ciwitness/a.json.tmp.4711.0')
    writeFileSync(draft, 'half')
    utimesSync(draft, 1, 1)
    symlinkSync(elsewhere, join(project.folder, 'artifacts'))
    const worker = join(elsewhere, 'w1/.premath/worker')
    const document = join(worker, 'harness_session.json.tmp.4711.0')
    mkdirSync(worker, { recursive: true })
    writeFileSync(document, 'half')
    utimesSync(document, 1, 1)
    symlinkSync(elsewhere, join(project.folder, '.premath/worktrees'))
    asked(['doctor', '--fix'])
    expect([draft, document].every(path => existsSync(path))).toBe(true)
  })

  test('lists every bad line, and leaves the bytes alone', () => {
    given(open('bd-1'))
    const content = Buffer.concat([
      Buffer.from('{"id":"bd-1","title":"x"}\n\0\n'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('# kept\n{"id":7}\n'),
    ])
    writeFileSync(project.issues, content)
    const { status, json } = asked(['doctor', '--fix'])
    expect(status).toBe(5)
    expect(json.findings.map(({ what }: { what: string }) => what)).toEqual([
      'line 2: holds a NUL byte',
      'line 3: is not UTF-8',
      expect.stringMatching(/^line 5: /),
    ])
    expect(json.summary.checked).not.toContain('leases')
    expect(readFileSync(project.issues)).toEqual(content)
    expect(premath(['doctor']).stdout).toContain('leases: could not be checked')
  })

  test('trusts the rows, whatever the state of the cache', () => {
    done('init')
    given(...Array.from({ length: 400 }, (_, at) => open(`bd-${at}`, { notes: 'n'.repeat(500) })))
    expect(done('issue', 'ready').count).toBe(400)
    const cache = join(project.folder, '.premath/cache')
    const files = readdirSync(cache)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) writeFileSync(join(cache, file), 'nonsense')
    expect(done('doctor').findings).toEqual([])
    expect(done('issue', 'ready').count).toBe(400)
  })

  test('reports a corrupt policy', () => {
    done('init')
    writeFileSync(join(project.folder, '.premath/policy.json'), '[]')
    const { status, json } = asked(['doctor'])
    expect([status, found(json)]).toEqual([5, ['policy']])
  })

  test('reports files that are not writable', () => {
    done('init')
    // To the one user who may do everything, nothing is read-only: somebody else has to look.
    const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    for (const folder of [project.folders, project.folder]) chmodSync(folder, 0o755)
    // The user who looks has a record of acknowledged rows of its own.
    const env = { XDG_STATE_HOME: join(project.folders, 'their-state') }
    mkdirSync(env.XDG_STATE_HOME)
    chmodSync(env.XDG_STATE_HOME, 0o777)
    const look = () => {
      const { status, json } = asked(['doctor'], { ...somebody, env })
      expect(status).toBe(json.findings.length > 0 ? 3 : 0)
      return found(json)
    }
    chmodSync(project.issues, 0o666)
    chmodSync(dirname(project.issues), 0o555)
    chmodSync(`${project.issues}.lock`, 0o444)
    expect(look()).toEqual(['permissions'])
    rmSync(`${project.issues}.lock`)
    expect(look()).toEqual(['permissions'])
    writeFileSync(`${project.issues}.lock`, '')
    chmodSync(`${project.issues}.lock`, 0o666)
    chmodSync(project.issues, 0o444)
    expect(look()).toEqual(['permissions'])
    chmodSync(project.issues, 0o000)
    expect(new Set(look())).toEqual(new Set(['permissions']))
    chmodSync(project.issues, 0o666)
    expect(look()).toEqual([])
    chmodSync(dirname(project.issues), 0o755)
  })

  test('exits 4 while somebody holds the lock, and does not suggest to remove its file', async () => {
    done('init')
    const lock = await nodeDisk.lock(`${project.issues}.lock`, 0)
    const { status, json } = asked(['doctor'])
    if (lock.held) await lock.release()
    expect([status, found(json)]).toEqual([4, ['lock']])
    expect(json.findings[0].next).toContain('Do not delete the file')
    expect(done('doctor').findings).toEqual([])
  })

  test('reports a worktree that git does not know', () => {
    done('init')
    spawnSync('git', ['init'], { cwd: project.folder })
    const stray = join(project.folder, '.premath/worktrees/w')
    mkdirSync(stray, { recursive: true })
    const { status, json } = asked(['doctor'])
    expect([status, found(json)]).toEqual([1, ['worktrees']])
    expect(json.findings[0].what).toContain(stray)
    rmSync(stray, { recursive: true })
    expect(done('doctor').findings).toEqual([])
  })

  test('exits with the code of the worst finding', () => {
    given(open('bd-1', { dependencies: [] }), leased('bd-2', 'gone', -60))
    expect(asked(['doctor']).status).toBe(1)
    writeFileSync(project.issues, '{"id":7}\n')
    writeFileSync(`${project.issues}.tmp.4711.0`, 'half')
    const { status, json } = asked(['doctor'])
    const codes = json.findings.map((one: { exitCode: number }) => one.exitCode)
    expect([status, found(json), codes]).toEqual([5, ['rows', 'drafts'], [5, 1]])
  })

  test('creates no file', () => {
    writeFileSync(join(project.folder, 'own.jsonl'), '{"id":"bd-1","title":"x"}\n')
    mkdirSync(join(project.folder, 'folder'))
    expect(done('doctor', '--issues', 'own.jsonl').summary.checked).toContain('lock')
    expect(asked(['doctor', '--issues', 'folder']).status).toBe(3)
    expect(readdirSync(project.folder)).toEqual(['folder', 'own.jsonl'])
  })

  describe('the event log', () => {
    const log = () => join(dirname(project.issues), 'memory/events.jsonl')
    const lines = () => readFileSync(log(), 'utf8').split('\n').slice(0, -1)
    const write = (...texts: readonly string[]) => writeFileSync(log(), `${texts.join('\n')}\n`)

    beforeEach(() => {
      done('init')
      for (const title of ['one', 'two', 'three']) done('issue', 'add', title)
      done('dep', 'add', 'bd-2', 'bd-1')
      expect(done('doctor').summary.checked).toContain('events')
    })

    test('that is behind is harmless, and --fix completes it', () => {
      const whole = lines()
      for (const cut of [
        () => write(...whole.slice(0, -1)),
        () => write(...whole.slice(0, 1)),
        () => write(...whole.slice(0, 1), '# premath:merged'),
        () => writeFileSync(log(), ''),
      ]) {
        cut()
        expect(done('doctor').findings).toEqual([])
        const [fixed] = done('doctor', '--fix').findings
        expect(fixed).toMatchObject({ what: expect.stringContaining('is behind the rows') })
        expect(done('doctor', '--fix').findings).toEqual([])
        expect(done('issue', 'replay-events').equivalentToExisting).toBe(true)
      }
    })

    test.each([
      ['only', () => lines()],
      ['after a merge', () => [...lines().slice(0, 1), '# premath:merged']],
    ])('with an event that was not written to its end, %s, is a finding', (_, whole) => {
      writeFileSync(log(), `${whole().join('\n')}\n{"schema":"iss`)
      const { status, json } = asked(['doctor'])
      expect([status, found(json)]).toEqual([1, ['events']])
      expect(json.findings[0].what).toContain('is behind the rows')
      expect(done('doctor', '--fix').summary.fixedCount).toBe(1)
      expect(done('doctor').findings).toEqual([])
      expect(done('issue', 'replay-events').equivalentToExisting).toBe(true)
    })

    test.each([
      [
        'that cannot be read',
        'line 2',
        () => write(lines()[0] ?? '', 'nonsense', ...lines().slice(1)),
      ],
      [
        'that tells of edges between issues it does not have',
        'unresolved dependency',
        () => write(...lines().filter(line => !/upsert_issue.*"id":"bd-1"/.test(line))),
      ],
      [
        'that tells something else',
        'replays to another memory',
        () => write(...lines().map(line => line.replace('"title":"three"', '"title":"3"'))),
      ],
      [
        'of rows that are gone',
        'replays to another memory',
        () => {
          writeFileSync(project.issues, '')
          project.forgetAcknowledged()
        },
      ],
    ])('%s is an integrity failure, and left unchanged', (_, what, spoil) => {
      spoil()
      const [before, rows] = [lines(), readFileSync(project.issues, 'utf8')]
      const { status, json } = asked(['doctor', '--fix'])
      expect([status, found(json)]).toEqual([5, ['events']])
      expect(json.findings[0]).toMatchObject({
        what: expect.stringContaining(what),
        next: expect.stringContaining('premath issue migrate-events'),
      })
      expect([lines(), readFileSync(project.issues, 'utf8')]).toEqual([before, rows])
      expect(asked(['issue', 'migrate-events']).status).toBe(0)
      expect(done('doctor').findings).toEqual([])
    })
  })
})
