import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { landingOf } from '../../kernel/issues/landing/landing-state.ts'
import { parseJson } from '../../kernel/json.ts'
import { CloseProof } from '../../kernel/proof/close-proof.ts'
import { Landed } from '../../kernel/proof/landed.ts'
import { bundleIn } from '../../kernel/proof/proof-bundle.ts'
import {
  chainTextFindings,
  checkLinks,
  provenFindings,
  rowFindings,
} from '../../kernel/proof/proof-check.ts'
import { bundleFileOf, chainFileOf } from '../../kernel/proof/proof-folder.ts'
import { witnessDigest, witnessPath } from '../../kernel/proof/witness.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { SimCrash, SimDisk, type SimFault, simFaults } from '../../testing/sim-disk.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { ProofChain } from '../../wire/proof/proof-chain.ts'
import { FileIssueStore } from './file-issue-store.ts'
import { FileProofStore } from './file-proof-store.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const issuesPath = '/p/.premath/issues.jsonl'
const tree = `tree1_${sha256('tree')}` as const

const witness = (output: string) => ({
  schema: 1,
  witnessKind: 'premath.verify.witness.v1',
  issueId: 'bd-1',
  result: 'accepted',
  commandDigest: `sha256:${sha256('make')}`,
  exitCode: 0,
  outputDigest: `sha256:${sha256(output)}`,
  treeDigest: tree,
})
const pathOf = (output: string) => witnessPath('verify', witnessDigest(witness(output), sha256))

function proofOf(output: string): CloseProof {
  const opened = [{ path: pathOf(output), value: witness(output) }]
  const proof = CloseProof.byVerification({ issueId: 'bd-1', tree }, opened)
  if (isRefusal(proof)) throw new Error(proof.diagnostic)
  return proof
}

const files = (...outputs: readonly string[]) => ({
  [issuesPath]: '{"id":"bd-1","title":"One","status":"open"}\n',
  ...Object.fromEntries(
    outputs.map(output => [`/p/${pathOf(output)}`, `${JSON.stringify(witness(output))}\n`]),
  ),
})

const grant = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })

function opened(disk: SimDisk) {
  const world = simWorld({ disk })
  const proofs = new FileProofStore({ root: '/p', issuesPath, disk, files: world.files, sha256 })
  const { clock } = world
  return new FileIssueStore({ path: issuesPath, disk, clock, proofs: async () => proofs })
}

const update = (fields: object, done?: CloseProof): IssueChange => ({
  action: 'issue.update',
  id: 'bd-1',
  fields,
  proof: {},
  done,
})
const close = (disk: SimDisk, output: string) =>
  opened(disk).mutate(grant, update({ status: 'closed' }, proofOf(output)))

const folder = '/p/.premath/proofs/bd-1'
const textOf = (disk: SimDisk, name: string) =>
  new TextDecoder().decode(disk.contentOf(`${folder}/${name}`))
const names = (disk: SimDisk) => disk.namesIn(folder).toSorted()

function filesIn(text: string): Readonly<Record<string, string>> {
  const bundle = bundleIn(text)
  if (bundle === undefined || 'why' in bundle) throw new Error(`not a bundle: ${text}`)
  return bundle.files
}

/** The findings about the proof that the row names. */
function findingsOf(disk: SimDisk, issue: Issue) {
  const digest = String(closeOf(issue)?.['chain'])
  const name = chainFileOf(digest)
  const files = filesIn(textOf(disk, bundleFileOf(digest)))
  const text = files[name] ?? ''
  const value = parseJson(text)
  const chain = mustMatchShape(ProofChain, value)
  const copies = new Map(Object.entries(files).map(([copy, text]) => [copy, { text }]))
  const { findings, parts } = checkLinks(chain, copies, sha256)
  return [
    ...chainTextFindings(value as never, { name, text }, sha256),
    ...findings,
    ...provenFindings(chain, parts),
    ...rowFindings(chain, issue),
  ]
}

const issueOn = async (disk: SimDisk) => {
  const issue = (await opened(disk).read()).get('bd-1')
  if (issue === undefined) throw new Error('it is gone')
  return issue
}

test('closing copies the evidence, and the row names the chain', async () => {
  const disk = new SimDisk({ files: files('one') })
  expect(await close(disk, 'one')).toMatchObject({ issue: { status: 'closed' } })
  const [file = '', ...more] = names(disk)
  expect([file, more]).toEqual([expect.stringMatching(/^proof-[0-9a-f]{64}\.json$/), []])
  expect(Object.keys(filesIn(textOf(disk, file))).toSorted()).toEqual([
    expect.stringMatching(/^chain-[0-9a-f]{64}\.json$/),
    expect.stringMatching(/^verify-[0-9a-f]{64}-[0-9a-f]{16}\.json$/),
  ])
  expect(findingsOf(disk, await issueOn(disk))).toEqual([])
})

test('closing again puts the new proof beside the old one, and leaves foreign files', async () => {
  const disk = new SimDisk({ files: { ...files('one', 'two'), [`${folder}/notes.txt`]: 'mine' } })
  await close(disk, 'one')
  const before = names(disk)
  const lost = `verify-${'0'.repeat(64)}-${'0'.repeat(16)}.json`
  await disk.replace(`${folder}/${lost}`, new TextEncoder().encode('{}'))
  await opened(disk).mutate(grant, update({ status: 'open' }))
  expect(findingsOf(disk, await issueOn(disk))).toMatchObject([
    { failureClass: 'proof_superseded' },
  ])
  await close(disk, 'two')
  expect(names(disk)).toHaveLength(3)
  expect(names(disk)).toEqual(expect.arrayContaining(before))
  // A crash interrupted this close of an earlier version before it wrote its chain.
  expect(names(disk)).not.toContain(lost)
  expect(findingsOf(disk, await issueOn(disk))).toEqual([])
})

test('the next close removes the files of an interrupted close, and nothing else', async () => {
  const disk = new SimDisk({ files: { ...files('one'), [`${folder}/notes.txt`]: 'mine' } })
  await close(disk, 'one')
  const chain = chainFileOf('0'.repeat(64))
  await disk.replace(`${folder}/${chain}`, new TextEncoder().encode('{}'))
  const before = names(disk)
  const bundle = before.find(name => name.startsWith('proof-'))
  const lost = `verify-${'0'.repeat(64)}-${'0'.repeat(16)}.json`
  for (const name of [
    lost,
    `${lost}.tmp.7.0`,
    `${chain}.tmp.7.1`,
    `${bundle}.tmp.7.3`,
    'notes.txt.tmp.7.2',
  ]) {
    await disk.replace(`${folder}/${name}`, new TextEncoder().encode('{'))
  }
  await opened(disk).tidyProofs('bd-1')
  expect(names(disk)).toEqual([...before, 'notes.txt.tmp.7.2'].toSorted())
  // An unreadable chain may have named any copy.
  await disk.replace(`${folder}/${chain}`, new TextEncoder().encode('{'))
  await disk.replace(`${folder}/${lost}`, new TextEncoder().encode('{'))
  await opened(disk).tidyProofs('bd-1')
  expect(names(disk)).toEqual([...before, lost, 'notes.txt.tmp.7.2'].toSorted())
  await opened(disk).tidyProofs('bd-9')
  expect(disk.isFolder(`${folder}/../bd-9`)).toBe(false)
})

test('a witness that was removed after it was opened closes nothing', async () => {
  const disk = new SimDisk({ files: files() })
  expect(await close(disk, 'one')).toMatchObject({ failureClass: 'close_proof_missing' })
  expect((await issueOn(disk)).status).toBe('open')
  expect(disk.isFolder(folder)).toBe(false)
})

test('a close refuses to write through a link', async () => {
  const links = { '/p/.premath/proofs': '/elsewhere' }
  const disk = new SimDisk({ files: files('one'), links })
  await expect(close(disk, 'one')).rejects.toThrow('lies behind a symbolic link')
  expect((await issueOn(disk)).status).toBe('open')
})

const plan = {
  commit: 'c'.repeat(40),
  base: 'b'.repeat(40),
  tree: 'e'.repeat(40),
  target: 'main',
} as const

/** Claims the issue and begins its landing. */
async function land(disk: SimDisk, output: string) {
  const store = opened(disk)
  const claim = { assignee: 'ann', ttlSeconds: 3600 }
  const claimed = await store.mutate(grant, { action: 'issue.claim', id: 'bd-1', claim })
  if (isRefusal(claimed)) return claimed
  const { lease } = claimed.issue as Issue
  const proof = { leaseId: lease?.lease_id, fence: fenceOf(claimed.issue as Issue) }
  const done = proofOf(output)
  return await store.mutate(grant, {
    action: 'issue.land_begin',
    id: 'bd-1',
    proof,
    done,
    landing: plan,
  })
}

const finish = (disk: SimDisk) => {
  const landed = Landed.of({ ...plan, issueId: 'bd-1', isInTarget: true })
  return opened(disk).mutate(grant, { action: 'issue.land_finish', id: 'bd-1', landed })
}
const undo = (disk: SimDisk) =>
  opened(disk).mutate(grant, { action: 'issue.land_undo', id: 'bd-1', commit: plan.commit })

describe('the proof of a landing', () => {
  test('names the commit, and is that of the closed issue', async () => {
    const disk = new SimDisk({ files: files('one') })
    await land(disk, 'one')
    const [bundle = ''] = names(disk)
    const { [bundle.replace('proof', 'chain')]: chain = '' } = filesIn(textOf(disk, bundle))
    expect(parseJson(chain)).toMatchObject({
      claim: { worker: 'ann', fence: 1 },
      head: plan.commit,
      landed: { commit: plan.commit, tree: plan.tree, target: 'main' },
    })
    await finish(disk)
    expect(findingsOf(disk, await issueOn(disk))).toEqual([])
  })

  test('is removed with its folder when the landing is undone', async () => {
    const disk = new SimDisk({ files: files('one') })
    await land(disk, 'one')
    await undo(disk)
    expect(disk.isFolder(folder)).toBe(false)
    expect(landingOf(await issueOn(disk))).toBeUndefined()
  })

  test('is removed without the proof of another close, and without foreign files', async () => {
    const disk = new SimDisk({ files: { ...files('one'), [`${folder}/notes.txt`]: 'mine' } })
    await close(disk, 'one')
    const before = names(disk)
    await opened(disk).mutate(grant, update({ status: 'open' }))
    await land(disk, 'one')
    expect(names(disk)).toHaveLength(before.length + 1)
    await undo(disk)
    expect(names(disk)).toEqual(before)
  })

  test('that somebody removed keeps the issue open', async () => {
    const disk = new SimDisk({ files: files('one') })
    await land(disk, 'one')
    for (const name of names(disk)) await disk.remove(`${folder}/${name}`)
    expect(await finish(disk)).toMatchObject({ failureClass: 'close_proof_missing' })
    expect((await issueOn(disk)).status).toBe('in_progress')
    expect(await undo(disk)).toMatchObject({ rows: [{ status: 'in_progress' }] })
  })

  test('of a row that was changed by hand removes no other file', async () => {
    const disk = new SimDisk({ files: { ...files('one'), [`${folder}/chain-x.json`]: 'mine' } })
    await land(disk, 'one')
    const text = new TextDecoder().decode(disk.contentOf(issuesPath))
    const edited = text.replaceAll(/"chain":"[^"]*"/g, '"chain":"x"')
    await disk.replace(issuesPath, new TextEncoder().encode(edited))
    await undo(disk)
    expect(names(disk)).toContain('chain-x.json')
  })
})

/** The disk after a fault at that call of a close; `undefined` where there were fewer calls. */
async function closedWith(
  fault: SimFault,
  at: number,
  act = (on: SimDisk): Promise<unknown> => close(on, 'one'),
  before = new SimDisk({ files: files('one') }),
): Promise<SimDisk | undefined> {
  let isReached = false
  const disk = new SimDisk({
    files: Object.fromEntries(before.contents()),
    chance: () => 0.4,
    fault(call) {
      if (call !== at) return undefined
      isReached = true
      return fault
    },
  })
  const failed = await act(disk).then(
    () => undefined,
    error => error,
  )
  if (!isReached) return undefined
  disk.endProcess()
  return failed instanceof SimCrash
    ? disk.afterCrash()
    : disk.sharedWith({ fault: () => undefined })
}

describe.each(simFaults)('a fault %s at any call', fault => {
  test('a closed issue has its proof, and an open one can be closed', async () => {
    let at = 1
    for (; ; at++) {
      const disk = await closedWith(fault, at)
      if (disk === undefined) break
      const issue = await issueOn(disk)
      if (issue.status === 'closed') expect(findingsOf(disk, issue), `call ${at}`).toEqual([])
      else await close(disk, 'one')
      expect(findingsOf(disk, await issueOn(disk)), `call ${at}`).toEqual([])
    }
    expect(at).toBeGreaterThan(20)
  })

  test('a landing ends closed with its proof, or undone and with none', async () => {
    for (const [end, status] of [
      [finish, 'closed'],
      [undo, 'in_progress'],
    ] as const) {
      const both = async (on: SimDisk) => {
        await land(on, 'one')
        await end(on)
      }
      for (let at = 1; ; at++) {
        const disk = await closedWith(fault, at, both)
        if (disk === undefined) break
        // The next start goes on from the row.
        if (!landingOf(await issueOn(disk)) && status === 'closed') await land(disk, 'one')
        await end(disk)
        const issue = await issueOn(disk)
        if (issue.status === 'closed') expect(findingsOf(disk, issue), `call ${at}`).toEqual([])
        expect([status, 'open']).toContain(issue.status)
        expect(landingOf(issue)).toBeUndefined()
      }
    }
  })
})
