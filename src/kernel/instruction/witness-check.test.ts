import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checked,
  envelope,
  proposal,
  read,
  registry,
  runtimeOf,
  sha256,
  smokePolicy,
  testPolicy,
} from '../../../test/an-instruction.ts'
import { Fault } from '../../fault.ts'
import { canonicalJson } from '../canonical.ts'
import { type Json, type JsonObject, parseJson } from '../json.ts'
import {
  instructionWitnessDigest,
  rejectWitness,
  witnessInstruction,
} from './instruction-witness.ts'
import { checkWitness } from './witness-check.ts'

const whole = { ...envelope, proposal, capabilityClaims: ['capabilities.change_morphisms'] }
const instruction = checked(whole)
const made = witnessInstruction(instruction, read(runtimeOf(instruction)), sha256)
const witness = made as unknown as JsonObject
const ground = { registry: registry(testPolicy), sha256 }

/** An edited witness with a new digest. The digest alone must not make it valid. */
const resealed = (change: JsonObject): JsonObject => {
  const edited = { ...witness, ...change }
  return { ...edited, witnessDigest: instructionWitnessDigest(edited, sha256) }
}

const classesOf = (value: Json, with_: object = {}) => [
  ...new Set(checkWitness(value, { ...ground, ...with_ }).map(({ failureClass }) => failureClass)),
]

test('an unchanged witness is trusted, with or without its instruction', () => {
  expect(checkWitness(witness, ground)).toEqual([])
  expect(checkWitness(witness, { ...ground, envelope: whole })).toEqual([])
})

test('a witness of an instruction that never ran is accepted', () => {
  const refusal = { failureClass: 'instruction_invalid_intent', reason: 'it is blank' }
  const broken = { ...whole, intent: ' ' }
  const digest = `instr1_${sha256(canonicalJson(broken as never))}`
  const run = read({ ...runtimeOf(instruction), instructionDigest: digest })
  const rejected = rejectWitness(broken, run, refusal, sha256) as unknown as JsonObject
  expect(checkWitness(rejected, { ...ground, envelope: broken })).toEqual([])
})

test('a change of one byte is detected', () => {
  const text = canonicalJson(witness)
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom('a', '0', 'Z'), (at, letter) => {
      fc.pre(text[at] !== letter)
      const edited = parsed(text.slice(0, at) + letter + text.slice(at + 1))
      fc.pre(edited !== undefined)
      expect(checkWitness(edited ?? null, ground)).not.toEqual([])
    }),
    { numRuns: 500 },
  )
})

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

test.each<[string, JsonObject, string]>([
  ['another scope', { scope: { mutations: [{ action: 'dep_add' }] } }, 'scope'],
  ['more claims', { capabilityClaims: ['capabilities.change_morphisms.all'] }, 'capabilityClaims'],
  ['another intent', { intent: 'Do as you like.' }, 'intent'],
  ['fewer checks', { requiredChecks: [] }, 'requiredChecks'],
])('%s under a matching digest is detected with the instruction', (_, change, at) => {
  expect(checkWitness(resealed(change), { ...ground, envelope: whole })).toContainEqual({
    failureClass: 'instruction_witness_envelope_mismatch',
    at,
    message: 'does not follow from the instruction',
  })
})

test('a witness of another instruction is detected', () => {
  expect(classesOf(witness, { envelope: { ...whole, note: 1 } })).toEqual([
    'instruction_witness_envelope_mismatch',
  ])
})

const failed = { checkId: 'hk-check', status: 'failed', exitCode: 1, durationMs: 1 }

test.each<[string, JsonObject]>([
  ['a yes over a check that failed', { results: [failed] }],
  ['a yes over a check that did not run', { results: [], executedChecks: [] }],
  ['a yes over classes', { operationalFailureClasses: ['check_failed'] }],
  ['checks that have no result', { executedChecks: ['hk-check', 'ci-wiring-check'] }],
])('%s is no verdict', (_, change) => {
  expect(classesOf(resealed(change))).toEqual(['instruction_witness_verdict_mismatch'])
})

test('an unregistered policy is not accepted', () => {
  expect(classesOf(witness, { registry: registry(smokePolicy) })).toEqual([
    'instruction_unknown_policy',
  ])
})

test('an exchanged policy digest is detected in the typed core', () => {
  const change = { policyDigest: smokePolicy.policyDigest }
  expect(classesOf(resealed(change), { registry: registry(smokePolicy) })).toEqual([
    'instruction_witness_digest_mismatch',
  ])
})

test.each<[string, Json]>([
  ['a list', []],
  ['another kind', { ...witness, witnessKind: 'ci.required.v1' }],
  ['an id that is a path', { ...witness, instructionId: '../a-b' }],
  ['no digest', { ...witness, witnessDigest: null }],
  ['mutations that cannot be read', { ...witness, scope: { mutations: [{}] } }],
  ['results that cannot be read', { ...witness, results: [{}] }],
  ['a time that is none', { ...witness, runFinishedAt: 'soon' }],
])('%s is no witness', (_, value) => {
  expect(classesOf(value)).toEqual(['instruction_witness_invalid_shape'])
})
