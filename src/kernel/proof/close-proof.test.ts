import { describe, expect, test } from 'vitest'
import { OperatorGrant } from '../authority/operator-grant.ts'
import type { Digest } from '../canonical.ts'
import { CloseProof, closeFacts } from './close-proof.ts'
import type { TreeDigest } from './tree-digest.ts'
import type { OpenedWitness } from './witness.ts'

const tree: TreeDigest = `tree1_${'a'.repeat(64)}`
const other: TreeDigest = `tree1_${'b'.repeat(64)}`

interface Ran {
  readonly path?: string
  readonly treeDigest?: string
  readonly whole?: boolean
  readonly readable?: boolean
  readonly statuses?: readonly string[]
}

/** A run of one document. */
const specRun = (document: string, ran: Ran = {}): OpenedWitness => {
  const { treeDigest = tree, whole = true, readable = true, statuses = ['pass'] } = ran
  return {
    path: ran.path ?? `${document}.json`,
    value: {
      treeDigest,
      documents: [{ path: document, whole, readable, sha256: 'sha256:aa' }],
      cases: statuses.map(status => ({ document, status })),
    },
  }
}

/** Documents with the content that the runs saw, unless another digest is given. */
const askedFor = (paths: readonly string[], sha256: Digest = 'sha256:aa') => ({
  issueId: 'bd-1',
  specs: paths,
  documents: paths.map(path => ({ path, sha256 })),
  tree,
})

const bySpecs = (paths: readonly string[], ...witnesses: readonly OpenedWitness[]) => {
  const proof = CloseProof.bySpecs(askedFor(paths), witnesses)
  return 'failureClass' in proof ? proof.failureClass : proof.witnesses
}

describe('specs show that an issue is done', () => {
  test('when each document passed as a whole on this tree, in one run or in several', () => {
    expect(bySpecs(['a', 'b'], specRun('a'), specRun('b'))).toEqual(['a.json', 'b.json'])
    expect(bySpecs(['a'], specRun('a', { statuses: ['pass', 'skip'] }))).toEqual(['a.json'])
    const failedBefore = specRun('a', { statuses: ['fail'], path: 'old.json' })
    expect(bySpecs(['a'], specRun('a'), failedBefore)).toEqual(['a.json'])
  })

  test('by the last run of each document, to which a partial run adds', () => {
    const failing = specRun('a', { statuses: ['fail'] })
    expect(bySpecs(['a'], failing, specRun('a'))).toBe('close_proof_failed')
    expect(bySpecs(['a'], { ...failing, path: 'x' }, specRun('b'), specRun('a'))).toBe(
      'close_proof_failed',
    )
    const some = specRun('a', { whole: false, path: 'some.json' })
    expect(bySpecs(['a'], some, specRun('a'))).toEqual(['a.json'])
    const someFailed = specRun('a', { whole: false, statuses: ['pass', 'fail'] })
    expect(bySpecs(['a'], someFailed, specRun('a'))).toBe('close_proof_failed')
  })

  test('by the part of a witness that is about them', () => {
    const about = { issueId: 'bd-1', documents: ['a', 'b'] }
    const runs = [
      specRun('a', { whole: false, statuses: ['pass'], path: 'some.json' }),
      specRun('c'),
      specRun('b', { statuses: ['skip', 'pass', 'pass'] }),
      specRun('a', { statuses: Array(1_000).fill('pass') }),
    ]
    const facts = runs.flatMap(run => closeFacts(run, about) ?? [])
    expect(facts).toHaveLength(3)
    expect(JSON.stringify(facts).length).toBeLessThan(1_500)
    for (let from = 0; from < runs.length; from++) {
      const whole = CloseProof.bySpecs(askedFor(['a', 'b']), runs.slice(from))
      const some = facts.filter(({ path }) => runs.slice(from).some(run => run.path === path))
      expect(CloseProof.bySpecs(askedFor(['a', 'b']), some)).toEqual(whole)
    }
    expect(bySpecs(['a', 'b'], ...facts)).toEqual(['a.json', 'b.json'])
  })

  test('while the content of the document is unchanged, under any path', () => {
    const of = (content: string) =>
      CloseProof.bySpecs(askedFor(['a'], `sha256:${content}`), [specRun('a')])
    expect(of('aa')).toMatchObject({ by: 'specs' })
    expect(of('bb')).toMatchObject({ failureClass: 'close_proof_stale' })
  })

  test.each<[string, readonly OpenedWitness[], string]>([
    ['nobody ran it', [], 'close_proof_missing'],
    ['another one was run', [specRun('b')], 'close_proof_missing'],
    ['the tree was another', [specRun('a', { treeDigest: other })], 'close_proof_stale'],
    ['a case failed', [specRun('a', { statuses: ['pass', 'fail'] })], 'close_proof_failed'],
    ['some of it was not run', [specRun('a', { whole: false })], 'close_proof_failed'],
    ['some of it could not be read', [specRun('a', { readable: false })], 'close_proof_failed'],
    ['nothing of it passed', [specRun('a', { statuses: ['skip'] })], 'close_proof_failed'],
    ['it holds no case', [specRun('a', { statuses: [] })], 'close_proof_failed'],
  ])('but not if %s', (_, witnesses, failureClass) => {
    expect(bySpecs(['a'], ...witnesses)).toBe(failureClass)
  })

  test('but not if no specs are named', () => {
    expect(bySpecs([], specRun('a'))).toBe('close_proof_missing')
  })
})

describe('a verification shows that an issue is done', () => {
  const verified = (issueId: string, treeDigest: string, result: string): OpenedWitness => ({
    path: `${issueId}.json`,
    value: { issueId, treeDigest, result },
  })
  const about = { issueId: 'bd-1', documents: [] }

  test.each<[string, OpenedWitness, string]>([
    ['it was that of another issue', verified('bd-2', tree, 'accepted'), 'close_proof_missing'],
    ['the tree was another', verified('bd-1', other, 'accepted'), 'close_proof_stale'],
    ['it failed', verified('bd-1', tree, 'rejected'), 'close_proof_failed'],
  ])('but not if %s', (_, witness, failureClass) => {
    const asked = { issueId: 'bd-1', tree }
    expect(CloseProof.byVerification(asked, [witness])).toMatchObject({ failureClass })
    const good = verified('bd-1', tree, 'accepted')
    expect(CloseProof.byVerification(asked, [good, witness])).toMatchObject({
      by: 'verification',
      witnesses: ['bd-1.json'],
    })
  })

  test('on the commit that its witness names', () => {
    const named = { commit: 'c'.repeat(40), gitTree: 'e'.repeat(40) }
    const { path, value } = verified('bd-1', tree, 'accepted')
    const facts = closeFacts({ path, value: { ...value, ...named, stepId: 'x' } }, about)
    expect(facts?.value).toMatchObject(named)
    const proof = CloseProof.byVerification({ issueId: 'bd-1', tree }, facts ? [facts] : [])
    expect(proof).toMatchObject(named)
    const unnamed = CloseProof.byVerification({ issueId: 'bd-1', tree }, [{ path, value }])
    expect(unnamed).toMatchObject({ commit: undefined, gitTree: undefined })
  })

  test('but not if it passed and then failed on the same tree', () => {
    const runs = [verified('bd-1', tree, 'rejected'), verified('bd-1', tree, 'accepted')]
    expect(CloseProof.byVerification({ issueId: 'bd-1', tree }, runs)).toMatchObject({
      failureClass: 'close_proof_failed',
    })
  })
})

test('a person closes without proof by giving a reason', () => {
  const grant = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })
  if (!grant.granted) throw new Error(grant.message)
  const terminal = { actor: 'terminal', uid: 1000 } as const
  const force = (reason: string) => CloseProof.byForce('bd-1', grant, reason, terminal)
  expect(force('  ')).toMatchObject({ failureClass: 'close_reason_missing' })
  expect(force('not needed')).toMatchObject({ by: 'force', reason: 'not needed' })
  const copy = { ...grant } as OperatorGrant
  expect(CloseProof.byForce('bd-1', copy, 'x', terminal)).toMatchObject({
    failureClass: 'close_proof_missing',
  })
})
