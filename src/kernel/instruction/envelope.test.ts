import { describe, expect, test } from 'vitest'
import {
  binding,
  checked,
  envelope,
  proposal,
  registry,
  sha256,
  smokePolicy,
  testPolicy,
} from '../../../test/an-instruction.ts'
import { type Json, type JsonObject, parseJson } from '../json.ts'
import { checkEnvelope, instructionDigestOf } from './envelope.ts'
import type { InstructionClass } from './instruction-classes.ts'

const check = (value: Json) => checkEnvelope(value, registry(testPolicy, smokePolicy), sha256)
const withOut = (name: string): JsonObject =>
  Object.fromEntries(Object.entries(envelope).filter(([key]) => key !== name)) as JsonObject

test('a checked instruction is reported whole, in the order of earlier tools', () => {
  const all = { ...envelope, instructionType: 'ci.gate.check', capabilityClaims: ['b', 'a'] }
  const instruction = checked({ ...all, proposal })
  expect(Object.keys(instruction)).toEqual([
    'intent',
    'scope',
    'normalizerId',
    'policyDigest',
    'instructionDigest',
    'requestedChecks',
    'instructionType',
    'instructionClassification',
    'executionDecision',
    'typingPolicy',
    'capabilityClaims',
    'proposal',
  ])
  expect(instruction).toMatchObject({
    intent: envelope.intent,
    instructionClassification: { state: 'typed', kind: 'ci.gate.check' },
    executionDecision: { state: 'execute' },
    typingPolicy: { allowUnknown: false },
    capabilityClaims: ['a', 'b'],
    proposal: { discharge: { outcome: 'accepted' } },
  })
})

describe('the first flaw is reported', () => {
  const proposals = { proposal, llmProposal: proposal }
  const elsewhere = { ...proposal, binding: { ...binding, normalizerId: 'normalizer.ci.v1' } }
  test.each<[InstructionClass, string, Json]>([
    ['instruction_envelope_invalid_shape', 'a list', []],
    ['instruction_envelope_invalid_shape', 'null', null],
    ['instruction_invalid_schema', 'no schema', withOut('schema')],
    ['instruction_invalid_schema', 'schema 0', { ...envelope, schema: 0 }],
    ['instruction_invalid_schema', 'schema -1', { ...envelope, schema: -1 }],
    ['instruction_invalid_schema', 'a text', { ...envelope, schema: '1' }],
    ['instruction_invalid_schema', 'schema null', { ...envelope, schema: null }],
    ['instruction_invalid_intent', 'no intent', withOut('intent')],
    ['instruction_invalid_intent', 'a blank one', { ...envelope, intent: ' ' }],
    ['instruction_invalid_intent', 'a padded one', { ...envelope, intent: 'so ' }],
    ['instruction_invalid_normalizer', 'no normalizer', withOut('normalizerId')],
    ['instruction_invalid_normalizer', 'a padded one', { ...envelope, normalizerId: ' n' }],
    ['instruction_invalid_policy_digest', 'no policy', withOut('policyDigest')],
    ['instruction_invalid_policy_digest', 'a number', { ...envelope, policyDigest: 1 }],
    ['instruction_scope_missing', 'no scope', withOut('scope')],
    ['instruction_scope_invalid', 'scope null', { ...envelope, scope: null }],
    ['instruction_scope_invalid', 'scope blank', { ...envelope, scope: '' }],
    ['instruction_scope_invalid', 'bad mutations', { ...envelope, scope: { mutations: 1 } }],
    ['instruction_requested_checks_invalid', 'no checks', withOut('requestedChecks')],
    ['instruction_requested_checks_invalid', 'none', { ...envelope, requestedChecks: [] }],
    ['instruction_requested_checks_invalid', 'a blank', { ...envelope, requestedChecks: [' '] }],
    [
      'instruction_requested_checks_invalid',
      'one twice',
      { ...envelope, requestedChecks: ['hk-check', ' hk-check '] },
    ],
    ['instruction_unknown_policy', 'no such policy', { ...envelope, policyDigest: 'pol1_0' }],
    ['instruction_unknown_policy', 'no pol1_', { ...envelope, policyDigest: 'policy.test.v1' }],
    ['instruction_check_not_allowed', 'another check', { ...envelope, requestedChecks: ['rm'] }],
    [
      'instruction_normalizer_not_allowed',
      'another normalizer',
      { ...envelope, normalizerId: 'normalizer.ci.v1' },
    ],
    ['instruction_instruction_type_invalid', 'a blank', { ...envelope, instructionType: ' ' }],
    ['instruction_instruction_type_invalid', 'null', { ...envelope, instructionType: null }],
    ['instruction_typing_policy_invalid', 'a yes', { ...envelope, typingPolicy: true }],
    ['instruction_typing_policy_invalid', 'null', { ...envelope, typingPolicy: null }],
    [
      'instruction_typing_policy_invalid',
      'a word in it',
      { ...envelope, typingPolicy: { allowUnknown: 'yes' } },
    ],
    ['instruction_capability_claims_invalid', 'null', { ...envelope, capabilityClaims: null }],
    [
      'instruction_capability_claims_invalid',
      'one twice',
      { ...envelope, capabilityClaims: ['a', 'a'] },
    ],
    ['proposal_invalid_shape', 'both names', { ...envelope, ...proposals }],
    ['proposal_invalid_shape', 'null', { ...envelope, proposal: null }],
    ['proposal_invalid_kind', 'its own class', { ...envelope, llmProposal: {} }],
    ['proposal_binding_mismatch', 'elsewhere', { ...envelope, proposal: elsewhere }],
  ])('%s: %s', (failureClass, _, value) => {
    expect(check(value)).toMatchObject({ failureClass, message: expect.stringMatching(/\w/) })
  })

  test('in the order of earlier tools: each flaw hides the later ones', () => {
    const wrong: JsonObject = {
      schema: '1',
      intent: '',
      normalizerId: '',
      policyDigest: '',
      requestedChecks: [],
      instructionType: '',
      typingPolicy: [],
      capabilityClaims: {},
      proposal: 1,
    }
    const mended: [string, Json][] = [
      ...Object.entries(envelope),
      ['instructionType', 'ci.gate.check'],
      ['typingPolicy', {}],
      ['capabilityClaims', []],
      ['proposal', proposal],
    ]
    const classes = mended.map((_, place) => {
      const checked = check({ ...wrong, ...Object.fromEntries(mended.slice(0, place)) })
      return 'failureClass' in checked ? checked.failureClass : undefined
    })
    expect(classes).toEqual([
      'instruction_invalid_schema',
      'instruction_invalid_intent',
      'instruction_invalid_normalizer',
      'instruction_invalid_policy_digest',
      'instruction_scope_missing',
      'instruction_requested_checks_invalid',
      'instruction_instruction_type_invalid',
      'instruction_typing_policy_invalid',
      'instruction_capability_claims_invalid',
      'proposal_invalid_shape',
    ])
  })

  test('a policy that cannot be read fails every instruction that names one', () => {
    const broken = registry(testPolicy, { ...smokePolicy, policyDigest: 'pol1_0' })
    expect(checkEnvelope(envelope, broken, sha256)).toMatchObject({
      failureClass: 'instruction_policy_digest_mismatch',
    })
  })
})

test.each(['1.0', '-0', '1e0', '0'])('a schema of %s is none', schema => {
  const text = JSON.stringify(envelope).replace('"schema":1', `"schema":${schema}`)
  expect(check(parseJson(text))).toMatchObject({ failureClass: 'instruction_invalid_schema' })
})

test.each(['2', '18446744073709551615'])('a schema of %s is one', schema => {
  const text = JSON.stringify(envelope).replace('"schema":1', `"schema":${schema}`)
  expect(check(parseJson(text))).toHaveProperty('intent')
})

describe('the digest covers the whole document', () => {
  const digestOf = (value: Json) => checked(value).instructionDigest

  test('in its canonical form', () => {
    const text = '{ "b": 1.0, "a": "\\u00e9\u{1f600}" }'
    const canonical = '{"a":"\u00e9\u{1f600}","b":1.0}'
    expect(instructionDigestOf(parseJson(text), sha256)).toBe(`instr1_${sha256(canonical)}`)
  })

  test('with unknown members', () => {
    expect(digestOf({ ...envelope, note: 1 })).not.toBe(digestOf(envelope))
  })

  test('in any order of its members', () => {
    const turned = Object.fromEntries(Object.entries(envelope).toReversed())
    expect(digestOf(turned)).toBe(digestOf(envelope))
  })
})

describe('the kind of an instruction', () => {
  const kindOf = (change: JsonObject) =>
    checked({ ...envelope, ...change }).instructionClassification

  test('is the stated kind, if that is known', () => {
    expect(kindOf({ instructionType: ' ci.gate.pre_push ' })).toEqual({
      state: 'typed',
      kind: 'ci.gate.pre_push',
    })
    expect(kindOf({ instructionType: 'ci.gate.deploy' })).toEqual({
      state: 'unknown',
      reason: 'unsupported_instruction_type',
    })
  })

  test('is derived from checks that are all hooks', () => {
    expect(kindOf({})).toEqual({ state: 'typed', kind: 'ci.gate.check' })
    expect(kindOf({ requestedChecks: ['hk-check', 'conformance-run'] })).toEqual({
      state: 'unknown',
      reason: 'unrecognized_requested_checks',
    })
  })
})

describe('the decision to run an instruction', () => {
  const decisionOf = (change: JsonObject) => checked({ ...envelope, ...change }).executionDecision

  test('refuses an unknown kind unless the instruction allows it', () => {
    const unknown = { requestedChecks: ['conformance-run'] }
    expect(decisionOf(unknown)).toEqual({
      state: 'reject',
      source: 'instruction_classification',
      reason: 'unrecognized_requested_checks',
      operationalFailureClasses: ['instruction_unknown_unroutable'],
      semanticFailureClasses: [],
    })
    expect(decisionOf({ ...unknown, typingPolicy: { allowUnknown: true } })).toEqual({
      state: 'execute',
    })
  })

  test('refuses an instruction whose proposal does not hold', () => {
    expect(decisionOf({ proposal: { ...proposal, candidateRefs: [] } })).toEqual({
      state: 'reject',
      source: 'proposal_discharge',
      reason: 'proposal_discharge_rejected',
      operationalFailureClasses: [],
      semanticFailureClasses: ['descent_failure'],
    })
  })
})
