import { describe, expect, test } from 'vitest'
import {
  bound,
  callSpec,
  evidence,
  found,
  governanceProfileId,
  judged,
  promised,
} from '../../../test/a-turn.ts'

const rows = (...calls: string[]) => calls.map(toolCallId => ({ toolCallId }))
const results = (...calls: string[]) => ({ toolResults: rows(...calls) })
const uses = (...calls: string[]) => ({
  toolUse: rows(...calls).map(row => ({ ...row, disposition: 'observed' })),
})
const requests = (...calls: string[]) => ({
  toolRequests: rows(...calls).map(row => ({ ...row, toolName: 't' })),
})

test('a turn without tool calls is closed', () => {
  expect(found(evidence([]))).toEqual([])
})

test('a turn whose every call has a result and a use is closed', () => {
  expect(found(evidence(['a', 'b']))).toEqual([])
})

describe('an open turn names class and call', () => {
  test.each([
    ['tool.result_missing', 'toolRequests', { ...results('a'), ...uses('a') }],
    ['tool.result_orphan', 'toolResults', { ...requests('a') }],
    ['tool.use_missing', 'toolResults', { ...uses('a') }],
    ['tool.use_without_result', 'toolUse', { ...requests('a'), ...results('a') }],
  ])('%s', (failureClass, surface, more) => {
    const order = ['tool.join_incomplete at evidence', `${failureClass} at evidence.${surface}[b]`]
    expect(found(evidence(['a', 'b'], more))).toEqual(order)
  })

  test('a use of a call that was requested and not answered is without result too', () => {
    expect(found(evidence(['a'], results()))).toEqual([
      'tool.join_incomplete at evidence',
      'tool.result_missing at evidence.toolRequests[a]',
      'tool.use_without_result at evidence.toolUse[a]',
    ])
  })
})

describe('departure (a): a use that names another result', () => {
  const using = (resultDigest: string, more: object = {}) =>
    found(
      evidence(['a'], {
        toolUse: [{ toolCallId: 'a', disposition: 'observed', resultDigest }],
        ...more,
      }),
    )

  test('is refused, alone: the sets still match', () => {
    expect(using('res-b')).toEqual(['tool.use_unknown_result at evidence.toolUse[a].resultDigest'])
  })

  test('is fine when it names the right one, or one of several', () => {
    expect(using('res-a')).toEqual([])
    const two = { toolResults: [{ toolCallId: 'a', resultDigest: 'x' }, { toolCallId: 'a' }] }
    expect(using('x', two)).toEqual(['tool.schema_invalid at evidence.toolResults[a]'])
  })

  test('is refused when the result has no digest, and says nothing without a result', () => {
    expect(using('x', results('a'))).toEqual([
      'tool.use_unknown_result at evidence.toolUse[a].resultDigest',
    ])
    expect(using('x', results())).not.toContain(
      'tool.use_unknown_result at evidence.toolUse[a].resultDigest',
    )
  })
})

describe('departure (b): text mode with requests', () => {
  const asking = (spec: object, request: object) =>
    found(
      evidence(['a'], {
        ...bound({ actionMode: 'text', ...spec }),
        toolRequests: [{ toolCallId: 'a', toolName: 't', ...request }],
      }),
    )
  const refused = ['tool.schema_invalid at evidence.toolRequests[a].adapterProfile']

  test('is refused without an admitted adapter profile', () => {
    expect(asking({}, {})).toEqual(refused)
    expect(asking({}, { adapterProfile: 'p' })).toEqual(refused)
    expect(asking({ textAdapterProfiles: ['q'] }, { adapterProfile: 'p' })).toEqual(refused)
    expect(asking({ textAdapterProfiles: ['p'] }, {})).toEqual(refused)
  })

  test('is fine with one, and without requests', () => {
    expect(asking({ textAdapterProfiles: ['q', 'p'] }, { adapterProfile: ' p ' })).toEqual([])
    expect(found(evidence([], bound({ actionMode: 'text' })))).toEqual([])
  })
})

test('departure (g): the design document’s dispositions are accepted', () => {
  const dispositions = ['observed_only', 'consumed', 'observed', 'discarded']
  for (const disposition of dispositions) {
    expect(
      found(evidence(['a'], { toolUse: [{ toolCallId: 'a', disposition }] })).filter(failureClass =>
        failureClass.startsWith('tool.'),
      ),
    ).toEqual([])
  }
})

describe('a scheduled retry', () => {
  const error = { errorCode: 'e', errorMessage: 'm' }
  const retrying = (result: object) =>
    found(
      evidence(['a'], {
        toolResults: [{ toolCallId: 'a', ...result }],
        toolUse: [{ toolCallId: 'a', disposition: 'retry_scheduled' }],
      }),
    )
  const refused = ['tool.schema_invalid at evidence.toolUse[a].disposition']

  test('needs a retryable error', () => {
    expect(retrying({ ...error, retryable: true })).toEqual([])
    expect(retrying({ ...error, retryable: false })).toEqual(refused)
    expect(retrying({ status: 'ok' })).toEqual(refused)
  })
})

describe('rule 1: a declared yes never outweighs a computed no, a declared no refuses', () => {
  const order = 'protocol.parallel_transport_order_invalid'
  const cut = 'tool.response_truncation_policy_violation'
  const swapped = {
    ...bound({ toolTransportPolicy: { ordering: 'strict' } }),
    toolRequests: ['a', 'b'].map((toolCallId, seq) => ({
      ...{ toolCallId, toolName: 't', groupId: 'g', seq },
    })),
    toolResults: ['a', 'b'].map((toolCallId, at) => ({ toolCallId, seq: 9 - at })),
  }
  const oversized = {
    ...bound({ toolResponseTruncationPolicy: { maxBytes: 3, marker: '[cut]' } }),
    toolResults: [{ toolCallId: 'a', payload: 'long' }],
  }

  test('of the order of results', () => {
    const claim = (parallelTransportOrderValid: boolean | null) => ({
      protocolConstraints: { parallelTransportOrderValid },
    })
    const place = 'protocolConstraints.parallelTransportOrderValid'
    expect(found(evidence(['a', 'b'], swapped), claim(true))).toEqual([
      `${order} at evidence.toolRequests[a]`,
    ])
    expect(found(evidence(['a']), claim(false))).toEqual([`${order} at ${place}`])
    expect(found(evidence(['a']), claim(null))).toEqual([])
  })

  test('of truncation', () => {
    const claim = (required: boolean, valid: boolean) => ({
      truncationConstraints: { required, valid },
    })
    expect(found(evidence(['a'], oversized), claim(true, true))).toEqual([
      `${cut} at evidence.toolResults[a]`,
    ])
    expect(found(evidence(['a']), claim(true, false))).toEqual([
      `${cut} at truncationConstraints.valid`,
    ])
    expect(found(evidence(['a']), { truncationConstraints: { required: true } })).toEqual([
      `${cut} at truncationConstraints.valid`,
    ])
    expect(found(evidence(['a']), claim(false, false))).toEqual([])
  })
})

describe('context', () => {
  const context = {
    toolRender: [
      {
        toolCallId: 'a',
        operatorPayloadDigest: 'o',
        reminderRenderDigest: 'r',
        injectionPoint: 'tool_response',
        policyDigest: 'pol-render',
      },
    ],
    reminderQueue: [{ queueId: 'q', reducedDigest: 'd', policyDigest: 'pol-queue' }],
    stateViews: [{ viewId: 'v', viewDigest: 'd', policyDigest: 'pol-view' }],
  }
  const consumed = { toolUse: [{ toolCallId: 'a', disposition: 'consumed' }] }
  const goesOn = { protocolState: { stopReason: 'tool_use', continuationAllowed: true } }
  const missing = 'context.injection_point_missing'
  const violated = 'context.queue_policy_violation'

  test.each([
    ['nobody builds on the turn', {}, []],
    ['all is there', { ...consumed, ...goesOn, ...context }, []],
    [
      'a result was consumed and nothing is there',
      consumed,
      [
        `${missing} at evidence.stateViews`,
        `${missing} at evidence.toolResults[a]`,
        `${violated} at evidence.reminderQueue`,
      ],
    ],
    [
      'the loop goes on and nothing is there',
      goesOn,
      [
        `${missing} at evidence.stateViews`,
        `${missing} at evidence.toolResults[a]`,
        `${violated} at evidence.reminderQueue`,
      ],
    ],
    [
      'the state view is missing',
      { ...consumed, ...context, stateViews: [] },
      [`${missing} at evidence.stateViews`],
    ],
    [
      'the queue is missing',
      { ...consumed, ...context, reminderQueue: [] },
      [`${violated} at evidence.reminderQueue`],
    ],
    [
      'a row is under another policy',
      { ...consumed, ...context, stateViews: [{ ...context.stateViews[0], policyDigest: 'x' }] },
      [`${violated} at evidence.stateViews`],
    ],
    [
      'a row is under another policy, but nobody builds on it',
      { ...context, stateViews: [{ ...context.stateViews[0], policyDigest: 'x' }] },
      [],
    ],
    [
      'an unknown call was rendered too',
      {
        ...consumed,
        ...context,
        toolRender: [...context.toolRender, { ...context.toolRender[0], toolCallId: 'z' }],
      },
      [],
    ],
  ])('when %s', (_, more, failureClass) => {
    expect(found(evidence(['a'], more))).toEqual(failureClass)
  })

  test('a row without a policy does not match an unbound policy', () => {
    const { toolRenderProtocolDigest: _, ...spec } = callSpec
    const { policyDigest: __, ...render } = context.toolRender[0] ?? { policyDigest: '' }
    const given = { ...consumed, ...context, callSpec: spec, toolRender: [render] }
    expect(found(evidence(['a'], given))).toEqual([
      `${violated} at evidence.toolRender`,
      'tool.schema_invalid at evidence.callSpec.toolRenderProtocolDigest',
      'tool.schema_invalid at evidence.toolRender[a].policyDigest',
    ])
  })

  test('a consumed use without a result still needs context', () => {
    expect(found(evidence([], { ...consumed, ...context, stateViews: [] }))).toContain(
      `${missing} at evidence.stateViews`,
    )
  })
})

describe('the stop reason', () => {
  const stopping = (stopReason: string, policy?: object, continuationAllowed = false) =>
    found(
      evidence([], {
        ...bound(policy ? { protocolStatePolicy: policy } : {}),
        protocolState: { stopReason, continuationAllowed },
      }),
    ).filter(failureClass => failureClass.startsWith('protocol.'))
  const refused = ['protocol.stop_reason_unhandled at evidence.protocolState.stopReason']

  test('is one of four, whatever its case', () => {
    for (const reason of ['tool_use', 'Pause_Turn', ' MAX_TOKENS ', 'end_turn']) {
      expect(stopping(reason)).toEqual([])
    }
    for (const reason of ['stop_sequence', 'refusal', 'tool use']) {
      expect(stopping(reason)).toEqual(refused)
    }
  })

  test('is one of the policy if there is one', () => {
    expect(stopping('refusal', { handled: ['Refusal'] })).toEqual([])
    expect(stopping('end_turn', { handled: ['refusal'] })).toEqual(refused)
    expect(stopping('end_turn', { handled: [] })).toEqual(refused)
  })

  test('lets a turn continue only if the policy says so', () => {
    const policy = { handled: ['tool_use', 'end_turn'], continues: ['Tool_use'] }
    expect(stopping('tool_use', policy, true)).toEqual([])
    expect(stopping('end_turn', policy, false)).toEqual([])
    expect(stopping('end_turn', policy, true)).toEqual(refused)
  })
})

describe('rule 6: every rule runs, and every finding is reported once', () => {
  test('classes and findings of one turn, together', () => {
    const report = judged({
      evidence: evidence(['a', 'b'], {
        ...results('a', 'c'),
        protocolState: { stopReason: 'refusal', continuationAllowed: true },
        ...bound({ modelRef: ' ' }),
      }),
      truncationConstraints: { required: true },
      decompositionConstraints: { admissible: false },
    })
    expect(report.failureClasses).toEqual([
      'context.injection_point_missing',
      'context.queue_policy_violation',
      'coordination.decomposition_policy_violation',
      'protocol.stop_reason_unhandled',
      'tool.join_incomplete',
      'tool.response_truncation_policy_violation',
      'tool.result_missing',
      'tool.result_orphan',
      'tool.schema_invalid',
      'tool.use_missing',
      'tool.use_without_result',
    ])
    const texts = report.findings.map(finding => JSON.stringify(finding))
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('governance', () => {
  const claim = (more: object = {}) => ({ governanceProfile: { claimed: true, ...more } })
  const pinned = {
    policyProvenance: { pinned: true, packageRef: 'p', expectedDigest: 'd', boundDigest: ' d ' },
  }
  const governed = { ...bound({ riskTier: 'high' }) }

  test('is not checked if it is not claimed', () => {
    expect(found(evidence([], governed), { governanceProfile: { claimed: false } })).toEqual([])
    expect(found(evidence([], governed))).toEqual([])
  })

  test('an unknown profile is refused even if it is not claimed, and ends the check', () => {
    const only = ['governance.claim_id_invalid at governanceProfile.claimId']
    expect(found(evidence([], governed), claim({ claimId: 'other' }))).toEqual(only)
    const governanceProfile = { claimed: false, claimId: 'other' }
    expect(found(evidence([], governed), { governanceProfile })).toEqual(only)
    expect(
      found(evidence([], governed), claim({ claimId: 'x' }), {
        registryClaims: [governanceProfileId],
      }),
    ).toEqual(only)
  })

  test('an unpinned package ends the check of its digest', () => {
    const policyProvenance = { ...pinned.policyProvenance, pinned: false, boundDigest: 'e' }
    expect(found(evidence([]), claim({ policyProvenance }))).toEqual([
      'governance.policy_package_unpinned at governanceProfile.policyProvenance',
    ])
    for (const name of ['packageRef', 'expectedDigest', 'boundDigest']) {
      const blank = { policyProvenance: { ...pinned.policyProvenance, [name]: ' ' } }
      expect(found(evidence([]), claim(blank))).toEqual([
        'governance.policy_package_unpinned at governanceProfile.policyProvenance',
      ])
    }
  })

  test('a pinned package must be the bound one', () => {
    expect(found(evidence([]), claim({ claimId: ' ', ...pinned }))).toEqual([])
    expect(found(evidence([]), claim({ claimId: governanceProfileId, ...pinned }))).toEqual([])
    const policyProvenance = { ...pinned.policyProvenance, boundDigest: 'e' }
    expect(found(evidence([]), claim({ policyProvenance }))).toEqual([
      'governance.policy_package_mismatch at governanceProfile.policyProvenance.boundDigest',
    ])
  })

  test('a pinned package must be the policy in force, if that is known', () => {
    const { expectedDigest } = pinned.policyProvenance
    const policyInForce = expectedDigest
    expect(found(evidence([]), claim(pinned), { policyInForce })).toEqual([])
    for (const other of ['another', null]) {
      expect(found(evidence([]), claim(pinned), { policyInForce: other })).toEqual([
        'governance.policy_package_mismatch at governanceProfile.policyProvenance.expectedDigest',
      ])
    }
  })

  describe('rule 9: the source of the claim does not matter', () => {
    const tier = 'governance.risk_tier_profile_missing at evidence.riskTierProfileRef'
    const unclaimed = { governanceProfile: { claimed: false, ...pinned } }

    test('a claim of the registry counts like a claim of the input', () => {
      const registryClaims = [governanceProfileId]
      expect(found(evidence([], governed), claim(pinned))).toEqual([tier])
      expect(found(evidence([], governed), unclaimed)).toEqual([])
      expect(found(evidence([], governed), unclaimed, { registryClaims })).toEqual([tier])
      expect(found(evidence([], governed), { ...unclaimed, registryClaims })).toEqual([tier])
    })

    test('an input adds to the registry and never takes away', () => {
      const registry = { registryClaims: [governanceProfileId] }
      expect(found(evidence([], governed), { ...unclaimed, registryClaims: [] }, registry)).toEqual(
        [tier],
      )
      expect(
        found(evidence([], governed), unclaimed, { registryClaims: ['profile.other'] }),
      ).toEqual([])
    })

    test('a claimed registry without a block has nothing pinned', () => {
      expect(found(evidence([]), {}, { registryClaims: [governanceProfileId] })).toEqual([
        'governance.policy_package_unpinned at governanceProfile.policyProvenance',
      ])
    })
  })

  test('modes, tiers and self-evolution are required', () => {
    const spec = bound({ observabilityMode: 'Dashboard', riskTier: 'low' })
    expect(
      found(evidence([], { ...spec, selfEvolution: { maxAttempts: 0 } }), claim(pinned)),
    ).toEqual([
      'governance.risk_tier_profile_missing at evidence.riskTierProfileRef',
      'governance.self_evolution_escalation_missing at evidence.selfEvolution.terminalEscalation',
      'governance.self_evolution_retry_missing at evidence.selfEvolution.maxAttempts',
      'governance.self_evolution_rollback_missing at evidence.selfEvolution.rollbackRef',
      'governance.trace_mode_violation at evidence.traceMode',
    ])
    const selfEvolution = { maxAttempts: 1, terminalEscalation: 'a', rollbackRef: 'b' }
    const given = { traceMode: 'DASHBOARD', riskTierProfileRef: 'r', selfEvolution }
    expect(found(evidence([], { ...spec, ...given }), claim(pinned))).toEqual([])
  })
})

describe('rule 8: the verdicts', () => {
  const { spec, policies } = promised({ mutationPolicyDigest: { useRefs: 'optional' } })
  const asked = {
    evidence: evidence(['a'], { ...bound(spec), sessionRefs: ['s'], trajectoryRefs: ['t'] }),
    policies,
    mutation: { kind: 'issue', action: 'close' },
    capabilityClaims: ['capabilities.change_morphisms', 'capabilities.change_morphisms.close'],
    activeMutationPolicyDigest: Reflect.get(spec, 'mutationPolicyDigest'),
  }
  const answers = (input: object) => {
    const { joinClosed, mutationReady, result, unmetDemands } = judged(input)
    return {
      joinClosed,
      mutationReady,
      result,
      unmet: unmetDemands.map(({ requirement }) => requirement),
    }
  }
  const yes = { joinClosed: true, result: 'accepted', unmet: [] }

  test('a closed turn that requests an allowed mutation is ready', () => {
    expect(answers(asked)).toEqual({ ...yes, mutationReady: true })
  })

  test('a closed turn that requests no mutation is closed and not ready', () => {
    const { mutation: _, ...rest } = asked
    expect(answers(rest)).toEqual({ ...yes, mutationReady: false })
  })

  test('an open turn is not ready, and any class opens it', () => {
    expect(answers({ ...asked, capabilityClaims: [] })).toEqual({
      ...{ joinClosed: false, mutationReady: false, result: 'rejected', unmet: [] },
    })
  })

  test('a mutation that splits, transfers or changes policy needs more evidence', () => {
    const patterned = {
      ...asked,
      evidence: { ...asked.evidence, ...bound({ ...spec, executionPattern: 'parallel' }) },
    }
    expect(answers(patterned)).toEqual({
      ...yes,
      mutationReady: false,
      unmet: ['decomposition_document'],
    })
    const unknown = {
      ...asked,
      evidence: { ...asked.evidence, ...bound({ ...spec, executionPattern: 'swarm' }) },
    }
    expect(answers(unknown)).toEqual({
      ...yes,
      mutationReady: false,
      unmet: ['execution_pattern'],
    })
    const handing = { ...asked, evidence: { ...asked.evidence, handoff: { target: 'x' } } }
    expect(answers(handing)).toEqual({ ...yes, mutationReady: false, unmet: ['handoff_document'] })
    const transfer = { ...asked, mutation: { kind: 'transfer', action: 'close' } }
    expect(answers(transfer).unmet).toEqual(['transfer_target', 'transfer_role'])
    const policy = { ...asked, mutation: { kind: 'policy', action: 'close' } }
    expect(answers(policy).unmet).toEqual(['eval_gate', 'redteam_gate'])
  })

  test.each(['agent.spawn', 'Task', 'spawn_agent', 'subagent', 'delegate_to_agent'])(
    'agents that a turn starts by %s count, whatever pattern it declares',
    toolName => {
      const calls = evidence(['a', 'b', 'c'], {
        ...bound(spec),
        sessionRefs: ['s'],
        trajectoryRefs: ['t'],
      })
      const toolRequests = Reflect.get(calls, 'toolRequests').map((request: object) => ({
        ...request,
        toolName,
      }))
      const spawning = { ...asked, evidence: { ...calls, toolRequests } }
      expect(answers(spawning)).toMatchObject({
        mutationReady: false,
        unmet: ['decomposition_document'],
      })
    },
  )

  test('the digest of a verdict covers all its inputs, not its rows alone', () => {
    const names = (input: object) => {
      const { witness, witnessDigest } = judged(input)
      return { join: witness.digests.joinSetDigest, witnessDigest }
    }
    const others = [
      { ...asked, mutation: { ...asked.mutation, issueId: 'i-1' } },
      { ...asked, truncationConstraints: { required: false } },
      { ...asked, capabilityClaims: [] },
      { ...asked, evidence: { ...asked.evidence, sessionRefs: ['other'] } },
      { ...asked, policies: {} },
      { ...asked, registryClaims: ['profile.x'] },
    ]
    const { join, witnessDigest } = names(asked)
    expect(others.map(names).map(other => other.join)).toEqual(others.map(() => join))
    const digests = [witnessDigest, ...others.map(other => names(other).witnessDigest)]
    expect(new Set(digests).size).toBe(digests.length)
    expect(names(asked).witnessDigest).toBe(witnessDigest)
  })
})
