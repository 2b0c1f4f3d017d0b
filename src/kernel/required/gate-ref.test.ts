import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../test/required-rules.ts'
import { isRefused } from '../instruction/instruction-refusal.ts'
import type { JsonObject } from '../json.ts'
import { gateRef } from './gate-ref.ts'
import { gateFlaw } from './gate-witness.ts'

const fallback = {
  exitCode: 1,
  projectionDigest: 'proj1_demo',
  policyDigest: 'ci-topos-v0',
  ctxRef: 'origin/main',
  dataHeadRef: 'HEAD',
}
const input = { checkId: 'baseline', artifactRelPath: 'gates/a.json', fallback }

function answered(document: JsonObject) {
  const answer = gateRef(document, sha256)
  if (isRefused(answer)) throw new Error(answer.message)
  return answer
}

describe('a check that wrote no gate witness', () => {
  test('gets the one of the earlier implementation, digest by digest [required.5.gate]', () => {
    const { gateWitnessRef, gatePayload } = answered(input)
    expect(gateWitnessRef).toEqual({
      checkId: 'baseline',
      artifactRelPath: 'gates/a.json',
      sha256: 'bc0dc39bd0d9c382fb736a7bf07e0e2450f8af506ac24363bc53ee943e2e0da7',
      source: 'fallback',
      runId: 'run1_c29e05745b0409b95603dc34723db2e21ea7ec293a506d414b1253ce5d749cca',
      witnessKind: 'gate',
      result: 'rejected',
      failureClasses: ['descent_failure'],
    })
    expect(gatePayload).toMatchObject({
      intentId: 'intent1_f35bdcce732789b8f71138f32ed7e260617dfa8f38ba498e978bbc6a0f07fee6',
      failures: [
        {
          witnessId: 'w1_oequo5vlpa5la4fsnd5i9krr43uiao68dgeiosaqajls89mtge9g',
          lawRef: 'GATE-3.3',
        },
      ],
    })
  })

  test('is accepted without failures if its exit code is 0 [required.5.gate]', () => {
    const { gateWitnessRef, gatePayload } = answered({
      ...input,
      fallback: { ...fallback, exitCode: 0 },
    })
    expect(gateWitnessRef).toMatchObject({ result: 'accepted', failureClasses: [] })
    expect(gatePayload?.failures).toEqual([])
  })
})

test('a gate witness of the check itself is referred to, and not printed again [required.5.gate]', () => {
  const gatePayload = { witnessKind: 'gate', result: 'accepted', runId: 'run1_a', failures: [] }
  const { fallback: _, ...rest } = input
  expect(answered({ ...rest, gatePayload })).toEqual({
    gateWitnessRef: expect.objectContaining({ source: 'native', runId: 'run1_a' }),
  })
})

test.each<[string, JsonObject]>([
  ['needs one of gatePayload and fallback', { ...input, gatePayload: {} }],
  ['needs one of gatePayload and fallback', { checkId: 'a', artifactRelPath: 'b' }],
  ['checkId is missing', { ...input, checkId: ' ' }],
  ['leaves the folder', { ...input, artifactRelPath: '../a.json' }],
  ['leaves the folder', { ...input, artifactRelPath: 'a\\..\\..\\b' }],
  ['source must be fallback', { ...input, source: 'native' }],
  ['source is none of', { ...input, source: 'else' }],
  ['fallback.exitCode', { ...input, fallback: { ...fallback, exitCode: '1' } }],
  ['fallback is not an object', { ...input, fallback: [] }],
])('%s [required.3.paths]', (message, document) => {
  expect(gateRef(document, sha256)).toMatchObject({
    failureClass: 'required_gate_ref_invalid',
    message: expect.stringContaining(message),
  })
})

test.each<[string, JsonObject, number]>([
  ['witnessKind is not "gate"', { result: 'accepted' }, 0],
  ['the exit code is 0', { witnessKind: 'gate', result: 'rejected' }, 0],
  ['the exit code is 2', { witnessKind: 'gate', result: 'accepted' }, 2],
  ['lists failures', { witnessKind: 'gate', result: 'accepted', failures: [{ class: 'a' }] }, 0],
  ['lists no failure', { witnessKind: 'gate', result: 'rejected', failures: [] }, 1],
])(
  'a gate witness that contradicts the exit code is named: %s [required.5.gate]',
  (why, payload, code) => {
    expect(gateFlaw(payload, code)).toContain(why)
  },
)
