/** Step journals that came with a cloned repository: they name no file and no process outside of it. */
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitEnv, gitIn } from './a-repository.ts'
import { runInProcess } from './in-process.ts'

let folder = ''
let clone = ''
let elsewhere = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'premath hostile ')))
  elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
})
afterEach(() => rmSync(folder, { recursive: true }))

const premath = (...args: readonly string[]) =>
  runInProcess({ args, cwd: clone, env: gitEnv, input: '' })

/** The clone of a repository whose author committed a journal. */
function cloned(named: object, { file = 'ghost.jsonl', links = {} } = {}) {
  const origin = join(folder, 'origin')
  clone = join(folder, 'clone')
  gitIn(folder, 'init', '--quiet', '--initial-branch=main', origin)
  mkdirSync(join(origin, '.premath'), { recursive: true })
  for (const [path, to] of Object.entries<string>(links)) symlinkSync(to, join(origin, path))
  const at = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '')
  const lease = {
    lease_id: 'lease1_bd-1_ghost',
    owner: 'ghost',
    acquired_at: at,
    expires_at: '2099-01-01T00:00:00Z',
    fence: 1,
  }
  const row = { id: 'bd-1', title: 'One', status: 'in_progress', assignee: 'ghost', lease }
  writeFileSync(join(origin, '.premath/issues.jsonl'), `${JSON.stringify(row)}\n`)
  const journal = {
    schema: 1,
    journalKind: 'premath.harness.step_journal.v1',
    stepId: 'ghost.bd-1.1.1',
    workerId: 'ghost',
    issueId: 'bd-1',
    leaseId: 'lease1_bd-1_ghost',
    fence: 1,
    attempt: 1,
    startedAt: at,
    sessionPath: join(clone, '.premath/harness_session.json'),
    ledgerPath: join(clone, '.premath/harness_feature_ledger.json'),
    ...named,
  }
  if (!('.premath/steps' in links)) {
    mkdirSync(join(origin, '.premath/steps'))
    writeFileSync(join(origin, '.premath/steps', file), `\n${JSON.stringify(journal)}\n`)
  }
  gitIn(origin, 'add', '--all', '--force')
  gitIn(origin, 'commit', '--quiet', '-m', 'a project')
  gitIn(folder, 'clone', '--quiet', origin, clone)
}

/** Another project's session, which a recovery would rewrite. */
function aSession(path: string): string {
  const args = ['harness-session', 'write', '--path', path, '--state', 'stopped']
  expect(premath(...args, '--summary', 'of another project').status).toBe(0)
  return readFileSync(path, 'utf8')
}

const steps = () => readdirSync(join(clone, '.premath/steps')).filter(name => /jsonl/.test(name))

test('a journal inside of the clone is recovered', () => {
  cloned({})
  const { stderr, status } = premath('harness-boot')
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('moved to') })
  expect(steps()).toEqual([])
  expect(existsSync(join(clone, '.premath/harness_feature_ledger.json'))).toBe(true)
})

const commands = [
  ['harness-boot'],
  ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -e .'],
  ['harness-stop', '--summary', 's', '--next-step', 'n'],
  ['harness-loop', 'worker', '--work-cmd', 'true', '--verify-cmd', 'test -e .', '--max-steps', '1'],
  ['run', '--work-cmd', 'true', '--verify-cmd', 'test -e .', '--max-steps', '1'],
]

test.each(commands)('%s writes nothing outside of the clone', (...command) => {
  const sessionPath = join(elsewhere, 'session.json')
  cloned({ sessionPath, ledgerPath: join(elsewhere, 'ledger.json') })
  const before = aSession(sessionPath)
  const { stdout, stderr } = premath(...command)
  expect(readFileSync(sessionPath, 'utf8')).toBe(before)
  expect(readdirSync(elsewhere).filter(name => !name.endsWith('.lock'))).toEqual(['session.json'])
  expect(stdout + stderr).toMatch(/journal .*ghost\.jsonl names .*elsewhere.*moved to/)
  expect(steps()).toEqual([expect.stringMatching(/^ghost\.jsonl\.refused-[0-9a-f]{8}$/)])
})

test.each<[string, (at: string) => object]>([
  ['only the ledger is outside', at => ({ ledgerPath: join(at, 'l.json') })],
  ['the path climbs out', () => ({ ledgerPath: `${clone}/../elsewhere/l.json` })],
  ['the path is relative', () => ({ ledgerPath: '../elsewhere/l.json' })],
  ['a link leads out', () => ({ ledgerPath: join(clone, 'out/l.json') })],
  ['the ledger lies among the files of git', () => ({ ledgerPath: join(clone, '.git/l.json') })],
  ['the ledger is the policy', () => ({ ledgerPath: join(clone, '.premath/policy.json') })],
  ['it names another worker', () => ({ workerId: 'other', stepId: 'other.bd-1.1.1' })],
])('a journal is set aside if %s', (_, named) => {
  clone = join(folder, 'clone')
  cloned(named(elsewhere), { links: { out: elsewhere } })
  const { status, stderr } = premath('harness-boot')
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/moved to/) })
  expect(readdirSync(elsewhere)).toEqual([])
  expect(existsSync(join(clone, '.git/l.json'))).toBe(false)
  expect(existsSync(join(clone, '.premath/policy.json'))).toBe(false)
  expect(steps()).toEqual([expect.stringMatching(/^ghost\.jsonl\.refused-/)])
})

test('a session elsewhere is recovered by a command that names it with its flag', () => {
  const session = join(elsewhere, 'session.json')
  cloned({ sessionPath: session, ledgerPath: join(elsewhere, 'session.ledger.json') })
  aSession(session)
  expect(premath('harness-boot', '--session', session).stderr).not.toContain('moved to')
  expect(JSON.parse(readFileSync(session, 'utf8'))).toMatchObject({ issueId: 'bd-1' })
})

test('a session in a linked worktree is recovered', () => {
  clone = join(folder, 'clone')
  const session = join(folder, 'linked/.premath/worker/harness_session.json')
  cloned({ sessionPath: session, ledgerPath: session.replace('session', 'feature_ledger') })
  gitIn(clone, 'worktree', 'add', '--quiet', '-b', 'linked', join(folder, 'linked'))
  const before = aSession(session)
  expect(premath('harness-boot').stderr).not.toContain('moved to')
  expect(readFileSync(session, 'utf8')).not.toBe(before)
})

test('a folder of journals that is a link out of the clone is refused', () => {
  cloned({}, { links: { '.premath/steps': elsewhere } })
  const { status, stderr } = premath('harness-boot')
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: expect.stringContaining('leaves the project through a symbolic link'),
  })
  expect(readdirSync(elsewhere)).toEqual([])
})

test('a group that the journal names and premath did not start goes on', async () => {
  const child = spawn('sleep', ['1000'], { detached: true })
  const ended = new Promise(settle => child.on('exit', settle))
  try {
    for (const startedAt of ['', 'now', '1', new Date().toISOString()]) {
      cloned({ group: { id: child.pid, startedAt, mark: '' } })
      premath('harness-boot')
      expect(steps()).toEqual([])
      expect(child.exitCode ?? child.signalCode).toBeNull()
      rmSync(join(folder, 'origin'), { recursive: true })
      rmSync(clone, { recursive: true })
    }
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})
