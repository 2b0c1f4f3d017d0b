import { describe, expect, test } from 'vitest'
import { bound, callSpec, evidence, judged, kit, read } from '../../../test/a-turn.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { JoinReport } from '../../wire/turn/join-report.ts'
import { canonicalJson, digestOf, prettyJson } from '../canonical.ts'
import { type Json, parseJson } from '../json.ts'
import { joinTurn } from './join.ts'
import { normalizeTurn } from './normalize.ts'
import { joinReport, printReport } from './report.ts'

/** The worked example of the earlier implementation's description, with its whole report. */
const input = {
  evidence: {
    callSpec: {
      callId: ' turn-7 ',
      modelRef: 'model-x@1',
      actionMode: 'CODE',
      executionPattern: 'Chain',
      normalizerId: 'nf.v1',
      mutationPolicyDigest: 'pol-mut',
      governancePolicyDigest: 'pol-gov',
      toolRenderProtocolDigest: 'pol-render',
      reminderQueuePolicyDigest: 'pol-queue',
      stateViewPolicyDigest: 'pol-view',
      decompositionPolicyDigest: 'pol-decomp',
    },
    toolRequests: [
      { toolCallId: 'c2', toolName: 'http.get', callerId: ' ' },
      { toolCallId: 'c1', toolName: 'fs.read', schemaDigest: 'sch-1' },
    ],
    toolResults: [
      { toolCallId: 'c2', rawError: { code: 'timeout', retryable: true, message: 'gave up' } },
      { toolCallId: 'c1', payload: { b: [1, 2], a: 'x' } },
    ],
    toolUse: [
      { toolCallId: 'c1', disposition: 'consumed' },
      { toolCallId: 'c2', disposition: 'Discarded' },
    ],
    toolRender: [
      {
        toolCallId: 'c1',
        operatorPayloadDigest: 'op-1',
        reminderRenderDigest: 'rr-1',
        injectionPoint: 'Tool_Response',
        policyDigest: 'pol-render',
      },
      {
        toolCallId: 'c2',
        operatorPayloadDigest: 'op-2',
        reminderRenderDigest: 'rr-2',
        injectionPoint: 'tool_response',
        policyDigest: 'pol-render',
      },
    ],
    reminderQueue: [{ queueId: 'q', reducedDigest: 'qd', policyDigest: 'pol-queue' }],
    stateViews: [
      { viewId: 'v', viewDigest: 'vd', policyDigest: 'pol-view', sourceRefs: ['z', 'a', 'a', ' '] },
    ],
    protocolState: { stopReason: 'TOOL_USE', continuationAllowed: true },
    sessionRefs: ['.premath/harness_session.json'],
    trajectoryRefs: ['w1.bd-1.1', 'w1.bd-1.1'],
  },
  governanceProfile: {
    claimId: 'profile.doctrine_inf_governance.v0',
    claimed: true,
    policyProvenance: {
      pinned: true,
      packageRef: 'policy/gov/1',
      expectedDigest: 'd1',
      boundDigest: 'd2',
    },
  },
}

const digests = {
  callSpecDigest: 'sha256:fb599481f26406d92535b56170586511f9e147a17aa46e70e8ed48d088f03f8f',
  joinSetDigest: 'sha256:045570d3aa9820dbc355c68e693af8682e0dd65ae0a3ef1f7525ae4dc6b963e0',
  protocolStateDigest: 'sha256:b09cfc5398f291fac6f31a377f8c1bed711fa32c6784980d7fb449cb0a6918a8',
  reminderQueueSetDigest: 'sha256:a3285bb94cdca0a6b574d96eabb7977c6c4970752ad16c55dd61470b4a45169f',
  requestSetDigest: 'sha256:284726252da2f3cd517a4494d030c1f4745aa0d78fe2cb39d31ab01fdeb9f8f1',
  resultSetDigest: 'sha256:71c3a9b8d76d33c6fbbf720a81b58e5a0af1f4651dfebaf7dec228754911a590',
  stateViewSetDigest: 'sha256:8dfb9d52926c2975e2408ec2bbee51e54c1779957bc0b2cf0f93bde078104158',
  toolRenderSetDigest: 'sha256:6cc53ddb867a8082e04a33f0ded60732b908d1d0e58c15d0f3bc34ccf4388f77',
  useSetDigest: 'sha256:6d85e24e95e8a4d60a4e7124fba4f5a3d3085438d13ebeae0af6b81473fd88aa',
}

const expected = {
  action: 'harness-join-check',
  failureClasses: ['governance.policy_package_mismatch'],
  joinClosed: false,
  normalized: {
    callSpec: {
      actionMode: 'code',
      callId: 'turn-7',
      decompositionPolicyDigest: 'pol-decomp',
      executionPattern: 'chain',
      governancePolicyDigest: 'pol-gov',
      modelRef: 'model-x@1',
      mutationPolicyDigest: 'pol-mut',
      normalizerId: 'nf.v1',
      reminderQueuePolicyDigest: 'pol-queue',
      stateViewPolicyDigest: 'pol-view',
      toolRenderProtocolDigest: 'pol-render',
    },
    contextState: {
      continuationContextReady: true,
      queueIds: ['q'],
      queuePolicyValid: true,
      queueReductionPresent: true,
      renderCallIds: ['c1', 'c2'],
      renderPolicyValid: true,
      stateViewIds: ['v'],
      stateViewPolicyValid: true,
      stateViewPresent: true,
    },
    digests: digests,
    joinState: {
      joinClosed: true,
      requestedCallIds: ['c1', 'c2'],
      resultCallIds: ['c1', 'c2'],
      usedCallIds: ['c1', 'c2'],
    },
    kind: 'premath.harness.typestate_normalized.v1',
    protocolState: { continuationAllowed: true, stopReason: 'tool_use' },
    reminderQueue: [{ policyDigest: 'pol-queue', queueId: 'q', reducedDigest: 'qd' }],
    schema: 1,
    sessionRefs: ['.premath/harness_session.json'],
    stateViews: [
      { policyDigest: 'pol-view', sourceRefs: ['a', 'z'], viewDigest: 'vd', viewId: 'v' },
    ],
    toolRender: [
      {
        injectionPoint: 'tool_response',
        operatorPayloadDigest: 'op-1',
        policyDigest: 'pol-render',
        reminderRenderDigest: 'rr-1',
        toolCallId: 'c1',
      },
      {
        injectionPoint: 'tool_response',
        operatorPayloadDigest: 'op-2',
        policyDigest: 'pol-render',
        reminderRenderDigest: 'rr-2',
        toolCallId: 'c2',
      },
    ],
    toolRequests: [
      { schemaDigest: 'sch-1', toolCallId: 'c1', toolName: 'fs.read' },
      { toolCallId: 'c2', toolName: 'http.get' },
    ],
    toolResults: [
      {
        resultDigest: 'sha256:721ef82f2d6c0997bffb7a8ab3f40f8fb45b0b52ce2af3afa6b0f05efbdc317f',
        status: 'ok',
        toolCallId: 'c1',
      },
      {
        error: {
          errorCode: 'timeout',
          errorMessageDigest:
            'sha256:ab69133ad798eeb516c708e70bbb5d8cd4c2141038af56235f428c53a7aeb3b7',
          retryable: true,
        },
        status: 'error',
        toolCallId: 'c2',
      },
    ],
    toolUse: [
      { disposition: 'consumed', toolCallId: 'c1' },
      { disposition: 'discarded', toolCallId: 'c2' },
    ],
    trajectoryRefs: ['w1.bd-1.1'],
  },
  result: 'rejected',
  witness: {
    digests: digests,
    joinInput: {
      continuationContextReady: true,
      decompositionPolicyDigest: 'pol-decomp',
      joinClosed: true,
      joinSetDigest: 'sha256:045570d3aa9820dbc355c68e693af8682e0dd65ae0a3ef1f7525ae4dc6b963e0',
      protocolStateDigest:
        'sha256:b09cfc5398f291fac6f31a377f8c1bed711fa32c6784980d7fb449cb0a6918a8',
      queuePolicyValid: true,
      queueReductionPresent: true,
      reminderQueuePolicyDigest: 'pol-queue',
      reminderQueueSetDigest:
        'sha256:a3285bb94cdca0a6b574d96eabb7977c6c4970752ad16c55dd61470b4a45169f',
      renderPolicyValid: true,
      requestSetDigest: 'sha256:284726252da2f3cd517a4494d030c1f4745aa0d78fe2cb39d31ab01fdeb9f8f1',
      resultSetDigest: 'sha256:71c3a9b8d76d33c6fbbf720a81b58e5a0af1f4651dfebaf7dec228754911a590',
      stateViewPolicyDigest: 'pol-view',
      stateViewPolicyValid: true,
      stateViewPresent: true,
      stateViewSetDigest: 'sha256:8dfb9d52926c2975e2408ec2bbee51e54c1779957bc0b2cf0f93bde078104158',
      toolRenderProtocolDigest: 'pol-render',
      toolRenderSetDigest:
        'sha256:6cc53ddb867a8082e04a33f0ded60732b908d1d0e58c15d0f3bc34ccf4388f77',
      useSetDigest: 'sha256:6d85e24e95e8a4d60a4e7124fba4f5a3d3085438d13ebeae0af6b81473fd88aa',
    },
    mutationInput: {
      continuationAllowed: true,
      continuationContextReady: true,
      governancePolicyDigest: 'pol-gov',
      joinClosed: true,
      mutationPolicyDigest: 'pol-mut',
      normalizerId: 'nf.v1',
      queuePolicyValid: true,
      queueReductionPresent: true,
      renderPolicyValid: true,
      sessionRefs: ['.premath/harness_session.json'],
      stateViewPolicyValid: true,
      stateViewPresent: true,
      trajectoryRefs: ['w1.bd-1.1'],
    },
    schema: 1,
    witnessKind: 'premath.harness.join_check.v1',
  },
}

const text = (value: unknown, line?: number) => {
  const turn = normalizeTurn(read(value), kit)
  return printReport(turn, joinTurn(turn, kit), kit.sha256, line)
}

describe('the worked example of the earlier implementation', () => {
  test('has the same answer, plus the members that premath adds', () => {
    const {
      findings,
      ignoredKeys,
      mutationReady,
      unmetDemands,
      unverifiedBindings,
      witnessDigest,
      ...shared
    } = judged(input)
    expect(JSON.parse(canonicalJson(shared as Json))).toEqual(expected)
    expect({ ignoredKeys, mutationReady, unmetDemands }).toEqual({
      ...{ ignoredKeys: [], mutationReady: false, unmetDemands: [] },
    })
    expect(findings).toEqual([
      {
        at: 'governanceProfile.policyProvenance.boundDigest',
        failureClass: 'governance.policy_package_mismatch',
        message: 'is d2; expected is d1',
        remedy: 'Bind the pinned package, or pin the one in use after review.',
      },
    ])
    expect(unverifiedBindings).toEqual(
      Object.keys(callSpec)
        .filter(name => name.endsWith('Digest'))
        .toSorted(),
    )
    const verdict = {
      claims: { governanceProfile: input.governanceProfile },
      failureClasses: expected.failureClasses,
      mutationReady: false,
      policyDigests: {},
      sessionRefs: ['.premath/harness_session.json'],
      sets: [digests.callSpecDigest, digests.joinSetDigest],
      trajectoryRefs: ['w1.bd-1.1'],
    }
    expect(witnessDigest).toBe(digestOf(verdict, kit.sha256))
  })

  test('is accepted with identical digests when the pinned package is the bound one', () => {
    const { governanceProfile } = input
    const policyProvenance = { ...governanceProfile.policyProvenance, boundDigest: 'd1' }
    const report = judged({
      ...input,
      governanceProfile: { ...governanceProfile, policyProvenance },
    })
    expect(report.result).toBe('accepted')
    expect(report.normalized.digests).toEqual(digests)
  })
})

test('sets without rows have the digest of the empty list', () => {
  const empty = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'
  const sets = ['request', 'result', 'use', 'toolRender', 'reminderQueue', 'stateView']
  const { digests: given } = judged({ evidence: evidence([]) }).normalized
  expect(sets.map(name => Reflect.get(given, `${name}SetDigest`))).toEqual(sets.map(() => empty))
})

test('the line of a stream is in the report, in its place', () => {
  const report = text(input, 7)
  expect(canonicalJson(parseJson(report))).toBe(report)
  expect(JSON.parse(report)).toEqual({ ...JSON.parse(text(input)), line: 7 })
})

describe('the printed report is canonical and keeps its published shape', () => {
  const odd = {
    everything: {
      ...input,
      more: 1,
      evidence: {
        ...input.evidence,
        ...bound({ toolChoice: { z: 1.5, a: [] }, riskTier: 'low' }),
        handoff: { target: 't', requiredArtifactRefs: ['r'] },
        toolResults: [{ toolCallId: 'o', tokenDelta: -7 }],
        traceMode: 'dashboard',
      },
    },
    nothing: { evidence: {} },
    'blank keys': { '': 1, evidence: { ' ': 1 } },
    'awkward text': {
      evidence: evidence(['"\\\u0001', '\u2028😀'], { protocolState: { stopReason: '"\n\u007f' } }),
    },
  }
  test.each(Object.entries(odd))('%s', (_, value) => {
    const report = text(value)
    expect(canonicalJson(parseJson(report))).toBe(report)
    mustMatchShape(JoinReport, JSON.parse(report))
  })
})

test('the printed report is the value in canonical form, whatever its numbers', () => {
  const literals = [
    '0.970034294036039352e2',
    '1.8871058016904487e-29',
    '1E2',
    '-0',
    '12345678901234567890',
  ]
  for (const literal of literals) {
    const given = JSON.stringify({ evidence: evidence(['a']) }).replace(
      '"resultDigest":',
      `"tokenDelta":${literal},"resultDigest":`,
    )
    const turn = normalizeTurn(read(given), kit)
    const join = joinTurn(turn, kit)
    const printed = printReport(turn, join, kit.sha256)
    const value = joinReport(turn, join, kit.sha256)
    expect(canonicalJson(value as unknown as Json)).toBe(printed)
    expect(prettyJson(value as unknown as Json)).toContain(
      `"tokenDelta": ${canonicalJson(parseJson(literal))}`,
    )
  }
})

test('text that is cut for show is never cut within a character', () => {
  const astral = `${'x'.repeat(79)}😀`
  const report = judged({
    [`${'k'.repeat(199)}😀`]: 1,
    evidence: evidence([], { protocolState: { stopReason: `${astral}y` } }),
  })
  expect(report.ignoredKeys).toEqual([`${'k'.repeat(199)}…`])
  expect(report.findings[0]?.message).toBe(
    `${'x'.repeat(79)}…; handled are tool_use, pause_turn, max_tokens, end_turn`,
  )
})

test('a finding stays short, however many rows it covers', () => {
  const many = Array.from({ length: 2000 }, (_, at) => at)
  const report = judged({
    evidence: evidence([], {
      toolResults: many.map(at => ({ toolCallId: 'a', resultDigest: `result-digest-${at}` })),
      toolUse: many.map(at => ({
        ...{ toolCallId: 'a', disposition: 'observed', resultDigest: `use-digest-${at}` },
      })),
    }),
  })
  const longest = report.findings.reduce((most, { message }) => Math.max(most, message.length), 0)
  expect(report.findings.length).toBeGreaterThan(2000)
  expect(longest).toBeLessThan(400)
})
