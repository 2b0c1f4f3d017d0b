import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aPolicy, registry, sha256, smokePolicy, testPolicy } from '../../../test/an-instruction.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { InstructionPolicy } from '../../wire/instruction/instruction-policy.ts'
import { type Json, parseJson } from '../json.ts'
import {
  instructionPolicyDigest,
  instructionPolicyFolder,
  policyNamed,
  readInstructionPolicy,
} from './instruction-policy.ts'

const read = (policy: Json) => readInstructionPolicy(policy, 'p.json', sha256)

test('the digests equal those of earlier tools', () => {
  expect(read(testPolicy)).toMatchObject({ policyId: 'policy.test.v1', path: 'p.json' })
  expect(read(smokePolicy)).toMatchObject({ policyId: 'policy.ci.instruction-smoke.v1' })
})

test('the order of its lists does not change a digest', () => {
  const allowedChecks = testPolicy.allowedChecks.toReversed()
  expect(aPolicy({ allowedChecks }).policyDigest).toBe(testPolicy.policyDigest)
})

test('[authority.4.required-checks] the digest covers required checks, where there are any', () => {
  const requiredChecks = ['hk-check', 'ci-wiring-check']
  const policy = aPolicy({ requiredChecks })
  expect(policy.policyDigest).not.toBe(testPolicy.policyDigest)
  expect(read(policy)).toMatchObject({ requiredChecks })
  const inOrder = aPolicy({ requiredChecks: requiredChecks.toReversed() })
  expect(inOrder.policyDigest).toBe(policy.policyDigest)
  expect(read({ ...policy, requiredChecks: ['hk-check'] })).toMatchObject({
    failureClass: 'instruction_policy_digest_mismatch',
  })
})

const shipped = readdirSync(instructionPolicyFolder)

test.each(shipped)('%s, which premath ships, is named by the digest of its content', file => {
  const text = readFileSync(`${instructionPolicyFolder}/${file}`, 'utf8')
  const policy = mustMatchShape(InstructionPolicy, JSON.parse(text))
  const actual = instructionPolicyDigest(policy, sha256)
  expect(policy.policyDigest, `write ${actual} as policyDigest`).toBe(actual)
  expect(read(parseJson(text))).toMatchObject({ policyDigest: actual })
})

test('the shipped policies have different digests', () => {
  const policies = shipped.map(file =>
    parseJson(readFileSync(`${instructionPolicyFolder}/${file}`, 'utf8')),
  )
  expect(registry(...policies)).toBeInstanceOf(Map)
})

test.each<[string, Json]>([
  ['it is not an object', []],
  ['its schema is not 1', { ...testPolicy, schema: 0 }],
  ['its policyKind is not', { ...testPolicy, policyKind: 'other' }],
  ['policyId', { ...testPolicy, policyId: ' ' }],
  ['policyId has blanks', { ...testPolicy, policyId: ' policy.test.v1' }],
  ['allowedChecks is not a list', { ...testPolicy, allowedChecks: 'hk-check' }],
  ['allowedChecks is empty', { ...testPolicy, allowedChecks: [] }],
  ['allowedChecks has "a" twice', { ...testPolicy, allowedChecks: ['a', ' a'] }],
  ['requiredChecks is empty', { ...testPolicy, requiredChecks: [] }],
  ['requiredChecks is not a list', { ...testPolicy, requiredChecks: null }],
  ['it requires the check "a" and does not allow it', { ...testPolicy, requiredChecks: ['a'] }],
  ['allowedNormalizers[0]', { ...testPolicy, allowedNormalizers: [1] }],
  ['policyDigest', { ...testPolicy, policyDigest: null }],
])('%s: refused, with the file named', (message, policy) => {
  expect(read(policy)).toMatchObject({
    failureClass: 'instruction_policy_invalid_shape',
    message: expect.stringContaining(message),
  })
  expect(read(policy)).toMatchObject({ message: expect.stringMatching(/^p\.json: /) })
})

test('departs from earlier tools: a member that the digest does not cover is refused', () => {
  expect(read({ ...testPolicy, digest: testPolicy.policyDigest })).toMatchObject({
    failureClass: 'instruction_policy_invalid_shape',
    message: 'p.json: it knows no "digest"',
  })
})

test('a policy that was edited under its digest is refused', () => {
  expect(read({ ...testPolicy, allowedChecks: ['deploy'] })).toMatchObject({
    failureClass: 'instruction_policy_digest_mismatch',
  })
})

test('departs from earlier tools: two policies with one id are refused by name', () => {
  const other = aPolicy({ allowedChecks: ['hk-check'] })
  expect(registry(testPolicy, other)).toMatchObject({
    failureClass: 'instruction_policy_ambiguous',
    message: 'p0 and p1 are both policy.test.v1',
  })
})

test('one digest twice is refused by name', () => {
  expect(registry(testPolicy, testPolicy)).toMatchObject({
    failureClass: 'instruction_policy_ambiguous',
    message: `p0 and p1 are both ${testPolicy.policyDigest}`,
  })
})

test('a policy is found by its digest only', () => {
  const policies = registry(testPolicy, smokePolicy)
  expect(policyNamed(smokePolicy.policyDigest, policies)).toMatchObject({ path: 'p1' })
  const digests = [testPolicy, smokePolicy].map(({ policyDigest }) => policyDigest)
  expect(policyNamed(`pol1_${'0'.repeat(64)}`, policies)).toMatchObject({
    failureClass: 'instruction_unknown_policy',
    message: expect.stringMatching(
      ` is registered: ${digests[0]} \\(p0\\), ${digests[1]} \\(p1\\)$`,
    ),
  })
  const unreadable = registry([])
  expect(policyNamed('sha256:00', unreadable)).toMatchObject({
    failureClass: 'instruction_unknown_policy',
  })
  expect(policyNamed(testPolicy.policyDigest, unreadable)).toBe(unreadable)
})

test.each([
  [0, /is registered: there is none in policies\/instruction\/$/],
  [5, /is registered: pol1_0 \(p0\), .*pol1_4 \(p4\)$/],
  [7, /pol1_4 \(p4\) and 2 more, each with its policyDigest in policies\/instruction\/$/],
])('an unknown digest among %i policies lists at most five', (count, message) => {
  const policies = new Map(
    Array.from({ length: count }, (_, at) => {
      const policyDigest = `pol1_${at}` as const
      return [policyDigest, { ...testPolicy, policyDigest, path: `p${at}` }]
    }),
  )
  expect(policyNamed('pol1_x', policies)).toMatchObject({
    failureClass: 'instruction_unknown_policy',
    message: expect.stringMatching(message),
  })
})
