import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { canonicalJson } from '../canonical.ts'
import { type Issue, readIssue } from '../issues/issue.ts'
import type { Json, JsonObject } from '../json.ts'
import { statementsOf } from './attestation.ts'
import { linkFile, linkIn, type ProofPart } from './proof-chain.ts'
import { provenFindings, rowFindings } from './proof-check.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const tree = `tree1_${sha256('tree')}`

const part = (kind: ProofPart['kind'], value: JsonObject): ProofPart => {
  const text = JSON.stringify(value)
  const digest = sha256(text)
  return { kind, digest, file: linkFile(kind, digest, digest), text, value }
}

const specDocument = (name: string) => ({
  path: `${name}.spec.md`,
  sha256: `sha256:${sha256(name)}` as const,
})

const spec = (more: JsonObject = {}) =>
  part('spec', {
    treeDigest: tree,
    documents: [
      { path: 'a.spec.md', sha256: `sha256:${sha256('a')}`, whole: true, readable: true },
      { path: 'b.spec.md', sha256: `sha256:${sha256('b')}`, whole: true, readable: true },
    ],
    cases: [
      { id: 'A', document: 'a.spec.md', status: 'pass' },
      { id: 'SKIPPED', document: 'a.spec.md', status: 'skip' },
      { id: 'B', document: 'b.spec.md', status: 'fail' },
    ],
    ...more,
  })
const verify = (more: JsonObject = {}) =>
  part('verify', {
    issueId: 'bd-1',
    treeDigest: tree,
    result: 'accepted',
    commandDigest: `sha256:${sha256('make')}`,
    stepId: 'w.bd-1.1.1',
    ...more,
  })
const turn = (more: JsonObject = {}) =>
  part('join', {
    joinClosed: true,
    issueId: 'bd-1',
    instructionId: 'i-1',
    callId: 'w.bd-1.1.1',
    ...more,
  })
const instruction = (more: JsonObject = {}) =>
  part('instruction', {
    instructionId: 'i-1',
    verdictClass: 'accepted',
    scope: { mutations: [{ action: 'issue_update', issueId: 'bd-1' }] },
    ...more,
  })

const chain = (more: Partial<ProofChain> = {}): ProofChain => ({
  schema: 1,
  chainKind: 'premath.proof.chain.v1',
  issueId: 'bd-1',
  claim: { leaseId: 'l', fence: 1, worker: 'w' },
  links: [],
  closedBy: { by: 'verification' },
  documents: [],
  treeDigest: tree,
  head: null,
  closedAt: '2026-02-22T00:00:00Z',
  chainDigest: `sha256:${sha256('chain')}`,
  ...more,
})
const bySpecs = chain({ closedBy: { by: 'specs' }, documents: [specDocument('a')] })

const commit = 'c'.repeat(40)
const gitTree = 'e'.repeat(40)
const landed = chain({ head: commit, landed: { commit, tree: gitTree, target: 'main' } })

const messages = (given: ProofChain, ...parts: readonly ProofPart[]) =>
  provenFindings(given, parts).map(({ failureClass, message }) => {
    expect(failureClass).toBe('proof_unmet')
    return message
  })

describe('a chain that holds', () => {
  test.each([
    ['by a verification', chain(), [instruction(), turn(), verify()]],
    [
      '[trust.29.close-step] by the close of the holder outside of a step',
      chain(),
      [instruction(), turn({ callId: 'x' }), verify({ stepId: 'close.bd-1.1.1' })],
    ],
    ['by specs, whatever other documents of the run did', bySpecs, [spec()]],
    ['by a landed commit', landed, [verify({ commit, gitTree })]],
    ['by a landed commit that the verification does not name', landed, [verify()]],
    ['by force', chain({ closedBy: { by: 'force', reason: 'Moot' }, treeDigest: null }), []],
  ] as const)('%s', (_, given, parts) => {
    expect(messages(given, ...parts)).toEqual([])
  })
})

describe('a link to another issue is reported', () => {
  test.each([
    [
      'a rejected verification',
      chain(),
      [verify({ result: 'rejected' })],
      'the verification failed on these files',
    ],
    [
      'of another commit',
      landed,
      [verify({ commit: 'd'.repeat(40), gitTree })],
      `it is about another commit than ${commit}`,
    ],
    ['of another git tree', landed, [verify({ commit, gitTree: commit })], 'another commit'],
    [
      'a landed commit that is not the head',
      chain({ ...landed, head: null }),
      [verify({ commit, gitTree })],
      `${commit} landed, and its head is another`,
    ],
    ['no verification', chain(), [], 'bd-1 has no proof that it is done'],
    [
      'of another issue',
      chain(),
      [verify({ issueId: 'bd-2', stepId: 'w.bd-1.1.1' })],
      'bd-1 has no proof',
    ],
    ['of another tree', chain(), [verify({ treeDigest: 'tree1_0' })], 'it is about another tree'],
    [
      'specs of another tree',
      bySpecs,
      [spec({ treeDigest: 'tree1_0' })],
      'it is about another tree',
    ],
    [
      'a spec that failed',
      chain({ closedBy: { by: 'specs' }, documents: [specDocument('b')] }),
      [spec()],
      'b.spec.md: the verification failed on these files',
    ],
    [
      'a spec with another text',
      chain({
        closedBy: { by: 'specs' },
        documents: [{ ...specDocument('a'), sha256: specDocument('b').sha256 }],
      }),
      [spec()],
      'a.spec.md: files have changed',
    ],
    ['no reason', chain({ closedBy: { by: 'force' } }), [], 'no reason is given'],
    ['an open turn', chain(), [turn({ joinClosed: false }), verify()], 'the turn is open'],
    ['a turn on another issue', chain(), [turn({ issueId: 'bd-2' }), verify()], 'not about bd-1'],
    [
      'a turn under another instruction',
      chain(),
      [instruction(), turn({ instructionId: 'i-2' }), verify()],
      'it is about another instruction',
    ],
    [
      'a turn of another step',
      chain(),
      [turn({ callId: 'x' }), verify()],
      'belongs to another step',
    ],
    [
      'a step of another worker',
      chain({ claim: { leaseId: 'l', fence: 1, worker: 'v' } }),
      [verify()],
      'w.bd-1.1.1 is not a step of v on bd-1',
    ],
    ...['close.bd-1.2.1', 'close.bd-1.1.2', 'close.bd-1.11.1', 'close.bd-2.1.1'].map(
      stepId =>
        [
          `[trust.29.close-step] the close ${stepId} of another fence or issue`,
          chain(),
          [verify({ stepId })],
          `${stepId} is not a step of w on bd-1`,
        ] as const,
    ),
    [
      '[trust.29.close-step] a turn beside the close of another fence',
      chain({ claim: { leaseId: 'l', fence: 1, worker: 'close' } }),
      [turn({ callId: 'x' }), verify({ stepId: 'close.bd-1.2.1' })],
      'belongs to another step',
    ],
    [
      '[trust.29.close-step] a turn beside the close of an issue that nobody holds',
      chain({ claim: null }),
      [turn({ callId: 'x' }), verify({ stepId: 'close.bd-1.1.1' })],
      'belongs to another step',
    ],
    [
      'an instruction that does not allow it',
      chain(),
      [instruction({ scope: {} }), verify()],
      'it does not allow closing bd-1',
    ],
    [
      'an instruction that was rejected',
      chain(),
      [instruction({ verdictClass: 'rejected' }), verify()],
      'it does not allow closing bd-1',
    ],
  ] as const)('%s', (_, given, parts, message) => {
    expect(messages(given, ...parts)).toEqual([expect.stringContaining(message)])
  })
})

describe('the row of a landed issue', () => {
  const close = { by: 'verification', treeDigest: tree, chain: landed.chainDigest }
  const rowOf = (status: string, metadata: object) =>
    readIssue({
      id: 'bd-1',
      title: 'one',
      status,
      closed_at: landed.closedAt,
      metadata: { premathFence: 1, ...metadata },
    } as never) as Issue
  const found = (given: ProofChain, row: Issue) =>
    rowFindings(given, row).map(({ failureClass, message }) => `${failureClass}: ${message}`)

  test('names the commit, its tree and its target as the chain does', () => {
    const record = { ...close, commit, tree: gitTree, target: 'main' }
    const row = (more: object) => rowOf('closed', { premathClose: { ...record, ...more } })
    expect(found(landed, row({}))).toEqual([])
    const mismatch = ['proof_row_mismatch: the row of the issue records another landed commit']
    expect(found(landed, row({ target: 'next' }))).toEqual(mismatch)
    expect(found(landed, row({ commit: gitTree }))).toEqual(mismatch)
    expect(found(landed, rowOf('closed', { premathClose: close }))).toEqual(mismatch)
    const { landed: _none, ...other } = landed
    expect(found(other, row({}))).toEqual(mismatch)
  })

  test('may name a verified commit that did not land', () => {
    const premathClose = { ...close, commit, tree: gitTree }
    expect(found(chain({ head: commit }), rowOf('closed', { premathClose }))).toEqual([])
  })

  test('does not count while the commit is landing', () => {
    const row = rowOf('in_progress', { premathLanding: aLanding })
    expect(found(landed, row)).toEqual(['proof_superseded: it is still landing'])
  })
})

describe('statements', () => {
  const confirmedBy = { actor: 'terminal', uid: 1000 } as const
  const by = {
    verifiedAt: '2026-02-22T00:00:00Z',
    confirmedBy,
    folder: 'bd-1',
    bundle: 'the bundle',
  }

  test('name the documents that the issue had to pass, and no other', () => {
    const [result, summary] = statementsOf(bySpecs, [spec()], by, sha256)
    expect(result?.predicate).toMatchObject({
      result: 'PASSED',
      configuration: [{ name: 'a.spec.md', digest: { sha256: sha256('a') } }],
      passedTests: ['A'],
      failedTests: [],
    })
    expect(summary?.predicate).toMatchObject({
      verificationResult: 'PASSED',
      verifiedLevels: ['PREMATH_CLOSED_BY_SPECS'],
      inputAttestations: [
        {
          uri: `premath:proof/bd-1/proof-${sha256('chain')}.json`,
          digest: { sha256: sha256('the bundle') },
        },
      ],
    })
  })

  test('name a command by its digest, and no turn', () => {
    const statements = statementsOf(chain(), [turn(), verify()], by, sha256)
    expect(statements).toHaveLength(2)
    expect(JSON.stringify(statements)).toContain(sha256('make'))
  })

  test('name the requirement by its digest, which is the same for the same requirement', () => {
    const policyIn = (given: ProofChain, part: ProofPart) => {
      const [, summary] = statementsOf(given, [part], by, sha256)
      const { policy } = (summary?.predicate ?? {}) as JsonObject
      const { uri, digest } = policy as { readonly uri: string; readonly digest: Json }
      return { text: atob(uri.replace('data:application/json;base64,', '')), digest }
    }
    const { text, digest } = policyIn(bySpecs, spec())
    expect(text).toBe(canonicalJson({ by: 'specs', documents: [specDocument('a')] }))
    expect(digest).toEqual({ sha256: sha256(text) })
    expect(policyIn(chain({ ...bySpecs, issueId: 'bd-2' }), spec()).digest).toEqual(digest)
    const command = policyIn(chain(), verify())
    expect(JSON.parse(command.text)).toEqual({
      by: 'verification',
      commands: [`sha256:${sha256('make')}`],
    })
    expect(command.digest).not.toEqual(digest)
  })

  test('[proofs.4.attestation] name the commit that landed first, then its trees', () => {
    const [result] = statementsOf(landed, [verify()], by, sha256)
    const { treeDigest } = landed
    expect(result?.subject).toEqual([
      { name: commit, digest: { gitCommit: commit }, annotations: { confirmedBy } },
      { name: gitTree, digest: { gitTree } },
      { name: treeDigest, digest: { premathTree1: treeDigest?.slice('tree1_'.length) } },
    ])
    expect(statementsOf(chain(), [verify()], by, sha256)[0]?.subject).toHaveLength(1)
  })

  test('[proofs.4.attestation] hold or name the bytes of every digest', () => {
    const [, summary] = statementsOf(bySpecs, [spec()], by, sha256)
    const { policy, inputAttestations } = JSON.parse(JSON.stringify(summary?.predicate))
    expect(policy.digest).toEqual({ sha256: sha256(atob(policy.uri.split(',')[1])) })
    expect(inputAttestations[0].digest).toEqual({ sha256: sha256(by.bundle) })
  })

  test('are absent if nothing was verified', () => {
    expect(statementsOf(chain({ treeDigest: null }), [], by, sha256)).toEqual([])
  })
})

test('a copy is named by its kind, its digest and its bytes', () => {
  const name = linkFile('spec', sha256('a'), sha256('b'))
  expect(name).toBe(`spec-${sha256('a')}-${sha256('b').slice(0, 16)}.json`)
  expect(linkIn(name)).toEqual({ kind: 'spec', digest: sha256('a') })
  expect(linkIn(name.replace('spec', 'note'))).toBeUndefined()
})
