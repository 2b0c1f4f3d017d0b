import { expect, test } from 'vitest'
import { promotion } from '../../../test/a-promotion.ts'
import { sha256 } from '../../../test/an-instruction.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { PolicyEntry } from '../../wire/policy/policy-entry.ts'
import { type Json, type JsonObject, parseJson } from '../json.ts'
import { governedDocument } from './governed-document.ts'
import { brokenLink, policyEntry, printPolicyEntry, readPolicyEntry } from './policy-entry.ts'

const open = { schema: 1, surfaces: { cli: { mode: 'open' } } }
const stamp = { at: '2026-02-21T00:00:00Z', operator: 'ada', reason: 'first' }

function entryOf(evidence: Json | undefined, previous: PolicyEntry['previous'] = null) {
  const document = governedDocument(open, sha256)
  if (typeof document === 'string') throw new Error(document)
  return policyEntry(document, { ...stamp, evidence }, previous, sha256)
}

const printed = (evidence?: Json) =>
  parseJson(printPolicyEntry(entryOf(evidence))) as unknown as JsonObject

test('an entry is read as it was printed, with and without evidence', () => {
  for (const evidence of [undefined, parseJson(JSON.stringify(promotion))]) {
    expect(readPolicyEntry(printed(evidence), sha256)).toEqual(entryOf(evidence))
    const line = printPolicyEntry(entryOf(evidence))
    expect(mustMatchShape(PolicyEntry, JSON.parse(line))).toBeTruthy()
  }
})

test.each<[string, JsonObject, string]>([
  ['of another kind', { entryKind: 'x' }, 'it is no premath.policy_entry.v1'],
  ['of no time', { at: 'now' }, 'at is no time'],
  ['of nobody', { operator: ' ' }, 'operator or reason'],
  [
    'with another document',
    { document: { ...open, ids: 'hash' } },
    'its document is policy sha256:',
  ],
  ['with no policy', { document: {} }, 'its document cannot be used'],
  ['that calls it checks', { what: 'checks' }, 'its document is policy'],
  ['with edited evidence', { promotion: { digest: 'sha256:1', evidence: {} } }, 'its evidence is'],
  ['without evidence', { promotion: {} }, 'its promotion has no evidence'],
  ['with an edited reason', { reason: 'other' }, 'its content has the digest sha256:'],
  ['with another operator', { operator: 'bob' }, 'its content has the digest sha256:'],
  ['with another time', { at: '2026-02-22T00:00:00Z' }, 'its content has the digest sha256:'],
  [
    'that follows on another',
    { previous: `sha256:${'0'.repeat(64)}` },
    'its content has the digest',
  ],
  ['that says more', { note: 'x' }, 'its content has the digest sha256:'],
  ['without a digest of its own', { entryDigest: null }, 'its content has the digest sha256:'],
])('a line %s is none', (_, change, why) => {
  expect(readPolicyEntry({ ...printed(), ...change }, sha256)).toContain(why)
})

test('the first entry that breaks the chain is reported', () => {
  const first = entryOf(undefined)
  const second = entryOf(undefined, first.entryDigest)
  const third = entryOf(undefined, second.entryDigest)
  expect(brokenLink([])).toBe(-1)
  expect(brokenLink([first, second, third])).toBe(-1)
  // A log without its last lines is still a valid chain. Only the history of the file shows the loss.
  expect(brokenLink([first, second])).toBe(-1)
  expect(brokenLink([second, third])).toBe(0)
  expect(brokenLink([first, third])).toBe(1)
  expect(brokenLink([first, third, second])).toBe(1)
  expect(brokenLink([first, second, first])).toBe(2)
})

test('the digest of checks depends on their content, not on their order', () => {
  const digest = (checks: JsonObject) => {
    const read = governedDocument({ schema: 1, checksKind: 'premath.checks.v1', checks }, sha256)
    return typeof read === 'string' ? read : `${read.what} ${read.digest}`
  }
  expect(digest({ a: '1', b: '2' })).toBe(digest({ b: '2', a: '1' }))
  expect(digest({ a: '1', b: '2' })).not.toBe(digest({ a: '2', b: '1' }))
  expect(digest({ a: '1' })).toMatch(/^checks sha256:/)
})
