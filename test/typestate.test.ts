/** The two typestate documents, clause by clause. The names cite `requirements.ts`. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { digestOf } from '../src/kernel/canonical.ts'
import { type Json, parseJson } from '../src/kernel/json.ts'
import { judge } from '../src/kernel/turn/judge.ts'
import { MutationReady } from '../src/kernel/turn/mutation-ready.ts'
import { freeKeys } from '../src/kernel/turn/normalize.ts'
import { rules } from '../src/kernel/turn/rules/index.ts'
import { readVectors } from '../src/project/conformance/conformance-vectors.ts'
import { openContext } from '../src/project/context.ts'
import { schemaComplaints } from '../src/project/gate/schema-complaints.ts'
import { openProject } from '../src/project/open.ts'
import { openIssues } from '../src/project/open-issues.ts'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import type { JoinReport } from '../src/wire/turn/join-report.ts'
import { NormalizedTurn } from '../src/wire/turn/normalized-turn.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { checkedOperations } from './checked-answers.ts'

const sha256 = (text: string) => hash('sha256', text)
const kit = { sha256, schemaComplaints }
const vectors = await readVectors('vectors/turn', openContext(nodeWorld()))

type Row = Record<string, unknown>

const contractPolicy = { targets: ['worker/docs'], requiredArtifacts: ['artifact://plan'] }

const bindings = {
  callId: 'turn-1',
  modelRef: 'model/a',
  actionMode: 'code',
  executionPattern: 'chain',
  normalizerId: 'nf/1',
  mutationPolicyDigest: 'policy/mutation',
  governancePolicyDigest: 'policy/governance',
  toolRenderProtocolDigest: 'policy/render',
  reminderQueuePolicyDigest: 'policy/queue',
  stateViewPolicyDigest: 'policy/view',
  decompositionPolicyDigest: 'policy/decomposition',
}

const rendered = (toolCallId: string) => ({
  toolCallId,
  operatorPayloadDigest: `operator/${toolCallId}`,
  reminderRenderDigest: `reminder/${toolCallId}`,
  injectionPoint: 'tool_response',
  policyDigest: 'policy/render',
})

/** Two closed calls in a loop that goes on, with whatever members replaced. */
const evidence = (more: Row = {}): Row => ({
  callSpec: bindings,
  toolRequests: [
    { toolCallId: 'b', toolName: 'tests.run' },
    { toolCallId: 'a', toolName: 'file.read' },
  ],
  toolResults: [
    { toolCallId: 'b', payload: { passed: 3 } },
    { toolCallId: 'a', payload: { lines: 9 } },
  ],
  toolUse: [
    { toolCallId: 'b', disposition: 'observed' },
    { toolCallId: 'a', disposition: 'consumed', summaryRef: 'summary://1' },
  ],
  toolRender: [rendered('b'), rendered('a')],
  reminderQueue: [{ queueId: 'q', reducedDigest: 'reduced', policyDigest: 'policy/queue' }],
  stateViews: [{ viewId: 'v', viewDigest: 'view', policyDigest: 'policy/view' }],
  protocolState: { stopReason: 'tool_use', continuationAllowed: true },
  sessionRefs: ['session://1'],
  trajectoryRefs: ['step://1'],
  ...more,
})

const asking = {
  mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
  capabilityClaims: ['capabilities.change_morphisms', 'capabilities.change_morphisms.all'],
  activeMutationPolicyDigest: 'policy/mutation',
}

/** A turn that asks to change an issue. */
const turn = (more: Row = {}, claims: Row = {}): Row => ({
  evidence: evidence(more),
  ...asking,
  ...claims,
})

const bound = (more: Row) => ({ callSpec: { ...bindings, ...more } })
const json = (value: unknown): Json => parseJson(JSON.stringify(value), { freeKeys })
const reportOf = (input: Row): JoinReport => judge(json(input), kit)
const classesOf = (input: Row) => reportOf(input).failureClasses
const readyOf = (input: Row) => MutationReady.gate(json(input), kit).ready

async function premath(args: readonly string[], files: Record<string, string> = {}) {
  const world = simWorld({ files })
  const exitCode = await runCommand(args, checkedOperations, world)
  return { exitCode, ...world.printed }
}

test('the turn these tests start from is closed and ready', () => {
  expect(reportOf(turn())).toMatchObject({ joinClosed: true, mutationReady: true, findings: [] })
})

describe('§2 the chain', () => {
  const lacking: readonly (readonly [string, Row])[] = [
    ['call spec', { callSpec: undefined }],
    ['requests', { toolRequests: [] }],
    ['results', { toolResults: [] }],
    ['uses', { toolUse: [] }],
  ]

  test.each(lacking)(
    '[typestate.2.ordered-chain] without its %s a turn is neither closed nor ready, even if all later parts are there',
    (_, more) => {
      expect(reportOf(turn(more))).toMatchObject({ joinClosed: false, mutationReady: false })
    },
  )

  test('[typestate.2.ordered-chain] a closed join is not yet readiness', () => {
    const { mutation: _, ...unasked } = turn()
    expect(reportOf(unasked)).toMatchObject({ joinClosed: true, mutationReady: false })
    const split = turn(bound({ executionPattern: 'parallel' }))
    expect(reportOf(split)).toMatchObject({ joinClosed: true, mutationReady: false })
  })

  test.each(Object.keys(evidence()))(
    '[typestate.2.fail-closed] a turn whose %s is nonsense is not ready',
    member => {
      expect(readyOf(turn({ [member]: 7 }))).toBe(false)
    },
  )

  const lists = Object.entries(evidence()).filter(([, value]) => Array.isArray(value))

  test.each(lists)(
    '[typestate.2.fail-closed] a turn with a row of %s that is nonsense is not ready',
    (member, rows) => {
      for (const nonsense of [7, null, []]) {
        expect(readyOf(turn({ [member]: [...(rows as Row[]), nonsense] }))).toBe(false)
      }
    },
  )

  test.each([null, [], 'x', {}, { evidence: null }, { evidence: [] }])(
    '[typestate.2.fail-closed] %j is not a turn, and gets no proof',
    input => {
      expect(() => MutationReady.gate(json(input), kit)).toThrow('not a turn to judge')
    },
  )

  test('[typestate.2.no-mutation] only the gate makes a proof, and not of a turn that is open', () => {
    const proof = MutationReady.gate(json(turn()), kit)
    const refusal = MutationReady.gate(json(turn({ toolUse: [] })), kit)
    expect([MutationReady.isIssued(proof), MutationReady.isIssued(refusal)]).toEqual([true, false])
    expect(MutationReady.isIssued({ ...proof })).toBe(false)
    expect(MutationReady.isIssued(Object.create(MutationReady.prototype))).toBe(false)
    expect(refusal).toMatchObject({
      ready: false,
      findings: [
        { failureClass: 'tool.join_incomplete' },
        { failureClass: 'tool.use_missing', at: 'evidence.toolResults[a]' },
        { failureClass: 'tool.use_missing', at: 'evidence.toolResults[b]' },
      ],
    })
  })

  test('[typestate.2.no-mutation] issue memory refuses a forged proof', async () => {
    const project = await openProject(openContext(simWorld()))
    const { store } = await openIssues(project, { issues: '/issues.jsonl' })
    const change = { action: 'issue.add', issue: { title: 'forged' } } as const
    const proof = MutationReady.gate(json(turn()), kit)
    for (const forged of [Object.create(MutationReady.prototype), { ...proof }]) {
      expect(await store.mutate(forged, change)).toMatchObject({
        failureClass: 'mutation_not_granted',
      })
    }
    expect(await store.exists()).toBe(false)
  })
})

describe('§3 evidence', () => {
  test.each(Object.keys(bindings))(
    '[typestate.3.1.minimum-binding] a call spec without %s is refused there',
    field => {
      for (const value of [undefined, null, ' ', 7]) {
        expect(reportOf(turn(bound({ [field]: value }))).findings).toContainEqual(
          expect.objectContaining({
            failureClass: 'tool.schema_invalid',
            at: `evidence.callSpec.${field}`,
          }),
        )
      }
    },
  )

  test('[typestate.3.2.rows] rows are sorted by id, each once, with all their members', () => {
    const handoff = { target: 'worker/docs', requiredArtifactRefs: ['z', 'a'], returnPathRef: 'r' }
    const doubled = evidence({ handoff })
    for (const surface of ['toolRequests', 'toolResults', 'toolUse', 'toolRender']) {
      doubled[surface] = [...(doubled[surface] as Row[]), ...(doubled[surface] as Row[])]
    }
    const { normalized } = reportOf({ evidence: doubled })
    const ids = (rows: readonly { toolCallId: string }[] = []) => rows.map(row => row.toolCallId)
    expect({
      requests: ids(normalized.toolRequests),
      results: ids(normalized.toolResults),
      uses: ids(normalized.toolUse),
      renders: ids(normalized.toolRender),
      queues: normalized.reminderQueue,
      views: normalized.stateViews,
      protocolState: normalized.protocolState,
      handoff: normalized.handoff,
    }).toEqual({
      requests: ['a', 'b'],
      results: ['a', 'b'],
      uses: ['a', 'b'],
      renders: ['a', 'b'],
      queues: evidence()['reminderQueue'],
      views: evidence()['stateViews'],
      protocolState: { continuationAllowed: true, stopReason: 'tool_use' },
      handoff: { requiredArtifactRefs: ['a', 'z'], returnPathRef: 'r', target: 'worker/docs' },
    })
  })

  const [okResult] = (evidence()['toolResults'] as Row[]).slice(1)
  const failed = (envelope: Row) => ({
    toolResults: [okResult, { toolCallId: 'b', status: 'error', ...envelope }],
  })
  const envelope = { errorCode: 'timeout', retryable: true, errorMessage: 'no answer' }

  test('[typestate.3.2.error-envelope] an error carries code, retryability and message', () => {
    const report = reportOf(turn(failed(envelope)))
    expect(report.failureClasses).toEqual([])
    expect(report.normalized.toolResults?.[1]?.error).toEqual({
      errorCode: 'timeout',
      retryable: true,
      errorMessageDigest: `sha256:${sha256('no answer')}`,
    })
  })

  test.each(Object.keys(envelope))(
    '[typestate.3.2.envelope-missing] an error without %s is refused',
    field => {
      const report = reportOf(turn(failed({ ...envelope, [field]: undefined })))
      expect(report.failureClasses).toEqual(['tool.schema_invalid'])
      expect(report.findings[0]).toMatchObject({
        at: 'evidence.toolResults[b]',
        message: expect.stringContaining(field),
      })
    },
  )
})

describe('§4 normalization', () => {
  test('[typestate.4.kind] the normal form has its kind, and is the same each time', () => {
    const { normalized } = reportOf(turn())
    expect(normalized.kind).toBe('premath.harness.typestate_normalized.v1')
    mustMatchShape(NormalizedTurn, normalized)
    expect(reportOf(turn()).normalized).toEqual(normalized)
  })

  const handoff = { target: 'worker/docs' }
  const changed: readonly (readonly [string, Row, readonly string[]])[] = [
    ['call spec', bound({ modelRef: 'model/b' }), ['callSpecDigest']],
    [
      'requests',
      { toolRequests: swapped('toolRequests', { toolName: 'other' }) },
      ['requestSetDigest', 'joinSetDigest'],
    ],
    [
      'results',
      { toolResults: swapped('toolResults', { payload: 1 }) },
      ['resultSetDigest', 'joinSetDigest'],
    ],
    [
      'uses',
      { toolUse: swapped('toolUse', { summaryRef: 'summary://2' }) },
      ['useSetDigest', 'joinSetDigest'],
    ],
    [
      'renders',
      { toolRender: swapped('toolRender', { operatorPayloadDigest: 'x' }) },
      ['toolRenderSetDigest', 'joinSetDigest'],
    ],
    [
      'queue',
      { reminderQueue: swapped('reminderQueue', { reducedDigest: 'x' }) },
      ['reminderQueueSetDigest', 'joinSetDigest'],
    ],
    [
      'views',
      { stateViews: swapped('stateViews', { viewDigest: 'x' }) },
      ['stateViewSetDigest', 'joinSetDigest'],
    ],
    [
      'protocol state',
      { protocolState: { stopReason: 'pause_turn', continuationAllowed: true } },
      ['protocolStateDigest', 'joinSetDigest'],
    ],
    ['handoff packet', { handoff: { target: 'worker/code' } }, ['handoffDigest', 'joinSetDigest']],
  ]

  function swapped(surface: string, more: Row): Row[] {
    const rows = evidence()[surface] as Row[]
    return rows.map((row, at) => (at === rows.length - 1 ? { ...row, ...more } : row))
  }

  test.each(changed)(
    '[typestate.4.digest-bindings] another %s has another digest, and no other set has',
    (_, more, names) => {
      const before: Record<string, unknown> = reportOf(turn({ handoff })).witness.digests
      const after: Record<string, unknown> = reportOf(turn({ handoff, ...more })).witness.digests
      const moved = Object.keys(before).filter(name => before[name] !== after[name])
      expect(moved.toSorted()).toEqual([...names].toSorted())
    },
  )

  test('[typestate.4.byte-stable] an input that means the same has the same report', () => {
    const turned = Object.fromEntries(
      Object.entries(evidence())
        .reverse()
        .map(([name, value]) => [name, Array.isArray(value) ? value.toReversed() : value]),
    )
    turned['callSpec'] = { ...bindings, callId: ' turn-1\t', actionMode: 'CODE', toolPolicy: null }
    turned['handoff'] = null
    expect(reportOf({ ...asking, evidence: turned })).toEqual(reportOf(turn()))
  })

  test('[typestate.4.byte-stable] the invariance vectors say so in many more ways', () => {
    const same = vectors.filter(({ expect }) => expect.sameDigestsAs !== undefined)
    expect(same.length).toBeGreaterThanOrEqual(12)
  })
})

describe('§5 the join', () => {
  const without = (surface: string, id: string) => ({
    [surface]: (evidence()[surface] as Row[]).filter(row => row['toolCallId'] !== id),
  })
  const open = 'tool.join_incomplete'

  test('[typestate.5.result-for-request] a request without result leaves it open', () => {
    const input = turn({ ...without('toolResults', 'b'), ...without('toolUse', 'b') })
    expect(classesOf(input)).toEqual([open, 'tool.result_missing'])
  })

  test('[typestate.5.result-for-request] a result of unknown status is not terminal', () => {
    const results = [{ toolCallId: 'a' }, { toolCallId: 'b', status: 'running' }]
    const classes = classesOf(turn({ toolResults: results, ...without('toolUse', 'b') }))
    expect(classes).toEqual([open, 'tool.result_missing', 'tool.schema_invalid'])
  })

  test('[typestate.5.no-orphan] a result without request leaves it open', () => {
    expect(classesOf(turn(without('toolRequests', 'b')))).toEqual([open, 'tool.result_orphan'])
  })

  test('[typestate.5.use-for-result] a result without use leaves it open', () => {
    expect(classesOf(turn(without('toolUse', 'b')))).toEqual([open, 'tool.use_missing'])
  })

  test('[typestate.5.use-for-result] a use without a known disposition is refused', () => {
    const toolUse = [{ toolCallId: 'a', disposition: 'observed' }, { toolCallId: 'b' }]
    expect(classesOf(turn({ toolUse }))).toEqual(['tool.schema_invalid'])
  })

  test('[typestate.5.no-unknown-use] a use without result leaves it open', () => {
    const toolUse = [
      ...(evidence()['toolUse'] as Row[]),
      { toolCallId: 'c', disposition: 'observed' },
    ]
    expect(classesOf(turn({ toolUse }))).toEqual([open, 'tool.use_without_result'])
  })

  test('[typestate.5.no-unknown-use] a use of another result than the call has is refused', () => {
    const toolUse = (evidence()['toolUse'] as Row[]).map(row => ({ ...row, resultDigest: 'other' }))
    expect(classesOf(turn({ toolUse }))).toEqual(['tool.use_unknown_result'])
  })

  test.each(['tool_use', 'pause_turn', 'max_tokens', 'end_turn'])(
    '[typestate.5.stop-reason] %s is admitted by default',
    stopReason => {
      expect(classesOf(turn({ protocolState: { stopReason } }))).toEqual([])
    },
  )

  test.each(['refusal', 'stop_sequence', 'tool-use', 'end turn'])(
    '[typestate.5.stop-reason] %s is not admitted by default',
    stopReason => {
      const classes = classesOf(turn({ protocolState: { stopReason } }))
      expect(classes).toEqual(['protocol.stop_reason_unhandled'])
    },
  )

  test.each<[string, Row, string]>([
    ['a render', { toolRender: [rendered('a')] }, 'context.injection_point_missing'],
    ['a state view', { stateViews: [] }, 'context.injection_point_missing'],
    ['a queue row', { reminderQueue: [] }, 'context.queue_policy_violation'],
    [
      'the render policy',
      bound({ toolRenderProtocolDigest: 'x' }),
      'context.queue_policy_violation',
    ],
    [
      'the queue policy',
      bound({ reminderQueuePolicyDigest: 'x' }),
      'context.queue_policy_violation',
    ],
    ['the view policy', bound({ stateViewPolicyDigest: 'x' }), 'context.queue_policy_violation'],
  ])('[typestate.5.context] a loop does not continue without %s', (_, more, failureClass) => {
    expect(classesOf(turn(more))).toEqual([failureClass])
  })

  test('[typestate.5.context] a turn that uses nothing and ends needs no context', () => {
    const uses = ['a', 'b'].map(toolCallId => ({ toolCallId, disposition: 'observed' }))
    const ended = { toolUse: uses, protocolState: { stopReason: 'end_turn' } }
    const bare = { toolRender: [], reminderQueue: [], stateViews: [] }
    expect(classesOf(turn({ ...ended, ...bare }))).toEqual([])
  })

  test.each<[string, Row]>([
    ['declared inadmissible', { admissible: false }],
    ['of another pattern', { expectedExecutionPattern: 'single' }],
    ['under another policy', { expectedPolicyDigest: 'x' }],
  ])('[typestate.5.decomposition] a split %s is refused', (_, decompositionConstraints) => {
    const input = turn(bound({ executionPattern: 'parallel' }), { decompositionConstraints })
    expect(classesOf(input)).toEqual(['coordination.decomposition_policy_violation'])
  })

  /** Two calls of one action, under this decomposition policy. */
  const fannedOut = (policy: Row, more: Row = {}) => {
    const decompositionPolicyDigest = digestOf(json(policy), sha256)
    const toolRequests = (evidence()['toolRequests'] as Row[]).map(row => ({
      ...row,
      groupId: 'g',
    }))
    const spec = bound({ executionPattern: 'parallel', decompositionPolicyDigest })
    return turn(
      { ...spec, toolRequests, ...more },
      { policies: { decompositionPolicyDigest: policy } },
    )
  }

  test.each<[string, Row, Row]>([
    ['the pattern', { patterns: ['chain'] }, { patterns: ['chain', 'parallel'] }],
    ['the fan-out', { maxFanOut: 1 }, { maxFanOut: 2 }],
    ['a trigger', { requireTrigger: true }, { requireTrigger: false }],
  ])(
    '[typestate.5.decomposition] a split whose policy does not admit %s is refused',
    (_, refusing, admitting) => {
      const refusal = ['coordination.decomposition_policy_violation']
      expect(classesOf(fannedOut(refusing))).toEqual(refusal)
      expect(readyOf(fannedOut(admitting))).toBe(true)
    },
  )

  test('[typestate.5.decomposition] a split without its policy changes nothing', () => {
    expect(readyOf(fannedOut({}))).toBe(true)
    expect(readyOf({ ...fannedOut({}), policies: undefined })).toBe(false)
  })

  const handoff = { target: 'worker/docs', requiredArtifactRefs: ['artifact://plan'] }
  test.each<[string, Row, string]>([
    [
      'an artifact it must carry',
      { requiredArtifactRefs: ['artifact://diff'] },
      'handoff.required_artifact_missing',
    ],
    ['a target that is listed', { allowedTargets: ['worker/code'] }, 'handoff.target_not_allowed'],
    ['a way back', { requireReturnPath: true }, 'handoff.return_path_missing'],
  ])(
    '[typestate.5.handoff] a transfer without %s is refused',
    (_, handoffConstraints, failureClass) => {
      expect(classesOf(turn({ handoff }, { handoffConstraints }))).toEqual([failureClass])
      expect(classesOf(turn({}, { handoffConstraints }))).toEqual([failureClass])
    },
  )
})

describe('§6 readiness', () => {
  test('[typestate.6.join-closed] one failure class of any kind is enough to refuse', () => {
    expect(readyOf(turn())).toBe(true)
    expect(readyOf(turn({ protocolState: { stopReason: 'refusal' } }))).toBe(false)
  })

  test('[typestate.6.continuation] a loop that continues needs context that can be rebuilt', () => {
    const toolUse = ['a', 'b'].map(toolCallId => ({ toolCallId, disposition: 'observed' }))
    for (const lacking of [{ stateViews: [] }, { reminderQueue: [] }, { toolRender: [] }]) {
      const report = reportOf(turn({ toolUse, ...lacking }))
      expect(report.normalized.contextState.continuationContextReady).toBe(false)
      expect(report.mutationReady).toBe(false)
    }
  })

  test.each<[string, Row]>([
    ['another one', { activeMutationPolicyDigest: 'policy/other' }],
    ['none', { activeMutationPolicyDigest: undefined }],
  ])('[typestate.6.active-policy] a turn is refused while %s is active', (_, claims) => {
    expect(classesOf(turn({}, claims))).toEqual(['mutation.policy_digest_mismatch'])
    expect(readyOf(turn({}, claims))).toBe(false)
  })

  test.each(['sessionRefs', 'trajectoryRefs'])(
    '[typestate.6.witness-linkage] without %s the turn is refused',
    name => {
      for (const value of [undefined, [], [' ']]) {
        expect(classesOf(turn({ [name]: value }))).toEqual(['mutation.use_evidence_missing'])
      }
    },
  )

  test('[typestate.6.witness-linkage] the proof names the verdict it was issued on', () => {
    const proof = MutationReady.gate(json(turn()), kit)
    expect(proof).toMatchObject({
      ready: true,
      callId: 'turn-1',
      action: 'issue_update',
      issueId: 'bd-1',
      witnessDigest: reportOf(turn()).witnessDigest,
    })
  })

  test.each<[string, Row, Row]>([
    ['what the turn is about', {}, { mutation: { ...asking.mutation, issueId: 'bd-2' } }],
    ['its session', { sessionRefs: ['session://2'] }, {}],
    [
      'its rows',
      { toolUse: (evidence()['toolUse'] as Row[]).map(row => ({ ...row, handoffRef: 'h' })) },
      {},
    ],
    ['its constraints', {}, { truncationConstraints: { required: false } }],
    ['its call spec', bound({ modelRef: 'model/b' }), {}],
  ])('[typestate.6.witness-linkage] a different %s gets a different witness', (_, more, claims) => {
    const other = reportOf(turn(more, claims))
    expect(other.mutationReady).toBe(true)
    expect(other.witnessDigest).not.toBe(reportOf(turn()).witnessDigest)
  })

  test('[typestate.6.reject-missing-closure] empty rows are not evidence of closure', () => {
    const bare = { callSpec: bindings, protocolState: { stopReason: 'end_turn' } }
    const input = { evidence: bare, ...asking }
    expect(classesOf(input)).toEqual(['mutation.use_evidence_missing'])
    expect(readyOf(input)).toBe(false)
    expect(() => readyOf(asking)).toThrow('evidence is missing')
  })
})

describe('§7 action modes', () => {
  const text = (profiles: readonly string[] | undefined, adapterProfile: string | undefined) =>
    turn({
      callSpec: { ...bindings, actionMode: 'text', textAdapterProfiles: profiles },
      toolRequests: (evidence()['toolRequests'] as Row[]).map(row => ({ ...row, adapterProfile })),
    })

  test('[typestate.7.no-free-text-calls] text that calls a tool by itself is refused', () => {
    expect(classesOf(text(['react/1'], undefined))).toEqual(['tool.schema_invalid'])
    expect(classesOf(text(undefined, undefined))).toEqual(['tool.schema_invalid'])
  })

  test('[typestate.7.text-adapter] [tool-calling.4.2.text-adapter] an admitted profile makes text structured', () => {
    expect(classesOf(text(['react/1'], 'react/1'))).toEqual([])
    expect(classesOf(text(['react/1'], 'react/2'))).toEqual(['tool.schema_invalid'])
    expect(classesOf(text([], 'react/1'))).toEqual(['tool.schema_invalid'])
  })

  const grouped = (actionMode: string, groups: readonly string[]) =>
    turn({
      callSpec: { ...bindings, actionMode },
      toolRequests: (evidence()['toolRequests'] as Row[]).map((row, at) => ({
        ...row,
        groupId: groups[at],
      })),
    })

  test('[tool-calling.5.2.json-composition] a JSON action makes one call, a code action many', () => {
    expect(classesOf(grouped('json', ['g', 'g']))).toEqual(['tool.parallel_policy_violation'])
    expect(classesOf(grouped('json', ['g', 'h']))).toEqual([])
    expect(classesOf(grouped('code', ['g', 'g']))).toEqual([])
  })

  test('[tool-calling.5.2.json-composition] a JSON action has no code that calls', () => {
    const [first, second] = evidence()['toolRequests'] as [Row, Row]
    const toolRequests = [first, { ...second, callerEdge: { parentToolCallId: 'b' } }]
    const inMode = (actionMode: string) =>
      classesOf(turn({ callSpec: { ...bindings, actionMode }, toolRequests }))
    expect(inMode('json')).toEqual(['tool.programmatic_caller_edge_invalid'])
    expect(inMode('code')).toEqual([])
  })
})

describe('§8 classes', () => {
  /** By the gate, not by what the vectors expect of it. */
  const fired = new Set<string>(vectors.flatMap(({ input }) => judge(input, kit).failureClasses))
  const minimum = [
    'tool.schema_invalid',
    'tool.result_missing',
    'tool.result_orphan',
    'tool.use_missing',
    'tool.use_without_result',
    'tool.join_incomplete',
    'tool.response_truncation_policy_violation',
    'protocol.stop_reason_unhandled',
    'protocol.parallel_transport_order_invalid',
    'context.injection_point_missing',
    'context.queue_policy_violation',
    'coordination.decomposition_policy_violation',
    'handoff.required_artifact_missing',
    'handoff.target_not_allowed',
    'handoff.return_path_missing',
    'mutation.use_evidence_missing',
    'governance.claim_id_invalid',
    'governance.policy_package_unpinned',
    'governance.policy_package_mismatch',
  ]
  const design = [
    ...minimum.filter(name => name !== 'governance.claim_id_invalid'),
    'tool.unknown_or_disallowed',
    'tool.discovery_mismatch',
    'tool.discovery_unresolved',
    'tool.example_digest_mismatch',
    'tool.caller_not_allowed',
    'tool.use_unknown_result',
    'tool.parallel_policy_violation',
    'tool.programmatic_caller_edge_invalid',
    'runtime.shell_boundary_violation',
    'runtime.compaction_state_invalid',
    'governance.guardrail_stage_missing',
    'governance.guardrail_stage_order_invalid',
    'governance.eval_gate_unmet',
    'governance.eval_lineage_missing',
    'governance.self_evolution_retry_missing',
    'governance.self_evolution_escalation_missing',
    'governance.self_evolution_rollback_missing',
    'governance.redteam_gate_unmet',
    'governance.trace_mode_violation',
    'governance.risk_tier_profile_missing',
    'context.scope_violation',
    'mutation.policy_digest_mismatch',
    'mutation.capability_claim_missing',
  ]

  test.each(minimum)('[typestate.8.minimum-classes] %s is a class, and a vector fires it', name => {
    expect(Object.hasOwn(rules, name) && fired.has(name)).toBe(true)
  })

  test('[tool-calling.7.minimum-classes] all classes of the design are there, and vectors fire them', () => {
    expect(design).toHaveLength(41)
    expect(design.filter(name => !Object.hasOwn(rules, name) || !fired.has(name))).toEqual([])
  })

  test('[tool-calling.0.executable-authority] every class is defined by an executable rule', () => {
    expect(Object.keys(rules).filter(name => !fired.has(name))).toEqual([])
    expect([...fired].filter(name => !Object.hasOwn(rules, name))).toEqual([])
  })

  test('[typestate.8.machine-readable] classes are fixed strings, sorted, each once, the same each time', () => {
    const broken = turn({ toolUse: [], toolRender: [], protocolState: { stopReason: 'refusal' } })
    const { failureClasses, findings } = reportOf(broken)
    expect(failureClasses).toEqual([
      'protocol.stop_reason_unhandled',
      'tool.join_incomplete',
      'tool.use_missing',
    ])
    expect(findings.length).toBeGreaterThan(failureClasses.length)
    expect(classesOf(broken)).toEqual(failureClasses)
    expect(Object.keys(rules).filter(name => !/^[a-z]+\.[a-z_]+$/.test(name))).toEqual([])
  })

  const unpinned = { policyProvenance: { pinned: false } }
  const id = 'profile.doctrine_inf_governance.v0'

  test.each<[string, Row, readonly string[]]>([
    ['no profile', {}, []],
    ['a profile that is not claimed', { governanceProfile: { claimed: false, ...unpinned } }, []],
    [
      'a claimed profile',
      { governanceProfile: { claimed: true, ...unpinned } },
      ['governance.policy_package_unpinned'],
    ],
    [
      'a profile the project claims',
      { registryClaims: [id], governanceProfile: { claimed: false, ...unpinned } },
      ['governance.policy_package_unpinned'],
    ],
  ])('[typestate.8.claim-gated] under %s', (_, claims, expected) => {
    const broken = { ...bound({ riskTier: 'high' }), riskTierProfileRef: 'controls://high' }
    expect(classesOf(turn(broken, claims))).toEqual(expected)
  })

  const adversarial = vectors.filter(one => one.expect.result === 'rejected')

  test.each(adversarial)(
    '[tool-calling.7.no-mutation] $vectorId gets no proof, though it asks for one in due form',
    ({ input, expect: { expectedFailureClasses } }) => {
      const given = input as { readonly evidence: Row; readonly mutation?: Row }
      const { mutationPolicyDigest } = given.evidence['callSpec'] as Row
      const asked = given.mutation
        ? given
        : {
            ...asking,
            activeMutationPolicyDigest: mutationPolicyDigest,
            ...given,
            evidence: {
              sessionRefs: ['session://1'],
              trajectoryRefs: ['step://1'],
              ...given.evidence,
            },
          }
      const answer = MutationReady.gate(asked as unknown as Json, kit)
      expect(answer.ready).toBe(false)
      const classes = answer.ready ? [] : answer.findings.map(({ failureClass }) => failureClass)
      expect(classes).toEqual(expect.arrayContaining([...expectedFailureClasses]))
    },
  )
})

describe('the design document', () => {
  const policy = (tools: readonly Row[], more: Row = {}) =>
    bound({ toolPolicy: { tools }, ...more })
  const tools = (allowedCallers: readonly string[]): [Row, Row] => [
    { toolName: 'tests.run', codeExecution: true },
    { toolName: 'file.read', allowedCallers },
  ]
  const [runs, reads] = evidence()['toolRequests'] as [Row, Row]
  const fromCode = { toolRequests: [runs, { ...reads, callerEdge: { parentToolCallId: 'b' } }] }

  test('[tool-calling.3.caller-scoped] a program calls only tools that admit it', () => {
    expect(classesOf(turn({ ...policy(tools(['tests.run'])), ...fromCode }))).toEqual([])
    expect(classesOf(turn({ ...policy(tools(['model'])), ...fromCode }))).toEqual([
      'tool.caller_not_allowed',
    ])
    expect(classesOf(turn(policy(tools(['tests.run']))))).toEqual(['tool.caller_not_allowed'])
  })

  test('[tool-calling.3.caller-scoped] an edge leads to a call of this turn that runs code', () => {
    const [code, read] = tools(['tests.run'])
    const dull = [{ ...code, codeExecution: false }, read]
    expect(classesOf(turn({ ...policy(dull), ...fromCode }))).toEqual([
      'tool.programmatic_caller_edge_invalid',
    ])
    const nowhere = { toolRequests: [runs, { ...reads, callerEdge: { parentToolCallId: 'z' } }] }
    expect(classesOf(turn(nowhere))).toEqual(['tool.programmatic_caller_edge_invalid'])
  })

  test('[tool-calling.4.3.caller-edge] the bound callers are those of the tool policy', () => {
    const listed = [
      { allowedCallers: ['tests.run'], toolName: 'file.read' },
      { toolName: 'tests.run' },
    ]
    const allowedCallersDigest = digestOf(listed, sha256)
    const input = (digest: string) =>
      turn({ ...policy(tools(['tests.run']), { allowedCallersDigest: digest }), ...fromCode })
    expect(classesOf(input(allowedCallersDigest))).toEqual([])
    expect(classesOf(input('sha256:other'))).toEqual(['tool.caller_not_allowed'])
  })

  test('[tool-calling.3.compaction-checked] compaction keeps to its policy, its calls and its state', () => {
    const compaction = {
      policyDigest: 'policy/compaction',
      carriedRefs: ['step://2', 'step://1'],
      droppedToolCallIds: ['b'],
      stateDigest: digestOf(['step://1', 'step://2'], sha256),
    }
    const compacted = (more: Row) =>
      classesOf(
        turn({
          ...bound({ compactionPolicyDigest: 'policy/compaction' }),
          compaction: { ...compaction, ...more },
        }),
      )
    expect(compacted({})).toEqual([])
    const refused = ['runtime.compaction_state_invalid']
    expect(compacted({ policyDigest: 'policy/other' })).toEqual(refused)
    expect(compacted({ droppedToolCallIds: ['z'] })).toEqual(refused)
    expect(compacted({ carriedRefs: ['step://1'] })).toEqual(refused)
  })

  test('[tool-calling.4.5.stop-reason] a protocol policy replaces the admitted stop reasons', () => {
    const handled = (reasons: readonly string[], more: Row = {}) =>
      classesOf(turn(bound({ protocolStatePolicy: { handled: reasons, ...more } })))
    expect(handled(['TOOL_USE'])).toEqual([])
    expect(handled(['end_turn'])).toEqual(['protocol.stop_reason_unhandled'])
    expect(handled([])).toEqual(['protocol.stop_reason_unhandled'])
    expect(handled(['tool_use'], { continues: ['pause_turn'] })).toEqual([
      'protocol.stop_reason_unhandled',
    ])
  })

  test('[tool-calling.4.5.handoff-artifacts] a transfer carries the artifacts that the bound contract requires', () => {
    const given = (refs: readonly string[]) =>
      classesOf(
        turn(
          {
            ...bound({ handoffContractDigest: digestOf(contractPolicy, sha256) }),
            handoff: { target: 'worker/docs', requiredArtifactRefs: refs },
          },
          { policies: { handoffContractDigest: contractPolicy } },
        ),
      )
    expect(given(['artifact://plan'])).toEqual([])
    expect(given(['artifact://diff'])).toEqual(['handoff.required_artifact_missing'])
  })

  test('[tool-calling.4.5.use-evidence] a consumed result names the message it went into', () => {
    const consumed = (ref: Row) =>
      classesOf(
        turn({
          toolUse: [
            { toolCallId: 'a', disposition: 'consumed', ...ref },
            { toolCallId: 'b', disposition: 'observed' },
          ],
        }),
      )
    for (const name of ['summaryRef', 'handoffRef', 'mutationInputRef']) {
      expect(consumed({ [name]: 'ref://1' })).toEqual([])
    }
    expect(consumed({})).toEqual(['mutation.use_evidence_missing'])
  })
})

describe('§9 commands', () => {
  const check = (input: unknown) =>
    premath(['harness-join-check', '--input', '/t.json', '--json'], {
      '/t.json': typeof input === 'string' ? input : JSON.stringify(input),
    })

  test('[typestate.9.join-check] an accepted turn exits 0, with the same bytes each time', async () => {
    const first = await check(turn())
    expect(first.exitCode).toBe(0)
    expect(JSON.parse(first.out)).toEqual(JSON.parse(JSON.stringify(reportOf(turn()))))
    expect(await check(turn())).toEqual(first)
  })

  test('[typestate.9.join-check] a rejected turn exits 1 (departure h)', async () => {
    const { exitCode, out } = await check(turn({ toolUse: [] }))
    expect(exitCode).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ result: 'rejected', joinClosed: false })
  })

  const path = 'vectors/turn/tool_schema_invalid.vectors.json'
  const text = readFileSync(path, 'utf8')

  test('[typestate.9.vectors] our vectors pass, with the same bytes each time', async () => {
    const files = { [`/package/${path}`]: text }
    const first = await premath(['conformance', 'run'], files)
    expect({ exitCode: first.exitCode, err: first.err }).toEqual({ exitCode: 0, err: '' })
    expect(first.out).toMatch(/\n\d\d passed, 0 failed\n$/)
    expect(await premath(['conformance', 'run'], files)).toEqual(first)
  })

  test('[typestate.9.vectors] a vector that expects another verdict fails, with exit code 1', async () => {
    const other = text.replace('"result": "rejected"', '"result": "accepted"')
    const { exitCode, out } = await premath(['conformance', 'run', '--json'], {
      [`/package/${path}`]: other,
    })
    expect(exitCode).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ result: 'rejected', failed: 1 })
  })

  describe('departures from the earlier implementation', () => {
    const vectorOf = (vectorId: string) => vectors.find(one => one.vectorId === vectorId)?.expect

    test.each([
      ['a', 'adversarial/tool_use_unknown_result', ['tool.use_unknown_result']],
      ['b', 'adversarial/tool_schema_invalid-text_mode', ['tool.schema_invalid']],
      ['c', 'adversarial/tool_schema_invalid-array_for_object', ['tool.schema_invalid']],
      ['e', 'adversarial/tool_schema_invalid-action_mode', ['tool.schema_invalid']],
      ['f', 'adversarial/tool_schema_invalid-blank_tool_name', ['tool.schema_invalid']],
      ['g', 'invariance/design_dispositions', []],
    ])('%s is shown by %s', (_, vectorId, classes) => {
      expect(vectorOf(vectorId)?.expectedFailureClasses).toEqual(classes)
    })

    const text = JSON.stringify(turn())

    test('a key given twice is bad input (d)', async () => {
      for (const doubled of [
        text.replace('"toolCallId":"b"', '"toolCallId":"b","toolCallId":"b"'),
        text.replace('{"evidence"', '{"mutation":null,"evidence"'),
      ]) {
        const { exitCode, err } = await check(doubled)
        expect(exitCode).toBe(2)
        expect(err).toMatch(/the key "\w+" is given twice, at line 1, column \d+/)
      }
    })

    test.each(['payload', 'rawError', 'arguments'])(
      'inside of %s the last of two keys wins (d)',
      async name => {
        const rows = {
          payload: { toolResults: [{ toolCallId: 'a' }, { toolCallId: 'b', payload: 'HERE' }] },
          rawError: {
            toolResults: [{ toolCallId: 'a' }, { toolCallId: 'b', status: 'ok', rawError: 'HERE' }],
          },
          arguments: {
            toolRequests: [
              { toolCallId: 'a', toolName: 'x' },
              { toolCallId: 'b', toolName: 'y', arguments: 'HERE' },
            ],
          },
        }[name]
        const given = (value: string) => check(JSON.stringify(turn(rows)).replace('"HERE"', value))
        const last = await given('{"deep":{"k":2}}')
        expect(last.exitCode).toBe(0)
        expect(await given('{"deep":{"k":1,"k":2}}')).toEqual(last)
      },
    )

    test('a row that breaks its contract is an answer, not bad input (f, h)', async () => {
      expect((await check(turn({ toolRequests: null }))).exitCode).toBe(1)
      expect((await check(turn(bound({ callId: '' })))).exitCode).toBe(1)
      expect((await check({ evidence: null })).exitCode).toBe(2)
      expect((await check(turn({}, { handoffConstraints: [] }))).exitCode).toBe(2)
    })
  })
})
