import { describe, expect, test } from 'vitest'
import { proposal, sha256 } from '../../../test/an-instruction.ts'
import { canonicalJson } from '../canonical.ts'
import type { Json, JsonObject } from '../json.ts'
import type { InstructionClass } from './instruction-classes.ts'
import { isRefused } from './instruction-refusal.ts'
import { checkProposal } from './proposal.ts'

const check = (value: Json) => checkProposal(value, sha256)

function accepted(change: JsonObject = {}) {
  const checked = check({ ...proposal, ...change })
  if (isRefused(checked)) throw new Error(checked.message)
  return checked
}

const derivation: JsonObject = {
  ...proposal,
  proposalKind: 'derivation',
  candidateRefs: [],
  steps: [
    { ruleId: 'rule.a', claim: 'first', inputs: ['x'], outputs: ['y'] },
    { ruleId: 'rule.b', claim: 'second' },
  ],
}

test('the digests are of the canonical form', () => {
  const { canonical, digest, kcirRef } = accepted({ candidateRefs: ['b ', 'a', 'b'], note: 1 })
  expect(Object.keys(canonical)).toEqual([
    'proposalKind',
    'targetCtxRef',
    'targetJudgment',
    'candidateRefs',
    'binding',
  ])
  expect(canonical.candidateRefs).toEqual(['a', 'b'])
  const printed = canonicalJson(canonical as never)
  expect(digest).toBe(`prop1_${sha256(printed)}`)
  const ref = `{"canonicalProposal":${printed},"kind":"kcir.proposal.v1"}`
  expect(kcirRef).toBe(`kcir1_${sha256(ref)}`)
})

test('an obligation is named by its content', () => {
  const [stability] = accepted().obligations
  const { obligationId, ...content } = stability ?? {}
  expect(content).toEqual({
    kind: 'stability',
    ctx: { ref: 'ctx:main' },
    subject: { kind: 'obj', ref: 'obj:one' },
    details: { proposalKind: 'value', candidateCount: 1, stepCount: 0, obligationIndex: 0 },
  })
  expect(obligationId).toBe(`obl1_${sha256(canonicalJson(content as never))}`)
})

describe('a malformed proposal is refused', () => {
  const step = (change: JsonObject): JsonObject => ({
    ...derivation,
    steps: [{ ruleId: 'r', claim: 'c', ...change }],
  })
  test.each<[InstructionClass, string, Json]>([
    ['proposal_invalid_shape', 'text', 'value'],
    ['proposal_invalid_kind', 'another kind', { ...proposal, proposalKind: 'guess' }],
    ['proposal_invalid_target', 'a blank context', { ...proposal, targetCtxRef: ' ' }],
    ['proposal_invalid_target_judgment', 'none', { ...proposal, targetJudgment: null }],
    [
      'proposal_invalid_target_judgment',
      'another kind',
      { ...proposal, targetJudgment: { kind: 'two', shape: 's' } },
    ],
    [
      'proposal_invalid_target_judgment',
      'no shape',
      { ...proposal, targetJudgment: { kind: 'mor' } },
    ],
    ['proposal_unbound_policy', 'no binding', { ...proposal, binding: null }],
    ['proposal_unbound_policy', 'half of one', { ...proposal, binding: { normalizerId: 'n' } }],
    ['proposal_invalid_step', 'candidates of numbers', { ...proposal, candidateRefs: [1] }],
    ['proposal_invalid_step', 'candidates null', { ...proposal, candidateRefs: null }],
    ['proposal_invalid_step', 'a value with steps', { ...proposal, steps: [] }],
    ['proposal_invalid_step', 'a derivation without', { ...derivation, steps: [] }],
    ['proposal_invalid_step', 'a step that is text', { ...derivation, steps: ['r'] }],
    ['proposal_invalid_step', 'a blank ruleId', step({ ruleId: ' ' })],
    ['proposal_invalid_step', 'no claim', step({ claim: null })],
    ['proposal_invalid_step', 'outputs of numbers', step({ outputs: [2] })],
    ['proposal_nondeterministic', 'a wrong digest', { ...proposal, proposalDigest: 'prop1_0' }],
    ['proposal_kcir_ref_mismatch', 'a wrong ref', { ...proposal, proposalKcirRef: 'kcir1_0' }],
  ])('%s: %s', (failureClass, _, value) => {
    expect(check(value)).toMatchObject({ failureClass })
  })
})

test('the digests in a proposal are accepted if they are correct', () => {
  const { digest, kcirRef } = accepted()
  expect(accepted({ proposalDigest: digest, proposalKcirRef: kcirRef }).digest).toBe(digest)
})

const hinted = ['adjoint_triangle', 'beck_chevalley_sigma', 'beck_chevalley_pi']
const hints = [...hinted, 'refinement_invariance'].map(kind => `hint:${kind}`)

describe('the obligations of a proposal', () => {
  test.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ['a value with one candidate', proposal, ['descent_exists'], []],
    ['a value without', { ...proposal, candidateRefs: [] }, ['ext_gap'], ['descent_failure']],
    [
      'a value with two',
      { ...proposal, candidateRefs: ['a', 'b'] },
      ['descent_exists', 'ext_ambiguous'],
      ['glue_non_contractible'],
    ],
    ['a derivation that yields something', derivation, ['descent_exists'], []],
    [
      'a derivation that yields nothing',
      { ...derivation, steps: [{ ruleId: 'r', claim: 'c' }] },
      ['ext_gap'],
      ['descent_failure'],
    ],
    [
      'a plan without hints',
      { ...proposal, proposalKind: 'refinementPlan', candidateRefs: ['a', 'b'] },
      ['descent_exists', 'adjoint_triple', ...hinted, 'refinement_invariance'],
      ['adjoint_triple_coherence_failure', 'stability_failure'],
    ],
    [
      'a plan with all of them',
      { ...proposal, proposalKind: 'refinementPlan', candidateRefs: hints },
      ['descent_exists', 'adjoint_triple', ...hinted, 'refinement_invariance'],
      [],
    ],
  ])('%s', (_, value, kinds, failureClasses) => {
    const { obligations, discharge } = accepted(value)
    expect(obligations.map(({ kind }) => kind)).toEqual(['stability', 'locality', ...kinds])
    expect(discharge).toMatchObject({
      mode: 'normalized',
      outcome: failureClasses.length === 0 ? 'accepted' : 'rejected',
      failureClasses,
    })
    expect(discharge.steps.map(({ obligationId }) => obligationId)).toEqual(
      obligations.map(({ obligationId }) => obligationId),
    )
  })

  test('a missing hint is named, with its law', () => {
    const { discharge } = accepted({ proposalKind: 'refinementPlan' })
    expect(discharge.steps.at(-1)).toMatchObject({
      status: 'failed',
      failureClass: 'stability_failure',
      lawRef: 'GATE-3.1',
      missingHint: 'hint:refinement_invariance',
    })
  })

  test('the subject of an obligation is the first candidate, else the yield of a step, else the context', () => {
    const subjectOf = (change: JsonObject) => accepted(change).obligations[0]?.subject.ref
    expect(subjectOf({ candidateRefs: ['b', 'a'] })).toBe('a')
    expect(subjectOf(derivation)).toBe('y')
    expect(subjectOf({ candidateRefs: [] })).toBe('ctx:main#obj')
  })
})
