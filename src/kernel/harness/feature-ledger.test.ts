import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Feature, FeatureLedger, featureStatuses } from '../../wire/harness/feature-ledger.ts'
import { documentOf } from '../artifact/print.ts'
import { byCodePoint } from '../canonical.ts'
import { parseJson } from '../json.ts'
import {
  type FeatureWrite,
  nextFeature,
  printLedger,
  readLedger,
  writeFeature,
} from './feature-ledger.ts'

const now = 1_771_718_400_000_000_000n
const later = now + 60_000_000_000n

const read = (text: string) => readLedger(parseJson(text), 'l.json')
/** Applies the writes to an empty ledger. */
const written = (...writes: readonly FeatureWrite[]): FeatureLedger => {
  const empty: FeatureLedger = readLedger(
    { schema: 1, ledgerKind: 'premath.harness.feature_ledger.v1' },
    'l.json',
  )
  return writes.reduce((ledger, write) => writeFeature(ledger, write, now), empty)
}
const pending = (featureId: string): FeatureWrite => ({ featureId, status: 'pending' })

test('a ledger begins with its first row', () => {
  expect(documentOf(FeatureLedger, writeFeature(undefined, pending(' beta '), now))).toEqual({
    schema: 1,
    ledgerKind: 'premath.harness.feature_ledger.v1',
    updatedAt: '2026-02-22T00:00:00Z',
    features: [{ featureId: 'beta', status: 'pending', updatedAt: '2026-02-22T00:00:00Z' }],
  })
})

test('a ledger prints its members in one order, unknown members last', () => {
  const theirs = '{"featureId":"a","x":-0,"status":"pending","updatedAt":"t"}'
  const head = '"updatedAt":"t","ledgerKind":"premath.harness.feature_ledger.v1","schema":1'
  const ledger = read(`{"y":[1.50],${head},"features":[${theirs}]}`)
  const all = {
    ...pending('a'),
    issueId: 'i',
    summary: 's',
    instructionRefs: ['r'],
    verificationRefs: ['v'],
    sessionRef: 'ref',
  }
  const text = printLedger(writeFeature(ledger, all, now))
  const keys = [...text.matchAll(/^ *"(\w+)":/gm)].map(([, key]) => key)
  expect(keys).toEqual([
    ...['schema', 'ledgerKind', 'sessionRef', 'updatedAt', 'features'],
    ...['featureId', 'status', 'issueId', 'summary', 'instructionRefs', 'verificationRefs'],
    ...['updatedAt', 'x', 'y'],
  ])
  expect(text).toMatch(/"x": -0\.0\n/)
})

describe('a row that is written again', () => {
  const before = written(
    { ...pending('a'), issueId: 'bd-1', summary: 's', verificationRefs: ['v', ' v', 'u'] },
    pending('b'),
  )
  const rowOf = (change: Partial<FeatureWrite>): Feature | undefined =>
    writeFeature(before, { ...pending('a'), ...change }, later).features[0]

  test('keeps the members that are not named; its time and status are new', () => {
    expect(rowOf({ status: 'blocked' })).toMatchObject({
      status: 'blocked',
      issueId: 'bd-1',
      summary: 's',
      verificationRefs: ['u', 'v'],
      updatedAt: '2026-02-22T00:01:00Z',
    })
  })

  test('drops a member that is set to blank', () => {
    expect(rowOf({ summary: ' ', verificationRefs: [''] })).toMatchObject({
      summary: undefined,
      verificationRefs: [],
    })
  })

  test('does not verify another issue', () => {
    expect(rowOf({ issueId: 'bd-2' })?.verificationRefs).toEqual([])
    expect(rowOf({ issueId: 'bd-1' })?.verificationRefs).toEqual(['u', 'v'])
  })

  test('is found by its id, even with spaces around it', () => {
    const spaced = {
      ...before,
      features: before.features.map(row => ({ ...row, featureId: ' a' })),
    }
    const after = writeFeature(
      { ...spaced, features: spaced.features.slice(0, 1) },
      pending('a'),
      later,
    )
    expect(after.features.map(row => row.featureId)).toEqual(['a'])
  })

  test('leaves the other rows alone, and the session until one is named', () => {
    const named = writeFeature(before, { ...pending('a'), sessionRef: 's.json' }, later)
    expect(named.features[1]).toBe(before.features[1])
    expect(writeFeature(named, pending('b'), later).sessionRef).toBe('s.json')
    expect(
      writeFeature(named, { ...pending('b'), sessionRef: '' }, later).sessionRef,
    ).toBeUndefined()
  })
})

describe('a ledger that cannot be read is refused when', () => {
  const head = '"schema":1,"ledgerKind":"premath.harness.feature_ledger.v1"'
  test.each([
    ['features must be a list', `{${head},"features":{}}`],
    ['features[1] must be an object', `{${head},"features":[{},3]}`],
    ['features[0].status must be text', `{${head},"features":[{"status":1}]}`],
    [
      'features[0].verificationRefs must be a list of text',
      `{${head},"features":[{"verificationRefs":"v"}]}`,
    ],
    ['ledgerKind is missing', '{"schema":1}'],
    ['schema must be 1, not 0', '{"schema":0}'],
    ['its schema is 7, and this version of premath supports 1', '{"schema":7}'],
  ])('%s', (why, text) => {
    expect(() => read(text)).toThrow(`the feature ledger l.json is not valid: ${why}`)
  })
})

test('a ledger without rows, and rows without members, are left for the check to judge', () => {
  const head = '"schema":1,"ledgerKind":"premath.harness.feature_ledger.v1"'
  expect(read(`{${head}}`)).toMatchObject({ updatedAt: '', features: [] })
  expect(read(`{${head},"features":[{}]}`).features[0]).toMatchObject({ featureId: '', status: '' })
})

const id = fc.constantFrom('a', 'b', 'B', 'f-10', 'f-2', '\uffff', '😀')
const anyWrite: fc.Arbitrary<FeatureWrite> = fc.record({
  featureId: id,
  status: fc.constantFrom(...featureStatuses),
  issueId: fc.option(fc.constantFrom('', 'bd-1', 'bd-2'), { nil: undefined }),
  summary: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  verificationRefs: fc.option(fc.array(fc.constantFrom('', ' v', 'v', 'u')), { nil: undefined }),
})
const anyLedger = fc
  .array(anyWrite, { minLength: 1, maxLength: 8 })
  .map(writes => written(...writes))

describe('a ledger after any writes', () => {
  test('[runtime.5.one-row] has one row for each feature, by id, with its refs in normal form', () => {
    fc.assert(
      fc.property(anyLedger, ({ features }) => {
        const ids = features.map(row => row.featureId)
        expect(ids).toEqual([...new Set(ids)].sort(byCodePoint))
        for (const { verificationRefs } of features) {
          expect(['', 'u', 'v', 'u,v']).toContain(verificationRefs.join())
        }
      }),
    )
  })

  test('is read back unchanged', () => {
    fc.assert(
      fc.property(anyLedger, ledger => {
        expect(read(printLedger(ledger))).toEqual(ledger)
      }),
    )
  })

  test('does not change when it is written again', () => {
    fc.assert(
      fc.property(anyLedger, anyWrite, (ledger, write) => {
        const once = writeFeature(ledger, write, now)
        expect(writeFeature(once, write, now)).toEqual(once)
      }),
    )
  })
})

test('[runtime.5.next-feature] next is the smallest in progress, else the smallest pending, else nothing', () => {
  const ids = (ledger: FeatureLedger, status: string) =>
    ledger.features.filter(row => row.status === status).map(row => row.featureId)
  fc.assert(
    fc.property(anyLedger, ledger => {
      const [first] = [...ids(ledger, 'in_progress'), ...ids(ledger, 'pending')]
      expect(nextFeature(ledger)).toBe(first)
      const shuffled = { ...ledger, features: ledger.features.toReversed() }
      expect(nextFeature(shuffled)).toBe(first)
    }),
  )
})

test.each([
  [['pending b', 'pending a'], 'a'],
  [['pending a', 'in_progress b'], 'b'],
  [['in_progress b', 'in_progress a'], 'a'],
  [['pending f-10', 'pending f-2'], 'f-10'],
  [['pending 😀', 'pending \uffff'], '\uffff'],
  [['blocked a', 'completed b'], undefined],
  [['blocked a', 'pending b'], 'b'],
])('the next feature of %j is %j', (rows, next) => {
  const writes = rows.map(row => {
    const [status, featureId = ''] = row.split(' ')
    return { featureId, status: status as FeatureWrite['status'] }
  })
  expect(nextFeature(written(...writes))).toBe(next)
})
