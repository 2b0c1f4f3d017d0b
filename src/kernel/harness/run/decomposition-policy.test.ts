import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../../../testing/must-match-shape.ts'
import { DecompositionPolicy } from '../../../wire/policy/decomposition-policy.ts'
import { executionPatterns } from '../../../wire/turn/turn-evidence.ts'
import { type Json, type JsonObject, parseJson } from '../../json.ts'
import { policyDigestOf } from '../retry/control-policy.ts'
import {
  decompositionPolicyKind,
  fanOutViolations,
  readDecompositionPolicy,
} from './decomposition-policy.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const read = (document: Json) => readDecompositionPolicy(document, 'p.json', sha256)

describe('the shipped policy', () => {
  const { path } = decompositionPolicyKind
  const text = readFileSync(path, 'utf8')
  const shipped = parseJson(text) as JsonObject

  test('is named by the digest of its content', () => {
    const actual = policyDigestOf(shipped, sha256)
    expect(shipped['policyDigest'], `write ${actual} as policyDigest`).toBe(actual)
  })

  test('complies with the published schema', () => {
    expect(mustMatchShape(DecompositionPolicy, JSON.parse(text))).toBeTruthy()
  })

  test('lets a coordinator have sixteen workers, and names patterns that there are', () => {
    const policy = readDecompositionPolicy(shipped, path, sha256)
    const at = (workers: number) =>
      fanOutViolations(policy, { pattern: 'orchestrator_workers', workers })
    expect([at(1), at(16), at(17).length]).toEqual([[], [], 1])
    const known: readonly string[] = executionPatterns
    expect(policy.patterns?.filter(pattern => !known.includes(pattern))).toEqual([])
  })
})

const whole = {
  schema: 1,
  policyKind: 'ci.harness.decomposition.policy.v1',
  policyId: 'mine',
  patterns: ['chain', ' Orchestrator_Workers '],
  maxFanOut: 2,
}

/** The document with its correct digest. */
const sealed = (members: object): JsonObject => {
  const document = { ...whole, ...members } as unknown as JsonObject
  return { ...document, policyDigest: policyDigestOf(document, sha256) }
}

const without = (member: string) => {
  const { [member]: _, ...rest } = sealed({})
  return { ...rest, policyDigest: policyDigestOf(rest, sha256) }
}

test('a policy is its patterns in lower case and how far work fans out', () => {
  const document = sealed({ since: 'x' })
  expect(read(document)).toMatchObject({
    policyId: 'mine',
    policyDigest: document['policyDigest'],
    patterns: ['chain', 'orchestrator_workers'],
    maxFanOut: 2,
  })
})

describe('a fan-out', () => {
  const violationsOf = (members: object, workers: number) =>
    fanOutViolations(read(sealed(members)), { pattern: 'orchestrator_workers', workers })
  const wide = 'the fan-out is 3 workers, but the policy allows 2'

  test.each<[string, object, number, readonly string[]]>([
    ['of as many as are admitted', {}, 2, []],
    ['of one more', {}, 3, [wide]],
    ['of nobody', { patterns: [] }, 0, []],
    ['of one worker is none', { patterns: [], maxFanOut: 1 }, 1, []],
    [
      'of another pattern',
      { patterns: ['chain', 'parallel'] },
      2,
      ['the pattern is orchestrator_workers, but the policy allows chain, parallel'],
    ],
    [
      'where none is admitted',
      { patterns: [] },
      3,
      ['the pattern is orchestrator_workers, but the policy allows none', wide],
    ],
    // Only A to Z are lowered: the Kelvin sign does not become k.
    [
      'of a pattern that looks alike',
      { patterns: ['orchestrator_wor\u212Aers'] },
      2,
      ['the pattern is orchestrator_workers, but the policy allows orchestrator_wor\u212Aers'],
    ],
  ])('%s', (_, members, workers, violations) => {
    expect(violationsOf(members, workers)).toEqual(violations)
  })

  test('may have any pattern if the policy names none', () => {
    const policy = read(without('patterns'))
    expect(policy).not.toHaveProperty('patterns')
    expect(fanOutViolations(policy, { pattern: 'parallel', workers: 2 })).toEqual([])
    expect(fanOutViolations(policy, { pattern: 'parallel', workers: 3 })).toEqual([wide])
  })
})

describe('a policy that cannot be used says why', () => {
  test.each<[string, Json, RegExp]>([
    ['nothing', null, /must be an object/],
    ['a list', [], /must be an object/],
    ['another schema', sealed({ schema: 0 }), /schema/],
    ['another kind', sealed({ policyKind: 'ci.harness.retry.policy.v1' }), /policyKind/],
    ['no id', sealed({ policyId: ' ' }), /policyId/],
    ['no digest', { ...whole }, /policyDigest is missing/],
    ['no fan-out', without('maxFanOut'), /maxFanOut is missing/],
    ['a fan-out of 0', sealed({ maxFanOut: 0 }), /maxFanOut/],
    ['a fan-out of -1', sealed({ maxFanOut: -1 }), /maxFanOut/],
    ['half a fan-out', sealed({ maxFanOut: 1.5 }), /maxFanOut/],
    ['a fan-out in words', sealed({ maxFanOut: '2' }), /maxFanOut/],
    ['no bound', sealed({ maxFanOut: null }), /maxFanOut/],
    ['one pattern as text', sealed({ patterns: 'chain' }), /patterns must be a list/],
    ['null for patterns', sealed({ patterns: null }), /patterns/],
    ['a blank pattern', sealed({ patterns: ['chain', ' '] }), /patterns/],
    ['a number for a pattern', sealed({ patterns: [1] }), /patterns/],
  ])('%s', (_, document, why) => {
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringMatching(why),
        hint: expect.stringContaining('Correct the file'),
        detail: { failureClass: 'decomposition_policy_invalid_shape', path: 'p.json' },
      }),
    )
  })

  test('a later schema', () => {
    expect(() => read(sealed({ schema: 2 }))).toThrow(/written by a newer premath/)
  })

  test.each<[string, Json]>([
    ['a digest of another kind', { ...whole, policyDigest: 'sha256:x' }],
    ['the digest of another text', { ...sealed({}), maxFanOut: 9 }],
  ])('%s', (_, document) => {
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        code: 'corrupt',
        detail: { failureClass: 'decomposition_policy_invalid_digest', path: 'p.json' },
      }),
    )
  })
})
