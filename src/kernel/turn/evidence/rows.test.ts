import { describe, expect, test } from 'vitest'
import { evidence, judged, kit } from '../../../../test/a-turn.ts'

/** The only result of a turn in normal form, with its defects. */
function result(raw: object) {
  const report = judged({
    evidence: evidence(['a'], { toolResults: [{ toolCallId: 'a', ...raw }] }),
  })
  const { toolCallId: _, ...row } = report.normalized.toolResults?.[0] ?? { toolCallId: '' }
  return {
    row,
    defects: report.findings
      .filter(({ failureClass }) => failureClass === 'tool.schema_invalid')
      .map(({ at, message }) => `${at.replace('evidence.toolResults[a]', '')} ${message}`),
  }
}

const digest = (text: string) => `sha256:${kit.sha256(text)}`
const lacking = (names: string) => ` is an error without ${names} in machine-readable form`
const whole = { errorCode: 'timeout', retryable: true, errorMessage: 'gave up' }
const wholeRow = {
  status: 'error',
  error: { errorCode: 'timeout', errorMessageDigest: digest('gave up'), retryable: true },
}

describe('a result with an error is an error in normal form', () => {
  test.each([
    ['flat', whole],
    ['flat, with status', { ...whole, status: ' ERROR ' }],
    ['with outer space', { errorCode: ' timeout', retryable: true, errorMessage: 'gave up\n' }],
    ['raw', { rawError: whole }],
    [
      'raw, by the second names',
      { rawError: { code: 'timeout', retryable: true, message: 'gave up' } },
    ],
    ['flat before raw', { ...whole, rawError: { code: 'x', retryable: false, message: 'y' } }],
    [
      'half flat, half raw',
      { errorCode: 'timeout', rawError: { retryable: true, message: 'gave up' } },
    ],
    ['null beside raw', { errorCode: null, rawError: whole }],
  ])('%s', (_, raw) => {
    expect(result(raw)).toEqual({ row: wholeRow, defects: [] })
  })

  test('the digest of the message stands for the message', () => {
    const { errorMessage: _, ...rest } = whole
    expect(result({ ...rest, errorMessageDigest: digest('gave up') })).toEqual({
      row: wholeRow,
      defects: [],
    })
  })

  test('if both are given, the digest must match the message', () => {
    expect(result({ ...whole, errorMessageDigest: digest('gave up') }).defects).toEqual([])
    expect(result({ ...whole, errorMessageDigest: 'sha256:0' })).toEqual({
      row: wholeRow,
      defects: [`.errorMessageDigest is sha256:0, but the message's is ${digest('gave up')}`],
    })
  })
})

describe('an incomplete error is refused, and its readable part is kept', () => {
  const unknown = { errorCode: 'unknown_error', errorMessageDigest: digest(''), retryable: false }

  test.each([
    ['status alone', { status: 'error' }, unknown, 'errorCode, retryable, errorMessage'],
    ['a code alone', { errorCode: 'e' }, { ...unknown, errorCode: 'e' }, 'retryable, errorMessage'],
    ['retryable alone', { retryable: false }, unknown, 'errorCode, errorMessage'],
    [
      'a message alone',
      { errorMessage: 'm' },
      { ...unknown, errorMessageDigest: digest('m') },
      'errorCode, retryable',
    ],
    [
      'retryable as text in the raw error',
      { rawError: { ...whole, retryable: 'yes' } },
      { ...wholeRow.error, retryable: false },
      'retryable',
    ],
  ])('%s', (_, raw, error, names) => {
    expect(result(raw)).toEqual({ row: { status: 'error', error }, defects: [lacking(names)] })
  })

  test.each([
    ['text', 'boom'],
    ['a list', []],
    ['an empty object', {}],
    ['false', false],
  ])('a raw error that is %s is normalized to ok, and refused', (_, rawError) => {
    expect(result({ rawError })).toEqual({
      row: { status: 'ok' },
      defects: [lacking('errorCode, retryable, errorMessage')],
    })
  })

  test('a blank first name hides the second from normal form, and not from the check', () => {
    const rawError = { errorCode: ' ', code: 'c', retryable: true, errorMessage: '', message: 'm' }
    expect(result({ rawError })).toEqual({
      row: { status: 'error', error: { ...unknown, retryable: true } },
      defects: [],
    })
  })

  test('a null first name is present, so it hides the second too', () => {
    const rawError = { errorCode: null, code: 'c', retryable: true, message: 'm' }
    expect(result({ rawError }).row).toMatchObject({ error: { errorCode: 'unknown_error' } })
  })
})

test.each([
  ['ok drops error material', { status: 'ok', ...whole }],
  ['nothing at all is ok', {}],
  ['blank material is none', { errorCode: ' ', errorMessage: '', rawError: null, status: ' ' }],
  ['a null status is none', { status: null }],
])('%s', (_, raw) => {
  expect(result(raw)).toEqual({ row: { status: 'ok' }, defects: [] })
})

describe('the digest of a result', () => {
  test.each([
    ['the given one, trimmed', { resultDigest: ' d ', payload: 1 }, 'd'],
    ['the payload’s', { payload: { b: [1, 2], a: 'x' } }, digest('{"a":"x","b":[1,2]}')],
    ['the payload’s when the given one is blank', { resultDigest: ' ', payload: 0 }, digest('0')],
    ['the payload’s, when it is false', { payload: false }, digest('false')],
    ['none when the payload is null', { payload: null }, undefined],
  ])('is %s', (_, raw, resultDigest) => {
    expect(result(raw)).toEqual({
      row: { status: 'ok', ...(resultDigest !== undefined && { resultDigest }) },
      defects: [],
    })
  })
})

describe('a result of unknown status is not terminal', () => {
  test.each(['pending', 7, {}])('%j', status => {
    const report = judged({
      evidence: evidence(['a'], { toolResults: [{ toolCallId: 'a', status }] }),
    })
    expect(report.normalized.toolResults).toBeUndefined()
    expect(report.failureClasses).toEqual([
      'tool.join_incomplete',
      'tool.result_missing',
      'tool.schema_invalid',
      'tool.use_without_result',
    ])
  })
})

describe('the disposition of a result', () => {
  const use = (row: object) => {
    const report = judged({
      evidence: evidence(['a'], { toolUse: [{ toolCallId: 'a', ...row }] }),
    })
    return [report.normalized.toolUse, report.findings.map(({ at, message }) => `${at} ${message}`)]
  }

  test.each([
    ['observed_only', {}, 'observed'],
    ['Observed', {}, 'observed'],
    ['discarded', {}, 'discarded'],
    ['discarded', { reasonCode: 'late' }, 'discarded'],
    ['discarded_with_reason', { reasonCode: 'late' }, 'discarded'],
  ])('%s %j is %s', (disposition, more, normal) => {
    expect(use({ disposition, ...more })).toEqual([
      [{ toolCallId: 'a', disposition: normal, ...more }],
      [],
    ])
  })

  test('a required reason must be given', () => {
    expect(use({ disposition: 'discarded_with_reason', reasonCode: ' ' })).toEqual([
      [{ toolCallId: 'a', disposition: 'discarded' }],
      ['evidence.toolUse[a].reasonCode is missing, though the result was discarded with reason'],
    ])
  })

  test('an unknown disposition is kept, counts as a use, and is refused', () => {
    expect(use({ disposition: 'Pondered' })).toEqual([
      [{ toolCallId: 'a', disposition: 'pondered' }],
      [
        'evidence.toolUse[a].disposition is pondered, which is none of consumed, observed, discarded, observed_only, discarded_with_reason, retry_scheduled',
      ],
    ])
  })
})

test('arguments enter the request as their digest', () => {
  const toolRequests = [
    { toolCallId: 'a', toolName: 't', arguments: { b: 1.5, a: [] }, adapterProfile: 'p' },
  ]
  const report = judged({ evidence: evidence(['a'], { toolRequests }) })
  expect(report.normalized.toolRequests).toEqual([
    {
      adapterProfile: 'p',
      argumentsDigest: digest('{"a":[],"b":1.5}'),
      toolCallId: 'a',
      toolName: 't',
    },
  ])
})
