/** Two changes that want the same entry of an instruction: one is made, whatever the interleaving. */
import { expect, test } from 'vitest'
import { AgentGrant } from '../../src/kernel/authority/agent-grant.ts'
import { isRefused } from '../../src/kernel/instruction/instruction-refusal.ts'
import { readRuntime } from '../../src/kernel/instruction/instruction-runtime.ts'
import { witnessInstruction } from '../../src/kernel/instruction/instruction-witness.ts'
import type { IssueChange } from '../../src/kernel/issues/issue-change.ts'
import { isRefusal } from '../../src/kernel/issues/issue-refusal.ts'
import type { Json } from '../../src/kernel/json.ts'
import { instantOf } from '../../src/kernel/timestamp.ts'
import { FileIssueStore } from '../../src/store/file/file-issue-store.ts'
import { SimDisk } from '../../src/testing/sim-disk.ts'
import { checked, envelope, registry, runtimeOf, sha256, testPolicy } from '../an-instruction.ts'
import { seeded, seedOf } from './seeded.ts'

const path = '/p/.premath/issues.jsonl'
const races = 1_000
const now = instantOf('2026-02-21T00:10:00Z') ?? 0n

/** Good for one issue that is added. */
const instruction = checked({
  ...envelope,
  capabilityClaims: ['capabilities.change_morphisms', 'capabilities.change_morphisms.all'],
  scope: { kind: 'repo', mutations: [{ action: 'issue_add' }] },
})

function granted(): AgentGrant {
  const runtime = readRuntime(runtimeOf(instruction) as unknown as Json)
  if (isRefused(runtime)) throw new Error(runtime.message)
  const witness = witnessInstruction(instruction, runtime, sha256) as unknown as Json
  const ground = { now, ttlSeconds: 3600, registry: registry(testPolicy), sha256 }
  const grant = AgentGrant.accept(witness, 'artifacts/ciwitness/a.json', ground)
  if (isRefusal(grant)) throw new Error(grant.diagnostic)
  return grant
}

const add = (title: string): IssueChange => ({ action: 'issue.add', issue: { title } })

test(`each of ${races} races of two changes for one entry has one winner`, async () => {
  const seed = seedOf(process.env)
  const chance = seeded(seed)
  const grant = granted()
  for (let race = 0; race < races; race++) {
    const turn = async () => {
      for (let rest = Math.floor(chance() * 4); rest > 0; rest--) await undefined
    }
    const disk = new SimDisk({ files: { [path]: '{"id":"bd-1","title":"t"}\n' }, turn })
    const open = () =>
      new FileIssueStore({ path, disk, clock: { now: () => now }, lockWaitMs: 1_000_000 })
    const answers = await Promise.all(
      ['one', 'other'].map(title => open().mutate(grant, add(title))),
    )
    const results = answers.map(one => (isRefusal(one) ? one.failureClass : 'made')).sort()
    expect(results, `SEED=${seed}, race ${race}`).toEqual(['instruction_entry_used', 'made'])
    expect((await open().read()).all()).toHaveLength(2)
  }
})

test('a crash between the use and the change leaves it unmade, and it is not made twice', async () => {
  const grant = granted()
  for (let call = 1; ; call++) {
    const disk = new SimDisk({
      files: { [path]: '{"id":"bd-1","title":"t"}\n' },
      fault: made => (made === call ? 'crash' : undefined),
    })
    const open = (on: SimDisk) =>
      new FileIssueStore({ path, disk: on, clock: { now: () => now }, lockWaitMs: 10 })
    const crashed = await open(disk)
      .mutate(grant, add('one'))
      .then(
        () => false,
        () => true,
      )
    if (!crashed) break
    const after = disk.afterCrash()
    await open(after).mutate(grant, add('again'))
    expect((await open(after).read()).all().length).toBeLessThanOrEqual(2)
  }
})
