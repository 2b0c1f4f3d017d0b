/** The observation surface, as the built command writes it and answers from it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { ObservationSurface } from '../src/wire/observation/surface.ts'
import { aProject } from './a-project.ts'

const project = aProject()
const { premath, asked, done } = project

const surfacePath = 'artifacts/observation/latest.json'
const eventsPath = 'artifacts/observation/events.jsonl'
const witnesses = 'artifacts/ciwitness'
const at = '2026-02-22T00:00:00Z'

const pathOf = (path: string) => join(project.folder, path)
const text = (path: string) => readFileSync(pathOf(path), 'utf8')
const json = (path: string) => JSON.parse(text(path))

function put(path: string, content: unknown): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true })
  writeFileSync(pathOf(path), typeof content === 'string' ? content : JSON.stringify(content))
}

const rows = (...issues: readonly object[]) =>
  put('.premath/issues.jsonl', issues.map(row => `${JSON.stringify(row)}\n`).join(''))

const build = (...more: readonly string[]) => done('observe-build', '--at', at, ...more)

const digests = {
  projectionPolicy: 'ci-topos-v0',
  projectionDigest: 'proj1_alpha',
  typedCoreProjectionDigest: 'ev1_alpha',
}

const required = {
  ciSchema: 1,
  witnessKind: 'ci.required.v1',
  ...digests,
  requiredChecks: ['test', 'build'],
  executedChecks: ['test', 'build'],
  verdictClass: 'accepted',
  failureClasses: [],
}

const delta = {
  schema: 1,
  deltaKind: 'ci.delta.v1',
  ...digests,
  changedPaths: ['src/b.ts', 'src/a.ts'],
  deltaSource: 'git_diff',
  fromRef: 'main',
  toRef: 'HEAD',
}

const decision = {
  schema: 1,
  decisionKind: 'ci.required.decision.v1',
  ...digests,
  decision: 'accept',
  reasonClass: 'verified_accept',
  requiredChecks: ['test', 'build'],
}

const instruction = (id: string, more: object = {}) =>
  put(`${witnesses}/${id}.json`, {
    ciSchema: 1,
    witnessKind: 'ci.instruction.v1',
    instructionId: id,
    instructionClassification: { state: 'typed', kind: 'ci.gate.check' },
    intent: `intent of ${id}`,
    scope: { z: 1, issueId: 'bd-1' },
    policyDigest: 'pol1_a',
    requiredChecks: ['hk-pre-push', 'hk-check'],
    executedChecks: ['hk-pre-push', 'hk-check'],
    verdictClass: 'accepted',
    failureClasses: [],
    runFinishedAt: '2026-02-21T00:00:00Z',
    ...more,
  })

const unknown = {
  instructionClassification: { state: 'unknown', reason: 'unrecognized_requested_checks' },
  verdictClass: 'rejected',
  failureClasses: ['instruction_unknown_unroutable'],
}

const verdicts = () => {
  put(`${witnesses}/latest-required.json`, required)
  put(`${witnesses}/latest-delta.json`, delta)
  put(`${witnesses}/latest-decision.json`, decision)
}

beforeEach(() => rows({ id: 'bd-1', title: 'One' }))

describe('observe-build', () => {
  test('[tusk.7.observation] writes the surface and its events from the verdicts of the checks', () => {
    verdicts()
    instruction('20260221T010000Z-a')
    const surface = build()
    expect(mustMatchShape(ObservationSurface, surface)).toBeTruthy()
    expect(surface).toEqual(json(surfacePath))
    expect(surface).toMatchObject({
      schema: 1,
      surfaceKind: 'ci.observation.surface.v0',
      evaluatedAt: at,
      summary: {
        state: 'accepted',
        needsAttention: false,
        topFailureClass: 'verified_accept',
        latestProjectionDigest: 'ev1_alpha',
        latestInstructionId: '20260221T010000Z-a',
        requiredCheckCount: 2,
        executedCheckCount: 2,
        changedPathCount: 2,
        coherence: { needsAttention: false, attentionReasons: [] },
      },
    })
    const kinds = text(eventsPath)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).kind)
    expect(kinds).toEqual([
      'ci.delta.v1.summary',
      'ci.required.v1.summary',
      'ci.required.decision.v1.summary',
      'ci.instruction.v1.summary',
      'ci.observation.surface.v0.summary',
      'ci.observation.surface.v0.coherence',
    ])
  })

  test('keeps the order of checks and paths', () => {
    verdicts()
    instruction('20260221T010000Z-a')
    const { latest, instructions } = build()
    expect(latest.required.requiredChecks).toEqual(['test', 'build'])
    expect(latest.delta.changedPaths).toEqual(['src/b.ts', 'src/a.ts'])
    expect(instructions[0].requiredChecks).toEqual(['hk-pre-push', 'hk-check'])
  })

  test.each([
    ['empty', {}, false],
    ['running', { required }, false],
    ['rejected', { required: { ...required, verdictClass: 'rejected' } }, true],
    ['error', { required: { ...required, verdictClass: 'perhaps' } }, true],
    ['rejected', { required, decision: { ...decision, decision: 'reject' } }, true],
    ['error', { required, decision: { ...decision, decision: 'later' } }, true],
  ] as const)('has the state %s for the verdicts %j', (state, documents, needsAttention) => {
    for (const [name, document] of Object.entries(documents)) {
      put(`${witnesses}/latest-${name}.json`, document)
    }
    expect(build().summary).toMatchObject({ state, needsAttention })
  })

  test('has the state of the last instruction where no checks ran', () => {
    instruction('20260221T010000Z-a', {
      verdictClass: 'rejected',
      failureClasses: ['check_failed'],
    })
    expect(build().summary).toMatchObject({ state: 'rejected', topFailureClass: 'check_failed' })
  })

  test('gives the same bytes for the same inputs and time, with and without its cache', () => {
    verdicts()
    instruction('20260221T010000Z-a', { scope: { b: 1.5, a: '1.0' } })
    done(
      'harness-trajectory',
      'append',
      '--step-id',
      's1',
      '--action',
      'a',
      '--result-class',
      'completed',
    )
    build()
    const first = [text(surfacePath), text(eventsPath)]
    expect(existsSync(pathOf('.premath/cache/observation.parts'))).toBe(true)
    build()
    expect([text(surfacePath), text(eventsPath)]).toEqual(first)
    rmSync(pathOf('.premath/cache'), { recursive: true })
    build()
    expect([text(surfacePath), text(eventsPath)]).toEqual(first)
  })

  test('goes on where its cache is broken', () => {
    build()
    const first = text(surfacePath)
    put('.premath/cache/observation.parts', 'broken')
    build()
    expect(text(surfacePath)).toBe(first)
  })

  test('sees each change of its inputs', () => {
    build()
    rows({ id: 'bd-1', title: 'One' }, { id: 'bd-2', title: 'Two', status: 'blocked' })
    expect(build().harness).toMatchObject({ issues: { total: 2, blocked: 1 } })
    instruction('20260221T010000Z-a', unknown)
    expect(build().summary.coherence.attentionReasons).toEqual([
      'instruction_unknown_classification',
    ])
    instruction('20260221T010000Z-a')
    expect(build().summary.coherence.attentionReasons).toEqual([])
  })

  test('evaluates leases at the given time', () => {
    const lease = {
      lease_id: 'l1',
      owner: 'alice',
      acquired_at: '2026-02-21T23:00:00Z',
      expires_at: '2026-02-22T01:00:00Z',
    }
    rows({ id: 'bd-1', title: 'One', status: 'in_progress', assignee: 'alice', lease })
    expect(build()).toMatchObject({
      summary: { needsAttention: false, coherence: { leaseHealth: { activeLeaseCount: 1 } } },
      harness: {
        leases: [{ issueId: 'bd-1', workerId: 'alice', state: 'active' }],
        workers: [{ workerId: 'alice', issueIds: ['bd-1'], activeLeaseCount: 1 }],
      },
    })
    const later = done('observe-build', '--at', '2026-02-22T02:00:00Z')
    expect(later).toMatchObject({
      summary: {
        needsAttention: true,
        topFailureClass: 'stale_claims',
        coherence: {
          leaseHealth: { staleIssueIds: ['bd-1'], referenceTime: '2026-02-22T02:00:00Z' },
        },
      },
      harness: { attention: [{ about: 'lease_expired', issueId: 'bd-1' }] },
    })
  })

  test('names a lease whose issue another one is assigned to', () => {
    const lease = {
      lease_id: 'l1',
      owner: 'alice',
      acquired_at: at,
      expires_at: '2026-02-23T00:00:00Z',
    }
    rows({ id: 'bd-1', title: 'One', status: 'in_progress', assignee: 'bob', lease })
    expect(build().summary.coherence.attentionReasons).toEqual(['contended_claims'])
  })

  test('names a cycle of active issues', () => {
    const waits = (id: string, on: string) => ({
      id,
      title: id,
      dependencies: [{ issue_id: id, depends_on_id: on, type: 'blocks' }],
    })
    rows(waits('bd-1', 'bd-2'), waits('bd-2', 'bd-1'))
    const { coherence } = build().summary
    expect(coherence.attentionReasons).toEqual(['dependency_cycle_active'])
    expect(coherence.dependencyIntegrity.active.cyclePath).toEqual(['bd-1', 'bd-2', 'bd-1'])
    expect(coherence.issuePartition).toMatchObject({ readyCount: 0, blockedCount: 2 })
  })

  test('names policies and projections that disagree', () => {
    verdicts()
    put(`${witnesses}/latest-delta.json`, { ...delta, projectionDigest: 'proj1_beta' })
    instruction('20260221T010000Z-a')
    instruction('20260221T020000Z-b', { policyDigest: 'pol1_b' })
    expect(build().summary.coherence.policyDrift.driftClasses).toEqual([
      'projection_digest_drift',
      'instruction_policy_drift',
    ])
  })

  test.each([
    ['a cut file', '{"witnessKind":', 'latest-required.json'],
    ['no object', '[]', '20260221T010000Z-a.json'],
  ])('refuses a witness that is %s, by name, and keeps the old surface', (_, content, name) => {
    build()
    const before = text(surfacePath)
    put(`${witnesses}/${name}`, content)
    const { status, json: answer } = asked(['observe-build', '--at', at])
    expect(status).toBe(2)
    expect(answer.error).toMatchObject({ code: 'invalid_input' })
    expect(answer.error.message).toContain(`${witnesses}/${name}`)
    expect(text(surfacePath)).toBe(before)
  })

  test('refuses a time that is none, and an output that is a file of the project', () => {
    expect(asked(['observe-build', '--at', 'soon']).status).toBe(2)
    expect(asked(['observe-build', '--out-json', '.premath/issues.jsonl']).status).toBe(2)
    expect(text('.premath/issues.jsonl')).toContain('bd-1')
  })

  test('works in a project without issues', () => {
    rmSync(pathOf('.premath/issues.jsonl'))
    expect(build()).toMatchObject({
      summary: { state: 'empty' },
      harness: { issues: { total: 0 } },
    })
  })
})

describe('attention clears', () => {
  const reasons = () => build().summary.coherence.attentionReasons

  test('when the same instruction was run again and accepted', () => {
    instruction('20260221T010000Z-a', unknown)
    expect(reasons()).toEqual(['instruction_unknown_classification'])
    instruction('20260221T010000Z-a')
    expect(reasons()).toEqual([])
  })

  test('when another instruction with its intent and scope was accepted later', () => {
    instruction('20260221T010000Z-b', { ...unknown, intent: 'fix it' })
    instruction('20260221T000000Z-a', {
      intent: 'fix it',
      policyDigest: 'pol1_new',
      runFinishedAt: '2026-02-21T09:00:00Z',
    })
    const { summary, instructions } = build()
    expect(summary).toMatchObject({ state: 'running', needsAttention: false })
    expect(instructions.map((row: { standing: string }) => row.standing)).toEqual([
      'current',
      'superseded',
    ])
  })

  test('when the issues of its scope are closed', () => {
    instruction('20260221T010000Z-a', unknown)
    expect(build().summary).toMatchObject({ state: 'rejected', needsAttention: true })
    rows({ id: 'bd-1', title: 'One', status: 'closed', closed_at: at })
    const { summary, instructions } = build()
    expect(summary).toMatchObject({ state: 'empty', needsAttention: false })
    expect(instructions[0]).toMatchObject({ standing: 'settled' })
  })
})

describe('observe', () => {
  test('[tusk.14.2.observe] answers the latest state and what needs attention', () => {
    verdicts()
    const { summary, latest } = build()
    expect(done('observe')).toEqual({ evaluatedAt: at, summary, latest })
    expect(done('observe', '--mode', 'needs_attention')).toEqual({
      attention: [],
      evaluatedAt: at,
      needsAttention: false,
      state: 'accepted',
      topFailureClass: 'verified_accept',
      latestProjectionDigest: 'ev1_alpha',
      latestInstructionId: null,
      coherence: summary.coherence,
    })
  })

  test('[tusk.14.2.observe] answers the row of an instruction', () => {
    instruction('20260221T010000Z-a')
    const { instructions } = build()
    const words = ['observe', '--mode', 'instruction', '--instruction-id']
    expect(done(...words, '20260221T010000Z-a')).toEqual(instructions[0])
    const { status, json: answer } = asked([...words, '20260221T020000Z-b'])
    expect([status, answer.failureClasses]).toEqual([1, ['observation_instruction_not_found']])
  })

  test('[tusk.14.2.observe] finds a projection by its typed digest, and by its alias on demand only', () => {
    verdicts()
    build()
    const words = ['observe', '--mode', 'projection', '--projection-digest']
    expect(done(...words, 'ev1_alpha')).toMatchObject({
      projectionDigest: 'ev1_alpha',
      required: { verdictClass: 'accepted' },
      delta: { changedPathCount: 2 },
      decision: { decision: 'accept' },
    })
    expect(asked([...words, 'proj1_alpha'])).toMatchObject({
      status: 1,
      json: { failureClasses: ['observation_projection_not_found'] },
    })
    const alias = ['--projection-match', 'compatibility_alias']
    expect(done(...words, 'proj1_alpha', ...alias)).toMatchObject({
      projectionDigest: 'proj1_alpha',
      decision: { decision: 'accept' },
    })
  })

  test('answers from a surface of an earlier tool', () => {
    const summary = { state: 'accepted', needsAttention: false, topFailureClass: null }
    put(surfacePath, {
      schema: 1,
      surfaceKind: 'ci.observation.surface.v0',
      summary,
      latest: { delta: null, required: null, decision: null },
      instructions: [],
    })
    expect(done('observe').summary).toEqual(summary)
    expect(premath(['observe']).stdout).toContain('State: accepted')
  })

  test.each([
    ['is missing', undefined],
    ['is cut off', '{"schema":1'],
    [
      'has another kind',
      { schema: 1, surfaceKind: 'x', summary: {}, latest: {}, instructions: [] },
    ],
    ['has another schema', { schema: 2, surfaceKind: 'ci.observation.surface.v0' }],
  ])('faults where the surface %s', (_, content) => {
    if (content !== undefined) put(surfacePath, content)
    const { status, json: answer } = asked(['observe'])
    expect([status, answer.error.code]).toEqual([2, 'invalid_input'])
    expect(answer.error.message).toContain(surfacePath)
  })

  test.each(['instruction', 'projection'])('needs a name for the mode %s', mode => {
    build()
    expect(asked(['observe', '--mode', mode])).toMatchObject({
      status: 2,
      json: { error: { code: 'usage' } },
    })
  })

  test('shows a person what needs attention, with the next step', () => {
    rows({ id: 'bd-1', title: 'One', status: 'blocked' })
    build()
    const page = premath(['observe']).stdout
    expect(page).toContain('Needs attention: yes (issue_blocked)')
    expect(page).toContain('- bd-1 "One": marked as blocked')
    expect(page).toContain('premath reopen bd-1')
  })
})

describe('the surface is evidence', () => {
  const kept = () =>
    readdirSync(pathOf('.premath'), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.jsonl') || path.endsWith('.json'))
      .map(path => [path, text(join('.premath', path))])

  const forged = {
    schema: 1,
    surfaceKind: 'ci.observation.surface.v0',
    evaluatedAt: at,
    summary: {
      state: 'rejected',
      needsAttention: true,
      coherence: { attentionReasons: ['stale_claims'] },
    },
    latest: { delta: null, required: null, decision: null },
    instructions: [],
    harness: { attention: [{ about: 'issue_blocked', issueId: 'bd-1' }] },
  }

  test('[tusk.13.observation-boundary] to build it and to ask it changes no issue and no document', () => {
    done('harness-session', 'write', '--state', 'stopped', '--issue-id', 'bd-1', '--summary', 's')
    done(
      'harness-trajectory',
      'append',
      '--step-id',
      's1',
      '--action',
      'a',
      '--result-class',
      'completed',
    )
    const before = kept()
    build()
    done('observe')
    expect(kept()).toEqual(before)
  })

  test('[runtime.3.1.observation] a start shows its attention, and decides without it', () => {
    const without = done('harness-boot')
    expect(without).not.toHaveProperty('observation')
    put(surfacePath, forged)
    const { observation, memoryRoots, ...boot } = done('harness-boot')
    expect(observation).toEqual({
      evaluatedAt: at,
      state: 'rejected',
      needsAttention: true,
      attentionReasons: ['stale_claims', 'issue_blocked'],
      unreadable: null,
    })
    expect(memoryRoots).toContainEqual({ path: surfacePath, present: true })
    const { memoryRoots: _, ...expected } = without
    expect(boot).toEqual(expected)
    expect(premath(['harness-boot']).stdout).toContain(
      `the observation of ${at} asks for attention: stale_claims, issue_blocked`,
    )
  })

  test('[runtime.3.1.observation] a start goes on with a surface that cannot be read, and says so', () => {
    put(surfacePath, '{"schema":')
    expect(done('harness-boot')).toMatchObject({
      result: 'accepted',
      observation: { needsAttention: false, unreadable: 'it is not a JSON object' },
    })
    expect(premath(['harness-boot']).stdout).toContain('the observation surface cannot be read')
  })
})
