import { describe, expect, test } from 'vitest'
import { earlierRules, sha256 } from '../../../test/required-rules.ts'
import { RequiredWitness } from '../../wire/required/required-witness.ts'
import { documentOf } from '../artifact/print.ts'
import { canonicalJson } from '../canonical.ts'
import { isRefused } from '../instruction/instruction-refusal.ts'
import type { Json, JsonObject } from '../json.ts'
import { decideRequired } from './decide.ts'
import { gateRef } from './gate-ref.ts'
import { gateDocument } from './gate-witness.ts'
import { projectChecks } from './projection.ts'
import { readRequiredRuntime, witnessRequired } from './required-witness.ts'
import { verifyDecision } from './verify-decision.ts'
import { UnusablePayload } from './verify-gates.ts'
import { verifyRequiredWitness } from './verify-witness.ts'

const changedPaths = ['crates/premath-bd/src/lib.rs']
const projection = projectChecks(earlierRules, changedPaths, sha256)

/** A run of both checks of the change, with these exit codes. */
function ran(...exitCodes: readonly number[]) {
  const payloads = new Map<string, JsonObject>()
  const gateWitnessRefs = projection.requiredChecks
    .slice(0, exitCodes.length)
    .map((checkId, place) => {
      const answer = gateRef(
        {
          checkId,
          artifactRelPath: `gates/${checkId}.json`,
          fallback: {
            exitCode: exitCodes[place] ?? 0,
            projectionDigest: projection.projectionDigest,
            policyDigest: 'ci-topos-v0',
            ctxRef: 'main',
            dataHeadRef: 'HEAD',
          },
        },
        sha256,
      )
      if (isRefused(answer) || !answer.gatePayload) throw new Error('no gate witness')
      payloads.set(answer.gateWitnessRef.artifactRelPath, gateDocument(answer.gatePayload))
      return { ...answer.gateWitnessRef }
    })
  const results = exitCodes.map((exitCode, place) => ({
    checkId: projection.requiredChecks[place] ?? '',
    status: exitCode === 0 ? 'passed' : 'failed',
    exitCode,
    durationMs: 1,
  }))
  const { schema: _, ...projected } = projection
  const runtime: JsonObject = {
    ...projected,
    results,
    gateWitnessRefs,
    deltaSource: 'git_diff',
    fromRef: 'main',
    toRef: null,
    normalizerId: 'normalizer.ci.required.v1',
    policyDigest: 'ci-topos-v0',
    squeakSiteProfile: 'local',
    runStartedAt: '2026-02-23T00:00:00Z',
    runFinishedAt: '2026-02-23T00:00:01Z',
    runDurationMs: 1000,
  } as never
  return { runtime, payloads }
}

function witnessOf(runtime: JsonObject): JsonObject {
  const read = readRequiredRuntime(runtime)
  if (isRefused(read)) throw new Error(read.message)
  return documentOf(RequiredWitness, witnessRequired(read, sha256))
}

const passing = ran(0, 0)
const witness = witnessOf(passing.runtime)

const question = (
  document: JsonObject,
  payloads = passing.payloads,
  native: readonly string[] = [],
) => ({
  witness: document,
  rules: earlierRules,
  nativeRequiredChecks: native,
  payloadOf: ({ artifactRelPath }: { artifactRelPath: string }) =>
    payloads.get(artifactRelPath) ?? new UnusablePayload('it is missing'),
})

const errorsOf = (...asked: Parameters<typeof question>) =>
  verifyRequiredWitness({ ...question(...asked), changedPaths }, sha256).errors

describe('the witness of a run', () => {
  test('is accepted if every required check passed [required.6.witness]', () => {
    expect(witness).toMatchObject({
      verdictClass: 'accepted',
      executedChecks: ['build', 'test'],
      failureClasses: [],
      typedCoreProjectionDigest:
        'ev1_b55120ffc21641b3da237a8a52a98882bd7989d66044d8515f67798847bbd519',
    })
  })

  test('is rejected if one failed [required.6.witness]', () => {
    expect(witnessOf(ran(0, 1).runtime)).toMatchObject({
      verdictClass: 'rejected',
      operationalFailureClasses: ['check_failed'],
      semanticFailureClasses: ['descent_failure'],
      failureClasses: ['check_failed', 'descent_failure'],
    })
  })

  test('is rejected if one did not run [required.6.witness]', () => {
    expect(witnessOf(ran(0).runtime)).toMatchObject({
      verdictClass: 'rejected',
      failureClasses: ['check_not_executed'],
    })
  })

  test('lists its members in the order of the contract', () => {
    expect(Object.keys(witness).join(' ')).toBe(
      'ciSchema witnessKind projectionPolicy projectionDigest changedPaths requiredChecks executedChecks results gateWitnessRefs verdictClass operationalFailureClasses semanticFailureClasses failureClasses docsOnly reasons deltaSource fromRef toRef normalizerId policyDigest typedCoreProjectionDigest authorityPayloadDigest squeakSiteProfile runStartedAt runFinishedAt runDurationMs',
    )
  })

  test.each<[string, JsonObject]>([
    ['policyDigest is not the projectionPolicy', { policyDigest: 'else' }],
    ['normalizerId is missing', { normalizerId: '' }],
    [
      'build is passed with exit code 1',
      { results: [{ checkId: 'build', status: 'passed', exitCode: 1, durationMs: 1 }] },
    ],
    [
      'results[0].status is none of',
      { results: [{ checkId: 'a', status: 'fine', exitCode: 0, durationMs: 1 }] },
    ],
    ['docsOnly is not true or false', { docsOnly: 'no' }],
    ['runFinishedAt is before', { runFinishedAt: '2026-02-22T00:00:00Z' }],
    ['runStartedAt is not an RFC 3339 time', { runStartedAt: 'now' }],
    ['not a path in the project', { changedPaths: ['../a'] }],
  ])('is not made of a run that contradicts itself: %s [required.6.witness]', (message, change) => {
    expect(readRequiredRuntime({ ...passing.runtime, ...change })).toMatchObject({
      failureClass: 'required_witness_runtime_invalid',
      message: expect.stringContaining(message),
    })
  })
})

const gate = (witness['gateWitnessRefs'] as readonly JsonObject[])[0] ?? {}
const results = witness['results'] as readonly JsonObject[]

describe('the verification of a witness', () => {
  test('finds nothing in one that holds [required.7.verify]', () => {
    expect(errorsOf(witness)).toEqual([])
    expect(errorsOf(witnessOf(ran(1, 0).runtime), ran(1, 0).payloads)).toEqual([])
  })

  test.each<[string, JsonObject]>([
    ['projectionDigest mismatch', { projectionDigest: 'proj1_demo' }],
    ['witnessKind mismatch', { witnessKind: 'ci.instruction.v1' }],
    ['projectionPolicy mismatch', { projectionPolicy: 'else' }],
    ['changedPaths mismatch', { changedPaths: [] }],
    ['requiredChecks mismatch', { requiredChecks: ['build'] }],
    ['executedChecks mismatch', { executedChecks: ['build'] }],
    ['results sequence mismatch', { results: [...results].reverse() }],
    ['results is not a list', { results: {} }],
    ['docsOnly mismatch', { docsOnly: true }],
    ['reasons mismatch', { reasons: [] }],
    ['verdictClass mismatch', { verdictClass: 'rejected' }],
    ['failureClasses mismatch', { failureClasses: ['check_failed'] }],
    ['status of build', { results: [{ ...results[0], status: 'failed' }, results[1] ?? null] }],
    ['typedCoreProjectionDigest mismatch', { typedCoreProjectionDigest: 'ev1_a' }],
    ['authorityPayloadDigest mismatch', { authorityPayloadDigest: 'proj1_a' }],
    ['normalizerId is missing', { normalizerId: '' }],
    ['gateWitnessRefs is not a list', { gateWitnessRefs: {} }],
    ['gateWitnessRefs mismatch', { gateWitnessRefs: [] }],
    ['gateWitnessRefs[0].source is missing', { gateWitnessRefs: [{ ...without(gate, 'source') }] }],
    ['sha256 mismatch', { gateWitnessRefs: [{ ...gate, sha256: 'a'.repeat(64) }] }],
    ['sha256 must match', { gateWitnessRefs: [{ ...gate, sha256: 'A' }] }],
    ['leaves the folder', { gateWitnessRefs: [{ ...gate, artifactRelPath: '../a' }] }],
    ['it is missing', { gateWitnessRefs: [{ ...gate, artifactRelPath: 'gates/b.json' }] }],
    ['runId mismatch', { gateWitnessRefs: [{ ...gate, runId: 'run1_a' }] }],
    ['result mismatch', { gateWitnessRefs: [{ ...gate, result: 'rejected' }] }],
    ['failureClasses mismatch', { gateWitnessRefs: [{ ...gate, failureClasses: ['a'] }] }],
  ])('names a difference: %s [required.7.verify]', (error, change) => {
    expect(errorsOf({ ...witness, ...change }).join('\n')).toContain(error)
  })

  test('demands a gate witness of the check itself where it is required [required.7.verify]', () => {
    expect(errorsOf(witness, passing.payloads, ['build', 'not-run'])).toEqual([
      'check build requires native source, but its gate witness is fallback',
    ])
  })

  test('lets nobody change one member unseen [required.7.verify]', () => {
    const free = [
      'deltaSource',
      'fromRef',
      'toRef',
      'squeakSiteProfile',
      'runStartedAt',
      'runFinishedAt',
      'runDurationMs',
      'gateWitnessRefs',
    ]
    const unseen = Object.keys(witness).filter(
      name => errorsOf(without(witness, name)).length === 0,
    )
    expect(unseen.toSorted()).toEqual(free.toSorted())
  })
})

function without(document: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([key]) => key !== name))
}

describe('the decision', () => {
  const decided = (document: JsonObject, expectedChangedPaths?: readonly string[]) =>
    decideRequired({ ...question(document), expectedChangedPaths }, sha256)

  test('accepts a witness that holds and is accepted [required.8.decide]', () => {
    expect(decided(witness, changedPaths)).toMatchObject({
      decision: 'accept',
      reasonClass: 'verified_accept',
      requiredChecks: ['build', 'test'],
      errors: [],
    })
  })

  test('rejects a verdict that is rejected, although the witness holds [required.8.decide]', () => {
    const { runtime, payloads } = ran(0, 1)
    const asked = { ...question(witnessOf(runtime), payloads), expectedChangedPaths: undefined }
    expect(decideRequired(asked, sha256)).toMatchObject({
      decision: 'reject',
      reasonClass: 'verification_reject',
      errors: ['the verdict of the witness is not accepted'],
    })
  })

  test.each<[string, JsonObject, string]>([
    [
      'projectionDigest mismatch',
      { ...witness, projectionDigest: 'proj1_demo' },
      'verification_reject',
    ],
    ['is not a list', { ...witness, changedPaths: 7 }, 'invalid_witness_shape'],
    ['not a path in the project', { ...witness, changedPaths: ['/a'] }, 'invalid_witness_shape'],
  ])('rejects what does not hold: %s [required.8.decide]', (error, document, reasonClass) => {
    const { decision, errors, ...rest } = decided(document)
    expect({ decision, reasonClass: rest.reasonClass }).toEqual({ decision: 'reject', reasonClass })
    expect(errors.join('\n')).toContain(error)
  })

  test('rejects a witness about another change [required.8.decide]', () => {
    expect(decided(witness, ['src/else']).errors.join('\n')).toContain('delta comparison mismatch')
  })
})

describe('the verification of a decision', () => {
  const accepted = decideRequired({ ...question(witness), expectedChangedPaths: undefined }, sha256)
  const decision: JsonObject = {
    ...accepted,
    witnessSha256: sha256('witness'),
    deltaSha256: sha256('delta'),
  } as never
  const claim = {
    decision,
    witness,
    deltaSnapshot: witness,
    actualWitnessSha256: sha256('witness'),
    actualDeltaSha256: sha256('delta'),
  }

  test('finds nothing in a chain that holds [required.9.chain]', () => {
    expect(verifyDecision(claim)).toEqual({
      errors: [],
      derived: expect.objectContaining({ decision: 'accept', requiredChecks: ['build', 'test'] }),
    })
  })

  test.each<[string, object]>([
    ['witnessSha256 mismatch', { actualWitnessSha256: sha256('else') }],
    ['deltaSha256 mismatch', { actualDeltaSha256: sha256('else') }],
    ['witnessSha256 is missing', { decision: without(decision, 'witnessSha256') }],
    ['deltaSha256 is missing', { decision: without(decision, 'deltaSha256') }],
    ['decisionKind mismatch', { decision: { ...decision, decisionKind: 'else' } }],
    ['must be accept or reject', { decision: { ...decision, decision: 'maybe' } }],
    ['projectionDigest mismatch: the witness', { witness: { ...witness, projectionDigest: 'a' } }],
    ['requiredChecks mismatch: the delta', { deltaSnapshot: { ...witness, requiredChecks: [] } }],
    ['it accepts, and the verdict', { witness: { ...witness, verdictClass: 'rejected' } }],
    ['it accepts, and lists errors', { decision: { ...decision, errors: ['a'] } }],
  ])('names a difference: %s [required.9.chain]', (error, change) => {
    expect(verifyDecision({ ...claim, ...change }).errors.join('\n')).toContain(error)
  })
})

test('the same run gives the same witness [required.6.witness]', () => {
  expect(canonicalJson(witnessOf(ran(0, 0).runtime) as Json)).toBe(canonicalJson(witness as Json))
})
