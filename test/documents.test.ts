/** Session, feature ledger and trajectory by their commands, in memory. */
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { Bootstrap } from '../src/wire/harness/bootstrap.ts'
import { FeatureLedger } from '../src/wire/harness/feature-ledger.ts'
import { LedgerCheck } from '../src/wire/harness/ledger-check.ts'
import { Session } from '../src/wire/harness/session.ts'
import { StepRow } from '../src/wire/harness/step-row.ts'
import { TrajectoryProjection } from '../src/wire/harness/trajectory-projection.ts'
import { KpiReport } from '../src/wire/run/kpi-report.ts'
import { MemoryProject } from './a-project-in-memory.ts'

const issuesPath = '.premath/issues.jsonl'
const sessionPath = '.premath/harness_session.json'
const ledgerPath = '.premath/harness_feature_ledger.json'
const trajectoryPath = '.premath/harness_trajectory.jsonl'
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

const golden = {
  id: 'bd-1',
  title: 'T',
  created_at: '2026-02-23T00:00:00Z',
  updated_at: '2026-02-23T00:00:00Z',
}

function project(...issues: readonly object[]) {
  const made = new MemoryProject({ issues })
  const { done } = made
  return Object.assign(made, {
    write: async (...words: readonly string[]) =>
      (await done('harness-session', 'write', ...words)).session,
    bootstrap: (...words: readonly string[]) => done('harness-session', 'bootstrap', ...words),
    feature: (id: string, status: string, ...words: readonly string[]) =>
      done('harness-feature', 'write', '--feature-id', id, '--status', status, ...words),
    append: (stepId: string, resultClass: string, ...words: readonly string[]) =>
      done(
        ...['harness-trajectory', 'append', '--action', 'worker.loop'],
        ...['--step-id', stepId, '--result-class', resultClass, ...words],
      ),
    query: (...words: readonly string[]) => done('harness-trajectory', 'query', ...words),
  })
}

describe('a session', () => {
  const nothingKnown = {
    action: 'harness-session.bootstrap',
    bootstrapKind: 'premath.harness.bootstrap.v1',
    featureClosureComplete: null,
    featureCount: null,
    featureLedgerRef: ledgerPath,
    instructionRefs: [],
    issuesPath: null,
    issuesSnapshotRef: null,
    lineageRefs: [],
    mode: 'fresh',
    nextFeatureId: null,
    nextStep: null,
    resumeIssueId: null,
    sessionId: null,
    sessionRef: sessionPath,
    startedAt: null,
    stoppedAt: null,
    summary: null,
    updatedAt: null,
    witnessRefs: [],
  }
  const refs = ['b', 'a', ' a '].flatMap(ref => ['--instruction-ref', ref])
  const begun = [
    ...['--state', 'active', '--issue-id', 'bd-child', '--summary', '  began  '],
    ...['--next-step', 'work', ...refs, '--witness-ref', 'w1'],
    ...['--lineage-ref', 'ctx://issue/bd-child/x'],
  ]
  const session = {
    instructionRefs: ['a', 'b'],
    issueId: 'bd-child',
    issuesPath,
    issuesSnapshotRef: expect.stringMatching(/^iss1_[0-9a-f]{64}$/),
    lineageRefs: ['ctx://issue/bd-child/x'],
    nextStep: 'work',
    schema: 1,
    sessionId: expect.stringMatching(/^hs1_\d{8}T\d{6}Z_bd-child$/),
    sessionKind: 'premath.harness.session.v1',
    startedAt: expect.stringMatching(time),
    updatedAt: expect.stringMatching(time),
    witnessRefs: ['w1'],
  }

  test('[tusk.11.continuity] [runtime.4.bootstrap-mode] [runtime.4.bootstrap-kind] passes from one context to the next', async () => {
    const { write, bootstrap, done } = project({ id: 'bd-child', title: 'x' })
    expect(mustMatchShape(Bootstrap, await bootstrap())).toEqual(nothingKnown)
    const first = await write(...begun)
    expect(first).toEqual({ ...session, state: 'active', summary: 'began' })
    const expected = {
      ...nothingKnown,
      instructionRefs: ['a', 'b'],
      issuesPath,
      issuesSnapshotRef: first.issuesSnapshotRef,
      lineageRefs: ['ctx://issue/bd-child/x'],
      nextStep: 'work',
      resumeIssueId: 'bd-child',
      sessionId: first.sessionId,
      startedAt: first.startedAt,
      witnessRefs: ['w1'],
    }
    const { updatedAt } = first
    expect(await bootstrap()).toEqual({ ...expected, mode: 'attach', summary: 'began', updatedAt })

    const last = await write('--summary', '')
    const stoppedAt = expect.stringMatching(time)
    const { sessionId } = first
    expect(mustMatchShape(Session, last)).toEqual({
      ...session,
      sessionId,
      state: 'stopped',
      stoppedAt,
    })
    expect((await done('harness-session', 'read')).session).toEqual(last)
    expect(mustMatchShape(Bootstrap, await bootstrap())).toEqual({
      ...expected,
      mode: 'resume',
      stoppedAt: last.stoppedAt,
      updatedAt: last.updatedAt,
    })
  })

  test('[runtime.2.session-artifact] [tusk.11.canonical-artifact] is the file that earlier readers expect', async () => {
    const { write, text } = project({ id: 'bd-child', title: 'x' })
    await write(...begun)
    const last = await write('--summary', '')
    expect(text(sessionPath)).toBe(`{
  "schema": 1,
  "sessionKind": "premath.harness.session.v1",
  "sessionId": "${last.sessionId}",
  "state": "stopped",
  "issueId": "bd-child",
  "nextStep": "work",
  "instructionRefs": [
    "a",
    "b"
  ],
  "witnessRefs": [
    "w1"
  ],
  "lineageRefs": [
    "ctx://issue/bd-child/x"
  ],
  "startedAt": "${last.startedAt}",
  "updatedAt": "${last.updatedAt}",
  "stoppedAt": "${last.stoppedAt}",
  "issuesPath": ".premath/issues.jsonl",
  "issuesSnapshotRef": "${last.issuesSnapshotRef}"
}
`)
  })

  test('[runtime.2.session-commands] [tusk.11.commands] is written, read and bootstrapped at a path', async () => {
    const { done, bootstrap, has } = project()
    const at = ['--path', 'x/s.json']
    expect((await done('harness-session', 'write', ...at, '--state', 'active')).path).toBe(
      'x/s.json',
    )
    expect((await done('harness-session', 'read', ...at)).session.state).toBe('active')
    expect(await bootstrap(...at)).toMatchObject({ mode: 'attach', sessionRef: 'x/s.json' })
    expect(has(sessionPath)).toBe(false)
  })

  test('[tusk.11.update-in-place] keeps its id and start, and renews its last update', async () => {
    const { write } = project()
    const first = await write('--session-id', ' mine ')
    expect(first.sessionId).toBe('mine')
    const second = await write('--session-id', ' ', '--state', 'active')
    expect(second).toMatchObject({ sessionId: 'mine', startedAt: first.startedAt, state: 'active' })
    expect(Date.parse(second.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt))
    expect(second).not.toHaveProperty('stoppedAt')
  })

  test('[tusk.11.blank-absent] drops blank values, in lists too', async () => {
    const { write } = project()
    const given = ['--issue-id', 'bd-1', '--summary', 's', '--witness-ref', 'w']
    await write(...given, '--lineage-ref', 'l')
    const after = await write('--summary', ' \t', '--witness-ref', '')
    expect(after).toMatchObject({ issueId: 'bd-1', lineageRefs: ['l'] })
    expect(after).not.toHaveProperty('summary')
    expect(after).not.toHaveProperty('witnessRefs')
  })

  const goldenRef = 'iss1_0baf41a2497fd35159a0585bb7ea56455bbed69094f3ac5f969724d8b38aa549'

  test('[tusk.11.snapshot-ref] names the current issue memory', async () => {
    expect((await project(golden).write()).issuesSnapshotRef).toBe(goldenRef)
    expect((await project().write()).issuesSnapshotRef).toBe(
      'iss1_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  test.each([
    ['is missing', undefined],
    ['cannot be trusted', '{"id":\n{"id":"bd-1","title":"x"}\n'],
  ])('[tusk.11.snapshot-ref] leaves the ref out if memory %s, and says so', async (_, rows) => {
    const { asked, put, remove } = project()
    if (rows === undefined) await remove(issuesPath)
    else await put(issuesPath, rows)
    const { exit, err, json } = await asked('harness-session', 'write', '--summary', 's')
    expect(exit).toBe(0)
    expect(err).toContain('issuesSnapshotRef')
    expect(json.session).toMatchObject({ issuesPath, summary: 's' })
    expect(json.session).not.toHaveProperty('issuesSnapshotRef')
  })

  test('[tusk.11.snapshot-stable] keeps its snapshot ref while memory is unchanged', async () => {
    const { write, done } = project({ ...golden, title: 'old' }, golden)
    expect((await write()).issuesSnapshotRef).toBe(goldenRef)
    await done('issue', 'compact')
    expect((await write('--state', 'active')).issuesSnapshotRef).toBe(goldenRef)
    await done('issue', 'update', 'bd-1', '--notes', 'n')
    expect((await write()).issuesSnapshotRef).not.toBe(goldenRef)
  })

  test('[tusk.11.bootstrap] gives a start the mode and the features of the ledger', async () => {
    const { bootstrap, feature } = project()
    await feature('b', 'pending')
    await feature('a', 'in_progress')
    expect(mustMatchShape(Bootstrap, await bootstrap())).toEqual({
      ...nothingKnown,
      featureClosureComplete: false,
      featureCount: 2,
      nextFeatureId: 'a',
    })
    expect((await bootstrap('--feature-ledger', 'none.json')).featureCount).toBeNull()
  })

  test('[tusk.11.no-authority] [tusk.11.names-authority] names an issue, and neither holds nor changes it', async () => {
    const { write, feature, done, text, has, issue, json } = project(golden, {
      id: 'bd-2',
      title: 'x',
    })
    const before = text(issuesPath)
    const ready = (await done('issue', 'ready')).items
    await write('--state', 'active', '--issue-id', 'bd-1', '--instruction-ref', 'i')
    await feature('f', 'completed', '--issue-id', 'bd-2', '--verification-ref', 'w')
    expect(text(issuesPath)).toBe(before)
    expect(has('.premath/memory/events.jsonl')).toBe(false)
    expect((await done('issue', 'ready')).items).toEqual(ready)
    expect(await issue('bd-1')).toMatchObject({ lease: null, status: 'open' })
    expect(json(sessionPath)).toMatchObject({ issueId: 'bd-1', instructionRefs: ['i'] })
    expect(text(sessionPath)).not.toContain(golden.created_at)
  })
})

describe('a feature ledger', () => {
  const refs = (...all: readonly string[]) => all.flatMap(ref => ['--verification-ref', ref])

  test('[runtime.2.feature-commands] is written, read and checked, and names the next feature', async () => {
    const { feature, done, asked, bootstrap } = project()
    expect(await done('harness-feature', 'next')).toEqual({
      action: 'harness-feature.next',
      closureComplete: null,
      exists: false,
      featureCount: null,
      nextFeatureId: null,
      path: ledgerPath,
    })
    await feature('beta', 'pending', '--summary', 'second')
    const { ledger } = await feature('alpha', 'in_progress', '--issue-id', 'bd-child')
    expect(mustMatchShape(FeatureLedger, ledger).features.map(row => row.featureId)).toEqual([
      'alpha',
      'beta',
    ])
    expect(await done('harness-feature', 'next')).toMatchObject({
      closureComplete: false,
      exists: true,
      featureCount: 2,
      nextFeatureId: 'alpha',
    })
    await feature('alpha', 'completed', ...refs('v2', 'v1', 'v1'))
    const open = await asked('harness-feature', 'check', '--require-closure')
    expect(open.exit).toBe(1)
    expect(mustMatchShape(LedgerCheck, open.json)).toMatchObject({
      failureClasses: ['harness_feature_ledger.closure_incomplete'],
      nextFeatureId: 'beta',
      result: 'rejected',
      summary: { completedCount: 1, featureCount: 2, pendingCount: 1 },
    })
    await feature('beta', 'completed', ...refs('v3'))
    expect(await done('harness-feature', 'check', '--require-closure')).toMatchObject({
      nextFeatureId: null,
      result: 'accepted',
      summary: { closureComplete: true, completedCount: 2 },
    })
    const read = await done('harness-feature', 'read')
    expect(mustMatchShape(FeatureLedger, read.ledger).features).toMatchObject([
      { featureId: 'alpha', issueId: 'bd-child', verificationRefs: ['v1', 'v2'] },
      { featureId: 'beta', summary: 'second', verificationRefs: ['v3'] },
    ])
    expect(await bootstrap()).toMatchObject({ featureClosureComplete: true, nextFeatureId: null })
  })

  test('[runtime.2.ledger-artifact] is the file that earlier readers expect', async () => {
    const { feature, text } = project()
    await feature('beta', 'pending', '--summary', 'second')
    await feature('alpha', 'completed', '--issue-id', 'bd-child', ...refs('v1', 'v2'))
    expect(text(ledgerPath).replace(/"updatedAt": "[^"]*"/g, '"updatedAt": "T"')).toBe(`{
  "schema": 1,
  "ledgerKind": "premath.harness.feature_ledger.v1",
  "updatedAt": "T",
  "features": [
    {
      "featureId": "alpha",
      "status": "completed",
      "issueId": "bd-child",
      "verificationRefs": [
        "v1",
        "v2"
      ],
      "updatedAt": "T"
    },
    {
      "featureId": "beta",
      "status": "pending",
      "summary": "second",
      "updatedAt": "T"
    }
  ]
}
`)
  })
})

describe('a trajectory', () => {
  /** Steps as an earlier implementation was asked to record them. */
  async function recorded() {
    const made = project()
    const first = await made.append(
      's1',
      'transient_failure',
      ...['--issue-id', 'bd-child', '--witness-ref', 'b', '--witness-ref', 'a'],
      ...['--lineage-ref', 'ctx://x', '--started-at', '2026-02-22T00:00:30Z'],
      ...['--finished-at', '2026-02-22T00:01:00Z'],
    )
    await made.append('s2', 'policy_reject', '--finished-at', '2026-02-22T02:02:00+02:00')
    await made.append('s3', 'accepted', '--finished-at', '2026-02-22T00:03:00Z')
    return { made, first }
  }
  const ids = ({ items }: { items: readonly { stepId: string }[] }) => items.map(one => one.stepId)

  test('[tusk.12.row] has one line a step, with its members in one order', async () => {
    const { made, first } = await recorded()
    expect(mustMatchShape(StepRow, first.row)).toEqual(made.trajectory[0])
    expect(made.text(trajectoryPath)).toBe(
      [
        '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"s1","issueId":"bd-child","action":"worker.loop","resultClass":"transient_failure","witnessRefs":["a","b"],"lineageRefs":["ctx://x"],"startedAt":"2026-02-22T00:00:30Z","finishedAt":"2026-02-22T00:01:00Z"}\n',
        '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"s2","action":"worker.loop","resultClass":"policy_reject","finishedAt":"2026-02-22T02:02:00+02:00"}\n',
        '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"s3","action":"worker.loop","resultClass":"accepted","finishedAt":"2026-02-22T00:03:00Z"}\n',
      ].join(''),
    )
  })

  test('[tusk.12.commands] [runtime.2.trajectory-commands] returns the appended rows, and none before', async () => {
    const empty = project()
    expect(await empty.query()).toEqual({
      action: 'harness-trajectory.query',
      count: 0,
      failedCount: 0,
      items: [],
      mode: 'latest',
      path: trajectoryPath,
      projectionKind: 'premath.harness.trajectory.projection.v1',
      retryNeededCount: 0,
      totalCount: 0,
    })
    expect(empty.has(trajectoryPath)).toBe(false)
    const { made } = await recorded()
    expect(ids(await made.query())).toEqual(['s3', 's2', 's1'])
  })

  test('[tusk.12.projection] [runtime.6.projection-kind] is projected in every mode, with all counts', async () => {
    const { made } = await recorded()
    const counts = {
      projectionKind: 'premath.harness.trajectory.projection.v1',
      totalCount: 3,
      failedCount: 2,
      retryNeededCount: 1,
    }
    const latest = mustMatchShape(TrajectoryProjection, await made.query('--limit', '2'))
    expect(latest).toMatchObject({ ...counts, count: 2, mode: 'latest' })
    expect(ids(latest)).toEqual(['s3', 's2'])
    expect(ids(await made.query('--mode', 'failed'))).toEqual(['s2', 's1'])
    expect(await made.query('--mode', 'retry-needed')).toMatchObject({
      ...counts,
      count: 1,
      mode: 'retry_needed',
      items: [{ stepId: 's1', lineageRefs: ['ctx://x'], witnessRefs: ['a', 'b'] }],
    })
    expect(await made.query('--limit', '0')).toMatchObject({ ...counts, count: 0, items: [] })
  })

  test('[tusk.6.not-authority] [tusk.13.boundary] changes nothing in issue memory, and neither does its report', async () => {
    const { append, done, text, issue } = project(golden)
    const before = text(issuesPath)
    await append('w.1.bd-1.1', 'completed', '--issue-id', 'bd-1')
    expect(text(issuesPath)).toBe(before)
    await done('harness-kpi')
    expect(text(issuesPath)).toBe(before)
    expect(await issue('bd-1')).toMatchObject({ status: 'open', lease: null })
  })
})

describe('the KPI', () => {
  type Recorded = ReturnType<typeof project>
  const work = ({ append }: Recorded, worker: string, hour: number, resultClass: string) =>
    append(
      `${worker}.bd-1.${hour}`,
      resultClass,
      ...['--issue-id', 'bd-1', '--finished-at', `2026-02-22T0${hour}:00:00Z`],
    )

  test('[tusk.13.report] is one report for the same rows, and counts worker.0 and worker.1 as two', async () => {
    const made = project()
    for (const hour of [1, 2, 3, 4, 5]) await work(made, `worker.${hour % 2}`, hour, 'completed')
    await work(made, 'worker.1', 6, 'failed')
    const { exit, out, json } = await made.asked('harness-kpi', '--window-hours', '48')
    expect(exit).toBe(0)
    expect(mustMatchShape(KpiReport, json)).toMatchObject({
      counts: { activeWorkers: 2, workerIds: ['worker.0', 'worker.1'] },
    })
    expect(out).toContain(
      '"gatePassRate": 0.833333,\n    "kpi": 1.041667,\n    "throughputPerWorkerPerDay": 1.25',
    )
    expect((await made.asked('harness-kpi', '--window-hours', '48')).out).toBe(out)
  })

  test('[tusk.13.thresholds] is compared with 0.8, 0.4 and 3 rows, and a rollback fails it', async () => {
    const made = project()
    await work(made, 'w', 1, 'completed')
    await work(made, 'w', 2, 'failed')
    const few = await made.asked('harness-kpi')
    expect(few.json.thresholds).toEqual({ minSampleRows: 3, rollbackKpi: 0.4, targetKpi: 0.8 })
    expect([few.exit, few.json.decision.state]).toEqual([0, 'insufficient_data'])
    await work(made, 'w', 3, 'failed')
    const { exit, json } = await made.asked('harness-kpi')
    expect([exit, json.decision.state]).toEqual([1, 'rollback'])
    const watched = await made.asked('harness-kpi', '--rollback-kpi', '0.1')
    expect([watched.exit, watched.json.decision.state]).toEqual([0, 'watch'])
  })
})
