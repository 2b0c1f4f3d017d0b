import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import type { Page } from '../../answer.ts'
import { type Issue, readIssue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { issuePage, shownIssue } from './issue-page.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n
const page = { columns: 100, ink: (_ink, text) => text } as Page
const { commit, base, tree, target, close } = aLanding

function shown(more: object) {
  const issue = readIssue({ id: 'bd-1', title: 'One', ...more }) as Issue
  const memory = new IssueMemory()
  memory.put(issue)
  const answer = shownIssue(issue, memory, { now: noon, failed: undefined })
  return { ...answer, text: issuePage(answer, page) }
}

const left = {
  status: 'in_progress',
  assignee: 'ann',
  lease: {
    lease_id: 'l',
    owner: 'ann',
    acquired_at: '2026-02-22T10:00:00Z',
    expires_at: '2026-02-22T11:00:00Z',
  },
}

describe('an issue', () => {
  test('that is landing shows its commit, and is not offered after its lease', () => {
    const { issue, reclaim, text } = shown({ ...left, metadata: { premathLanding: aLanding } })
    expect(text).toMatch(new RegExp(`^ *landing +${commit} on main$`, 'm'))
    expect(text).not.toContain('expired claim')
    expect(issue).toMatchObject({ landing: { commit, base, tree, target } })
    expect(reclaim).toBe(false)
    expect(shown(left).reclaim).toBe(true)
  })

  test('that landed shows its commit while it is closed', () => {
    const metadata = { premathClose: close }
    const { issue, text } = shown({ status: 'closed', metadata })
    expect(text).toMatch(new RegExp(`^ *landed +as ${commit} on main$`, 'm'))
    expect(issue.landed).toEqual({ commit, tree, target })
    expect(shown({ status: 'open', metadata }).text).not.toContain('landed')
  })

  test.each([
    ['specs', ', recorded proof: its specs passed'],
    ['verification', ', recorded proof: a verify command passed'],
    ['force', ', by force: no reason'],
    [undefined, ''],
  ])('that is closed shows how: %s', (by, how) => {
    const closed_at = '2026-02-22T11:00:00Z'
    const more = { closed_at, ...(by && { metadata: { premathClose: { by } } }) }
    expect(shown({ status: 'closed', ...more }).text).toMatch(
      new RegExp(`^ *closed +${closed_at}${how}$`, 'm'),
    )
    expect(shown({ status: 'open', ...more, closed_at: undefined }).text).not.toContain('closed')
  })

  test('that was verified on a commit and did not land shows no landing', () => {
    const { target: _none, ...verified } = close
    const { issue, text } = shown({ status: 'closed', metadata: { premathClose: verified } })
    expect(text).not.toContain('land')
    expect(issue).not.toHaveProperty('landed')
    expect(issue).not.toHaveProperty('landing')
  })
})
