import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../wire/harness/session.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { type Issue, readIssue } from '../issues/issue.ts'
import { type PrimeFacts, primeText, primeTokensMax, tokensAtMost } from './prime.ts'
import { nextStepAtStart } from './run/run-session.ts'
import { writeSession } from './session.ts'

const now = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

const issue = (more: object = {}) =>
  readIssue({
    id: 'bd-1',
    title: 'Fix login timeout',
    acceptance_criteria: 'A login waits ten seconds.',
    metadata: { premathSpecs: ['specs/login.spec.md'], premathFence: 2 },
    lease: {
      lease_id: 'lease1_bd-1_me',
      owner: 'me',
      acquired_at: '2026-02-22T11:00:00Z',
      expires_at: '2026-02-22T13:00:00Z',
    },
    ...more,
  }) as Issue

const session: Session = writeSession(
  undefined,
  {
    state: 'stopped',
    issueId: 'bd-1',
    nextStep: 'try again',
    issuesPath: 'x',
    issuesSnapshotRef: undefined,
  },
  now,
)

const lastFailure: StepRow = {
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: 'me.bd-1.1.1',
  action: 'worker.loop',
  resultClass: 'tool.use_missing',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt: '2026-02-22T11:30:00Z',
}

const facts: PrimeFacts = {
  mayChange: true,
  session,
  issue: issue(),
  blockers: [],
  lastFailure,
  readyCount: 3,
  blockedCount: 0,
  gaveWay: { first: [], total: 0 },
}

test('the prime text shows the handoff and the path of its file', () => {
  const handoff = { next: 'Look at the tree first.', path: '/p/handoff.json' }
  expect(primeText({ ...facts, handoff })).toContain(
    '## Handoff\nLook at the tree first.\nMore in /p/handoff.json',
  )
  expect(primeText(facts)).not.toContain('## Handoff')
})

test('the prime text has the last three comments, each on one line', () => {
  const said = (at: number) => ({
    id: at,
    author: 'ana',
    created_at: `2026-02-22T11:0${at}:00Z`,
    text: `Comment ${at}\n## Commands\n- rm`,
  })
  const comments = [4, 1, 3, 2].map(said)
  expect(primeText({ ...facts, issue: issue({ comments }) })).toContain(
    `\n\n## Last comments\n${[2, 3, 4]
      .map(at => `- ana (2026-02-22T11:0${at}:00Z): Comment ${at} ## Commands - rm`)
      .join('\n')}\n\n`,
  )
  expect(primeText(facts)).not.toContain('## Last comments')
})

const withValues = (...fields: readonly string[]) =>
  issue({ metadata: { premathMergeConflicts: fields.map(field => ({ field, value: 'x' })) } })

test('[memory.2.gave-way] the prime text names other issues of which values gave way in a merge', () => {
  const none = { ...facts, issue: undefined }
  const gaveWay = { first: [withValues('assignee', 'status')], total: 2 }
  expect(primeText({ ...none, gaveWay })).toContain(
    '## Values of these issues gave way in a merge\n- bd-1: assignee, status\n- and 1 more\n',
  )
  expect(primeText(none)).not.toContain('A merge')
})

describe('the prime text of a fresh agent', () => {
  test('shows the issue with acceptance and specs, the class of the last failure, and three commands', () => {
    const text = primeText(facts)
    for (const part of [
      'Fix login timeout',
      'A login waits ten seconds.',
      'specs/login.spec.md',
      'tool.use_missing',
      'Next: try again',
      '--lease-id lease1_bd-1_me --fence 2',
    ]) {
      expect(text).toContain(part)
    }
    expect(text.match(/^- `premath /gm)).toHaveLength(3)
  })

  test('leaves out the next step of a run if issues have changed since', () => {
    const summary = 'done: 1 closed, 0 failed, 0 refused, 0 left'
    const ofRun = { ...session, summary, nextStep: 'every issue is closed' }
    const page = (more: Partial<PrimeFacts>) => primeText({ ...facts, session: ofRun, ...more })
    expect(page({})).toContain('Next: every issue is closed')
    expect(page({ hasMoved: true })).not.toContain('every issue is closed')
    expect(page({ hasMoved: true })).toContain('Issues have changed since.')
    expect(page({ session, hasMoved: true })).toContain('Next: try again')
  })

  test('says where to find an issue if there is none', () => {
    const none = { session: undefined, issue: undefined, lastFailure: undefined, readyCount: 1 }
    const text = primeText({ ...facts, ...none })
    expect(text).toContain('1 is ready')
    expect(text).toContain('claim-next')
  })

  test.each([
    [4, 'None is ready: 4 are blocked.'],
    [1, 'None is ready: 1 is blocked.'],
    [0, 'None is ready.'],
  ])('says what blocks if no issue is ready and %i are blocked', (blockedCount, line) => {
    const none = { issue: undefined, readyCount: 0, blockedCount }
    expect(primeText({ ...facts, ...none })).toContain(`# No issue is claimed\n${line}\n`)
  })

  test('says in words what comes after the start of a run', () => {
    const begun = { ...session, nextStep: nextStepAtStart }
    expect(primeText({ ...facts, session: begun })).toContain('Next: claim a ready issue\n')
  })

  test.each([
    ['with an issue', issue(), ['issue show bd-1', 'query --issue bd-1', 'spec run specs/login']],
    ['without one', undefined, ['issue show <id>', 'query --issue <id>', 'issue ready']],
  ])('names no command that the agent may not run, %s', (_, issue, commands) => {
    const text = primeText({ ...facts, issue, mayChange: false })
    for (const command of commands) expect(text).toContain(command)
    expect(text.match(/^- `premath /gm)).toHaveLength(3)
    expect(text).not.toMatch(/issue (update|discover|claim)/)
    expect(text).toContain('only under an instruction')
  })

  /** The page for an issue, a failure and a session that have this much to tell. */
  function pageOf(text: string, blockers: number) {
    const comments = Array(5).fill({ author: text, text, created_at: '2026-02-22T11:00:00Z' })
    const big = issue({ description: text, title: text, acceptance_criteria: text, comments })
    if (!('id' in big)) return undefined
    const session = { ...facts.session, summary: text, nextStep: text } as typeof facts.session
    const lastFailure = { ...facts.lastFailure, nextStep: text } as typeof facts.lastFailure
    const handoff = { next: text, path: text }
    const gaveWay = { first: Array(3).fill(withValues(text)), total: 4 }
    const more = { session, lastFailure, handoff, gaveWay }
    return primeText({ ...facts, ...more, issue: big, blockers: Array(blockers).fill(big) })
  }

  test.each(['word ', '語', '😀', '\u0301'])(
    '[tusk.4.bounded] fits its limit with the longest %j',
    piece => {
      for (const times of [10, 100, 500, 1_000, 5_000, 100_000]) {
        const page = pageOf(piece.repeat(times), Math.min(times, 20)) ?? ''
        expect(tokensAtMost(page)).toBeLessThanOrEqual(primeTokensMax)
        expect(page.match(/^- `premath /gm)?.length).toBeGreaterThanOrEqual(3)
      }
    },
  )

  test('[tusk.4.bounded] fits its limit at every length of a text', () => {
    const long = 'a'.repeat(1_190)
    const big = issue({ title: 'Big', description: long, acceptance_criteria: long })
    if (!('id' in big)) throw new Error('the issue is refused')
    for (let length = 1; length <= 1_190; length++) {
      const session = { ...facts.session, summary: 'b'.repeat(length) } as typeof facts.session
      const page = primeText({ ...facts, issue: big, session })
      expect(tokensAtMost(page)).toBeLessThanOrEqual(primeTokensMax)
    }
  })

  test('[tusk.4.bounded] fits its limit with any characters', () => {
    const long = fc.string({ unit: 'binary', minLength: 1, maxLength: 3_000, size: 'max' })
    fc.assert(
      fc.property(long, fc.nat(12), (text, blockers) => {
        const page = pageOf(text, blockers)
        if (page !== undefined) expect(tokensAtMost(page)).toBeLessThanOrEqual(primeTokensMax)
      }),
      // A counterexample this long takes minutes to shrink.
      { numRuns: 50, endOnFailure: true },
    )
  })
})
