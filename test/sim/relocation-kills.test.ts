/** A step whose work travels, killed before and after calls of the disk: it is whole again. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { canonicalJson } from '../../src/kernel/canonical.ts'
import {
  relocationCheckKind,
  transportOutcomeKind,
} from '../../src/kernel/harness/relocation/relocation-answers.ts'
import { relocationWitness } from '../../src/kernel/harness/relocation/relocation-check.ts'
import { retryPolicyPath } from '../../src/kernel/harness/retry/retry-policy.ts'
import type { Json, JsonObject } from '../../src/kernel/json.ts'
import { witnessDigest, witnessPath } from '../../src/kernel/proof/witness.ts'
import { SimDisk, type SimFault } from '../../src/testing/sim-disk.ts'
import { SimProcesses } from '../../src/testing/sim-processes.ts'
import { simWorld } from '../../src/testing/sim-world.ts'
import type { CommandSpec } from '../../src/world/world.ts'
import { evidence } from '../a-turn.ts'
import { checkedOperations } from '../checked-answers.ts'
import { callStep } from './seeded.ts'

const sha256 = (text: string) => hash('sha256', text)
const policy = readFileSync(retryPolicyPath, 'utf8')
const bytesOf = (...lines: readonly object[]) =>
  new TextEncoder().encode(lines.map(line => `${canonicalJson(line as Json)}\n`).join(''))

const handoff = { target: 'location://far', requiredArtifactRefs: [], returnPathRef: 'r' }
const turn = { evidence: evidence(['tc-1'], { handoff }) }

/** A location that says yes to whatever comes to it. */
function answersTo(inputs: string): Uint8Array {
  const relocation = JSON.parse(inputs)
  const digest = sha256(canonicalJson(relocation))
  const passed = { commandDigest: `sha256:${sha256('make')}`, exitCode: 0 } as const
  const witness = relocationWitness({
    arrived: { relocation, digest, name: `${digest}.json` },
    place: { issue: undefined, ...relocation },
    verifications: [{ ...passed, outputDigest: `sha256:${sha256('')}` }],
    findings: [],
    head: null,
  })
  const witnessRef = witnessPath('relocation', witnessDigest(witness as JsonObject, sha256))
  const outcome = {
    schema: 1,
    outcomeKind: transportOutcomeKind,
    relocationDigest: `sha256:${digest}`,
    result: 'delivered',
  }
  const { failureClasses, result } = witness
  const verdict = { action: 'harness-relocation.check', failureClasses, findings: [], result }
  return bytesOf(outcome, { checkKind: relocationCheckKind, ...verdict, witness, witnessRef })
}

function project() {
  const kill: { at: number; how: SimFault } = { at: 0, how: 'crash' }
  const meanwhile: { at: number; act: () => void } = { at: 0, act: () => {} }
  const disk: SimDisk = new SimDisk({
    files: {
      '/p/.premath/issues.jsonl': '{"id":"bd-1","title":"One"}\n',
      [`/p/${retryPolicyPath}`]: policy,
    },
    fault: call => {
      if (call === meanwhile.at) meanwhile.act()
      return call === kill.at ? kill.how : undefined
    },
  })
  // Other programs go on writing whatever becomes of us.
  const others = disk.sharedWith({})
  const script = ({ command, env }: CommandSpec) => ({
    exitCode: 0,
    effect: async () => {
      if (command === 'work') {
        await others.replaceLoosely(env['PREMATH_TURN_EVIDENCE'] ?? '', bytesOf(turn))
      }
      if (command !== 'carry') return
      const inputs = others.contentOf(env['PREMATH_RELOCATION'] ?? '')
      const answers = answersTo(new TextDecoder().decode(inputs))
      await others.replaceLoosely(env['PREMATH_RELOCATION_EVIDENCE'] ?? '', answers)
    },
  })
  const processes = new SimProcesses({ disk, script })
  let second = 1_800_000_000
  const clock = {
    now: () => BigInt(second++) * 1_000_000_000n,
    steady: () => BigInt(second++) * 1_000_000_000n,
    sleep: async () => {},
  }
  const run = async (...words: readonly string[]) => {
    const world = simWorld({ disk, processes, clock, cwd: '/p', env: { NO_COLOR: '1' } })
    const exit = await runCommand([...words, '--json'], checkedOperations, world)
    return { exit, json: world.printed.out === '' ? undefined : JSON.parse(world.printed.out) }
  }
  const linesOf = (name: string) =>
    new TextDecoder()
      .decode(disk.contents().get(`/p/.premath/${name}`))
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => JSON.parse(line))
  return { kill, meanwhile, disk, others, run, linesOf }
}

const commands = ['--work-cmd', 'work', '--verify-cmd', 'check', '--transport-cmd', 'carry']
const step = ['harness-step', ...commands]

test.each(['crash', 'crash after'] as const)(
  '[tusk.4.restart] [runtime.8.transport-chain] a killed step is finished or undone, and closes once with its evidence: %s',
  async how => {
    const seen = { finished: 0, undone: 0 }
    for (let at = 1; ; at += callStep) {
      const { kill, disk, run, linesOf } = project()
      Object.assign(kill, { at, how })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      const boot = await run('harness-boot')
      expect({ at, exit: boot.exit }).toEqual({ at, exit: 0 })
      const recovered: 'finished' | 'undone' | undefined = boot.json.recovered?.how
      if (recovered) seen[recovered]++
      expect((await run(...step)).exit).toBe(0)
      const rows = linesOf('harness_trajectory.jsonl')
      const done = rows.filter(({ resultClass }) => resultClass === 'completed')
      expect({ at, done: done.length }).toEqual({ at, done: 1 })
      const refs = done[0].witnessRefs.filter((ref: string) => /relocation|transport/.test(ref))
      expect({ at, refs: refs.length }).toEqual({ at, refs: 3 })
      const closings = linesOf('issues.jsonl').filter(({ status }) => status === 'closed')
      expect({ at, closings: closings.length }).toEqual({ at, closings: 1 })
    }
    expect(seen.finished).toBeGreaterThan(3)
    expect(seen.undone).toBeGreaterThan(3)
  },
)

test.each(['artifacts/relocations/', 'artifacts/ciwitness/relocation/', '/transport.json'])(
  'a change of %s between the decision and the recovery does not close the issue',
  async place => {
    let tried = 0
    for (let at = 1; tried < 2; at++) {
      const { kill, disk, others, run, linesOf } = project()
      Object.assign(kill, { at, how: 'crash after' })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      const journal = linesOf('steps/worker.jsonl').at(-1)
      const isDecided = journal?.outcome?.change === 'close'
      const isClosed = linesOf('issues.jsonl').some(({ status }) => status === 'closed')
      if (!isDecided || isClosed) continue
      tried++
      const files = [...disk.contents().keys()].filter(one => one.endsWith('.json'))
      const path = files.find(one => one.includes(place)) ?? ''
      await others.replaceLoosely(path, new TextEncoder().encode('{}\n'))
      await run('harness-boot')
      const closings = linesOf('issues.jsonl').filter(({ status }) => status === 'closed')
      expect({ at, closings: closings.length }).toEqual({ at, closings: 0 })
      expect(linesOf('harness_trajectory.jsonl').at(-1)).toMatchObject({
        resultClass: 'close_proof_missing',
      })
    }
    expect(tried).toBeGreaterThan(0)
  },
)

const overriding = '{"schema":1,"surfaces":{"cli":{"mode":"human-override"}}}\n'
const policyFile = '/p/.premath/policy.json'
const otherPolicy = (disk: SimDisk) =>
  disk.replaceLoosely(policyFile, new TextEncoder().encode(overriding))

test.each(['issue', 'policy'])(
  'a change of the %s between the decision and the recovery does not close the issue',
  async what => {
    let tried = 0
    for (let at = 1; tried < 2; at++) {
      const { kill, disk, others, run, linesOf } = project()
      Object.assign(kill, { at, how: 'crash after' })
      await run(...step)
      if (disk.calls < at) break
      kill.at = 0
      const journal = linesOf('steps/worker.jsonl').at(-1)
      const isDecided = journal?.outcome?.change === 'close'
      const isClosed = linesOf('issues.jsonl').some(({ status }) => status === 'closed')
      if (!isDecided || isClosed) continue
      tried++
      if (what === 'policy') await otherPolicy(others)
      else expect((await run('issue', 'update', 'bd-1', '--title', 'Other')).exit).toBe(0)
      const { json } = await run('harness-boot', '--reason', 'a look')
      expect({ at, how: json.recovered.how }).toEqual({ at, how: 'undone' })
      expect(linesOf('issues.jsonl').some(({ status }) => status === 'closed')).toBe(false)
      expect(linesOf('harness_trajectory.jsonl').at(-1)).toMatchObject({
        resultClass: 'retry_needed_close_proof_stale',
      })
    }
    expect(tried).toBeGreaterThan(0)
  },
)

test('a policy change counts until the issue closes, after the decision too', async () => {
  const summaries = new Set<string>()
  for (let at = 1; ; at++) {
    const { meanwhile, disk, others, run, linesOf } = project()
    Object.assign(meanwhile, { at, act: () => void otherPolicy(others) })
    await run(...step)
    if (disk.calls < at) break
    const [row] = linesOf('harness_trajectory.jsonl')
    if (row?.resultClass === 'close_proof_stale') summaries.add(row.summary)
    // From the last look on it closes.
    if (row?.resultClass === 'completed' && summaries.size > 0) break
  }
  const changed = 'the policy has changed since it was sent to be checked elsewhere'
  expect([...summaries]).toEqual([
    changed,
    `the work was done and verified; the change was refused: ${changed}`,
  ])
})
