/** What a person meets in the first hour: each message names the mistake and the next command. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject, leased, open } from './a-project.ts'

const project = aProject()
const { given, premath } = project

const git = (folder: string, ...args: readonly string[]) =>
  expect(spawnSync('git', args, { cwd: folder }).status).toBe(0)

describe('a mistyped command line names the right one:', () => {
  test.each([
    ['issue', 'issue: missing subcommand', 'try: issue add,'],
    ['blocked', 'unknown command "blocked"', 'did you mean: premath issue blocked'],
    ['-v', 'unknown flag -v', 'did you mean --version?'],
    ['add Write the soup', 'unexpected "the"', 'premath add "Write the soup"'],
    ['comment bd-1 Too hot', 'unexpected "hot"', 'premath comment bd-1 "Too hot"'],
    ['run sh agent.sh', 'unexpected "sh"', "premath run --work-cmd 'sh agent.sh'"],
    ['log --issue bd-1', 'unknown flag --issue', 'premath log <issue>'],
    ['list bd-1 bd-2', 'unexpected "bd-1"', 'premath help list'],
  ])('%s', (line, message, hint) => {
    const { status, stderr } = premath(line.split(' '))
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
    expect(stderr.split('\n')[1]).toContain(hint)
  })
})

test('words for the work command keep their quotes', () => {
  expect(premath(['run', 'my-agent', 'fix $it']).stderr).toContain(
    ` --work-cmd 'my-agent '\\''fix $it'\\'''\n`,
  )
})

describe('an id in other letters is offered by', () => {
  test.each([
    ['show bd1', 1],
    ['close BD-1 --verify-cmd true', 1],
    ['claim 1 --assignee ana', 1],
    ['comment bd1 Hello', 1],
    ['dep add bd-2 bd1', 1],
    ['dep tree bd1', 1],
    ['log bd1', 1],
  ])('%s', (line, code) => {
    given(open('bd-1'), open('bd-2'))
    const { status, stderr } = premath(line.split(' '))
    expect({ status, hint: stderr.split('\n')[1] }).toEqual({
      status: code,
      hint: '  Did you mean bd-1?',
    })
  })
})

test('the first issue in a folder without a project names the new memory', () => {
  expect(premath(['add', 'One']).stdout).toBe(
    `Added bd-1: One\n  in new issue memory ${project.issues}\n`,
  )
  expect(premath(['add', 'Two']).stdout).toBe('Added bd-2: Two\n')
  // Its rows were acknowledged, so the memory is no new one.
  rmSync(project.issues)
  expect(premath(['add', 'Three']).stdout).toBe('Added bd-3: Three\n')
})

test('init in a repository below another project says so', () => {
  premath(['init'])
  const below = join(project.folder, 'other')
  mkdirSync(below)
  expect(premath(['init'], { cwd: below }).stderr).toBe('')
  git(below, 'init', '-q')
  const { status, stdout, stderr } = premath(['init'], { cwd: below })
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringContaining(`Nothing to do in ${project.folder}\n`),
  })
  expect(stderr).toContain(`${below} is a git repository below the project ${project.folder}\n`)
  expect(stderr).toContain('premath init .')
  expect(premath(['init', '.'], { cwd: below })).toMatchObject({ status: 0, stderr: '' })
})

test('init counts the issues of the earlier tool, and points at them', () => {
  mkdirSync(join(project.folder, '.beads'))
  const rows = ['One', 'Two', 'One again'].map((title, at) => ({ id: `c-${(at % 2) + 1}`, title }))
  const text = rows.map(row => `${JSON.stringify(row)}\n`).join('')
  writeFileSync(join(project.folder, '.beads/issues.jsonl'), text)
  const { stdout } = premath(['init'])
  expect(stdout).toContain('\n  2 issues copied from .beads/issues.jsonl\n  Next: premath ready\n')
})

test('land tells an unknown issue from one without work', () => {
  git(project.folder, 'init', '-q', '-b', 'main')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  git(project.folder, ...identity, 'commit', '-q', '--allow-empty', '-m', 'Start')
  given(open('bd-1'))
  const landed = (id: string) => premath(['land', id, '--verify-cmd', 'true'])
  expect(landed('bd-1').stderr).toContain('bd-1 has no work to land')
  expect(landed('bd1')).toMatchObject({
    status: 2,
    stderr: 'error: issue not found: bd1\n  Did you mean bd-1?\n',
  })
})

test('a revert of an issue that never landed asks for no command first', () => {
  git(project.folder, 'init', '-q', '-b', 'main')
  given(open('bd-1'))
  expect(premath(['land', 'revert', 'bd-1'])).toMatchObject({
    status: 1,
    stderr: `error: bd-1 is open and has not landed, so there is nothing to revert (issue_not_landed)
  premath issue show bd-1 shows its state.\n`,
  })
  expect(premath(['land', 'revert', 'bd1']).stderr).toContain('Did you mean bd-1?')
})

test('starts in a broken environment do not limit the workers of the next run', () => {
  const by = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.c' }
  const env = { ...by, GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.c' }
  git(project.folder, 'init', '-q', '-b', 'main')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  git(project.folder, ...identity, 'commit', '-q', '--allow-empty', '-m', 'Start')
  given(open('bd-1'), open('bd-2'))
  const run = (work: string) =>
    premath(['run', '--work-cmd', work, '--verify-cmd', 'test -f done', '--no-baseline'], {
      env,
      isSpawned: true,
    })
  // Four failed steps, and three are enough for a verdict.
  expect(run('sh agent.sh').status).toBe(3)
  expect(run('sh agent.sh').status).toBe(3)
  expect(project.done('harness-kpi')).toMatchObject({
    counts: { windowRows: 0 },
    decision: { state: 'insufficient_data' },
  })
  expect(run('echo "$PREMATH_ISSUE_ID" > "$PREMATH_ISSUE_ID"; : > done')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('2 closed, 0 failed'),
  })
})

test('the command that uninit names releases the lease', () => {
  given(leased('bd-1', 'ana', 600))
  const { status, stderr } = premath(['uninit', '--yes'])
  expect(status).toBe(4)
  const [, command = ''] = stderr.match(/release it: premath (.*)\.\n/) ?? []
  expect(premath(command.split(' '))).toMatchObject({ status: 0 })
  expect(premath(['uninit', '--yes'])).toMatchObject({ status: 0 })
})

test('a claim without a name takes the one that a comment takes', () => {
  given(open('bd-1'), open('bd-2'), open('bd-3'))
  const claimed = (id: string, env: Readonly<Record<string, string>>) =>
    project.asked(['claim', id], { env: { USER: 'ana', PREMATH_OPERATOR: '', ...env } }).json.issue
  expect(claimed('bd-1', {})).toMatchObject({ assignee: 'ana', lease: { owner: 'ana' } })
  expect(claimed('bd-2', { PREMATH_OPERATOR: 'ops' }).assignee).toBe('ops')
})

test('a priority beyond the scale is refused, and one that a row has stays', () => {
  given(open('bd-1', { priority: 9 }))
  for (const args of [
    ['add', 'Two'],
    ['issue', 'update', 'bd-1'],
    ['issue', 'discover', 'bd-1', 'x'],
  ]) {
    expect(premath([...args, '--priority', '5'])).toMatchObject({
      status: 1,
      stderr: `error: priority cannot be 5 (issue_priority_invalid)
  Priority is a whole number from 0 (most urgent) to 4; 2 is the default.\n`,
    })
  }
  expect(premath(['add', 'Two', '--priority', '4'])).toMatchObject({ status: 0 })
  expect(premath(['add', 'Three', '--priority', '0'])).toMatchObject({ status: 0 })
  expect(project.done('issue', 'update', 'bd-1', '--title', 'One').issue.priority).toBe(9)
  expect(project.done('issue', 'ready').items.map(({ id }: { id: string }) => id)).toEqual([
    'bd-3',
    'bd-2',
    'bd-1',
  ])
})

test('reopen of an open issue says so, and writes nothing', () => {
  given(open('bd-1', { title: 'Login' }))
  project.done('issue', 'update', 'bd-1', '--notes', 'n')
  const before = readFileSync(project.issues, 'utf8')
  expect(premath(['reopen', 'bd-1'])).toMatchObject({
    status: 0,
    stdout: 'bd-1 is open already: Login\n',
  })
  expect(project.done('reopen', 'bd-1').issue.status).toBe('open')
  expect(readFileSync(project.issues, 'utf8')).toBe(before)
  project.done('issue', 'update', 'bd-1', '--status', 'blocked')
  expect(premath(['reopen', 'bd-1']).stdout).toBe('Updated bd-1 (open): Login\n')
})

test.each(['get work', 'list', 'get'])(
  'config %s leads to the command that changes nothing',
  words => {
    expect(premath(['config', ...words.split(' ')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('did you mean: premath config show\n'),
    })
  },
)

test('verify of an issue points to the verification of its proof', () => {
  given(open('bd-1'))
  expect(premath(['verify', 'bd-1'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `error: bd-1 is an issue, and premath verify takes paths of specs
  To verify the proof of the issue: premath witness verify bd-1\n`,
  })
  expect(premath(['verify', 'bd-9']).stderr).toContain('bd-9: no such file or folder')
  mkdirSync(join(project.folder, 'bd-1'))
  expect(premath(['verify', 'bd-1']).stderr).not.toContain('is an issue')
})

test('a claim of an issue that waits for another says so', () => {
  premath(['add', 'One'])
  premath(['add', 'Two'])
  premath(['dep', 'add', 'bd-2', 'bd-1'])
  const claim = ['claim', 'bd-2', '--assignee', 'ana']
  const { status, stdout } = premath(claim)
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('Claimed bd-2') })
  expect(stdout).toContain('\n  note: bd-2 waits for bd-1\n  Close bd-1 first, or ')
  expect(project.done(...claim).blockers).toEqual([
    expect.objectContaining({ blockerStatus: 'open', dependsOnId: 'bd-1', issueId: 'bd-2' }),
  ])
  const [, command = ''] = stdout.match(/premath (dep remove .*)\n/) ?? []
  expect(premath(command.split(' '))).toMatchObject({ status: 0, stderr: '' })
  expect(premath(claim).stdout).not.toContain('waits for')
  expect(project.done(...claim)).not.toHaveProperty('blockers')
})
