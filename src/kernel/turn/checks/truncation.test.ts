import { expect, test } from 'vitest'
import { bound, evidence, judged } from '../../../../test/a-turn.ts'

const policy = { maxBytes: 10, marker: '[cut]' }

/** The findings about the size of the only result of a turn under the policy. */
function findingsOf(result: object, toolResponseTruncationPolicy: object = policy): string[] {
  const { findings } = judged({
    evidence: evidence(['a'], {
      ...bound({ toolResponseTruncationPolicy }),
      toolResults: [{ toolCallId: 'a', ...result }],
    }),
  })
  return findings
    .filter(({ failureClass }) => failureClass === 'tool.response_truncation_policy_violation')
    .map(({ message }) => message)
}

const cut = (keptBytes: number, originalBytes: number, marker = '[cut]') => ({
  truncation: { keptBytes, originalBytes, marker },
})

test.each([
  ['a payload of the most bytes', { payload: '12345678' }, []],
  [
    'a payload of one byte more',
    { payload: '123456789' },
    ['takes 11 bytes of at most 10 and was not cut'],
  ],
  ['bytes are those of UTF-8', { payload: 'éééé' }, []],
  ['and not of characters', { payload: 'ééééé' }, ['takes 12 bytes of at most 10 and was not cut']],
  [
    'the payload is measured in canonical form',
    { payload: { b: 1, a: 2 } },
    ['takes 13 bytes of at most 10 and was not cut'],
  ],
  ['bytes stand for an absent payload', { bytes: 10 }, []],
  ['too many bytes', { bytes: 11 }, ['takes 11 bytes of at most 10 and was not cut']],
  [
    'bytes that contradict the payload',
    { bytes: 9, payload: '12345678' },
    ['bytes says 9, but the payload takes 10'],
  ],
  ['an unknown size', {}, ['its size is unknown: neither payload nor bytes is given']],
  [
    'a null payload has no size',
    { payload: null },
    ['its size is unknown: neither payload nor bytes is given'],
  ],
  ['a proper cut', { bytes: 10, ...cut(10, 11) }, []],
  [
    'a cut with another marker',
    { bytes: 10, ...cut(10, 11, '[cut] ') },
    ['the truncation marker is not the one of the policy'],
  ],
  ['a cut that keeps too much', { bytes: 11, ...cut(11, 20) }, ['keeps 11 bytes of at most 10']],
  [
    'a cut that keeps another size than there is',
    { bytes: 8, ...cut(9, 20) },
    ['says it keeps 9 bytes, but takes 8'],
  ],
  [
    'a cut that cut nothing',
    { bytes: 10, ...cut(10, 10) },
    ['says it was cut, but keeps 10 of 10 bytes'],
  ],
  [
    'a cut that is wrong in every way',
    { bytes: 9, payload: '12345678', ...cut(12, 11, '') },
    [
      'bytes says 9, but the payload takes 10',
      'keeps 12 bytes of at most 10',
      'says it keeps 12 bytes, but takes 10',
      'says it was cut, but keeps 12 of 11 bytes',
      'the truncation marker is not the one of the policy',
    ],
  ],
])('%s', (_, result, messages) => {
  expect(findingsOf(result)).toEqual(messages)
})

test('without a policy no size is required', () => {
  const given = { toolResults: [{ toolCallId: 'a', ...cut(3, 2, 'x') }] }
  expect(judged({ evidence: evidence(['a'], given) }).failureClasses).toEqual([])
})

test('a policy may keep 0 bytes and set an empty marker', () => {
  expect(findingsOf({ bytes: 0, ...cut(0, 5, '') }, { maxBytes: 0, marker: '' })).toEqual([])
})

test('a policy that breaks its contract is refused', () => {
  const toolResponseTruncationPolicy = { maxBytes: -1, marker: '' }
  const given = evidence(['a'], bound({ toolResponseTruncationPolicy }))
  expect(judged({ evidence: given }).failureClasses).toEqual(['tool.schema_invalid'])
})
