/**
 * The links of the chain that a close needs, each broken in one way. One table for every surface: a
 * new row is tried on all of them.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { instructionWitnessDigest } from '../src/kernel/instruction/instruction-witness.ts'
import { aPolicy, testPolicy } from './an-instruction.ts'
import { instructionPath, witnessPath } from './an-instruction-project.ts'
import {
  type aDoor,
  type Broken,
  checks,
  claims,
  instruction,
  policy,
  type Surface,
} from './mutation-surfaces.ts'
import { brokenRefs } from './turn-refs.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const otherPolicy = { ...testPolicy, policyId: 'policy.other.v1' }
const twice = JSON.stringify(testPolicy).replace(/}$/, ',"policyDigest":"pol1_00"}')

export const elsewhere = { kind: 'issue', action: 'issue_update', issueId: 'bd-2' }
export const allowing = (...mutations: readonly object[]) => ({
  instruction: {
    scope: { kind: 'repo', mutations: [{ action: 'issue_claim', issueId: 'bd-1' }, ...mutations] },
  },
})

export interface Link extends Broken {
  /** The class that names what is broken. */
  readonly names: string
  /** A part of the diagnostic or the remedy. */
  readonly says?: string
  /** The same in the words of another surface, where those differ. */
  readonly namesOn?: Partial<Record<Surface['name'], string>>
  /** Why the link cannot be broken on a surface. */
  readonly never?: Partial<Record<Surface['name'], string>>
}

const ownTurn = {
  'a worker':
    'what is asked of a change is asked of the turn that the step itself is: it divides nothing, hands nothing on and is about the issue that was claimed',
}

const ownLease = { 'a worker': 'a step closes with the lease that it holds' }
const oneUpdate = { action: 'issue_update', issueId: 'bd-1' }
const longAgo = '2026-01-01T00:00:00Z'

/** By what is broken. */
export function brokenLinks(door: ReturnType<typeof aDoor>): Readonly<Record<string, Link>> {
  const { project, put, pathOf, json, leaseOf, update, joinRef, judge } = door
  const { done, premath } = project

  /** Changes what a file of the project holds. */
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(pathOf(path), change(readFileSync(pathOf(path), 'utf8')))

  const links: Readonly<Record<string, Link>> = {
    'a policy that is not registered': {
      spoil: () => rmSync(pathOf('policies/instruction/test-v1.json')),
      names: 'instruction_policy_unknown',
      namesOn: { 'a worker': 'protected_path_changed' },
    },
    'a policy that is not what its digest says': {
      spoil: () => put('policies/instruction/test-v1.json', otherPolicy),
      names: 'instruction_policy_unknown',
      namesOn: { 'a worker': 'protected_path_changed' },
    },
    'a mutation policy that was never put in force, where governance is claimed': {
      spoil: () =>
        put('.premath/capability-registry.json', {
          profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
        }),
      names: 'governance.policy_package_unpinned',
    },
    'a result that was lost': { change: { turn: { lost: true } }, names: 'tool.result_missing' },
    'a turn that divides its work without the policy for it': {
      change: { turn: { spec: { executionPattern: 'parallel' } } },
      names: 'coordination.decomposition_policy_violation',
      never: ownTurn,
    },
    'a turn that hands work on without a contract': {
      change: { turn: { handoff: true } },
      names: 'handoff.target_not_allowed',
      never: ownTurn,
    },
    'a turn about another issue': {
      change: { turn: { mutation: elsewhere } },
      names: 'mutation.use_evidence_missing',
      never: ownTurn,
    },
    'an instruction about another issue': {
      change: allowing({ action: 'issue_update', issueId: 'bd-2' }),
      names: 'instruction_scope_exceeded',
    },
    'an instruction about another change': {
      change: allowing({ action: 'dep_add', issueId: 'bd-1' }),
      names: 'instruction_scope_exceeded',
    },
    'an instruction that was rejected': { spoil: rejectedRun, names: 'instruction_not_accepted' },
    'a witness that is too old': {
      spoil: () => resealed({ runStartedAt: longAgo, runFinishedAt: longAgo }),
      names: 'instruction_expired',
    },
    'a witness from a time that has not come': {
      spoil: () => resealed({ runFinishedAt: '2999-01-01T00:00:00Z' }),
      names: 'instruction_expired',
    },
    'a witness that allows more than its instruction, sealed anew': {
      change: allowing(),
      spoil: () => resealed({ scope: instruction.scope }),
      names: 'instruction_witness_invalid',
    },
    'a witness of another instruction, which would have unused entries': {
      spoil: () => put(instructionPath, { ...instruction, intent: 'Another.' }),
      names: 'instruction_witness_invalid',
      namesOn: { 'a worker': 'protected_path_changed' },
    },
    'an instruction that is gone': {
      spoil: () => rmSync(pathOf(instructionPath)),
      names: 'instruction_witness_invalid',
      namesOn: { 'a worker': 'protected_path_changed' },
    },
    'an instruction that was used already': {
      spoil: usedUp,
      isLate: true,
      names: 'instruction_entry_used',
    },
    'one byte of the witness changed': {
      spoil: () => edit(witnessPath, text => text.replace('"local"', '"lokal"')),
      names: 'instruction_witness_invalid',
    },
    'one byte of the turn’s witness changed': {
      spoil: () => edit(joinRef(), text => text.replace('"judgedAt": "2', '"judgedAt": "1')),
      isLate: true,
      names: 'mutation.use_evidence_missing',
    },
    'no witness of the turn': {
      spoil: () => rmSync(pathOf(joinRef())),
      isLate: true,
      names: 'mutation.use_evidence_missing',
    },
    'a witness that is a link': { spoil: linked, names: 'instruction_witness_missing' },
    'a witness that is a folder': { spoil: folder, names: 'instruction_witness_missing' },
    'a witness that is a pipe': { spoil: pipe, names: 'instruction_witness_missing' },
    'no witness of the instruction': {
      spoil: () => rmSync(pathOf(witnessPath)),
      names: 'instruction_witness_missing',
    },
    'specs that change the files that they judge': {
      change: { spec: 'echo more >> said.txt; cat said.txt' },
      names: 'close_proof_failed',
      namesOn: { 'a worker': 'verification_changed_files' },
    },
    'specs that failed': {
      change: { answer: 'no\n' },
      names: 'close_proof_failed',
      namesOn: { 'a worker': 'check_failed' },
    },
    'a fence that is not the last': { spoil: stolen, isLate: true, names: 'lease_fence_stale' },
    'a claim that is missing': {
      change: { instruction: { capabilityClaims: claims('issue_claim') } },
      names: 'mutation.capability_claim_missing',
    },
    'a turn under another policy': {
      spoil: () => put('.premath/policy.json', { ...policy, ids: 'hash' }),
      names: 'mutation.policy_digest_mismatch',
    },
    'a fence that was never issued': {
      lease: ({ leaseId, fence }) => ({ leaseId, fence: fence - 1 }),
      names: 'lease_fence_stale',
      never: ownLease,
    },
    'a witness that is older than the policy allows': {
      spoil: () => {
        const minuteAgo = new Date(Date.now() - 60_000).toISOString()
        resealed({ runStartedAt: minuteAgo, runFinishedAt: minuteAgo })
        put('.premath/policy.json', { ...policy, witnessTtlSeconds: 30 })
      },
      names: 'instruction_expired',
    },
    'a turn that was used for a change before': {
      change: allowing(oneUpdate, oneUpdate),
      spoil: () => {
        expect(update(leaseOf(), '--title', 'One').status).toBe(0)
        // Judged once more it has another witness, and is the same turn.
        judge()
      },
      names: 'instruction_entry_used',
      says: 'the turn has vouched',
      never: ownTurn,
    },
    'a turn that was used under another instruction': {
      change: allowing(oneUpdate),
      spoil: () => {
        expect(update(leaseOf(), '--title', 'One').status).toBe(0)
        const uses = pathOf('.premath/memory/uses')
        const [name = ''] = readdirSync(uses).filter(one => /^instr/.test(one))
        // The use of the turn is left, as if it were one under another instruction.
        rmSync(`${uses}/${name}`)
      },
      names: 'instruction_entry_used',
      says: 'the turn has vouched',
      never: ownTurn,
    },
    ...policyLinks(),
    ...brokenRefs(ownTurn),
  }

  return links

  function rejectedRun() {
    put('.premath/checks.json', { ...checks, checks: { 'hk-check': 'false' } })
    premath(['instruction-run', '--instruction', instructionPath])
  }

  /** Somebody who knows how seals are made. */
  function resealed(change: object) {
    const { witnessDigest: _, ...witness } = { ...json(witnessPath), ...change }
    put(witnessPath, { ...witness, witnessDigest: instructionWitnessDigest(witness, sha256) })
  }

  /** Its one entry for an update is good for one. */
  function usedUp() {
    const { status } = update(leaseOf(), '--title', 'One', '--join-witness', joinRef())
    expect(status).toBe(0)
  }

  /** Somebody gives the lease back and another one takes it, while the agent sleeps. */
  function stolen() {
    const { leaseId, fence } = leaseOf()
    put('.premath/policy.json', { ...policy, surfaces: { cli: { mode: 'open' } } })
    const proof = ['--assignee', 'agent', '--lease-id', leaseId, '--fence', String(fence)]
    done('issue', 'lease-release', 'bd-1', ...proof)
    done('issue', 'claim', 'bd-1', '--assignee', 'other')
    put('.premath/policy.json', policy)
  }

  function linked() {
    const text = readFileSync(pathOf(witnessPath), 'utf8')
    writeFileSync(pathOf('artifacts/elsewhere.json'), text)
    rmSync(pathOf(witnessPath))
    symlinkSync('../elsewhere.json', pathOf(witnessPath))
  }

  function pipe() {
    rmSync(pathOf(witnessPath))
    execFileSync('mkfifo', [pathOf(witnessPath)])
  }

  function folder() {
    rmSync(pathOf(witnessPath))
    mkdirSync(pathOf(witnessPath))
  }

  /** Files in the folder of policies, by which none of them can be believed. */
  function policyLinks(): Readonly<Record<string, Link>> {
    const rows: readonly (readonly [string, string, unknown, string])[] = [
      [
        'two policies with one id',
        'x',
        aPolicy({ allowedChecks: ['hk-check'] }),
        'test-v1.json or',
      ],
      ['one policy twice', 'x', testPolicy, 'test-v1.json or'],
      ['a policy with two digests', 'x', twice, 'Fix'],
      ['a policy that was edited', 'test-v1', otherPolicy, 'Fix'],
      ['a policy that is no JSON', 'x', '{', 'Fix'],
    ]
    const linkOf = (name: string, content: unknown, before: string): Link => ({
      spoil: () => put(`policies/instruction/${name}.json`, content),
      names: 'instruction_policy_unknown',
      namesOn: { 'a worker': 'protected_path_changed' },
      says: `${before} policies/instruction/${name}.json, or remove it`,
    })
    return Object.fromEntries(
      rows.map(([what, name, content, before]) => [what, linkOf(name, content, before)]),
    )
  }
}
