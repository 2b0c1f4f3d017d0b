import { expect, test } from 'vitest'
import { bound, evidence, judged, kit } from '../../../test/a-turn.ts'
import { digestOf } from '../canonical.ts'

const good = {
  policyDigest: 'p',
  carriedRefs: ['b', 'a', 'b'],
  droppedToolCallIds: ['a'],
  stateDigest: digestOf(['a', 'b'], kit.sha256),
}

function said(compaction: object | null, more: object = {}): string[] {
  const { findings } = judged({
    evidence: evidence(['a', 'b'], {
      ...bound({ compactionPolicyDigest: 'p' }),
      compaction,
      ...more,
    }),
  })
  return findings
    .filter(({ failureClass }) => failureClass === 'runtime.compaction_state_invalid')
    .map(({ at, message }) => `${at.replace('evidence.compaction.', '')} ${message}`)
}

const { policyDigest: _, ...unbound } = good
const { stateDigest: __, ...unsealed } = good
const empty = digestOf([], kit.sha256)

test.each([
  ['that is sound', good, []],
  ['that is absent', null, []],
  ['under no policy', unbound, ['policyDigest is not the compaction policy the call spec binds']],
  [
    'under another policy',
    { ...good, policyDigest: 'q' },
    ['policyDigest is not the compaction policy the call spec binds'],
  ],
  [
    'without its state',
    unsealed,
    [`stateDigest is missing; the carried refs come to ${good.stateDigest}`],
  ],
  [
    'of another state',
    { ...good, stateDigest: 'x' },
    [`stateDigest is x; the carried refs come to ${good.stateDigest}`],
  ],
  ['that carries nothing', { ...good, carriedRefs: [], stateDigest: empty }, []],
  [
    'that drops a call nobody knows',
    { ...good, droppedToolCallIds: ['z'] },
    ['droppedToolCallIds drops call z, which has no result'],
  ],
])('a compaction %s', (_name, compaction, messages) => {
  expect(said(compaction)).toEqual(messages)
})

test('a dropped call has a result and a use', () => {
  const toolUse = [{ toolCallId: 'b', disposition: 'observed' }]
  expect(said(good, { toolUse })).toEqual(['droppedToolCallIds drops call a, which has no use'])
})

test('no bound policy is not any policy', () => {
  expect(said(good, bound({}))).toEqual([
    'policyDigest is not the compaction policy the call spec binds',
  ])
})
