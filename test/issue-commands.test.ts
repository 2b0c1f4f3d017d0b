/**
 * The commands on issues: what an earlier implementation's command line was tested for, and where
 * we decided otherwise. In real processes on real files; `npm test` builds first.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject, at, leased, open } from './a-project.ts'

const project = aProject()
const { asked, done, given, premath, refused, rowsById, started } = project

const lease = (id: string, owner: string, fence: number) => ({
  acquiredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
  expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
  fence,
  leaseId: `lease1_${id}_${owner.replace('.', '_')}`,
  owner,
  renewedAt: null,
})

describe('the recorded sequence', () => {
  const brief = {
    assignee: '',
    id: 'bd-root',
    issueType: 'task',
    owner: '',
    priority: 1,
    status: 'open',
    title: 'Root work',
  }
  const issuesPath = '.premath/issues.jsonl'

  test('answers as recorded', () => {
    const root = ['issue', 'add', 'Root work', '--id', 'bd-root', '--priority', '1']
    expect(done(...root, '--description', 'Acceptance: works.')).toEqual({
      action: 'issue.add',
      issue: brief,
      issuesPath,
    })
    done('issue', 'add', 'Child work', '--id', 'bd-child')
    expect(done('issue', 'add', 'Blocked by hand', '--status', 'blocked').issue).toEqual({
      ...brief,
      id: 'bd-1',
      priority: 2,
      status: 'blocked',
      title: 'Blocked by hand',
    })
    expect(refused(root)).toEqual(['issue_exists', 1])
    expect(refused(['issue', 'add', 'x', '--type', 'story'])).toEqual(['issue_type_invalid', 1])
    done('dep', 'add', 'bd-child', 'bd-root', '--type', 'blocks')

    const { count, items } = done('issue', 'list')
    expect([count, items.map(({ id }: { id: string }) => id)]).toEqual([
      3,
      ['bd-1', 'bd-child', 'bd-root'],
    ])
    const { owner: _, ...listed } = brief
    expect(items[2]).toEqual(listed)

    expect(done('issue', 'ready')).toEqual({
      action: 'issue.ready',
      count: 1,
      issuesPath,
      items: [{ id: 'bd-root', priority: 1, status: 'open', title: 'Root work' }],
    })
    expect(done('issue', 'blocked')).toEqual({
      action: 'issue.blocked',
      count: 2,
      issuesPath,
      items: [
        {
          blockers: [],
          id: 'bd-1',
          manualBlocked: true,
          priority: 2,
          status: 'blocked',
          title: 'Blocked by hand',
        },
        {
          blockers: [
            {
              blockerMissing: false,
              blockerStatus: 'open',
              createdBy: '',
              dependsOnId: 'bd-root',
              issueId: 'bd-child',
              type: 'blocks',
            },
          ],
          id: 'bd-child',
          manualBlocked: false,
          priority: 2,
          status: 'open',
          title: 'Child work',
        },
      ],
    })

    expect(done('issue', 'discover', 'bd-root', 'Found on the way')).toEqual({
      action: 'issue.discover',
      dependency: { dependsOnId: 'bd-root', issueId: 'bd-2', type: 'discovered-from' },
      issue: { ...brief, id: 'bd-2', priority: 2, title: 'Found on the way' },
      issuesPath,
    })

    expect(done('issue', 'claim', 'bd-root', '--assignee', 'worker-a')).toEqual({
      action: 'issue.claim',
      issue: {
        ...brief,
        assignee: 'worker-a',
        lease: lease('bd-root', 'worker-a', 1),
        status: 'in_progress',
        // What a worker needs to begin, beside what was recorded.
        acceptanceCriteria: '',
        description: 'Acceptance: works.',
        specs: [],
      },
      issuesPath,
    })
    const byOther = ['issue', 'claim', 'bd-root', '--assignee', 'worker-b']
    expect(refused(byOther)).toEqual(['lease_contention_active', 4])

    const next = ['issue', 'claim-next', '--assignee', 'worker.1', '--lease-ttl-seconds']
    expect(done(...next, '120')).toMatchObject({
      action: 'issue.claim_next',
      claimed: true,
      issue: { id: 'bd-2', lease: lease('bd-2', 'worker.1', 1) },
    })
    expect(refused([...next, '10'])).toEqual(['lease_invalid_ttl', 1])

    // Decided otherwise: closing a leased issue takes the proof of its holder.
    const close = [
      'issue',
      'update',
      'bd-root',
      '--status',
      'closed',
      '--notes',
      'done',
      '--force',
      '--reason',
      'done',
    ]
    expect(refused(close)).toEqual(['lease_proof_missing', 4])
    const proof = ['--lease-id', 'lease1_bd-root_worker-a', '--fence', '1']
    expect(done(...close, ...proof)).toEqual({
      action: 'issue.update',
      issue: { ...brief, assignee: 'worker-a', status: 'closed' },
      issuesPath,
    })
    expect(refused(['issue', 'update', 'nope', '--status', 'closed'])).toEqual([
      'issue_not_found',
      1,
    ])
    expect(refused(['issue', 'update', 'bd-root'])).toEqual(['issue_update_empty', 1])

    expect(done('issue', 'backend-status')).toEqual({
      action: 'issue.backend-status',
      canonicalMemory: {
        error: null,
        exists: true,
        kind: 'jsonl',
        path: issuesPath,
        snapshotRef: expect.stringMatching(/^iss1_[0-9a-f]{64}$/),
      },
      issuesPath,
      jj: {
        available: false,
        error: null,
        headChangeId: null,
        repoRoot: null,
        state: 'unavailable',
      },
      queryProjection: {
        error: null,
        exists: false,
        kind: 'premath.surreal.issue_projection.v0',
        path: '.premath/surreal_issue_cache.json',
        projectionKind: null,
        schema: null,
        snapshotRefMatchesAuthority: null,
        snapshotRefMatchesProjection: null,
        sourceIssuesPath: null,
        sourcePathMatchesAuthority: null,
        sourceSnapshotRef: null,
        state: 'missing',
      },
      repoRoot: '.',
    })
  })

  test('leaves rows as an earlier reader expects them', () => {
    done('issue', 'add', 'Root work', '--id', 'bd-root', '--description', 'D', '--priority', '1')
    done('issue', 'claim', 'bd-root', '--assignee', 'worker-a')
    const [first = '', last = ''] = readFileSync(project.issues, 'utf8').split('\n')
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3}|\\.\\d{6}|\\.\\d{9})?Z'
    expect(first).toMatch(
      new RegExp(
        `^{"id":"bd-root","title":"Root work","description":"D","status":"open","priority":1,"issue_type":"task","created_at":"${time}","updated_at":"${time}","ephemeral":false}$`,
      ),
    )
    expect(last).toMatch(
      new RegExp(
        `"assignee":"worker-a","lease":{"lease_id":"lease1_bd-root_worker-a","owner":"worker-a","acquired_at":"${time}","expires_at":"${time}"},"created_at".*"ephemeral":false,"metadata":{"premathFence":1}}$`,
      ),
    )
  })
})

test('the answer of a claim has what the work needs', () => {
  given()
  const texts = ['--description', 'Long.', '--acceptance', 'It works.', '--spec', 'specs/a.spec.md']
  done('issue', 'add', 'First', ...texts)
  const expected = {
    acceptanceCriteria: 'It works.',
    description: 'Long.',
    specs: ['specs/a.spec.md'],
  }
  expect(done('issue', 'claim-next', '--assignee', 'me').issue).toMatchObject(expected)
  expect(done('issue', 'claim', 'bd-1', '--assignee', 'me').issue).toMatchObject(expected)
})

describe('claim-next', () => {
  test('claims the ready issues, then reports that there is none', () => {
    given(open('bd-1'), open('bd-2'))
    const next = () => done('issue', 'claim-next', '--assignee', 'worker-a')
    expect(next()).toMatchObject({
      claimed: true,
      issue: {
        id: 'bd-1',
        status: 'in_progress',
        assignee: 'worker-a',
        lease: { leaseId: 'lease1_bd-1_worker-a' },
      },
    })
    expect(next().issue.id).toBe('bd-2')
    expect(next()).toEqual({
      action: 'issue.claim_next',
      claimed: false,
      issue: null,
      issuesPath: '.premath/issues.jsonl',
    })
    expect(premath(['issue', 'claim-next', '--assignee', 'a']).stdout).toContain(
      'No issue is ready',
    )
  })

  test('writes the times of a row that had none, once', () => {
    given({ id: 'bd-1', title: 'No times' })
    const ref = () => done('issue', 'backend-status').canonicalMemory.snapshotRef
    expect(ref()).toBe(ref())
    done('issue', 'claim-next', '--assignee', 'a')
    const { created_at, updated_at } = rowsById()['bd-1']
    expect(created_at).toBe(updated_at)
    expect(ref()).toBe(ref())
    done('issue', 'claim', 'bd-1', '--assignee', 'a')
    expect(rowsById()['bd-1'].created_at).toBe(created_at)
  })

  test('gives four workers at once four issues', async () => {
    given(...[1, 2, 3, 4].map(number => open(`bd-${number}`)))
    const answers = await Promise.all(
      [0, 1, 2, 3].map(worker => started('issue', 'claim-next', '--assignee', `worker-${worker}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([0, 0, 0, 0])
    expect(answers.map(({ json }) => json.issue.id).sort()).toEqual([
      'bd-1',
      'bd-2',
      'bd-3',
      'bd-4',
    ])
  })

  test('offers abandoned work, and names its former holder', () => {
    given(leased('bd-1', 'gone', -60), leased('bd-2', 'busy', 600), open('bd-3', { priority: 9 }))
    const left = { owner: 'gone', leaseId: 'lease1_bd-1_gone', renewedAt: null }
    expect(done('issue', 'ready').items).toEqual([
      {
        id: 'bd-1',
        previousHolder: { ...left, acquiredAt: expect.any(String), expiresAt: expect.any(String) },
        priority: 2,
        reclaim: true,
        status: 'in_progress',
        title: 'Issue bd-1',
      },
      { id: 'bd-3', priority: 9, status: 'open', title: 'Issue bd-3' },
    ])
    expect(premath(['issue', 'ready']).stdout).toContain('expired claim of gone')
    expect(done('issue', 'claim-next', '--assignee', 'me')).toMatchObject({
      issue: { id: 'bd-1', lease: { fence: 1, owner: 'me' } },
      previousHolder: left,
      reclaimed: true,
    })
    expect(done('issue', 'claim-next', '--assignee', 'me').issue.id).toBe('bd-3')
  })
})

test('eight concurrent adds lose nothing', async () => {
  const answers = await Promise.all(
    [...'12345678'].map(number => started('issue', 'add', `Issue ${number}`)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(0))
  const { count, items } = done('issue', 'list')
  expect(count).toBe(8)
  expect(new Set(items.map(({ title }: { title: string }) => title)).size).toBe(8)
})

test('every open issue is ready or blocked', () => {
  const on = (id: string, target: string, type: string) => ({
    dependencies: [{ issue_id: id, depends_on_id: target, type }],
  })
  given(
    open('bd-root-open'),
    open('bd-child-open', on('bd-child-open', 'bd-root-open', 'blocks')),
    open('bd-ready-open', on('bd-ready-open', 'bd-done', 'blocks')),
    open('bd-related-open', on('bd-related-open', 'bd-root-open', 'related')),
    open('bd-done', { status: 'closed' }),
    open('bd-inprogress-waits', {
      status: 'in_progress',
      ...on('bd-inprogress-waits', 'nowhere', 'waits-for'),
    }),
    open('bd-closed', { status: 'closed', ...on('bd-closed', 'nowhere', 'blocks') }),
  )
  const ids = (verb: string) => done('issue', verb).items.map(({ id }: { id: string }) => id)
  expect(ids('ready')).toEqual(['bd-ready-open', 'bd-related-open', 'bd-root-open'])
  expect(ids('blocked')).toEqual(['bd-child-open', 'bd-inprogress-waits'])
})

test('ready lists by priority, then in natural order', () => {
  given(open('bd-10'), open('bd-2'), open('bd-9', { priority: 1 }), open('bd-1', { priority: 3 }))
  expect(done('issue', 'ready', '--limit', '3')).toMatchObject({
    count: 3,
    items: [{ id: 'bd-9' }, { id: 'bd-2' }, { id: 'bd-10' }],
    total: 4,
  })
})

describe('list', () => {
  beforeEach(() =>
    given(
      open('bd-1', { assignee: 'ann', labels: ['ui', 'api'], priority: 1 }),
      open('bd-2', { status: 'in_progress', notes: 'The Timeout again', labels: ['ui'] }),
      open('bd-10', { status: 'closed' }),
    ),
  )
  test.each([
    [[], ['bd-1', 'bd-2', 'bd-10']],
    [['--status', 'in_progress'], ['bd-2']],
    [['--status', 'Closed'], ['bd-10']],
    [['--assignee', 'ann'], ['bd-1']],
    [
      ['--label', 'ui'],
      ['bd-1', 'bd-2'],
    ],
    [['--label', 'ui', '--label', 'api'], ['bd-1']],
    [
      ['--priority', '2'],
      ['bd-2', 'bd-10'],
    ],
    [['--query', 'TIMEOUT'], ['bd-2']],
    [['--query', 'bd-1', '--status', 'open'], ['bd-1']],
    [['--query', 'nothing'], []],
  ])('with %j', (flags, ids) => {
    const { count, items } = done('issue', 'list', ...flags)
    expect([count, items.map(({ id }: { id: string }) => id)]).toEqual([ids.length, ids])
  })

  test('is a table that fits the terminal, with control characters escaped', () => {
    given(open('bd-1', { title: `${'long '.repeat(40)}`, assignee: '\u001b[31mred' }), open('bd-2'))
    const { stdout } = premath(['issue', 'list'], { env: { COLUMNS: '60' } })
    expect(stdout).toMatch(/^id {4}pri {2}status {2}assignee/)
    expect(stdout).toContain('\\u001b[31mred')
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(60)
    expect(stdout).toMatch(/…\n.*\n2 issues\n$/)
  })

  test('of an empty memory says so', () => {
    expect(premath(['issue', 'list', '--query', 'nothing']).stdout).toBe('No issues.\n')
  })
})

test('update changes the named fields, and list finds them', () => {
  given(open('bd-a'), open('bd-b', { status: 'closed' }))
  done('issue', 'update', 'bd-a', '--status', 'in_progress', '--assignee', 'agent')
  expect(done('issue', 'list', '--status', 'in_progress').count).toBe(1)
})

test('every field can be set, shown and edited', () => {
  const texts = ['--description', 'D', '--design', 'E', '--acceptance', 'A', '--notes', 'N\nM']
  const people = ['--assignee', 'ann', '--owner', 'bob']
  const lists = ['--label', 'ui', '--label', 'api', '--spec', 'a.spec.md']
  done('issue', 'add', 'First', '--type', 'epic', ...texts, ...people, ...lists)
  done('issue', 'discover', 'bd-1', 'Second')
  expect(done('issue', 'show', 'bd-1')).toEqual({
    action: 'issue.show',
    blockers: [],
    dependents: [{ issueId: 'bd-2', status: 'open', title: 'Second', type: 'discovered-from' }],
    issue: {
      acceptanceCriteria: 'A',
      assignee: 'ann',
      closedAt: null,
      createdAt: expect.any(String),
      dependencies: [],
      description: 'D',
      design: 'E',
      ephemeral: false,
      fence: 0,
      id: 'bd-1',
      issueType: 'epic',
      labels: ['ui', 'api'],
      lease: null,
      metadata: { premathSpecs: ['a.spec.md'] },
      molType: '',
      notes: 'N\nM',
      others: null,
      owner: 'bob',
      priority: 2,
      specs: ['a.spec.md'],
      status: 'open',
      title: 'First',
      updatedAt: expect.any(String),
    },
    issuesPath: '.premath/issues.jsonl',
    ready: true,
    reclaim: false,
  })
  const edit = ['--title', 'T', '--design', '', '--label', '', '--spec', '', '--type', 'TASK']
  done('issue', 'update', 'bd-1', ...edit, '--priority', '0', '--owner', 'eve')
  expect(done('issue', 'show', 'bd-1').issue).toMatchObject({
    design: '',
    issueType: 'task',
    labels: [],
    metadata: null,
    owner: 'eve',
    priority: 0,
    title: 'T',
  })
})

test('show prints the lease and the edges', () => {
  const edge = { issue_id: 'bd-1', depends_on_id: 'bd-9', type: 'blocks' }
  given(leased('bd-1', 'gone', -5, { notes: 'one\n\ntwo', dependencies: [edge] }))
  const { stdout, status } = premath(['issue', 'show', 'bd-1'], { env: { COLUMNS: '200' } })
  expect(status).toBe(0)
  expect(stdout).toContain('lease     lease1_bd-1_gone of gone, stale, expired at')
  expect(stdout).toContain('\nnotes\n  one\n\n  two\n')
  expect(stdout).toContain('\nwaits for\n  bd-9 (blocks, missing)\n')
})

describe('notes', () => {
  test('come from a file or from stdin', () => {
    done('issue', 'add', 'First')
    writeFileSync(join(project.folder, 'my notes.md'), 'ä\nb\n')
    done('issue', 'update', 'bd-1', '--notes-file', 'my notes.md')
    expect(rowsById()['bd-1'].notes).toBe('ä\nb\n')
    asked(['issue', 'update', 'bd-1', '--notes-file', '-'], { input: 'from here' })
    expect(rowsById()['bd-1'].notes).toBe('from here')
  })

  test.each([
    [
      'both at once',
      ['--notes', 'x', '--notes-file', '-'],
      '--notes and --notes-file exclude each other',
    ],
    ['a file that is not there', ['--notes-file', 'nope.md'], 'nope.md'],
  ])('of %s are bad usage', (_, flags, message) => {
    done('issue', 'add', 'First')
    const { status, stderr } = asked(['issue', 'update', 'bd-1', ...flags])
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('backend-status', () => {
  const status = () => done('issue', 'backend-status').queryProjection
  const write = (projection: object) =>
    writeFileSync(
      join(project.folder, '.premath/surreal_issue_cache.json'),
      JSON.stringify(projection),
    )
  const kind = 'premath.surreal.issue_projection.v0'

  test('reports a fresh, stale or invalid projection', () => {
    const row = { ...open('bd-1'), created_at: at(0), updated_at: at(0) }
    given(row)
    const ref = done('issue', 'backend-status').canonicalMemory.snapshotRef
    const fresh = { schema: 1, kind, sourceIssuesPath: '.premath/issues.jsonl', issues: [row] }
    write({})
    expect(status()).toMatchObject({ state: 'invalid', error: expect.any(String), exists: true })
    write({ ...fresh, sourceSnapshotRef: ref })
    expect(status()).toMatchObject({
      error: null,
      snapshotRefMatchesAuthority: true,
      snapshotRefMatchesProjection: true,
      sourcePathMatchesAuthority: true,
      state: 'fresh',
    })
    write({ ...fresh, sourceSnapshotRef: 'iss1_other' })
    expect(status()).toMatchObject({ state: 'invalid', snapshotRefMatchesProjection: false })
    write({ ...fresh, sourceSnapshotRef: ref, issues: [{ id: 1 }] })
    expect(status()).toMatchObject({ state: 'invalid' })
    write({ ...fresh, sourceSnapshotRef: ref })
    done('issue', 'add', 'Another')
    expect(status()).toMatchObject({ state: 'stale', snapshotRefMatchesAuthority: false })
    write({ ...fresh })
    expect(status()).toMatchObject({ state: 'unknown' })
  })

  test('finds a usable jj', () => {
    given(open('bd-1'))
    mkdirSync(join(project.folder, '.jj'))
    mkdirSync(join(project.folder, 'bin'))
    writeFileSync(join(project.folder, 'bin/jj'), '')
    const jjWith = (path: string) =>
      asked(['issue', 'backend-status'], { env: { PATH: path } }).json.jj
    const repoRoot = project.folder
    expect(jjWith('/nowhere')).toMatchObject({ available: false, repoRoot, state: 'error' })
    expect(jjWith(`/nowhere:${project.folder}/bin`)).toMatchObject({
      available: true,
      repoRoot,
      state: 'ready',
    })
  })

  test('reports missing files, and corrupt ones with exit 5', () => {
    expect(done('issue', 'backend-status').canonicalMemory).toMatchObject({
      exists: false,
      snapshotRef: null,
    })
    expect(existsSync(join(project.folder, '.premath'))).toBe(false)
    mkdirSync(join(project.folder, '.premath'))
    writeFileSync(project.issues, 'no row\n')
    const { status, json } = asked(['issue', 'backend-status'])
    expect([status, json.canonicalMemory.snapshotRef]).toEqual([5, null])
    expect(json.canonicalMemory.error).toContain('line 1')
  })
})

describe('bad input', () => {
  test.each([
    ['show', ['issue', 'show', 'nope'], 'issue_not_found', 1],
    ['update', ['issue', 'update', 'nope', '--notes', 'x'], 'issue_not_found', 1],
    ['claim', ['issue', 'claim', 'nope', '--assignee', 'a'], 'lease_not_found', 1],
    [
      'lease-renew',
      ['issue', 'lease-renew', 'nope', '--assignee', 'a', '--lease-id', 'x'],
      'lease_not_found',
      1,
    ],
    ['lease-release', ['issue', 'lease-release', 'nope'], 'lease_not_found', 1],
    ['discover', ['issue', 'discover', 'nope', 'x'], 'issue_not_found', 1],
    [
      'a blank assignee',
      ['issue', 'claim', 'bd-1', '--assignee', ' '],
      'lease_invalid_assignee',
      1,
    ],
    ['a closed issue', ['issue', 'claim', 'bd-2', '--assignee', 'a'], 'lease_issue_closed', 1],
    ['a blank title', ['issue', 'add', ' '], 'issue_title_missing', 1],
    [
      'a huge priority',
      ['issue', 'add', 'x', '--priority', '4294967296'],
      'issue_priority_invalid',
      1,
    ],
  ])('%s is refused', (_, args, failureClass, exitCode) => {
    given(open('bd-1'), open('bd-2', { status: 'closed' }))
    expect(refused(args)).toEqual([failureClass, exitCode])
  })

  test('a refusal is printed on stderr only', () => {
    given(open('bd-1'))
    expect(premath(['issue', 'show', 'nope'])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'error: issue not found: nope (issue_not_found)\n  premath issue list shows every id.\n',
    })
  })

  test.each([
    ['list'],
    ['ready'],
    ['blocked'],
    ['lease-projection'],
    ['show', 'x'],
    ['update', 'x', '--notes', 'x'],
    ['claim', 'x', '--assignee', 'a'],
    ['claim-next', '--assignee', 'a'],
    ['discover', 'x', 'y'],
  ])('%s without an issue memory names premath init, and makes nothing', (...args) => {
    const { status, stderr } = premath(['issue', ...args])
    expect(status).toBe(2)
    expect(stderr).toMatch(/no issue memory at .*issues\.jsonl\n {2}.*premath init/)
    expect(readdirSync(project.folder)).toEqual([])
  })

  test.each([
    ['a NUL byte', '{"id":"bd-1","title":"x"}\n\0\n', 'corrupted substrate'],
    [
      'a bad row',
      '{"id":"bd-1","title":"x"}\n{"id":"bd-2"}\n{"id":"bd-3","title":"x"}\n',
      'line 2',
    ],
  ])('%s stops every command with exit 5, and the bytes stay', (_, content, message) => {
    mkdirSync(dirname(project.issues))
    writeFileSync(project.issues, content)
    for (const args of [
      ['issue', 'list'],
      ['issue', 'update', 'bd-1', '--notes', 'x'],
      ['issue', 'add', 'x'],
    ]) {
      const { status, stderr } = asked(args)
      expect([args[1], status]).toEqual([args[1], 5])
      expect(stderr).toContain(message)
    }
    expect(readFileSync(project.issues, 'utf8')).toBe(content)
  })

  test('the next change sets a torn tail aside and reports it, even if the change is refused', () => {
    given(open('bd-1'))
    const whole = readFileSync(project.issues, 'utf8')
    for (const [args, message] of [
      [['update', 'bd-9', '--notes', 'x'], /^note: .*torn-.*\nerror: issue not found/],
      [['update', 'bd-1', '--notes', 'x'], /^note: .*torn-.*\n$/],
    ] as const) {
      writeFileSync(project.issues, `${whole}{"id":"bd-2","ti`)
      expect(asked(['issue', 'list']).json.count).toBe(1)
      expect(premath(['issue', ...args]).stderr).toMatch(message)
    }
  })

  test('--issues names another memory, as given', () => {
    const other = ['--issues', 'other folder/my issues.jsonl']
    expect(done('issue', 'add', 'x', ...other).issuesPath).toBe('other folder/my issues.jsonl')
    expect(done('issue', 'list', ...other).count).toBe(1)
    expect(existsSync(project.issues)).toBe(false)
  })
})
