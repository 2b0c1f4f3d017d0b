/**
 * Sixty-four workers share one memory: they claim, pause for longer than their lease, renew, write
 * and release, each by a clock that is wrong in its own way. Every interleaving comes from a seed.
 */
import { expect, test } from 'vitest'
import { OperatorGrant } from '../../src/kernel/authority/operator-grant.ts'
import { fenceOf } from '../../src/kernel/issues/issue.ts'
import type { IssueChange } from '../../src/kernel/issues/issue-change.ts'
import { isRefusal } from '../../src/kernel/issues/issue-refusal.ts'
import { FileIssueStore } from '../../src/store/file/file-issue-store.ts'
import { SimDisk } from '../../src/testing/sim-disk.ts'
import { isTorture, seeded, seedOf } from './seeded.ts'

const path = '/p/.premath/issues.jsonl'
const workers = 64
const issues = 24
const turns = 12
const ttlSeconds = 60
const nanos = 1_000_000_000

const authority = OperatorGrant.grant({ operator: 'sim', surface: 'cli', mode: 'open' })

interface Accepted {
  readonly worker: string
  readonly id: string
  readonly fence: number
  readonly at: number
}

class Simulation {
  readonly #chance: () => number
  readonly #disk: SimDisk
  #seconds = 1_800_000_000
  #order = 0
  readonly acquired: Accepted[] = []
  readonly written: Accepted[] = []
  readonly refused = new Map<string, number>()

  constructor(seed: number) {
    this.#chance = seeded(seed)
    const rows = Array.from({ length: issues }, (_, at) => `{"id":"bd-${at + 1}","title":"t"}\n`)
    this.#disk = new SimDisk({
      files: { [path]: rows.join('') },
      turn: async () => {
        for (let rest = Math.floor(this.#chance() * 3); rest > 0; rest--) await undefined
      },
    })
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: workers }, (_, at) => this.#work(`w${at}`)))
  }

  store(skewSeconds = 0): FileIssueStore {
    const now = () => BigInt(this.#seconds + skewSeconds) * BigInt(nanos)
    return new FileIssueStore({ path, disk: this.#disk, clock: { now }, lockWaitMs: 1_000_000 })
  }

  async #work(worker: string): Promise<void> {
    // Up to half a minute fast or slow.
    const store = this.store(Math.floor(this.#chance() * 60) - 30)
    for (let turn = 0; turn < turns; turn++) {
      await this.#pause(5)
      const claim = { assignee: worker, ttlSeconds }
      const claimed = await store.mutate(authority, { action: 'issue.claim_next', claim })
      if (isRefusal(claimed) || !claimed.issue?.lease) continue
      const { id, lease } = claimed.issue
      const fence = fenceOf(claimed.issue)
      this.acquired.push({ worker, id, fence, at: this.#order++ })
      const proof = { assignee: worker, leaseId: lease.lease_id, fence }
      // Now and then a worker sleeps through its own lease, and wakes up as a zombie.
      await this.#pause(this.#chance() < 0.3 ? ttlSeconds * 3 : 10)
      await this.#write(store, proof, { worker, id, fence, at: 0 })
      if (this.#chance() < 0.4) {
        await store.mutate(authority, {
          action: 'issue.lease_renew',
          id,
          proof,
          term: { ttlSeconds },
        })
        await this.#pause(ttlSeconds * 2)
        await this.#write(store, proof, { worker, id, fence, at: 0 })
      }
      await store.mutate(authority, { action: 'issue.lease_release', id, proof })
    }
  }

  async #write(
    store: FileIssueStore,
    proof: { assignee: string; leaseId: string; fence: number },
    mine: Accepted,
  ): Promise<void> {
    const fields = { notes: `${mine.worker} ${mine.fence}` }
    const change: IssueChange = { action: 'issue.update', id: mine.id, proof, fields }
    const made = await store.mutate(authority, change)
    if (!isRefusal(made)) this.written.push({ ...mine, at: this.#order++ })
    else this.refused.set(made.failureClass, (this.refused.get(made.failureClass) ?? 0) + 1)
  }

  async #pause(secondsMax: number): Promise<void> {
    this.#seconds += this.#chance() * 2 > 1 ? 1 : 0
    const until = this.#seconds + Math.floor(this.#chance() * secondsMax)
    while (this.#seconds < until) {
      await new Promise(resolve => setImmediate(resolve))
      this.#seconds += this.#chance() < 0.1 ? 1 : 0
    }
  }
}

const seed = seedOf(process.env)
const rounds = isTorture ? 20 : 1

test.each(Array.from({ length: rounds }, (_, round) => seed + round))(
  'a fence has one holder and an expired holder cannot write, for any clocks (SEED=%i)',
  async own => {
    const simulation = new Simulation(own)
    await simulation.run()
    const { acquired, written, refused } = simulation
    const seed = `SEED=${own}`

    const fences = acquired.map(({ id, fence }) => `${id} ${fence}`)
    expect(new Set(fences).size, seed).toBe(fences.length)

    for (const write of written) {
      // The last worker that had acquired the issue by then.
      const holder = acquired.findLast(({ id, at }) => id === write.id && at < write.at)
      expect([holder?.worker, holder?.fence], seed).toEqual([write.worker, write.fence])
    }
    expect(acquired.length, seed).toBeGreaterThan(issues)
    expect(written.length, seed).toBeGreaterThan(0)
    expect([...refused.keys()].length, seed).toBeGreaterThan(0)

    const memory = await simulation.store().read()
    for (const id of new Set(acquired.map(claim => claim.id))) {
      const last = Math.max(...acquired.filter(claim => claim.id === id).map(({ fence }) => fence))
      const issue = memory.get(id)
      expect(issue && fenceOf(issue), seed).toBe(last)
    }
  },
)
