import { describe, expect, test } from 'vitest'
import { closing } from '../../../test/a-close.ts'
import { aLanding } from '../../../test/a-landing.ts'
import {
  checked,
  envelope,
  registry,
  runtimeOf,
  sha256,
  testPolicy,
} from '../../../test/an-instruction.ts'
import { isRefused } from '../instruction/instruction-refusal.ts'
import { readRuntime } from '../instruction/instruction-runtime.ts'
import { witnessInstruction } from '../instruction/instruction-witness.ts'
import type { IssueChange } from '../issues/issue-change.ts'
import { isRefusal } from '../issues/issue-refusal.ts'
import type { Json, JsonObject } from '../json.ts'
import { Landed } from '../proof/landed.ts'
import { instantOf, seconds } from '../timestamp.ts'
import { agentAdmission } from './agent-admission.ts'
import { AgentGrant } from './agent-grant.ts'
import { mutationAction } from './change-target.ts'

const made = instantOf('2026-02-21T00:00:10Z') ?? 0n
const base = 'capabilities.change_morphisms'

interface Said {
  readonly claims?: readonly string[]
  readonly mutations?: readonly JsonObject[]
}

function grantOf({ claims = [base, `${base}.all`], mutations = [] }: Said): AgentGrant {
  const scope = { kind: 'repo', mutations }
  const instruction = checked({ ...envelope, capabilityClaims: claims, scope })
  const runtime = readRuntime(runtimeOf(instruction) as unknown as Json)
  if (isRefused(runtime)) throw new Error(runtime.message)
  const witness = witnessInstruction(instruction, runtime, sha256) as unknown as Json
  const ground = { now: made, ttlSeconds: 60, registry: registry(testPolicy), sha256 }
  const grant = AgentGrant.accept(witness, 'w.json', ground)
  if (isRefusal(grant)) throw new Error(grant.diagnostic)
  return grant
}

const claim: IssueChange = { action: 'issue.claim', id: 'bd-1', claim: { assignee: 'a' } }
const comment: IssueChange = {
  action: 'issue.comment',
  id: 'bd-1',
  comment: { id: 1, author: 'ana', text: 'hm' },
}
const renew: IssueChange = { action: 'issue.lease_renew', id: 'bd-1', proof: {}, term: {} }
const release: IssueChange = { action: 'issue.lease_release', id: 'bd-1', proof: {} }
const update: IssueChange = { action: 'issue.update', id: 'bd-1', fields: {}, proof: {} }
const imported: IssueChange = { action: 'issue.import', rows: [], onConflict: 'refuse' as never }

const asked = (given: Said, change: IssueChange, used: readonly number[] = [], now = made) => {
  const usedUp = { entries: new Set(used), hasVouched: false }
  const answer = agentAdmission(grantOf(given), change, now, usedUp)
  return isRefusal(answer) ? answer.failureClass : answer.entry
}

const claiming = { action: 'issue_claim', issueId: 'bd-1' }

describe('an instruction', () => {
  test('allows the changes that its scope lists, on the named issue or on any', () => {
    expect(asked({ mutations: [claiming] }, claim)).toBe(0)
    expect(asked({ mutations: [{ action: 'issue_add' }, { action: 'issue_claim' }] }, claim)).toBe(
      1,
    )
    expect(asked({ mutations: [{ ...claiming, issueId: 'bd-2' }] }, claim)).toBe(
      'instruction_scope_exceeded',
    )
    expect(asked({ mutations: [{ action: 'issue_add' }] }, claim)).toBe(
      'instruction_scope_exceeded',
    )
    expect(asked({}, claim)).toBe('instruction_scope_exceeded')
  })

  test('allows claims and comments many times by a standing entry, and an update once', () => {
    const mutations = [
      { ...claiming, standing: true },
      { action: 'issue_comment', issueId: 'bd-1', standing: true },
      { action: 'issue_update', issueId: 'bd-1' },
    ]
    expect(asked({ mutations }, claim, [0, 1])).toBe(0)
    expect(asked({ mutations }, comment, [0, 1])).toBe(1)
    const once = [{ action: 'issue_comment' }]
    expect(asked({ mutations: once }, comment)).toBe(0)
    expect(asked({ mutations: once }, comment, [0])).toBe('instruction_entry_used')
    // Only a comment: an update still needs its turn.
    expect(asked({ mutations }, update)).toBe('mutation.use_evidence_missing')
  })

  test('is used entry by entry', () => {
    const mutations = [claiming, claiming]
    expect(asked({ mutations }, claim, [0])).toBe(1)
    expect(asked({ mutations }, claim, [0, 1])).toBe('instruction_entry_used')
  })

  test('that allows a claim also allows renewing and releasing it, at any time', () => {
    for (const change of [renew, release]) {
      expect(asked({ mutations: [claiming] }, change, [0], made + seconds(9_999))).toBeUndefined()
      expect(asked({ mutations: [{ action: 'issue_update' }] }, change)).toBe(
        'instruction_scope_exceeded',
      )
      const claims = [base, `${base}.issue_claim`]
      expect(asked({ claims, mutations: [claiming] }, change)).toBeUndefined()
      expect(asked({ claims: [base, `${base}.issue_update`], mutations: [claiming] }, change)).toBe(
        'mutation.capability_claim_missing',
      )
    }
  })

  test.each([[[]], [[`${base}.all`]], [[base]], [[base, `${base}.issue_update`]]])(
    'allows nothing if it claims only %j',
    claims => {
      expect(asked({ claims, mutations: [claiming] }, claim)).toBe(
        'mutation.capability_claim_missing',
      )
    },
  )

  test('that names an issue says so to whoever asks for the next one', () => {
    const next: IssueChange = { action: 'issue.claim_next', claim: { assignee: 'a' } }
    const mutations = [{ action: 'issue_claim', issueId: 'bd-1' }]
    const grant = grantOf({ claims: [base, `${base}.issue_claim`], mutations })
    const used = { entries: new Set<number>(), hasVouched: false }
    expect(agentAdmission(grant, next, made, used)).toMatchObject({
      failureClass: 'mutation.capability_claim_missing',
      remedy: 'Claim the issue that it names, with issue_claim: bd-1.',
    })
  })

  test('ends with the term of its witness, to the second', () => {
    const finished = instantOf(runtimeOf(checked(envelope)).runFinishedAt) ?? 0n
    const at = (after: number) =>
      asked({ mutations: [claiming] }, claim, [], finished + seconds(after))
    expect([at(60), at(61)]).toEqual([0, 'instruction_expired'])
    expect([at(-300), at(-301)]).toEqual([0, 'instruction_expired'])
  })

  test('is no update without a turn, and never an import', () => {
    expect(asked({ mutations: [{ action: 'issue_update' }] }, update)).toBe(
      'mutation.use_evidence_missing',
    )
    expect(asked({ mutations: [{ action: 'issue_add' }] }, imported)).toBe(
      'instruction_scope_exceeded',
    )
  })

  test('that allows an update also allows a comment on the issue, with a turn of its own', () => {
    const mutations = [{ action: 'issue_update', issueId: 'bd-1' }]
    expect(mutationAction(comment)).toBe('issue_update')
    expect(asked({ mutations }, comment)).toBe('mutation.use_evidence_missing')
    const claims = [base, `${base}.issue_claim`]
    expect(asked({ claims, mutations }, comment)).toBe('mutation.capability_claim_missing')
  })

  test('that allows an update also allows a landing, and ending it at any time', () => {
    const mutations = [{ action: 'issue_update', issueId: 'bd-1' }]
    const { done } = closing('bd-1') as Extract<IssueChange, { action: 'issue.update' }>
    if (done === undefined) throw new Error('the proof is missing')
    const begin: IssueChange = { ...update, action: 'issue.land_begin', done, landing: aLanding }
    const landed = Landed.of({ ...aLanding, issueId: 'bd-1', isInTarget: true })
    const finish: IssueChange = { action: 'issue.land_finish', id: 'bd-1', landed }
    const undo: IssueChange = { action: 'issue.land_undo', id: 'bd-1', commit: aLanding.commit }
    expect(asked({ mutations }, begin)).toBe('mutation.use_evidence_missing')
    for (const change of [finish, undo]) {
      expect(asked({ mutations }, change, [0], made + seconds(9_999))).toBeUndefined()
      const others = [claiming, { action: 'issue_update', issueId: 'bd-2' }]
      expect(asked({ mutations: others }, change)).toBe('instruction_scope_exceeded')
    }
  })

  test('is never an import, nor other specs for the work that it is about', () => {
    expect(asked({ mutations: [{ action: 'issue_import' }] }, imported)).toBe(
      'instruction_scope_exceeded',
    )
    const mutations = [{ action: 'issue_update', issueId: 'bd-1' }]
    for (const specs of [[], [''], ['specs/easy.spec.md']]) {
      const respecified: IssueChange = { ...update, fields: { specs } }
      expect(asked({ mutations }, respecified)).toBe('instruction_scope_exceeded')
    }
  })
})

test('an object that only looks like a grant is refused', () => {
  expect(AgentGrant.isIssued({ ...grantOf({}) })).toBe(false)
  expect(() => Reflect.construct(AgentGrant, [Symbol('AgentGrant')])).toThrow(TypeError)
})
