/** `premath status`, `premath log` and `premath verify`, on real files and git. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { aProject, at, leased, open } from './a-project.ts'
import { describeWithGit, gitIn } from './a-repository.ts'

const project = aProject()
const { asked, done, given, premath } = project
const inProject = (path: string) => join(project.folder, path)

interface Step {
  readonly issueId?: string
  readonly resultClass: string
  readonly finishedAt: string
  readonly [member: string]: unknown
}

function steps(...rows: readonly Step[]): void {
  const lines = rows.map((row, number) => ({
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `s${number}`,
    action: 'harness.step',
    ...row,
  }))
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(inProject('.premath/harness_trajectory.jsonl'), text)
}

function reports(...rows: readonly object[]): void {
  const lines = rows.map(row => ({
    schema: 1,
    attentionKind: 'premath.harness.attention.v1',
    at: at(-3600),
    runId: 'run-2',
    about: 'worker_quiet',
    message: 'm',
    next: 'n',
    ...row,
  }))
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  appendFileSync(inProject('.premath/harness_attention.jsonl'), text)
}

describe('premath status', () => {
  test('says who works on what, and for how long', () => {
    given(leased('bd-1', 'ann', 600), leased('bd-2', 'bob', -7200, { title: 'Left' }), open('bd-3'))
    const { stdout, status } = premath(['status'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Working\nissue +worker +for +lease +title\n/)
    expect(stdout).toMatch(/\nbd-1 +ann +1 h +(9|10) min left +Issue bd-1\n/)
    expect(stdout).toMatch(/\nbd-2 +bob +1 h +expired 2 h ago +Left\n/)
    expect(stdout).toContain('- bd-2 "Left": the lease of bob expired\n')
    expect(stdout).toMatch(/\n\n1 ready, 2 in progress, 0 blocked, 0 closed\n$/)
    expect(stdout).not.toContain('To land')
  })

  test('says what blocks an issue, with the class of its last failure', () => {
    given(open('bd-1', { status: 'blocked' }), open('bd-2', { status: 'blocked' }))
    steps(
      { issueId: 'bd-1', resultClass: 'command_timeout', finishedAt: '2026-02-22T00:00:00Z' },
      {
        issueId: 'bd-1',
        resultClass: 'check_failed',
        finishedAt: '2026-02-22T00:01:00Z',
        failureClasses: ['check_failed'],
        summary: 'two tests fail',
      },
    )
    expect(done('status')).toMatchObject({
      working: [],
      landing: null,
      attention: [
        {
          about: 'issue_blocked',
          issueId: 'bd-1',
          message: 'blocked after check_failed: two tests fail',
          failureClasses: ['check_failed'],
        },
        { about: 'issue_blocked', issueId: 'bd-2', message: 'marked as blocked' },
      ],
      counts: { total: 2, ready: 0, blocked: 2 },
    })
  })

  test('lists the reports of the last run alone, newest first', () => {
    given(open('bd-1'))
    reports({ runId: 'run-1', message: 'of an earlier run' }, { message: 'first', workerId: 'w' })
    appendFileSync(inProject('.premath/harness_attention.jsonl'), 'no row\n{"schema":1}\n')
    reports({ message: 'second' })
    appendFileSync(inProject('.premath/harness_attention.jsonl'), '{"schema":1,"torn')
    const { stdout } = premath(['status'])
    expect(stdout).toBe(
      'Needs attention\n- second (1 h ago)\n  → n\n- first (1 h ago)\n  → n\n\n' +
        '1 ready, 0 in progress, 0 blocked, 0 closed\n',
    )
  })

  test('reads the end of a long list of reports', () => {
    given(open('bd-1'))
    const long = 'x'.repeat(10_000)
    reports(...Array.from({ length: 20 }, (_, number) => ({ message: `${number} ${long}` })))
    const { attention } = done('status')
    expect(attention.length).toBeGreaterThan(1)
    expect(attention.length).toBeLessThan(20)
    expect(attention[0].message).toMatch(/^19 /)
    const { stdout } = premath(['status'])
    expect(stdout).not.toContain('more: premath')
  })

  test('shows ten entries, and says how many more there are', () => {
    given(...Array.from({ length: 12 }, (_, number) => open(`bd-${number}`, { status: 'blocked' })))
    const { stdout } = premath(['status'])
    expect(stdout.match(/^- bd-/gm)).toHaveLength(10)
    expect(stdout).toContain('and 2 more: premath status --json\n')
    expect(done('status').attention).toHaveLength(12)
  })

  test('says what to do next in an empty project', () => {
    given()
    expect(premath(['status'])).toMatchObject({
      status: 0,
      stdout: 'No issues yet. Next: premath add <title>\n',
    })
    expect(done('status')).toMatchObject({ working: [], attention: [], counts: { total: 0 } })
  })
})

describeWithGit('premath status in a repository', () => {
  test('says nothing about landing before the first commit, or without a branch', () => {
    given(open('bd-1'))
    gitIn(project.folder, 'init', '--quiet', '--initial-branch=main')
    expect(done('status').landing).toBeNull()
    gitIn(project.folder, 'commit', '--quiet', '--allow-empty', '-m', 'begin')
    expect(done('status').landing).toEqual([])
    gitIn(project.folder, 'checkout', '--quiet', '--detach')
    expect(done('status').landing).toBeNull()
  })

  let repository: LandingProject | undefined
  afterEach(() => {
    repository?.remove()
    repository = undefined
  })

  test('lists work that waits to land, and not what somebody holds or what failed', async () => {
    repository = new LandingProject('status', { '.gitignore': '.premath/\nartifacts/\n.env\n' })
    writeFileSync(repository.at('.env'), 'mine\n')
    repository.issues({ parked: [], red: [], held: [], waits: [] })
    for (const id of ['held', 'waits']) {
      const tree = repository.git('-C', repository.root, 'rev-parse', 'HEAD^{tree}')
      const commit = ['commit-tree', tree, '-p', 'HEAD', '-m', id]
      const tip = repository.git('-C', repository.root, ...commit)
      repository.git('-C', repository.root, 'branch', `premath/${id}`, tip)
    }
    expect(repository.asked('claim', 'held', '--assignee', 'ann').status).toBe(0)
    const work = 'echo "$PREMATH_ISSUE_ID" > .env && git add --force .env'
    const commands = ['--work-cmd', work, '--verify-cmd', 'grep -q parked .env', '--no-baseline']
    await repository.run(['run', '--workers', '1', '--max-steps', '2', ...commands])
    const { json, status } = repository.asked('status')
    expect(status).toBe(0)
    expect(json.working).toMatchObject([{ issueId: 'held', workerId: 'ann' }])
    expect(json.landing).toMatchObject([
      { issueId: 'parked', state: 'waiting', commits: 1 },
      { issueId: 'waits', state: 'waiting', commits: 1 },
    ])
    expect(json.attention).toMatchObject([
      {
        issueId: 'parked',
        failureClasses: ['landing_parked'],
        next: expect.stringContaining('premath land parked'),
      },
      { issueId: 'red', failureClasses: ['check_failed'] },
    ])
    expect(json.counts).toMatchObject({ ready: 1, inProgress: 1, blocked: 2, closed: 0 })
    const { stdout } = repository.premath(['status'])
    expect(stdout).toMatch(/\nparked +waiting +1 +premath land parked +Add parked\n/)
  })
})

describe('premath log', () => {
  const time = (minute: number) => `2026-02-22T00:0${minute}:00Z`

  test('lists attempts in plain words, newest first', () => {
    given(open('bd-1', { title: 'Fix login' }), open('bd-2'))
    const by = { workerId: 'w1', attempt: 1, durationMs: 61_000 }
    steps(
      { issueId: 'bd-1', resultClass: 'retry_needed_check_failed', finishedAt: time(1), ...by },
      { issueId: 'bd-1', resultClass: 'completed', finishedAt: time(2) },
      { issueId: 'bd-2', resultClass: 'retry_needed_landing_conflict', finishedAt: time(2) },
      { issueId: 'gone', resultClass: 'command_timeout', finishedAt: time(0) },
    )
    const { stdout } = premath(['log'])
    const rows = stdout.split('\n').map(line => line.split(/ {2,}/).filter(Boolean))
    expect(rows).toEqual([
      ['time', 'issue', 'what', 'worker', 'try', 'took', 'title'],
      [time(2), 'bd-2', 'conflict', 'Issue bd-2'],
      [time(2), 'bd-1', 'closed', 'Fix login'],
      [time(1), 'bd-1', 'check failed', 'w1', '1', '1:01', 'Fix login'],
      [time(0), 'gone', 'timed out'],
      ['4 attempts'],
      [],
    ])
  })

  test('shows the attempts on one issue, up to a limit', () => {
    given(open('bd-1'), open('bd-2'))
    const row = { issueId: 'bd-1', resultClass: 'check_failed' }
    steps(...[1, 2, 3].map(minute => ({ ...row, finishedAt: time(minute) })), {
      issueId: 'bd-2',
      resultClass: 'completed',
      finishedAt: time(4),
    })
    expect(done('log', 'bd-1', '--limit', '2')).toMatchObject({
      action: 'log',
      count: 2,
      total: 3,
      items: [
        { finishedAt: time(3), issueId: 'bd-1', title: 'Issue bd-1', what: 'check failed' },
        { finishedAt: time(2) },
      ],
    })
    expect(premath(['log', 'bd-1', '--limit', '2']).stdout).toContain('\n2 of 3 attempts\n')
  })

  test('shows twenty attempts, and none for an issue that nobody tried', () => {
    given(open('bd-1'), open('bd-2'))
    const row = { issueId: 'bd-1', resultClass: 'check_failed', finishedAt: time(1) }
    steps(...Array.from({ length: 21 }, () => row))
    expect(done('log')).toMatchObject({ count: 20, total: 21 })
    expect(premath(['log', 'bd-2'])).toMatchObject({ status: 0, stdout: 'No attempts.\n' })
    expect(asked(['log', 'bd-9'])).toMatchObject({
      status: 1,
      json: { error: { code: 'issue_not_found' } },
    })
  })

  test('reports a line that it cannot read, and shows the others', () => {
    given(open('bd-1'))
    steps({ issueId: 'bd-1', resultClass: 'completed', finishedAt: time(1) })
    appendFileSync(inProject('.premath/harness_trajectory.jsonl'), '{"schema":1}\n')
    const { status, json, stderr } = asked(['log'])
    expect(status).toBe(1)
    expect(json).toMatchObject({ count: 1, badLineCount: 1 })
    expect(stderr).toContain('line 2')
    // Issue memory has its own notes.
    appendFileSync(project.issues, '{"id":"torn')
    const notes = asked(['log']).stderr
    expect(notes).toMatch(/^note: .*\n(.|\n)*line 2/)
  })
})

describe('premath verify', () => {
  const console = (output: string) => `# A\n\n\`\`\`console\n$ echo hello\n${output}\n\`\`\`\n`
  const document = (path: string, text: string) => {
    mkdirSync(join(inProject(path), '..'), { recursive: true })
    writeFileSync(inProject(path), text)
  }
  function closedIssue(): void {
    done('init')
    done('add', 'One')
    done('close', 'bd-1', '--verify-cmd', 'test -d .premath')
  }
  /** Changes one stored witness. */
  function tamper(): void {
    const folder = inProject('artifacts/ciwitness/verify')
    const path = join(folder, readdirSync(folder)[0] ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"accepted"', '"rejected"'))
  }

  test('runs the specs, and verifies the proofs with their new witness', () => {
    closedIssue()
    document('a.spec.md', console('hello'))
    expect(premath(['verify'])).toMatchObject({
      status: 0,
      stdout: 'specs: 1 passed, 0 failed\nproofs and witnesses: 3 of 3 verified\n',
      stderr: '',
    })
    expect(done('verify')).toMatchObject({
      action: 'verify',
      result: 'accepted',
      specs: { action: 'spec.run', total: 1, passed: 1 },
      proofs: { result: 'accepted', count: 3, verified: 3, failureClasses: [] },
    })
  })

  test('runs the named documents, else those of the setting', () => {
    closedIssue()
    document('a.spec.md', console('hello'))
    document('docs/b.spec.md', console('goodbye'))
    expect(premath(['verify', 'a.spec.md']).status).toBe(0)
    done('config', 'set', 'specs', 'a.spec.md')
    expect(premath(['verify']).stdout).toContain('specs: 1 passed, 0 failed\n')
    const { status, stdout } = premath(['verify', 'docs'])
    expect(status).toBe(1)
    const asShown = premath(['spec', 'run', 'docs', '--no-witness']).stdout
    expect(stdout).toContain(asShown.slice(0, asShown.indexOf('0 passed')))
    expect(stdout).toContain('\nspecs: 0 passed, 1 failed\nproofs and witnesses: ')
  })

  test('takes the worse exit code of both', () => {
    closedIssue()
    document('a.spec.md', console('goodbye'))
    tamper()
    const { status, stdout } = premath(['verify'])
    expect(status).toBe(5)
    expect(stdout).toMatch(/\nspecs: 0 passed, 1 failed\nbroken verify\n/)
    expect(stdout).toMatch(
      /\n {2}witness_changed:(.|\n)*\nproofs and witnesses: 2 of 3 verified\n$/,
    )
    const named = premath(['verify', 'none.spec.md'])
    expect(named.status).toBe(5)
    expect(named.stderr).toContain('none.spec.md')
  })

  test('exits 2 for a path without a document, and 1 for a named folder without a case', () => {
    closedIssue()
    expect(premath(['verify', 'none.spec.md']).status).toBe(2)
    mkdirSync(inProject('empty'))
    expect(premath(['verify', 'empty'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('specs: there is no case to run\n'),
    })
  })

  test('skips specs where there are none, and says that there are no proofs yet', () => {
    done('init')
    expect(premath(['verify'])).toMatchObject({
      status: 0,
      stdout: 'specs: skipped, this folder has none\nproofs: there are none yet\n',
    })
    expect(done('verify')).toMatchObject({ specs: null, proofs: { count: 0 } })
  })
})
