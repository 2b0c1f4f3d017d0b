/**
 * Warm changes, by a process that keeps its memory: a path per size on the command line, the median
 * milliseconds of each as JSON on standard output. Sizes take turns, so that what the disk does
 * meanwhile meets all of them.
 */
import { OperatorGrant } from '../src/kernel/authority/operator-grant.ts'
import { FileIssueStore } from '../src/store/file/file-issue-store.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const runs = 400
const { clock } = nodeWorld()
const authority = OperatorGrant.grant({ operator: 'bench', surface: 'cli', mode: 'open' })

const kinds = {
  update: turn => ({
    action: 'issue.update',
    id: `bd-${1 + (turn % 300)}`,
    proof: {},
    fields: { title: `turn ${turn}` },
  }),
  'claim-next': () => ({ action: 'issue.claim_next', claim: { assignee: 'bench' } }),
}

const stores = process.argv
  .slice(2)
  .map(path => new FileIssueStore({ path, disk: nodeDisk, clock, lockWaitMs: 60_000 }))

const answer = {}
for (const [kind, changeOf] of Object.entries(kinds)) {
  const spent = stores.map(() => [])
  for (let turn = 0; turn < runs; turn++) {
    for (const [at, store] of stores.entries()) {
      const began = process.hrtime.bigint()
      const { issue } = await store.mutate(authority, changeOf(turn))
      spent[at].push(Number(process.hrtime.bigint() - began) / 1e6)
      // So that there is always something left to claim.
      if (issue?.lease) {
        const proof = {
          assignee: 'bench',
          leaseId: issue.lease.lease_id,
          fence: issue.metadata.premathFence,
        }
        await store.mutate(authority, { action: 'issue.lease_release', id: issue.id, proof })
      }
    }
  }
  // The first ones read the memory and bring the event log up to it.
  answer[kind] = spent.map(times => times.slice(20).sort((a, b) => a - b)[(runs - 20) >> 1])
}
process.stdout.write(JSON.stringify(answer))
