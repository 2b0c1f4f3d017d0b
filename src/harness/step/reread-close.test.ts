import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import { openContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { openHarness } from '../../project/open-harness.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses } from '../../testing/sim-processes.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { rereadClose } from './reread-close.ts'

const commit = 'c'.repeat(40)
const tree = '7'.repeat(40)
const row = (id: string, more: object = {}) =>
  `${JSON.stringify({ id, title: 'One', status: 'closed', metadata: { premathFence: 1 }, ...more })}\n`
const many = Array.from({ length: 3000 }, (_, at) => row(`other-${at}`)).join('')

/** A project whose file of rows is this text, in a repository where git answers this. */
async function reread(rows: string, acknowledged: string, landedTree?: string) {
  const disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': rows } })
  const processes = new SimProcesses({
    disk,
    script: () => ({ stdout: `${landedTree}\n${commit}\n` }),
  })
  const project = await openProject(openContext(simWorld({ disk, processes, cwd: '/p' })))
  const none = { session: undefined, ledger: undefined, trajectory: undefined, reason: undefined }
  const { harness } = await openHarness(project, { ...none, worker: 'w', issues: undefined })
  const journal = {
    stepId: 'w.bd-1.1.1',
    workerId: 'w',
    issueId: 'bd-1',
    leaseId: 'l',
    fence: 1,
    attempt: 1,
    startedAt: '2026-02-21T00:00:00Z',
    sessionPath: '/p/.premath/harness_session.json',
    ledgerPath: '/p/.premath/harness_feature_ledger.json',
  }
  const landing =
    landedTree === undefined ? undefined : { target: 'main', base: commit, commit, tree }
  const issue = readIssueLine(acknowledged.trimEnd()) as Issue
  const ref = await rereadClose(harness, journal, issue, landing)
  const text = new TextDecoder().decode(disk.contentOf('/p/artifacts/steps/w.bd-1.1.1/reread.json'))
  expect(ref).toContain(createHash('sha256').update(text).digest('hex'))
  return JSON.parse(text)
}

test('[linkage.4.reread] finds the row on the disk, also behind many later rows', async () => {
  const read = { issueId: 'bd-1', status: 'closed', fence: 1, dependencies: [], tree: '' }
  expect(await reread(row('bd-1'), row('bd-1'))).toMatchObject(read)
  expect(await reread(row('bd-1') + many, row('bd-1'))).toMatchObject(read)
  expect(await reread(row('bd-1'), row('bd-1'), tree)).toMatchObject({ tree })
})

const chained = { metadata: { premathClose: { chain: `sha256:${'0'.repeat(64)}` } } }

test.each([
  [
    'the row',
    row('bd-1', { title: 'Other' }),
    row('bd-1'),
    undefined,
    /its rowDigest reads "sha256:\w+" instead of "sha256:/,
  ],
  ['no row', row('bd-2'), row('bd-1'), undefined, /reads "missing" instead of "sha256:/],
  [
    'the proof',
    row('bd-1', chained),
    row('bd-1', chained),
    undefined,
    /its chain reads "missing" instead of "sha256:0/,
  ],
  ['the tree', row('bd-1'), row('bd-1'), '8'.repeat(40), /its tree reads "8+" instead of "7+"/],
])(
  '[linkage.4.reread] faults with both values if the disk has another one: %s',
  async (_, rows, acknowledged, landed, message) => {
    const fault = { code: 'corrupt', message: expect.stringMatching(message) }
    await expect(reread(rows, acknowledged, landed)).rejects.toMatchObject(fault)
  },
)
