import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, kit, promised, read } from '../../../test/a-turn.ts'
import { MutationReady } from './mutation-ready.ts'

const { spec, policies } = promised({ mutationPolicyDigest: { useRefs: 'optional' } })
const linked = { sessionRefs: ['s'], trajectoryRefs: ['t'] }
const asked = {
  evidence: evidence(['a'], { ...bound(spec), ...linked }),
  policies,
  mutation: { kind: 'issue', action: 'close', issueId: 'i-1', requiredClaims: ['capabilities.x'] },
  capabilityClaims: [
    'capabilities.change_morphisms',
    'capabilities.change_morphisms.all',
    'capabilities.x',
  ],
  activeMutationPolicyDigest: Reflect.get(spec, 'mutationPolicyDigest') as string,
}

const gate = (input: object) => MutationReady.gate(read(input), kit)

/** Class and location of each finding; empty if the gate admitted the turn. */
function refused(input: object) {
  const answer = gate(input)
  return answer.ready
    ? undefined
    : [
        ...answer.findings.map(({ failureClass, at }) => `${failureClass} at ${at}`),
        ...answer.unmet.map(({ requirement }) => requirement),
      ]
}

test('a closed turn that requests an allowed change gets a proof of exactly that change', () => {
  const proof = gate(asked)
  expect(MutationReady.isIssued(proof)).toBe(true)
  expect({ ...proof }).toEqual({
    ready: true,
    callId: 'turn-1',
    action: 'close',
    issueId: 'i-1',
    witnessDigest: judged(asked).witnessDigest,
  })
})

test('the proof cannot be changed afterwards', () => {
  const proof = gate(asked)
  expect(Object.isFrozen(proof)).toBe(true)
  expect(() => Object.assign(proof, { action: 'delete' })).toThrow(TypeError)
})

describe('a turn is refused', () => {
  const { mutation: _, ...unasked } = asked

  test.each([
    ['without a mutation', unasked, []],
    [
      'under no active policy',
      { ...asked, activeMutationPolicyDigest: null },
      ['mutation.policy_digest_mismatch at activeMutationPolicyDigest'],
    ],
    [
      'under another active policy',
      { ...asked, activeMutationPolicyDigest: 'other' },
      ['mutation.policy_digest_mismatch at activeMutationPolicyDigest'],
    ],
    [
      'without the claim to change anything',
      { ...asked, capabilityClaims: ['capabilities.change_morphisms.close', 'capabilities.x'] },
      ['mutation.capability_claim_missing at capabilityClaims'],
    ],
    [
      'with the claim to another action',
      {
        ...asked,
        capabilityClaims: [
          'capabilities.change_morphisms',
          'capabilities.change_morphisms.open',
          'capabilities.x',
        ],
      },
      ['mutation.capability_claim_missing at capabilityClaims'],
    ],
    [
      'without a claim it says it requires',
      { ...asked, capabilityClaims: asked.capabilityClaims.slice(0, 2) },
      ['mutation.capability_claim_missing at capabilityClaims'],
    ],
    [
      'without a session or trajectory to link it to',
      { ...asked, evidence: evidence(['a'], { ...bound(spec), sessionRefs: [' '] }) },
      [
        'mutation.use_evidence_missing at evidence.sessionRefs',
        'mutation.use_evidence_missing at evidence.trajectoryRefs',
      ],
    ],
    [
      'when a call is open',
      { ...asked, evidence: { ...asked.evidence, toolUse: [] } },
      ['tool.join_incomplete at evidence', 'tool.use_missing at evidence.toolResults[a]'],
    ],
    [
      'when more is asked of it at the door',
      { ...asked, mutation: { ...asked.mutation, kind: 'transfer' } },
      ['transfer_target', 'transfer_role'],
    ],
  ])('%s', (_, input, findings) => {
    expect(refused(input)).toEqual(findings)
    expect(MutationReady.isIssued(gate(input))).toBe(false)
  })
})

test('a claim to one action is as good as a claim to all', () => {
  const claims = asked.capabilityClaims.with(1, 'capabilities.change_morphisms.close')
  expect(refused({ ...asked, capabilityClaims: claims })).toBeUndefined()
})

describe('a consumed result names its use', () => {
  const context = {
    toolRender: [
      {
        ...{ toolCallId: 'a', operatorPayloadDigest: 'o', reminderRenderDigest: 'r' },
        ...{ injectionPoint: 'p', policyDigest: 'pol-render' },
      },
    ],
    reminderQueue: [{ queueId: 'q', reducedDigest: 'd', policyDigest: 'pol-queue' }],
    stateViews: [{ viewId: 'v', viewDigest: 'd', policyDigest: 'pol-view' }],
  }
  const consuming = (use: object, documents: Readonly<Record<string, object>> = {}) => {
    const { spec: digests, policies: given } = promised(documents)
    const digest = (Reflect.get(digests, 'mutationPolicyDigest') as string) ?? 'pol-mut'
    return refused({
      ...asked,
      policies: given,
      activeMutationPolicyDigest: digest,
      evidence: evidence(['a'], {
        ...bound(digests),
        ...linked,
        ...context,
        toolUse: [{ toolCallId: 'a', disposition: 'consumed', ...use }],
      }),
    })
  }
  const unlinked = ['mutation.use_evidence_missing at evidence.toolUse[a]']

  test.each(['summaryRef', 'handoffRef', 'mutationInputRef'])('by %s', name => {
    expect(consuming({ [name]: 'r' })).toBeUndefined()
    expect(consuming({ [name]: ' ' })).toEqual(unlinked)
  })

  test('unless the mutation policy document says otherwise', () => {
    expect(consuming({}, { mutationPolicyDigest: { useRefs: 'optional' } })).toBeUndefined()
    expect(consuming({}, { mutationPolicyDigest: { useRefs: 'required' } })).toEqual(unlinked)
    expect(consuming({}, { mutationPolicyDigest: {} })).toEqual(unlinked)
  })
})

describe('only the gate makes a proof', () => {
  const proof = gate(asked)
  const lookAlikes = {
    'a literal of the same fields': { ...proof },
    'an object of the same kind': Object.create(MutationReady.prototype) as object,
    'a copy with the same prototype': Object.assign(Object.create(MutationReady.prototype), proof),
    'something that stands in for a proof': new Proxy(proof, {}),
  }

  test.each(Object.entries(lookAlikes))('%s is none', (_, lookAlike) => {
    expect(MutationReady.isIssued(lookAlike)).toBe(false)
  })

  test('the constructor is private', () => {
    expect(() => Reflect.construct(MutationReady, ['turn-1', 'close', 'i-1', 'sha256:0'])).toThrow(
      'only MutationReady.gate makes a MutationReady',
    )
    // @ts-expect-error: the constructor is private.
    expect(() => new MutationReady(Symbol('MutationReady.gate'), 'a', 'b', 'c', 'd')).toThrow()
    class Forged extends (MutationReady as unknown as new () => object) {}
    expect(() => new Forged()).toThrow()
  })

  test('the compiler refuses a literal with the same members', () => {
    const takesProof = (given: MutationReady) => MutationReady.isIssued(given)
    const literal = {
      ready: true,
      callId: 'turn-1',
      action: 'close',
      issueId: undefined,
      witnessDigest: 'sha256:0',
    } as const
    // @ts-expect-error: an object literal is no proof.
    expect(takesProof(literal)).toBe(false)
  })
})

test('a value that is not a turn is bad input', () => {
  expect(() => gate([])).toThrow('not a turn to judge')
})
