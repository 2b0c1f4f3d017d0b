/** `premath governance-promotion-check`, by the built command. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { promotion } from './a-promotion.ts'
import { anInstructionProject } from './an-instruction-project.ts'

const { project, begin, put, pathOf, refusal } = anInstructionProject()
const { asked, premath } = project

const evidencePath = 'artifacts/ciwitness/governance-promotion.json'
const args = ['governance-promotion-check', '--input', '-']
const check = (question: unknown = {}, env: Readonly<Record<string, string>> = {}) =>
  asked(args, { input: JSON.stringify(question), env })

beforeEach(() => {
  begin()
  put('.premath/capability-registry.json', {
    profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
  })
})

test('complete evidence is accepted', () => {
  put(evidencePath, promotion)
  expect(check({ promotionRequired: true })).toEqual({
    status: 0,
    stderr: '',
    json: {
      action: 'governance-promotion-check',
      failureClasses: [],
      findings: [],
      result: 'accepted',
    },
  })
})

test('without a claim and evidence the gate passes', () => {
  expect(check().status).toBe(0)
  put('.premath/capability-registry.json', { profileOverlayClaims: [] })
  put(evidencePath, { promotionIntent: true })
  expect(check({ promotionRequired: true }).json.failureClasses).toEqual([])
})

test('a missing required promotion lacks its lineage', () => {
  const { status, json, stderr } = check({ promotionRequired: true })
  expect([status, json.failureClasses]).toEqual([1, ['governance.eval_lineage_missing']])
  expect(stderr.split('\n').at(-2)).toMatch(/^governance\.eval_lineage_missing: /)
})

test('a promotion needs eval and red-team evidence', () => {
  const { adversarialGate: _, ...without } = promotion
  const { evalGate: __, ...profile } = promotion.governanceProfile
  put(evidencePath, { ...without, governanceProfile: profile })
  expect(check().json.failureClasses).toEqual([
    'governance.eval_gate_unmet',
    'governance.redteam_gate_unmet',
  ])
})

test('the environment supplies values that the input leaves out', () => {
  const env = { PREMATH_GOVERNANCE_PROMOTION_REQUIRED: 'yes' }
  expect(check({}, env).status).toBe(1)
  expect(check({ promotionRequired: false }, env).status).toBe(0)
  put('elsewhere.json', promotion)
  expect(
    check({}, { ...env, PREMATH_GOVERNANCE_PROMOTION_EVIDENCE: 'elsewhere.json' }).status,
  ).toBe(0)
  expect(check({ promotionEvidencePath: 'elsewhere.json' }, env).status).toBe(0)
})

test('another project is checked by its root', () => {
  put('sub/.premath/capability-registry.json', { profileOverlayClaims: [] })
  expect(check({ repoRoot: 'sub', promotionRequired: true }).status).toBe(0)
})

test.each<[string, unknown]>([
  ['no object', []],
  ['a root that is not there', { repoRoot: 'nowhere' }],
  ['a word for a yes', { promotionRequired: 'yes' }],
  ['a blank path', { promotionEvidencePath: ' ' }],
])('an input with %s is refused', (_, question) => {
  const input = JSON.stringify(question)
  expect(refusal(args, { input }).slice(0, 2)).toEqual([2, 'governance_promotion_invalid'])
})

test('unreadable evidence is refused, never treated as absent', () => {
  const bad = () => refusal(args, { input: '{}' }).slice(0, 2)
  put(evidencePath, 'not json')
  expect(bad()).toEqual([2, 'governance_promotion_invalid'])
  put('folder/x', '')
  const input = JSON.stringify({ promotionEvidencePath: 'folder' })
  expect(refusal(args, { input })[1]).toBe('governance_promotion_invalid')
})

test('evidence outside of the project, behind a link, is refused', () => {
  const outside = join(project.folders, 'evidence.json')
  writeFileSync(outside, JSON.stringify(promotion))
  mkdirSync(pathOf('artifacts/ciwitness'), { recursive: true })
  symlinkSync(outside, pathOf(evidencePath))
  expect(refusal(args, { input: '{}' })[2]).toContain('symbolic link')
})

test('a registry that cannot be read is an integrity failure, exit 5', () => {
  put('.premath/capability-registry.json', '{')
  expect(check().status).toBe(5)
})

test('the text output lists the missing evidence', () => {
  put(evidencePath, { promotionIntent: true })
  const { status, stdout } = premath(args, { input: '{}' })
  expect(status).toBe(1)
  expect(stdout).toContain('governance.redteam_gate_unmet')
})
