/** Issue memory and its event log, through the built command. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { main } from './built-command.ts'
import { runInProcess } from './in-process.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'premath-events-'))
  folders.push(folder)
})

function premath(...args: readonly string[]) {
  const none = { PREMATH_ROOT: '', PREMATH_ISSUES_PATH: '' }
  const XDG_STATE_HOME = join(folder, 'state')
  const env = { ...process.env, ...none, PREMATH_OPERATOR: 'ann', XDG_STATE_HOME }
  return runInProcess({ args, cwd: folder, env, input: '' })
}

function done(...args: readonly string[]) {
  const { status, stdout, stderr } = premath(...args, '--json')
  expect({ args, status, stderr }).toMatchObject({ status: 0 })
  return JSON.parse(stdout)
}

const rowsPath = '.premath/issues.jsonl'
const logPath = '.premath/memory/events.jsonl'
const text = (path: string) => readFileSync(join(folder, path), 'utf8')
const lines = (path: string) => text(path).trimEnd().split('\n')
const events = () => lines(logPath).map(line => JSON.parse(line))
const snapshotRef = () => done('issue', 'backend-status').canonicalMemory.snapshotRef

/** The state that the log gives, without touching the rows. */
function replayedRef() {
  const copy = `copy-${readdirSync(folder).length}.jsonl`
  return done('issue', 'replay-events', '--issues', copy, '--events', logPath).snapshotRef
}

function rootAndChild() {
  done('issue', 'add', 'Root', '--id', 'bd-root')
  done('issue', 'add', 'Child', '--id', 'bd-child')
  done('dep', 'add', 'bd-child', 'bd-root', '--type', 'blocks')
}

describe('migrate-events', () => {
  test('writes one event for each issue and dependency', () => {
    rootAndChild()
    const answer = done('issue', 'migrate-events', '--issues', rowsPath)
    expect(answer).toMatchObject({
      action: 'issue.migrate-events',
      equivalent: true,
      eventCount: 3,
      eventsPath: logPath,
      issueCount: 2,
      issuesPath: rowsPath,
    })
    expect(events().map(({ schema, action, event_id }) => [schema, action, event_id])).toEqual([
      ['issue.event.v1', 'upsert_issue', 'issue.upsert:bd-child'],
      ['issue.event.v1', 'add_dependency', 'issue.add_dependency:bd-child:bd-root:blocks'],
      ['issue.event.v1', 'upsert_issue', 'issue.upsert:bd-root'],
    ])
    expect(answer.eventStreamRef).toBe(
      `ev1_${createHash('sha256').update(text(logPath)).digest('hex')}`,
    )
  })

  test('keeps the earlier events of the log, once', () => {
    rootAndChild()
    const before = text(logPath)
    const { previousEventsPath } = done('issue', 'migrate-events')
    expect(readFileSync(previousEventsPath, 'utf8')).toBe(before)
    expect(done('issue', 'migrate-events').previousEventsPath).toBeNull()
  })

  const real = resolve('../shared/vectors/issues/real-365.jsonl')
  test.skipIf(!existsSync(real))('dumps a real memory, and replays it to the same ref', () => {
    const [log, copy] = ['log.jsonl', 'copy.jsonl']
    const dumped = done('issue', 'migrate-events', '--issues', real, '--events', log)
    expect(dumped).toMatchObject({
      issueCount: 365,
      snapshotRef: 'iss1_ab58fa567510f0b088415e9e59b1c82da8b89c2b1c1f6261730c42a4824676a8',
    })
    const replayed = done('issue', 'replay-events', '--issues', copy, '--events', log)
    expect(replayed.snapshotRef).toBe(dumped.snapshotRef)
    expect(text(copy)).toContain('"id":"bd-1"')
  })
})

describe('replay-events', () => {
  test('rebuilds memory, and caches that it did', () => {
    rootAndChild()
    done('issue', 'migrate-events')
    const args = ['issue', 'replay-events', '--issues', 'new.jsonl', '--events', logPath] as const
    const first = done(...args, '--cache', 'cache.json')
    expect(first).toEqual({
      action: 'issue.replay-events',
      cacheHit: false,
      cachePath: 'cache.json',
      equivalentToExisting: null,
      eventCount: 3,
      eventStreamRef: expect.stringMatching(/^ev1_[0-9a-f]{64}$/),
      eventsPath: logPath,
      issueCount: 2,
      issuesPath: 'new.jsonl',
      snapshotRef: snapshotRef(),
    })
    expect(JSON.parse(text('cache.json'))).toEqual({
      schema: 'issue.replay.cache.v1',
      eventCount: 3,
      eventStreamRef: first.eventStreamRef,
      eventsPath: logPath,
      issueCount: 2,
      issuesPath: 'new.jsonl',
      snapshotRef: first.snapshotRef,
    })
    expect(done(...args, '--cache', 'cache.json')).toEqual({
      ...first,
      cacheHit: true,
      equivalentToExisting: true,
    })
    expect(done('issue', 'ready', '--issues', 'new.jsonl').items).toMatchObject([{ id: 'bd-root' }])
  })

  test('runs again without a cache file, or with an invalid one', () => {
    rootAndChild()
    writeFileSync(join(folder, '.premath/replay-cache.json'), '{{')
    expect(done('issue', 'replay-events')).toMatchObject({
      cacheHit: false,
      cachePath: '.premath/replay-cache.json',
      equivalentToExisting: true,
    })
    expect(done('issue', 'replay-events').cacheHit).toBe(true)
  })

  const replayOther = (...more: readonly string[]) =>
    premath('issue', 'replay-events', ...otherLog, ...more, '--json')
  const otherLog = ['--issues', 'other/issues.jsonl', '--events', logPath] as const

  test('refuses to lose rows that the log does not know, and names them', () => {
    rootAndChild()
    const before = Array.from({ length: 60 }, (_, at) => `{"id":"o-${at + 1}","title":"O"}\n`).join(
      '',
    )
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other/issues.jsonl'), before)
    const { status, stdout, stderr } = replayOther()
    expect(status).toBe(1)
    expect(stderr).toContain('60 issues would go: o-1, o-10, ')
    expect(stderr).toContain(' and 10 more')
    expect(stderr).toContain('--force')
    const answer = JSON.parse(stdout)
    expect(answer).toMatchObject({
      failureClasses: ['replay_loses_rows'],
      goneCount: 60,
      olderCount: 0,
    })
    expect(answer.goneIssueIds).toHaveLength(50)
    expect(readdirSync(join(folder, 'other'))).toEqual(['issues.jsonl'])
    expect(text('other/issues.jsonl')).toBe(before)
  })

  test('refuses to revert rows to an earlier state', () => {
    rootAndChild()
    done('issue', 'migrate-events', '--events', 'old.jsonl')
    done('issue', 'update', 'bd-root', '--title', 'Newer')
    const before = text(rowsPath)
    const { status, stdout } = premath('issue', 'replay-events', '--events', 'old.jsonl', '--json')
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { olderIssueIds: ['bd-root'] }])
    expect(text(rowsPath)).toBe(before)
  })

  test('updates rows from a newer log', () => {
    rootAndChild()
    done('issue', 'export', '--output', 'copy.jsonl')
    done('issue', 'update', 'bd-root', '--title', 'Newer')
    done('issue', 'add', 'More')
    const args = ['--issues', 'copy.jsonl', '--events', logPath] as const
    expect(done('issue', 'replay-events', ...args)).toMatchObject({
      equivalentToExisting: false,
      goneCount: 0,
      issueCount: 3,
      snapshotRef: snapshotRef(),
    })
  })

  test('with --force replaces differing rows and keeps a copy; their log follows', () => {
    rootAndChild()
    done('issue', 'add', 'Other', '--issues', 'other/issues.jsonl')
    const before = text('other/issues.jsonl')
    const { status, stdout, stderr } = replayOther('--force')
    const answer = JSON.parse(stdout)
    expect([status, answer]).toMatchObject([
      0,
      { equivalentToExisting: false, issueCount: 2, goneIssueIds: ['bd-1'] },
    ])
    expect(readFileSync(answer.previousIssuesPath, 'utf8')).toBe(before)
    expect(stderr).toContain(answer.previousIssuesPath)
    expect(done('issue', 'list', '--issues', 'other/issues.jsonl').count).toBe(2)
    const own = done('issue', 'replay-events', '--issues', 'other/issues.jsonl')
    expect(own).toMatchObject({
      equivalentToExisting: true,
      eventsPath: 'other/memory/events.jsonl',
      snapshotRef: answer.snapshotRef,
    })
  })

  test('leaves only the record of its override for git to track', () => {
    spawnSync('git', ['init', '--quiet'], { cwd: folder })
    done('init')
    rootAndChild()
    done('issue', 'migrate-events', '--events', 'old.jsonl')
    done('issue', 'add', 'More')
    spawnSync('git', ['add', '--all'], { cwd: folder })
    done('issue', 'replay-events', '--events', 'old.jsonl', '--force')
    expect(existsSync(join(folder, '.premath/replay-cache.json'))).toBe(true)
    const { stdout } = spawnSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stdout).toBe('.premath/memory/grants.jsonl\n')
  })

  test('never removes rows that their own log lacks', () => {
    rootAndChild()
    const short = text(logPath).split('\n').slice(0, 1).join('\n')
    const ref = snapshotRef()
    writeFileSync(join(folder, logPath), `${short}\n{"schema":"issue.ev`)
    expect(done('issue', 'replay-events')).toMatchObject({
      equivalentToExisting: true,
      snapshotRef: ref,
    })
    expect(snapshotRef()).toBe(ref)
    expect(replayedRef()).toBe(ref)
  })

  test('brings back rows that were deleted', () => {
    rootAndChild()
    const ref = snapshotRef()
    rmSync(join(folder, rowsPath))
    // On another machine, where nobody acknowledged them.
    rmSync(join(folder, 'state'), { recursive: true })
    expect(done('issue', 'replay-events').equivalentToExisting).toBeNull()
    expect(snapshotRef()).toBe(ref)
    expect(replayedRef()).toBe(ref)
  })

  test('leaves held issues unchanged', () => {
    rootAndChild()
    done('issue', 'migrate-events', '--events', 'old.jsonl')
    done('issue', 'claim', 'bd-root', '--assignee', 'bob')
    const before = text(rowsPath)
    const { status, stderr } = premath('issue', 'replay-events', '--events', 'old.jsonl')
    expect(status).toBe(4)
    expect(stderr).toContain('somebody works on bd-root')
    expect(text(rowsPath)).toBe(before)
  })

  test('refuses a missing log', () => {
    rootAndChild()
    const { status, stderr } = premath('issue', 'replay-events', '--events', 'none.jsonl')
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('no event log at none.jsonl'),
    })
  })

  const good =
    '{"schema":"issue.event.v1","event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"upsert_issue","issue":{"id":"bd-1","title":"T"}}'
  test.each([
    ['the schema', good.replace('event.v1', 'event.v0'), 'line 2: the schema is "issue.event.v0"'],
    ['the issue inside', good.replace('"id":"bd-1"', '"id":"bd-2"'), 'line 2: the event is about'],
    [
      'an edge',
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"add_dependency","depends_on_id":"bd-9","type":"blocks"}',
      'line 2: unresolved dependency: bd-1 blocks bd-9',
    ],
    ['the JSON', '{"schema":', 'line 2: not readable as JSON'],
    ['a byte', '\u0000', 'line 2'],
  ])('stops at a bad line, because of %s, and changes nothing', (_, line, why) => {
    rootAndChild()
    const before = text(rowsPath)
    writeFileSync(join(folder, 'bad.jsonl'), `${good}\n${line}\n`)
    const { status, stderr } = premath('issue', 'replay-events', '--events', 'bad.jsonl')
    expect(status).toBe(5)
    expect(stderr).toContain(why)
    expect(text(rowsPath)).toBe(before)
    expect(existsSync(join(folder, '.premath/replay-cache.json'))).toBe(false)
  })
})

describe('every change', () => {
  test('is an event with its author and a unique id', () => {
    rootAndChild()
    const claim = done('issue', 'claim', 'bd-root', '--assignee', 'bob').issue.lease
    const proof = ['--lease-id', claim.leaseId, '--fence', String(claim.fence)]
    done('issue', 'lease-renew', 'bd-root', '--assignee', 'bob', ...proof)
    done('issue', 'lease-release', 'bd-root', '--assignee', 'bob', ...proof)
    done('issue', 'update', 'bd-root', '--status', 'closed', '--force', '--reason', 'done')
    done('dep', 'remove', 'bd-child', 'bd-root')
    const actions = events().map(({ action }) => action)
    expect(actions).toEqual([
      'upsert_issue',
      'upsert_issue',
      'add_dependency',
      'upsert_issue',
      'set_status',
      'claim_issue',
      'upsert_issue',
      'renew_lease',
      'upsert_issue',
      'set_status',
      'release_lease',
      'upsert_issue',
      'set_status',
      'upsert_issue',
      'remove_dependency',
      'upsert_issue',
    ])
    expect(new Set(events().map(({ event_id }) => event_id)).size).toBe(actions.length)
    expect(new Set(events().map(({ actor }) => actor))).toEqual(new Set(['ann']))
    expect(replayedRef()).toBe(snapshotRef())
  })

  test('begins the log with one upsert for each row that is older than it', () => {
    rootAndChild()
    rmSync(join(folder, '.premath/memory'), { recursive: true })
    done('issue', 'update', 'bd-root', '--title', 'New')
    expect(events().map(({ action, issue_id }) => [action, issue_id])).toEqual([
      ['upsert_issue', 'bd-child'],
      ['upsert_issue', 'bd-root'],
      // The last row of the file once more, so that the ends of rows and log meet.
      ['upsert_issue', 'bd-child'],
      ['upsert_issue', 'bd-root'],
    ])
    expect(replayedRef()).toBe(snapshotRef())
  })

  test('completes a log that a crash cut short, at any byte', () => {
    rootAndChild()
    const whole = text(logPath).length
    for (const missing of [1, 40, whole - 1, whole]) {
      truncateSync(join(folder, logPath), text(logPath).length - missing)
      done('issue', 'update', 'bd-root', '--title', `without ${missing}`)
      expect(replayedRef()).toBe(snapshotRef())
    }
  })

  test('is an event after compaction too', () => {
    rootAndChild()
    done('issue', 'update', 'bd-child', '--title', 'Newer')
    done('issue', 'compact')
    const before = lines(logPath).length
    done('issue', 'update', 'bd-root', '--title', 'Newest')
    expect(lines(logPath).length).toBe(before + 1)
    expect(replayedRef()).toBe(snapshotRef())
  })

  test('is made even if the log is corrupt, with a note', () => {
    rootAndChild()
    writeFileSync(join(folder, logPath), 'no event\n')
    const { status, stderr } = premath('issue', 'update', 'bd-root', '--title', 'New')
    expect(status).toBe(0)
    expect(stderr).toContain('the event log is behind')
    expect(stderr).toContain('line 1')
    done('issue', 'migrate-events')
    expect(replayedRef()).toBe(snapshotRef())
  })

  test('has a log for each memory of a folder', () => {
    done('issue', 'add', 'One', '--issues', 'issues.jsonl')
    done('issue', 'add', 'Two', '--issues', 'other.jsonl')
    expect(readdirSync(join(folder, 'memory')).sort()).toEqual([
      'events.jsonl',
      'other.events.jsonl',
    ])
  })
})

describe('export and import', () => {
  const awkward = [
    '=HYPERLINK("http://x")',
    'He said "hi", twice',
    'Zeile\n2',
    '\u202eright',
  ] as const

  test('rows are exported in canonical form, and imported unchanged', () => {
    rootAndChild()
    for (const title of awkward) done('issue', 'add', title)
    const answer = done('issue', 'export', '--output', 'out.jsonl')
    expect(answer).toMatchObject({ format: 'jsonl', issueCount: 6, outputPath: 'out.jsonl' })
    const digest = createHash('sha256').update(text('out.jsonl')).digest('hex')
    expect(answer.snapshotRef).toBe(`iss1_${digest}`)
    for (const format of ['jsonl', 'json']) {
      const out = `out.${format}`
      done('issue', 'export', '--output', out, '--format', format)
      const target = `${format}/issues.jsonl`
      expect(done('issue', 'import', out, '--issues', target).added).toHaveLength(6)
      const copy = done('issue', 'backend-status', '--issues', target)
      expect(copy.canonicalMemory.snapshotRef).toBe(answer.snapshotRef)
    }
  })

  test('without a file, rows are printed', () => {
    rootAndChild()
    const { status, stdout } = premath('issue', 'export')
    expect(status).toBe(0)
    expect(stdout.split('\n').map(line => line.slice(0, 16))).toEqual([
      '{"id":"bd-child"',
      '{"id":"bd-root",',
      '',
    ])
  })

  test('CSV cells cannot be formulas', () => {
    for (const title of awkward) done('issue', 'add', title, '--owner=-1+1')
    const [header, ...rows] = premath('issue', 'export', '--format', 'csv').stdout.split('\r\n')
    expect(header).toMatch(/^id,title,status,priority,/)
    expect(rows[0]).toMatch(/^bd-1,"'=HYPERLINK\(""http:\/\/x""\)",open,2,task,,"'-1\+1",/)
    expect(rows[1]).toMatch(/^bd-2,"He said ""hi"", twice",open/)
    expect(rows[2]).toMatch(/^bd-3,"Zeile\n2",open/)
  })

  test('export refuses to write over the memory', () => {
    rootAndChild()
    expect(premath('issue', 'export', '--output', rowsPath)).toMatchObject({ status: 2 })
  })

  const row = (id: string, more = '') => `{"id":"${id}","title":"T ${id}"${more}}\n`

  test('an existing id with another content stops the import, unless a flag allows it', () => {
    done('issue', 'add', 'Mine', '--id', 'bd-1')
    const before = text(rowsPath)
    writeFileSync(join(folder, 'in.jsonl'), row('bd-1') + row('bd-2'))
    const refused = premath('issue', 'import', 'in.jsonl', '--json')
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({
      failureClasses: ['issue_import_conflict'],
      diagnostic: '1 of the ids exist with another content: bd-1',
    })
    expect(text(rowsPath)).toBe(before)

    const dry = done('issue', 'import', 'in.jsonl', '--on-conflict', 'replace', '--dry-run')
    expect(dry).toMatchObject({ added: ['bd-2'], replaced: ['bd-1'], kept: [], dryRun: true })
    expect(text(rowsPath)).toBe(before)

    const kept = done('issue', 'import', 'in.jsonl', '--on-conflict', 'keep')
    expect(kept).toMatchObject({ added: ['bd-2'], replaced: [], kept: ['bd-1'], dryRun: false })
    expect(text(rowsPath).startsWith(before)).toBe(true)
    const replaced = done('issue', 'import', 'in.jsonl', '--on-conflict', 'replace')
    expect(replaced).toMatchObject({ added: [], replaced: ['bd-1'], kept: ['bd-2'] })
    expect(done('issue', 'show', 'bd-1').issue.title).toBe('T bd-1')
    expect(replayedRef()).toBe(snapshotRef())
  })

  test('import never lowers a fence, and a holder keeps its issue', () => {
    done('issue', 'add', 'Mine', '--id', 'bd-1')
    writeFileSync(join(folder, 'in.jsonl'), row('bd-1', ',"metadata":{"a":1}'))
    const { lease } = done('issue', 'claim', 'bd-1', '--assignee', 'bob').issue
    const replace = ['issue', 'import', 'in.jsonl', '--on-conflict', 'replace'] as const
    expect(premath(...replace)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('somebody works on bd-1'),
    })
    const proof = ['--lease-id', lease.leaseId, '--fence', String(lease.fence)]
    done('issue', 'lease-release', 'bd-1', '--assignee', 'bob', ...proof)
    done(...replace)
    expect(JSON.parse(lines(rowsPath).at(-1) ?? '')).toMatchObject({
      metadata: { a: 1, premathFence: 1 },
    })
  })

  test('import closes no open issue, and keeps the proof of a closed one', () => {
    done('issue', 'add', 'Mine', '--id', 'bd-1')
    const forged = ',"status":"closed","metadata":{"premathClose":{"by":"specs"},"a":1}'
    writeFileSync(join(folder, 'in.jsonl'), row('bd-1', forged) + row('bd-2', forged))
    const replace = ['issue', 'import', 'in.jsonl', '--on-conflict', 'replace'] as const
    expect(premath(...replace).stdout).toContain('bd-1 is closed there but not here')
    const [first = '{}', second = '{}'] = lines(rowsPath).slice(-2)
    const rows = [first, second]
      .map(line => JSON.parse(line))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(rows).toMatchObject([
      { id: 'bd-1', title: 'T bd-1', status: 'open' },
      { id: 'bd-2', status: 'closed' },
    ])
    expect(rows[0].metadata).toEqual({ a: 1 })
    expect(done(...replace)).toMatchObject({ replaced: [], notClosed: ['bd-1'] })

    done('issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'Moot')
    writeFileSync(join(folder, 'in.jsonl'), row('bd-1', `${forged},"notes":"n"`))
    expect(done(...replace)).toMatchObject({ replaced: ['bd-1'], notClosed: [] })
    expect(JSON.parse(lines(rowsPath).at(-1) ?? '')).toMatchObject({
      notes: 'n',
      metadata: { premathClose: { by: 'force', reason: 'Moot' } },
    })
    done('witness', 'verify', 'bd-1', '--allow-forced')
  })

  test('imported edges that form a cycle are refused', () => {
    const edge = (from: string, to: string) =>
      row(from, `,"dependencies":[{"issue_id":"${from}","depends_on_id":"${to}","type":"blocks"}]`)
    writeFileSync(join(folder, 'in.jsonl'), edge('bd-1', 'bd-2') + edge('bd-2', 'bd-1'))
    const { status, stderr } = premath('issue', 'import', 'in.jsonl')
    expect(status).toBe(1)
    expect(stderr).toContain('dependency cycle detected: bd-1 -> bd-2 -> bd-1')
    expect(existsSync(join(folder, rowsPath))).toBe(false)
  })

  test.each([
    ['a bad row', `${row('bd-1')}{"id":"bd-2"}\n${row('bd-3')}`, 'line 2: title must be text'],
    [
      'a file that is cut off',
      row('bd-1') + row('bd-2').slice(0, 12),
      'line 2 is not a complete row',
    ],
    ['a bad row of a list', '[{"id":"bd-1","title":""},{"id":7}]', 'row 2: id must be text'],
  ])('%s imports nothing', (_, input, why) => {
    writeFileSync(join(folder, 'in.jsonl'), input)
    const { status, stderr } = premath('issue', 'import', 'in.jsonl')
    expect(status).toBe(2)
    expect(stderr).toContain(why)
    expect(existsSync(join(folder, rowsPath))).toBe(false)
  })

  test('import reads stdin if the file is -', () => {
    const { status, stdout } = spawnSync(process.execPath, [main, 'issue', 'import', '-'], {
      encoding: 'utf8',
      cwd: folder,
      input: row('bd-1'),
    })
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'Imported 1 issue from standard input: 1 added, 0 replaced, 0 kept\n',
    })
  })
})
