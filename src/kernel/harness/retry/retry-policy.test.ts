import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../../../testing/must-match-shape.ts'
import { RetryPolicy } from '../../../wire/policy/retry-policy.ts'
import { refusalClasses } from '../../issues/refusal-classes.ts'
import { type Json, type JsonObject, parseJson } from '../../json.ts'
import { rules } from '../../turn/rules/index.ts'
import { relocationClasses } from '../relocation/relocation-classes.ts'
import { policyDigestOf } from './control-policy.ts'
import { readRetryPolicy, retryPolicyPath } from './retry-policy.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const read = (document: Json) => readRetryPolicy(document, 'p.json', sha256)

describe('the shipped policy', () => {
  const shipped = parseJson(readFileSync(retryPolicyPath, 'utf8')) as JsonObject
  const { rules: byClass, defaultRule } = readRetryPolicy(shipped, retryPolicyPath, sha256)
  const rowOf = (failureClass: string) => {
    const { maxAttempts, backoffClass, escalationAction } = byClass.get(failureClass) ?? {}
    return [maxAttempts, backoffClass, escalationAction]
  }

  test('[runtime.1.1.retry-policy-digest] is named by the digest of its content', () => {
    const actual = policyDigestOf(shipped, sha256)
    expect(shipped['policyDigest'], `write ${actual} as policyDigest`).toBe(actual)
  })

  test('complies with the published schema', () => {
    expect(
      mustMatchShape(RetryPolicy, JSON.parse(readFileSync(retryPolicyPath, 'utf8'))),
    ).toBeTruthy()
  })

  test.each([...Object.keys(rules), ...Object.keys(relocationClasses)])(
    'only stops for %s',
    failureClass => {
      expect(rowOf(failureClass)).toEqual([1, 'none', 'stop'])
    },
  )

  const leaseClasses = Object.keys(refusalClasses).filter(name => name.startsWith('lease_'))

  test.each([...leaseClasses, 'issue_not_found'])(
    'has a rule for %s: a worker that lost its lease stops',
    one => {
      expect(rowOf(one)).toEqual([1, 'none', 'stop'])
    },
  )

  test('[tusk.5.max-attempts] gives each kind of failure its attempts, its wait and its end', () => {
    expect(rowOf('executor_unavailable')).toEqual([2, 'fixed_short', 'stop'])
    expect(rowOf('flaky_execution')).toEqual([3, 'exponential_short', 'issue_discover'])
    expect(defaultRule).toEqual({
      ruleId: 'default',
      maxAttempts: 1,
      backoffClass: 'none',
      escalationAction: 'stop',
    })
  })

  test.each([
    ['check_failed', 3],
    ['landing_conflict', 3],
    ['work_changed_nothing', 3],
    ['verification_changed_files', 3],
    ['command_timeout', 2],
    ['landing_parked', 1],
  ])(
    '[tusk.5.max-attempts] has a rule of its own for %s, and blocks after %i',
    (name, attempts) => {
      expect(rowOf(name)).toEqual([attempts, 'none', 'mark_blocked'])
      const ruleId = byClass.get(name)?.ruleId
      const alike = [...byClass].filter(([, rule]) => rule.ruleId === ruleId)
      expect(alike.map(([one]) => one)).toEqual([name])
    },
  )
})

const rule = { maxAttempts: 2, backoffClass: 'none', escalationAction: 'stop' }
const first = { ruleId: 'r', failureClasses: ['a_b', ' c_d '], ...rule }
const whole = {
  schema: 1,
  policyKind: 'ci.harness.retry.policy.v1',
  policyId: 'mine',
  defaultRule: { ...rule, ruleId: 'of_its_own' },
  rules: [first],
}

/** The document with its correct digest. */
const sealed = (members: object): JsonObject => {
  const document = { ...whole, ...members } as unknown as JsonObject
  return { ...document, policyDigest: policyDigestOf(document, sha256) }
}

test('a policy is its rules by class; members it does not know are part of its digest only', () => {
  const policy = read(sealed({ since: 'x' }))
  expect(policy.policyId).toBe('mine')
  expect(policy.defaultRule.ruleId).toBe('default')
  expect([...policy.rules.keys()]).toEqual(['a_b', 'c_d'])
})

describe('a policy that cannot be used says why', () => {
  test.each<[string, Json, RegExp]>([
    ['a list', [], /must be an object/],
    ['another schema', sealed({ schema: 2 }), /schema/],
    ['another kind', sealed({ policyKind: 'x' }), /policyKind/],
    ['no id', sealed({ policyId: ' ' }), /policyId/],
    ['no digest', { ...whole }, /policyDigest is missing/],
    ['no default', sealed({ defaultRule: null }), /defaultRule must be an object/],
    ['a default without attempts', sealed({ defaultRule: {} }), /defaultRule\.maxAttempts/],
    ['no rules', sealed({ rules: [] }), /rules must not be empty/],
    ['rules that are none', sealed({ rules: {} }), /rules must be a list/],
    ['a rule that is none', sealed({ rules: ['x'] }), /rules\[0\] must be an object/],
    ['a rule without id', sealed({ rules: [{ ...first, ruleId: '' }] }), /rules\[0\]\.ruleId/],
    ['no attempt', sealed({ rules: [{ ...first, maxAttempts: 0 }] }), /maxAttempts/],
    ['half an attempt', sealed({ rules: [{ ...first, maxAttempts: 1.5 }] }), /maxAttempts/],
    ['yes for a number', sealed({ rules: [{ ...first, maxAttempts: true }] }), /maxAttempts/],
    [
      'an unknown wait',
      sealed({ rules: [{ ...first, backoffClass: 'long' }] }),
      /must be one of none, fixed_short/,
    ],
    [
      'an unknown end',
      sealed({ rules: [{ ...first, escalationAction: 'give_up' }] }),
      /must be one of issue_discover, mark_blocked, stop, not "give_up"/,
    ],
    [
      'an unknown end by default',
      sealed({ defaultRule: { ...rule, escalationAction: 'x' } }),
      /defaultRule\.escalationAction/,
    ],
    ['no class', sealed({ rules: [{ ...first, failureClasses: [] }] }), /failureClasses/],
    ['a blank class', sealed({ rules: [{ ...first, failureClasses: [' '] }] }), /failureClasses/],
    [
      'an id twice',
      sealed({ rules: [first, { ...first, failureClasses: ['e_f'] }] }),
      /ruleId r appears twice/,
    ],
    [
      'the id of the default',
      sealed({ rules: [{ ...first, ruleId: 'default' }] }),
      /default appears twice/,
    ],
    [
      'a class in two rules',
      sealed({ rules: [first, { ...first, ruleId: 's', failureClasses: ['c_d'] }] }),
      /c_d appears in two rules/,
    ],
    [
      'a class twice in one',
      sealed({ rules: [{ ...first, failureClasses: ['a_b', 'a_b'] }] }),
      /a_b appears in two rules/,
    ],
  ])('%s', (_, document, why) => {
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringMatching(why),
        detail: { failureClass: 'retry_policy_invalid_shape', path: 'p.json' },
      }),
    )
  })

  test.each<[string, Json]>([
    [
      'a digest of another kind, whatever the rules',
      { ...whole, rules: [], policyDigest: 'sha256:x' },
    ],
    ['the digest of another text', { ...sealed({}), policyId: 'changed' }],
  ])('[runtime.1.1.retry-policy-digest] %s', (_, document) => {
    expect(() => read(document)).toThrow(
      expect.objectContaining({
        code: 'corrupt',
        detail: { failureClass: 'retry_policy_invalid_digest', path: 'p.json' },
      }),
    )
  })
})
