import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Issue, readIssue } from '../../issues/issue.ts'
import { decideChange, type IssueChanged } from '../../issues/issue-change.ts'
import { checkIssues } from '../../issues/issue-check.ts'
import { IssueMemory } from '../../issues/issue-memory.ts'
import { parseJson } from '../../json.ts'
import {
  attemptsLeft,
  type Escalation,
  escalatedOnce,
  escalationChange,
  escalationNote,
  escalationTitle,
  noteDigest,
} from './escalation.ts'
import { decideRetry } from './retry-decision.ts'
import { readRetryPolicy, retryPolicyPath } from './retry-policy.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const policy = readRetryPolicy(parseJson(readFileSync(retryPolicyPath, 'utf8')), 'p', sha256)
const now = 1_800_000_000_000_000_000n

const failed = (failureClass: string, more: Partial<Escalation> = {}): Escalation => ({
  scope: 'worker.loop',
  decision: decideRetry(policy, [failureClass], 3),
  witnessRef: 'artifacts/steps/s1',
  ...more,
})

const issue = (id: string, more: object = {}) => readIssue({ id, title: id, ...more }) as Issue

function memoryOf(...rows: Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

function applied(memory: IssueMemory, escalation: Escalation): IssueChanged {
  const change = escalationChange(escalation, 'bd-1', {})
  if (!change) return { rows: [], issue: undefined }
  const stamp = { now, newId: (known: IssueMemory) => known.nextCountedId('bd') }
  const changed = decideChange(memory, change, stamp)
  if ('failureClass' in changed) throw new Error(changed.failureClass)
  for (const row of changed.rows) memory.put(row)
  return changed
}

test('a note has ten lines and a digest', () => {
  const escalation = failed('flaky_io', {
    decision: decideRetry(policy, ['flaky_io', 'a_b'], 3),
    scope: ' worker\n loop ',
  })
  const note = escalationNote(escalation)
  expect(note.split('\n')).toEqual([
    '[harness-escalation]',
    'scope: worker loop',
    'action: issue_discover',
    `policyId: ${policy.policyId}`,
    `policyDigest: ${policy.policyDigest}`,
    'ruleId: transient_retry',
    'matchedFailureClass: flaky_io',
    'attempt: 3/3',
    'failureClasses: a_b, flaky_io',
    'witnessRef: artifacts/steps/s1',
  ])
  const canonical = JSON.stringify({ note, scope: 'worker loop' })
  expect(noteDigest(escalation, sha256)).toBe(`note1_${sha256(canonical)}`)
  expect(escalationTitle(escalation)).toBe(
    '[HarnessEscalation] worker loop retry exhausted (flaky_io)',
  )
})

test('a note marks the parts that have no content', () => {
  const escalation = failed('', { witnessRef: undefined })
  expect(escalationNote(escalation)).toMatch(/failureClasses: \(none\)\nwitnessRef: \(none\)$/)
})

test('nothing is escalated while an attempt is left', () => {
  expect(attemptsLeft(decideRetry(policy, ['flaky_io'], 2))).toMatchObject({
    failureClass: 'escalation_attempts_left',
    remedy: expect.stringContaining('--failure-class flaky_io --attempt 2 --wait'),
  })
  expect(attemptsLeft(decideRetry(policy, ['flaky_io'], 3))).toBeUndefined()
})

describe('issue_discover', () => {
  test('[tusk.5.escalation-path] adds an issue that passes the check of the issues', () => {
    const memory = memoryOf(issue('bd-1', { ephemeral: true }))
    const { issue: made } = applied(memory, failed('flaky_io', { verifyCommand: 'npm test' }))
    expect(made).toMatchObject({
      id: 'bd-2',
      status: 'open',
      description: escalationNote(failed('flaky_io')),
      acceptance_criteria: expect.stringContaining('`npm test` passes'),
      dependencies: [{ depends_on_id: 'bd-1', type: 'discovered-from' }],
    })
    expect(checkIssues(memory)).toMatchObject({ result: 'accepted', errors: [], warnings: [] })
  })

  test('adds it once for one issue, scope and class while the first is open', () => {
    const memory = memoryOf(issue('bd-1'), issue('bd-9'))
    const again = failed('flaky_io', { witnessRef: 'artifacts/steps/s2' })
    expect(applied(memory, failed('flaky_io')).issue?.id).toBe('bd-2')
    expect(applied(memory, again)).toMatchObject({ rows: [], issue: { id: 'bd-2' } })
    expect(applied(memory, failed('network_timeout')).issue?.id).toBe('bd-3')
    expect(applied(memory, failed('flaky_io', { scope: 'verify' })).issue?.id).toBe('bd-4')
    memory.put({ ...(memory.get('bd-2') as Issue), status: 'in_progress' })
    expect(applied(memory, again).rows).toEqual([])

    memory.put({ ...(memory.get('bd-2') as Issue), status: 'closed' })
    expect(applied(memory, again).issue?.id).toBe('bd-5')
    expect(applied(memory, again).rows).toEqual([])
  })

  test('keeps the other metadata of the active issue', () => {
    const memory = memoryOf(issue('bd-1', { metadata: { own: 1, premathFence: 3 } }))
    applied(memory, failed('flaky_io'))
    expect(memory.get('bd-1')?.metadata).toEqual({
      own: 1,
      premathFence: 3,
      premathFound: { [escalationTitle(failed('flaky_io'))]: 'bd-2' },
    })
  })
})

describe('an issue that an escalation added', () => {
  test('is blocked when it fails alike, so that no issue is added for it', () => {
    const memory = memoryOf(issue('bd-1'))
    applied(memory, failed('flaky_io'))
    const decision = failed('flaky_io').decision
    expect(escalatedOnce(decision, 'bd-2', memory)).toEqual({
      ...decision,
      escalationAction: 'mark_blocked',
    })
    expect(escalatedOnce(decision, 'bd-1', memory)).toBe(decision)
  })

  test('is recognized by its origin, not by its title or its edge', () => {
    const edge = { issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'discovered-from' }
    const title = escalationTitle(failed('flaky_io'))
    const memory = memoryOf(issue('bd-1'), issue('bd-2', { title, dependencies: [edge] }))
    const { decision } = failed('flaky_io')
    expect(escalatedOnce(decision, 'bd-2', memory)).toBe(decision)
  })

  test('is stopped or blocked as any other', () => {
    const memory = memoryOf(issue('bd-1'))
    applied(memory, failed('flaky_io'))
    for (const name of ['check_failed', 'lease_fence_stale']) {
      const { decision } = failed(name)
      expect(escalatedOnce(decision, 'bd-2', memory)).toBe(decision)
    }
  })
})

describe('mark_blocked', () => {
  test('[tusk.5.escalation-path] marks the issue blocked and says why, once', () => {
    const memory = memoryOf(issue('bd-1', { status: 'in_progress', notes: 'Mine.' }))
    const note = escalationNote(failed('check_failed'))
    applied(memory, failed('check_failed'))
    expect(memory.get('bd-1')).toMatchObject({ status: 'blocked', notes: `Mine.\n\n${note}` })
    expect(applied(memory, failed('check_failed')).rows).toEqual([])

    memory.put({ ...(memory.get('bd-1') as Issue), status: 'open' })
    applied(memory, failed('check_failed'))
    expect(memory.get('bd-1')).toMatchObject({ status: 'blocked', notes: `Mine.\n\n${note}` })
  })

  test('another failure adds a note of its own', () => {
    const memory = memoryOf(issue('bd-1'))
    const [first, second] = [failed('check_failed'), failed('check_failed', { scope: 'verify' })]
    applied(memory, first)
    applied(memory, second)
    expect(memory.get('bd-1')?.notes).toBe(`${escalationNote(first)}\n\n${escalationNote(second)}`)
  })

  test('does not reopen a closed issue', () => {
    const memory = memoryOf(issue('bd-1', { status: 'closed' }))
    expect(() => applied(memory, failed('check_failed'))).toThrow('issue_closed')
  })
})

test('[tusk.5.escalation-path] stop changes nothing', () => {
  expect(escalationChange(failed('lease_fence_stale'), 'bd-1', {})).toBeUndefined()
})

test('[runtime.1.1.escalation-mapping] a class of a gate changes nothing, whatever its policy', () => {
  const lax = { ruleId: 'r', maxAttempts: 1, backoffClass: 'none' } as const
  for (const escalationAction of ['issue_discover', 'mark_blocked'] as const) {
    const rule = { ...lax, escalationAction }
    const rules = new Map([['tool.use_missing', rule]])
    const decision = decideRetry({ ...policy, defaultRule: rule, rules }, ['tool.use_missing'], 1)
    expect(escalationChange(failed('', { decision }), 'bd-1', {})).toBeUndefined()
  }
})
