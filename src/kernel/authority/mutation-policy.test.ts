import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'

import { type Json, parseJson } from '../json.ts'
import { defaultPolicy, mutationPolicyDigest, readMutationPolicy } from './mutation-policy.ts'

const least = { schema: 1, surfaces: { cli: { mode: 'operator' } } }

test('a member that is absent or null has its default', () => {
  const policy = {
    modes: { cli: 'operator', mcp: 'instruction-linked', work: 'instruction-linked' },
    ids: 'counted',
    requireAgentEvidence: false,
    witnessTtlSeconds: 3600,
  }
  expect(readMutationPolicy(least)).toEqual(policy)
  expect(readMutationPolicy({ ...least, ids: null, harness: null })).toEqual(policy)
  expect(defaultPolicy).toEqual({ ...policy, modes: { ...policy.modes, cli: 'open' } })
})

test('every member is read', () => {
  const document = parseJson(`{
    "schema": 1, "policyKind": "premath.mutation_policy.v1", "ids": "hash",
    "harness": { "requireAgentEvidence": true, "reminderLines": 9 }, "witnessTtlSeconds": 6e1,
    "surfaces": {
      "cli": { "mode": "open" }, "mcp": { "mode": "operator" }, "work": { "mode": "human-override" }
    }
  }`)
  expect(readMutationPolicy(document)).toEqual({
    modes: { cli: 'open', mcp: 'operator', work: 'human-override' },
    ids: 'hash',
    requireAgentEvidence: true,
    reminderLines: 9,
    witnessTtlSeconds: 60,
  })
})

test('a newer member changes the digest only where a policy has it', () => {
  const digest = (harness: object) => {
    const policy = readMutationPolicy({ ...least, harness: harness as Json })
    if (typeof policy === 'string') throw new Error(policy)
    return mutationPolicyDigest(policy, text => createHash('sha256').update(text).digest('hex'))
  }
  expect(digest({ requireAgentEvidence: false })).toBe(digest({}))
  expect(digest({ reminderLines: 9 })).not.toBe(digest({}))
})

describe('a flaw is named', () => {
  test.each<[string, Json]>([
    ['it must be an object', []],
    ['schema is 2, written by a newer premath; this one reads 1', { schema: 2, surface: {} }],
    [
      'policyKind must be "premath.mutation_policy.v1", not "x"',
      { ...least, policyKind: 'x', y: 1 },
    ],
    ['it names no surfaces, so no caller may write', { schema: 1 }],
    ['it knows no "surface"; did you mean surfaces?', { schema: 1, surface: {} }],
    ['surfaces.cli is missing', { schema: 1, surfaces: {} }],
    [
      'witnessTtlSeconds must be a whole number from 1 to 2678400',
      { ...least, witnessTtlSeconds: 2_678_401 },
    ],
    [
      'witnessTtlSeconds must be a whole number from 1 to 2678400',
      { ...least, witnessTtlSeconds: 0.5 },
    ],
    ['ids must be one of counted, hash, not "named"', { ...least, ids: 'named' }],
    [
      'harness.requireAgentEvidence must be true or false',
      { ...least, harness: { requireAgentEvidence: 'yes' } },
    ],
  ])('%s', (flaw, document) => {
    expect(readMutationPolicy(document)).toBe(flaw)
  })
})
