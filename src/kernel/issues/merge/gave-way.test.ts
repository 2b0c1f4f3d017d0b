import { expect, test } from 'vitest'
import { gaveWayIn, gaveWayLine, gaveWayPhrase } from './gave-way.ts'

const at = '2026-02-22T00:00:01Z'
const lease = { lease_id: 'l', owner: 'ann', acquired_at: at, expires_at: at }

test.each([
  ['title', 'Log in', 'title: "Log in"', 'title "Log in"'],
  ['assignee', 'ann', 'assignee: "ann"', 'assignee ann'],
  ['priority', 0, 'priority: 0', 'priority 0'],
  ['lease', lease, `lease: of ann, until ${at}`, 'its lease'],
  ['lease', null, 'lease: null', 'no lease'],
  [
    'metadata.premathClose',
    { by: 'force', actor: 'ann', uid: 1000, reason: 'not needed' },
    `another close, without proof by ann (not needed), at ${at}`,
    `another close, without proof by ann (not needed), at ${at}`,
  ],
  [
    'metadata.premathClose',
    { by: 'verification', treeDigest: 'x', witnesses: ['y'], chain: 'z' },
    `another close, with proof, at ${at}`,
    `another close, with proof, at ${at}`,
  ],
])('%s that gave way: %j', (field, value, line, phrase) => {
  const metadata = { premathMergeConflicts: [{ field, value, updated_at: at }] }
  const [gone] = gaveWayIn({ metadata })
  expect(gone && [gaveWayLine(gone, 200), gaveWayPhrase(gone, 200)]).toEqual([line, phrase])
})
