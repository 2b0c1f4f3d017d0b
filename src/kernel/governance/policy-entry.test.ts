import { expect, test } from 'vitest'
import { promotion } from '../../../test/a-promotion.ts'
import { sha256 } from '../../../test/an-instruction.ts'
import { PolicyEntry } from '../../wire/policy-entry.ts'
import { type Json, type JsonObject, parseJson } from '../json.ts'
import { governedDocument } from './governed-document.ts'
import { policyEntry, printPolicyEntry, readPolicyEntry } from './policy-entry.ts'

const open = { schema: 1, surfaces: { cli: { mode: 'open' } } }
const stamp = { at: '2026-02-21T00:00:00Z', operator: 'ada', reason: 'first' }

function entryOf(evidence: Json | undefined) {
  const document = governedDocument(open, sha256)
  if (typeof document === 'string') throw new Error(document)
  return policyEntry(document, { ...stamp, evidence }, sha256)
}

const printed = (evidence?: Json) =>
  parseJson(printPolicyEntry(entryOf(evidence))) as unknown as JsonObject

test('an entry is read as it was printed, with and without evidence', () => {
  for (const evidence of [undefined, parseJson(JSON.stringify(promotion))]) {
    expect(readPolicyEntry(printed(evidence), sha256)).toEqual(entryOf(evidence))
    const line = printPolicyEntry(entryOf(evidence))
    expect(PolicyEntry.parse(JSON.parse(line))).toBeTruthy()
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
])('a line %s is none', (_, change, why) => {
  expect(readPolicyEntry({ ...printed(), ...change }, sha256)).toContain(why)
})

test('checks have a digest by what they say, in whatever order', () => {
  const digest = (checks: JsonObject) => {
    const read = governedDocument({ schema: 1, checksKind: 'premath.checks.v1', checks }, sha256)
    return typeof read === 'string' ? read : `${read.what} ${read.digest}`
  }
  expect(digest({ a: '1', b: '2' })).toBe(digest({ b: '2', a: '1' }))
  expect(digest({ a: '1', b: '2' })).not.toBe(digest({ a: '2', b: '1' }))
  expect(digest({ a: '1' })).toMatch(/^checks sha256:/)
})
