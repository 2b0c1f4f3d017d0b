import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checked,
  envelope,
  proposal,
  read,
  runtimeOf,
  sha256,
} from '../../../test/an-instruction.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import { prettyAsOrdered } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.ts'
import { readRuntime } from './instruction-runtime.ts'
import {
  rejectWitness,
  typedCoreDigest,
  withJoin,
  witnessInstruction,
} from './instruction-witness.ts'

const instruction = checked(envelope)
const runtime = runtimeOf(instruction)
const witness = (change: JsonObject = {}, value: Json = envelope) =>
  witnessInstruction(checked(value), read({ ...runtimeOf(checked(value)), ...change }), sha256)

const digests = { instructionDigest: instruction.instructionDigest }

test('the typed core is digested as earlier tools do', () => {
  expect(
    typedCoreDigest(
      'instr1_483ff3260704a0fa2cd0ad899ed09dac642d009236169d4e44fd4651bd59061d',
      'normalizer.ci.v1',
      'pol1_23a57a68a45e0c428868cce4b657206fc0bf100f4fd5b303eb0034ff29d92c9f',
      sha256,
    ),
  ).toBe('ev1_d13487b7ee6f18a94e9ca495923fcc65b956eefa12a5135e78629830bdb3afb5')
})

test('a witness has the members of earlier tools in their order, and ours after them', () => {
  const join = { joinClosed: true, joinFailureClasses: [], joinWitnessRef: 'sha256:1' }
  const made = witness(join, { ...envelope, proposal })
  expect(Object.keys(made)).toEqual([
    'ciSchema',
    'witnessKind',
    'instructionId',
    'instructionRef',
    'instructionDigest',
    'instructionClassification',
    'typingPolicy',
    'intent',
    'scope',
    'normalizerId',
    'policyDigest',
    'typedCoreProjectionDigest',
    'authorityPayloadDigest',
    'capabilityClaims',
    'requiredChecks',
    'executedChecks',
    'results',
    'verdictClass',
    'operationalFailureClasses',
    'semanticFailureClasses',
    'failureClasses',
    'squeakSiteProfile',
    'runStartedAt',
    'runFinishedAt',
    'runDurationMs',
    'proposalIngest',
    'joinClosed',
    'joinFailureClasses',
    'joinWitnessRef',
    'witnessDigest',
  ])
  expect(mustMatchShape(InstructionWitness, JSON.parse(JSON.stringify(made)))).toBeTruthy()
  expect(made.proposalIngest).toMatchObject({ state: 'typed', kind: 'proposal.value' })
})

describe('the verdict', () => {
  const failed = { ...runtime.results[0], status: 'failed', exitCode: 1 }

  test('accepts if every check passed', () => {
    expect(witness()).toMatchObject({
      ...digests,
      authorityPayloadDigest: instruction.instructionDigest,
      executedChecks: ['hk-check'],
      verdictClass: 'accepted',
      failureClasses: [],
      scope: envelope.scope,
    })
  })

  test('rejects if one check did not pass', () => {
    expect(witness({ results: [failed] })).toMatchObject({
      verdictClass: 'rejected',
      operationalFailureClasses: ['check_failed'],
      semanticFailureClasses: [],
      failureClasses: ['check_failed'],
    })
  })

  test('names the known facts of a failed check', () => {
    const results = [failed, { ...failed, failureClass: 'executor_unavailable' }]
    expect(witness({ results }).failureClasses).toEqual(['check_failed', 'executor_unavailable'])
  })

  test('departs from earlier tools: rejects a requested check without a result', () => {
    expect(witness({ results: [] })).toMatchObject({
      verdictClass: 'rejected',
      failureClasses: ['check_not_executed'],
    })
  })

  test('rejects an instruction that must not run, whatever ran', () => {
    const unknown = { ...envelope, instructionType: 'other' }
    expect(witness({}, unknown)).toMatchObject({
      verdictClass: 'rejected',
      failureClasses: ['instruction_unknown_unroutable'],
    })
    const gap = { ...envelope, proposal: { ...proposal, candidateRefs: [] } }
    expect(witness({}, gap)).toMatchObject({
      operationalFailureClasses: [],
      semanticFailureClasses: ['descent_failure'],
      failureClasses: ['descent_failure'],
    })
  })
})

describe('a witness before anything ran', () => {
  const refusal = { failureClass: 'instruction_invalid_normalizer', reason: 'it is missing' }

  test('has the readable members of the instruction', () => {
    const broken = {
      ...envelope,
      intent: 7,
      normalizerId: ' ',
      requestedChecks: ['b', 1, 'a', 'b'],
      capabilityClaims: ['y', 'x'],
    }
    const made = rejectWitness(broken, read(runtime), refusal, sha256)
    expect(made).toMatchObject({
      instructionClassification: { state: 'unknown', reason: 'pre_execution_invalid' },
      typingPolicy: { allowUnknown: false },
      intent: '(invalid envelope)',
      normalizerId: null,
      policyDigest: envelope.policyDigest,
      capabilityClaims: ['x', 'y'],
      requiredChecks: ['a', 'b'],
      executedChecks: [],
      results: [],
      verdictClass: 'rejected',
      operationalFailureClasses: ['instruction_invalid_normalizer'],
      failureClasses: ['instruction_invalid_normalizer'],
      rejectStage: 'pre_execution',
      rejectReason: 'it is missing',
    })
    expect(made).not.toHaveProperty('typedCoreProjectionDigest')
    expect(mustMatchShape(InstructionWitness, JSON.parse(JSON.stringify(made)))).toBeTruthy()
  })

  test('has no members of a document that is not an instruction', () => {
    const made = rejectWitness(undefined, read(runtime), refusal, sha256)
    expect(made).toMatchObject({ scope: null, normalizerId: null, policyDigest: null })
    expect(made).toMatchObject({ requiredChecks: [], capabilityClaims: [] })
  })

  test('has the digest of the typed core when normalizer and policy are known', () => {
    const made = rejectWitness(envelope, read(runtime), refusal, sha256)
    expect(made.typedCoreProjectionDigest).toBe(witness().typedCoreProjectionDigest)
  })
})

test('a join is linked later under a new digest, and nothing else changes', () => {
  const join = { joinClosed: false, joinFailureClasses: ['tool.use_missing'], joinWitnessRef: 'r' }
  const before = witness()
  const { witnessDigest, ...rest } = withJoin(before, join, sha256)
  const { witnessDigest: old, ...same } = before
  expect(rest).toEqual({ ...same, ...join })
  expect(witnessDigest).not.toBe(old)
  expect(witness(join).witnessDigest).toBe(witnessDigest)
})

test.each<[string, JsonObject]>([
  ['instructionId', { instructionId: ' ' }],
  ['runStartedAt is not', { runStartedAt: 'yesterday' }],
  ['before runStartedAt', { runFinishedAt: '2026-02-20T23:59:59Z' }],
  ['runDurationMs', { runDurationMs: -1 }],
  ['results is not a list', { results: {} }],
  ['results[0] is not an object', { results: [1] }],
  ['results[0].exitCode', { results: [{ ...runtime.results[0], exitCode: '0' }] }],
  ['results[0].durationMs', { results: [{ ...runtime.results[0], durationMs: 0.5 }] }],
  ['results[0].failureClass', { results: [{ ...runtime.results[0], failureClass: null }] }],
  ['joinClosed', { joinWitnessRef: 'r', joinFailureClasses: [] }],
  ['joinFailureClasses', { joinClosed: true, joinWitnessRef: 'r' }],
  ['joinWitnessRef', { joinClosed: true, joinFailureClasses: [] }],
])('a run with a wrong %s cannot be witnessed', (message, change) => {
  expect(readRuntime({ ...runtime, ...change })).toMatchObject({
    failureClass: 'instruction_runtime_invalid',
    message: expect.stringContaining(message),
  })
})

/** The same value, the members of every object in an order that `draw` decides. */
function shuffled(value: Json, draw: () => number): Json {
  if (Array.isArray(value)) return value.map(one => shuffled(one, draw))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(
    ([name, member]) => [draw(), name, shuffled(member, draw)] as const,
  )
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => a - b).map(([, name, member]) => [name, member]),
  )
}

test('the witness of an envelope does not depend on the order of keys', () => {
  const printed = (value: Json) => prettyAsOrdered(witness({}, value) as unknown as JsonObject)
  const scopes = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 })
  fc.assert(
    fc.property(scopes, fc.infiniteStream(fc.nat()), (drawn, draws) => {
      const scope = { ...drawn, mutations: envelope.scope.mutations }
      const whole = parseJson(JSON.stringify({ ...envelope, scope, proposal }))
      const draw = () => Number(draws.next().value)
      expect(printed(shuffled(whole, draw))).toBe(printed(whole))
    }),
  )
})
