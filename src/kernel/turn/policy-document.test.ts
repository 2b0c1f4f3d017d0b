import { describe, expect, test } from 'vitest'
import { bound, callSpec, evidence, found, judged, promised } from '../../../test/a-turn.ts'
import { type JsonObject, parseJson } from '../json.ts'
import { classByPolicy } from './policy-class.ts'
import { textList, thresholds, wholeNumber, yesOrNo } from './policy-document.ts'

const governed = {
  governanceProfile: {
    claimed: true,
    policyProvenance: { pinned: true, packageRef: 'p', expectedDigest: 'd', boundDigest: 'd' },
  },
}

/** Every field that may bind a document, with the class that reports it. */
const answering = [
  ...Object.entries(classByPolicy),
  ['handoffContractDigest', 'tool.schema_invalid'],
  ['toolCatalogDigest', 'tool.schema_invalid'],
  ['neverHeardOfDigest', 'tool.schema_invalid'],
  ['constructor', 'tool.schema_invalid'],
] as const

describe('rule 2: a document that is not the promised one refuses', () => {
  test.each(answering)('%s: %s', (field, failureClass) => {
    const findings = found(evidence([], bound({ [field]: 'sha256:0' })), {
      policies: { [field]: { some: 'policy' } },
      ...governed,
    })
    expect(findings).toContain(`${failureClass} at policies.${field}`)
  })

  test('also when the call spec promises none', () => {
    expect(found(evidence([]), { policies: { contextScopeDigest: { roles: {} } } })).toEqual([
      'context.scope_violation at policies.contextScopeDigest',
    ])
  })

  test('of the governance family only if governance is claimed', () => {
    const policies = { evalGatePolicyDigest: { thresholds: {} } }
    expect(found(evidence([]), { policies })).toEqual([])
    expect(found(evidence([]), { policies, ...governed })).toEqual([
      'governance.policy_package_mismatch at policies.evalGatePolicyDigest',
    ])
  })

  test('under an inherited property name is a document like any other', () => {
    const input = `{"evidence":${JSON.stringify(evidence([]))},"policies":{"__proto__":{"a":1}}}`
    expect(judged(parseJson(input) as object).findings.map(({ at }) => at)).toEqual([
      'policies.__proto__',
    ])
  })
})

test.each(Object.keys(classByPolicy))('a document that recomputes to %s is no finding', field => {
  const documents: Record<string, object> = {
    contextScopeDigest: { roles: {} },
    evalGatePolicyDigest: { thresholds: {} },
    redTeamPolicyDigest: { minProbes: 0, maxFailures: 0 },
  }
  const { spec, policies } = promised({ [field]: documents[field] ?? { b: 1, a: [2] } })
  const findings = found(evidence([], bound(spec)), { policies, ...governed })
  expect(findings.filter(text => text.includes('policies.'))).toEqual([])
})

test('a document decides nothing unless it is the promised one', () => {
  const document = { maxFanOut: 0 }
  const given = (spec: object) =>
    found(evidence(['a'], bound(spec)), { policies: { decompositionPolicyDigest: document } })
  const { spec } = promised({ decompositionPolicyDigest: document })
  expect(given(spec)).toEqual([
    'coordination.decomposition_policy_violation at evidence.toolRequests',
  ])
  expect(given({})).toEqual([
    'coordination.decomposition_policy_violation at policies.decompositionPolicyDigest',
  ])
})

test('digests without a document are listed, and those with one are not', () => {
  const { spec, policies } = promised({ mutationPolicyDigest: {}, stateViewPolicyDigest: { a: 1 } })
  const { unverifiedBindings } = judged({
    evidence: evidence([], bound({ ...spec, compactionPolicyDigest: 'c' })),
    policies,
  })
  const all = Object.keys(callSpec).filter(name => name.endsWith('Digest'))
  expect(unverifiedBindings).toEqual(
    [...all.filter(name => !(name in policies)), 'compactionPolicyDigest'].toSorted(),
  )
})

describe('a member of a document', () => {
  const document = parseJson(
    '{"list":["a"],"mixed":["a",1],"whole":3,"half":1.5,"less":-1,"yes":false,"limits":{"m":0.5,"n":1},"words":{"m":"x"},"nothing":null}',
  ) as JsonObject
  const unreadable = { malformed: true }

  test('is read, is absent, or cannot be read', () => {
    expect(textList(document, 'list')).toEqual({ value: ['a'] })
    expect(textList(document, 'absent')).toEqual({})
    expect(textList(undefined, 'list')).toEqual({})
    for (const name of ['mixed', 'whole', 'nothing']) {
      expect(textList(document, name)).toEqual(unreadable)
    }
    expect(wholeNumber(document, 'whole')).toEqual({ value: 3 })
    for (const name of ['half', 'less', 'list', 'nothing']) {
      expect(wholeNumber(document, name)).toEqual(unreadable)
    }
    expect(yesOrNo(document, 'yes')).toEqual({ value: false })
    expect(yesOrNo(document, 'whole')).toEqual(unreadable)
    expect(thresholds(document, 'limits')).toEqual({
      value: [
        ['m', 0.5],
        ['n', 1],
      ],
    })
    expect(thresholds(document, 'words')).toEqual(unreadable)
    expect(thresholds(document, 'list')).toEqual(unreadable)
  })
})
