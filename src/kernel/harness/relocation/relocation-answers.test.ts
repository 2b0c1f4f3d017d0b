import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'
import { witnessDigest, witnessPath } from '../../proof/witness.ts'
import { relocationOf } from './relocation.ts'
import { judgeAnswers, relocationCheckKind, transportOutcomeKind } from './relocation-answers.ts'
import { relocationWitness } from './relocation-check.ts'

const sha256 = (text: string) => hash('sha256', text)
const digest = (text: string) => `sha256:${sha256(text)}` as const

const parts = {
  destination: 'location://far',
  issueId: 'bd-1',
  issueDigest: digest('issue'),
  stepId: 'w.bd-1.1.1',
  fence: 1,
  lineageRefs: ['ctx://a', 'cover://b', 'refinement://c'],
  treeDigest: `tree1_${sha256('tree')}`,
  mutationPolicyDigest: digest('policy'),
  turnDigests: [digest('turn')],
}
const sent = relocationOf(parts, sha256)

const outcome = {
  schema: 1,
  outcomeKind: transportOutcomeKind,
  relocationDigest: `sha256:${sent.digest}`,
  result: 'delivered',
}

const passed = { commandDigest: digest('make'), exitCode: 0, outputDigest: digest('') }

const yes = relocationWitness({
  arrived: { ...sent, name: `${sent.digest}.json` },
  place: { issue: undefined, ...parts },
  verifications: [passed],
  findings: [],
  head: null,
}) as unknown as JsonObject

/** A check with the correct digest of its edited witness. */
const checked = (more: object = {}) => {
  const witness = { ...yes, ...more } as JsonObject
  const witnessRef = witnessPath('relocation', witnessDigest(witness, sha256))
  const { result, failureClasses } = witness
  const findings = ([failureClasses].flat() as readonly Json[]).map(failureClass => ({
    failureClass,
    message: 'm',
    remedy: 'r',
  }))
  const action = 'harness-relocation.check'
  const verdict = { failureClasses, findings, result }
  return { action, checkKind: relocationCheckKind, ...verdict, witness, witnessRef }
}

const found = (...answers: readonly object[]) => {
  const text = answers.map(answer => `${canonicalJson(answer as Json)}\n`).join('')
  return judgeAnswers(text, sent, sha256).findings.map(({ failureClass }) => failureClass)
}

test('an outcome and an accepting check after it are enough', () => {
  expect(found(outcome, checked())).toEqual([])
  const spaced = `\n${canonicalJson(outcome)}\r\n\n${canonicalJson(checked() as Json)}`
  expect(judgeAnswers(spaced, sent, sha256)).toMatchObject({ findings: [], outcome, witness: yes })
})

test.each([
  ['nothing', [], 'handoff.transport_evidence_missing'],
  ['a check alone', [checked()], 'handoff.transport_evidence_missing'],
  ['an outcome alone', [outcome], 'handoff.destination_evidence_missing'],
  ['an outcome that failed', [{ ...outcome, result: 'failed' }], 'handoff.transport_failed'],
])(
  '[runtime.1.2.relocation] %s is not accepted by transport and location',
  (_, answers, expected) => {
    expect(found(...answers)).toEqual([expected])
  },
)

test.each([
  ['a check before its outcome', [checked(), outcome], 'handoff.evidence_out_of_order'],
  ['a second check', [outcome, checked(), checked()], 'handoff.evidence_out_of_order'],
  [
    'an outcome of other inputs',
    [{ ...outcome, relocationDigest: digest('another') }, checked()],
    'handoff.evidence_mismatch',
  ],
  [
    'a check of other inputs',
    [outcome, checked({ relocationDigest: digest('another') })],
    'handoff.evidence_mismatch',
  ],
])('[runtime.8.transport-chain] %s breaks the chain', (_, answers, expected) => {
  expect(found(...answers)).toEqual([expected])
})

test('the commit is not part of the digest of a witness', () => {
  const { witnessRef } = checked()
  expect(found(outcome, { ...checked({ head: 'abc' }), witnessRef })).toEqual([])
})

test.each([
  ['relocationDigest', digest('another')],
  ['destination', 'location://near'],
  ['issueId', 'bd-2'],
  ['stepId', 'w.bd-1.1.2'],
])('a witness with another %s is refused, whatever its result', (member, another) => {
  for (const more of [{}, { result: 'rejected', failureClasses: ['handoff.issue_closed'] }]) {
    const verdict = found(outcome, checked({ ...more, [member]: another }))
    expect(verdict).toEqual(['handoff.evidence_mismatch'])
  }
})

test.each([
  ['treeDigest', `tree1_${sha256('another')}`],
  ['mutationPolicyDigest', digest('another')],
])('an acceptance of another %s does not accept the sent work', (member, another) => {
  const verdict = found(outcome, checked({ [member]: another }))
  expect(verdict).toEqual(['handoff.evidence_mismatch'])
})

test.each([
  ['no verification', { verifications: [] }],
  ['one that is none', { verifications: [null] }],
  ['one that failed', { verifications: [passed, { ...passed, exitCode: 1 }] }],
  ['one that was ended', { verifications: [{ ...passed, exitCode: null }] }],
  ['one that tells nothing but its end', { verifications: [{ exitCode: 0 }] }],
  ['something else in its place', { verifications: 'passed' }],
  ['nothing that was looked at', { checked: undefined }],
  ['the inputs looked at alone', { checked: ['inputs'] }],
  ['all looked at but the tree', { checked: ['inputs', 'issue', 'policy', 'verification'] }],
  ['a commit that is none', { head: { a: [1] } }],
  ['something beside what it says', { more: 1 }],
  ['no list of classes', { failureClasses: null }],
  ['another word than yes', { result: 'Accepted' }],
  ['a tree that is none', { treeDigest: 'tree' }],
])('an acceptance with %s is not trusted', (_, more) => {
  expect(found(outcome, checked(more))).toEqual(['handoff.evidence_invalid'])
})

test.each([
  [
    'a class beside its yes',
    { failureClasses: ['handoff.tree_mismatch'] },
    'handoff.tree_mismatch',
  ],
  ['a class that nobody knows', { failureClasses: ['tool.result_missing'] }, undefined],
])('a witness with %s is a rejection', (_, more, own) => {
  const expected = ['handoff.destination_rejected', ...(own === undefined ? [] : [own])]
  expect(found(outcome, checked(more))).toEqual(expected)
})

test.each([
  ['a witness of another kind', { ...checked({ witnessKind: 'premath.verify.witness.v1' }) }],
  ['a witness of a newer schema', checked({ schema: 2 })],
  ['no witness', { checkKind: relocationCheckKind }],
  ['a witness under another name', { ...checked(), witnessRef: 'artifacts/x.json' }],
])('%s is not read', (_, check) => {
  expect(found(outcome, check)).toEqual(['handoff.evidence_invalid'])
})

test.each([
  ['a no', { result: 'rejected' }],
  ['a class', { failureClasses: ['handoff.tree_mismatch'] }],
  ['a finding', { findings: [{ failureClass: 'x', message: 'm', remedy: 'r' }] }],
  ['nothing', { result: undefined }],
])('a check that says %s beside an accepting witness is not trusted', (_, more) => {
  expect(found(outcome, { ...checked(), ...more })).toEqual(['handoff.evidence_invalid'])
})

test('an accepting check beside a rejecting witness is not trusted', () => {
  const no = checked({ result: 'rejected', failureClasses: ['handoff.issue_closed'] })
  const { failureClasses, findings, result } = checked()
  const verdict = found(outcome, { ...no, failureClasses, findings, result })
  expect(verdict).toEqual(['handoff.evidence_invalid'])
})

test('a check of other inputs is dropped, and a rejection of these inputs is kept', () => {
  const text = (check: object) => [outcome, check].map(one => canonicalJson(one as Json)).join('\n')
  const of = (check: object) => judgeAnswers(text(check), sent, sha256).witness
  expect(of(checked({ issueId: 'bd-2' }))).toBeUndefined()
  expect(of(checked({ result: 'rejected' }))).toMatchObject({ result: 'rejected' })
})
