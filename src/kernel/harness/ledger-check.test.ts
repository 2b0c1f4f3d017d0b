import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Feature,
  type FeatureLedger,
  featureStatuses,
} from '../../wire/harness/feature-ledger.ts'
import { byCodePoint } from '../canonical.ts'
import { checkLedger, projectLedger } from './ledger-check.ts'

const row = (featureId: string, status: string, change: Partial<Feature> = {}): Feature => ({
  featureId,
  status,
  issueId: undefined,
  summary: undefined,
  instructionRefs: [],
  verificationRefs: status === 'completed' ? ['v'] : [],
  updatedAt: 't',
  ...change,
})

const ledger = (...features: readonly Feature[]): FeatureLedger => ({
  schema: 1,
  ledgerKind: 'premath.harness.feature_ledger.v1',
  updatedAt: 't',
  features,
})

const flaws = (given: FeatureLedger, requireClosure = false) =>
  checkLedger(given, requireClosure).errors.map(({ class: name, featureId, message }) => [
    name.replace('harness_feature_ledger.', ''),
    featureId,
    message,
  ])

test('a ledger in order is accepted', () => {
  const good = ledger(row('a', 'in_progress'), row('b', 'pending'), row('c', 'completed'))
  expect(checkLedger(good, false)).toEqual({
    errors: [],
    failureClasses: [],
    nextFeatureId: 'a',
    checkKind: 'premath.harness.feature_ledger.check.v1',
    result: 'accepted',
    summary: {
      blockedCount: 0,
      closureComplete: false,
      completedCount: 1,
      featureCount: 3,
      inProgressCount: 1,
      pendingCount: 1,
    },
  })
})

describe('each flaw has its class and its message', () => {
  const status = 'feature status `done` is invalid (expected pending|in_progress|blocked|completed)'
  const unverified = 'completed feature requires at least one verificationRef'
  test.each<[string, FeatureLedger, string | undefined, string]>([
    [
      'updated_at.empty',
      { ...ledger(row('a', 'pending')), updatedAt: ' ' },
      undefined,
      'ledger.updatedAt must be non-empty',
    ],
    ['empty', ledger(), undefined, 'ledger.features must contain at least one row'],
    [
      'feature_id.empty',
      ledger(row(' ', 'no', { updatedAt: '' })),
      undefined,
      'featureId must be non-empty',
    ],
    [
      'feature_id.duplicate',
      ledger(row('a', 'pending'), row(' a ', 'blocked')),
      'a',
      'featureId must be unique',
    ],
    [
      'feature.updated_at.empty',
      ledger(row('a', 'pending', { updatedAt: '\t' })),
      'a',
      'feature.updatedAt must be non-empty',
    ],
    ['status.invalid', ledger(row('a', 'done')), 'a', status],
    [
      'completed_missing_verification_ref',
      ledger(row('a', 'completed', { verificationRefs: [] })),
      'a',
      unverified,
    ],
    [
      'instruction_ref.empty',
      ledger(row('a', 'pending', { instructionRefs: ['x', ' ', ''] })),
      'a',
      'instructionRef entries must be non-empty',
    ],
    [
      'verification_ref.empty',
      ledger(row('a', 'pending', { verificationRefs: [''] })),
      'a',
      'verificationRef entries must be non-empty',
    ],
    [
      'in_progress.non_contractible',
      ledger(row('a', 'in_progress'), row('b', 'in_progress')),
      undefined,
      'at most one feature may be in_progress',
    ],
  ])('%s', (name, given, featureId, message) => {
    expect(flaws(given)).toEqual([[name, featureId, message]])
    expect(checkLedger(given, false).result).toBe('rejected')
    expect(projectLedger(given)).toEqual({ failureClasses: [`harness_feature_ledger.${name}`] })
  })

  test('closure_incomplete', () => {
    const words = 'require-closure set but ledger is not closed'
    expect(flaws(ledger(row('a', 'blocked')), true)).toEqual([
      ['closure_incomplete', undefined, words],
    ])
    expect(flaws(ledger(row('a', 'blocked')))).toEqual([])
  })
})

test.each(['Pending', 'pending ', '', 'closed'])(
  '[runtime.5.status-domain] %j is no status',
  status => {
    expect(flaws(ledger(row('a', status)))[0]?.[0]).toBe('status.invalid')
  },
)

test.each(featureStatuses)('[runtime.5.status-domain] %s is a status', status => {
  expect(flaws(ledger(row('a', status)))).toEqual([])
})

test('[runtime.5.one-in-progress] one feature may be in progress, two may not', () => {
  expect(flaws(ledger(row('a', 'in_progress'), row('b', 'pending')))).toEqual([])
  expect(flaws(ledger(row('a', 'in_progress'), row('b', 'in_progress')))).toHaveLength(1)
  const three = ['a', 'b', 'c'].map(id => row(id, 'in_progress'))
  expect(flaws(ledger(...three))).toHaveLength(1)
})

test('[runtime.5.completed-verified] a completed feature names its verification', () => {
  expect(flaws(ledger(row('a', 'completed', { verificationRefs: ['v'] })))).toEqual([])
  expect(flaws(ledger(row('a', 'completed', { verificationRefs: [] })))).toHaveLength(1)
})

test('flaws come in the order they are looked for', () => {
  const worst = {
    ...ledger(
      row('', 'done'),
      row('b', 'in_progress', { verificationRefs: [''], instructionRefs: [''], updatedAt: '' }),
      row('a', 'in_progress'),
      row('b', 'done', { updatedAt: '' }),
      row('c', 'completed', { verificationRefs: [] }),
    ),
    updatedAt: '',
  }
  expect(flaws(worst, true).map(([name, id]) => (id ? `${name} ${id}` : name))).toEqual([
    'updated_at.empty',
    'feature_id.empty',
    'feature.updated_at.empty b',
    'instruction_ref.empty b',
    'verification_ref.empty b',
    'feature_id.duplicate b',
    'feature.updated_at.empty b',
    'status.invalid b',
    'completed_missing_verification_ref c',
    'in_progress.non_contractible',
    'closure_incomplete',
  ])
})

describe('a ledger is closed', () => {
  const isClosed = (...rows: readonly Feature[]) =>
    checkLedger(ledger(...rows), false).summary.closureComplete
  test.each([
    [true, 'all are completed', [row('a', 'completed'), row('b', 'completed')]],
    [false, 'there are none', []],
    [false, 'one is blocked', [row('a', 'completed'), row('b', 'blocked')]],
    [false, 'one was not verified', [row('a', 'completed', { verificationRefs: [] })]],
    [false, 'one has no id', [row('a', 'completed'), row('', 'completed')]],
  ])('%s when %s', (closed, _, rows) => {
    expect(isClosed(...rows)).toBe(closed)
  })
})

test('a row without an id counts as a feature, and as nothing else', () => {
  expect(checkLedger(ledger(row(' ', 'pending'), row('a', 'blocked')), false).summary).toEqual({
    blockedCount: 1,
    closureComplete: false,
    completedCount: 0,
    featureCount: 2,
    inProgressCount: 0,
    pendingCount: 0,
  })
})

const word = fc.constantFrom('', ' ', 'a', 'b')
const anyRow = fc
  .record({
    featureId: fc.constantFrom('', 'a', ' a', 'b', 'c'),
    status: fc.constantFrom(...featureStatuses, 'done'),
    updatedAt: word,
    instructionRefs: fc.array(word, { maxLength: 2 }),
    verificationRefs: fc.array(word, { maxLength: 2 }),
  })
  .map(({ featureId, status, ...rest }) => row(featureId, status, rest))
const anyLedger = fc
  .tuple(word, fc.array(anyRow, { maxLength: 6 }))
  .map(([updatedAt, rows]) => ({ ...ledger(...rows), updatedAt }))

test('any ledger is accepted exactly when it has no failure class, and only accepted features are projected', () => {
  fc.assert(
    fc.property(anyLedger, fc.boolean(), (given, requireClosure) => {
      const check = checkLedger(given, requireClosure)
      const classes = check.errors.map(error => error.class)
      expect(check.result === 'accepted').toBe(classes.length === 0)
      expect(check.failureClasses).toEqual([...new Set(classes)].sort(byCodePoint))
      if (check.summary.closureComplete) expect(check.nextFeatureId).toBeNull()
      const without = checkLedger(given, false)
      expect('failureClasses' in projectLedger(given)).toBe(without.result === 'rejected')
      // `--require-closure` adds at most one flaw at the end and hides none.
      expect(check.errors.slice(0, without.errors.length)).toEqual(without.errors)
      expect(check.errors.length - without.errors.length).toBe(
        requireClosure && !without.summary.closureComplete ? 1 : 0,
      )
    }),
  )
})
