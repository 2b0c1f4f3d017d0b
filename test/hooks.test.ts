/** The three hooks of the harness, boot, step and stop, clause by clause, in memory. */
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { canonicalJson, digestOf } from '../src/kernel/canonical.ts'
import { handoffClasses } from '../src/kernel/harness/handoff-check.ts'
import { fileOfRef } from '../src/kernel/harness/step/witness-ref.ts'
import type { SimScript } from '../src/testing/sim-processes.ts'
import type { CommandSpec } from '../src/world/world.ts'
import { MemoryProject, type MemorySetup } from './a-project-in-memory.ts'
import { evidence } from './a-turn.ts'
import { envelope, testPolicy } from './an-instruction.ts'

const sha256 = (text: string) => hash('sha256', text)
const open = (id: string, row: object = {}) => ({ id, title: `Issue ${id}`, ...row })
const blockedBy = (id: string, ...others: readonly string[]) =>
  open(id, {
    dependencies: others.map(depends_on_id => ({ issue_id: id, depends_on_id, type: 'blocks' })),
  })

const stepWords = ['harness-step', '--work-cmd', 'work', '--verify-cmd', 'check']
const noFiles = ['.premath/harness_session.json', '.premath/harness_feature_ledger.json']

/** A project whose work and verification pass, unless a test says otherwise. */
function project(setup: MemorySetup = {}) {
  const programs = { work: () => ({}), check: () => ({}), ...setup.programs }
  const made = new MemoryProject({ issues: [open('bd-1'), open('bd-2')], ...setup, programs })
  const step = (...more: readonly string[]) => made.asked(...stepWords, ...more)
  return Object.assign(made, { step })
}

/** Work that leaves these turns where its step looks for them. */
function leaving(...turns: readonly object[]) {
  const put: { file?: (path: string, text: string) => Promise<void> } = {}
  const text = turns.map(turn => `${canonicalJson(turn as never)}\n`).join('')
  const work = ({ env }: CommandSpec): SimScript => ({
    effect: () => put.file?.(env['PREMATH_TURN_EVIDENCE'] ?? '', text),
  })
  const made = project({ programs: { work } })
  put.file = made.put
  return made
}

/** An agent whose instruction lists these changes; the policy takes nothing else. */
async function instructed(...mutations: readonly object[]) {
  const made = project({ programs: { 'run checks': () => ({}) } })
  const id = '20260221T000000Z-wiring'
  const scope = { kind: 'repo', mutations }
  const capabilityClaims = [
    'capabilities.change_morphisms',
    'capabilities.change_morphisms.issue_claim',
    'capabilities.change_morphisms.issue_update',
  ]
  const checks = { 'hk-check': 'run checks' }
  await made.put('policies/instruction/test-v1.json', testPolicy)
  await made.put('.premath/checks.json', { schema: 1, checksKind: 'premath.checks.v1', checks })
  await made.put('.premath/policy.json', instructionsOnly)
  const path = `instructions/${id}.json`
  const instruction = { ...envelope, instructionType: 'ci.gate.check', capabilityClaims, scope }
  await made.put(path, instruction)
  await made.done('instruction-run', '--instruction', path)
  return Object.assign(made, { under: ['--instruction', id] })
}

const instructionsOnly = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }

describe('boot', () => {
  const roots = [
    '.premath/issues.jsonl',
    '.premath/harness_session.json',
    'artifacts/ciwitness',
    'artifacts/observation/latest.json',
  ]

  test.each(roots.slice(1))('[runtime.3.1.roots] reports that %s exists', async root => {
    const { asked, put, done } = project()
    expect((await asked('harness-boot')).json.memoryRoots).toEqual(
      roots.map((path, at) => ({ path, present: at === 0 })),
    )
    if (root.endsWith('session.json')) await done('harness-session', 'write', '--state', 'stopped')
    else await put(root.endsWith('.json') ? root : `${root}/a.json`, {})
    expect((await asked('harness-boot')).json.memoryRoots).toEqual(
      roots.map((path, at) => ({ path, present: at === 0 || path === root })),
    )
  })

  test('[runtime.3.1.target] [tusk.3.1.boot] names the first offered issue, and claims nothing', async () => {
    const issues = [
      open('bd-1', { priority: 3 }),
      { ...blockedBy('bd-2', 'bd-1'), priority: 0 },
      open('bd-3', { priority: 1 }),
      open('bd-4', { priority: 0, status: 'closed' }),
      open('bd-5', { priority: 0, assignee: 'somebody' }),
    ]
    const { asked, issue } = project({ issues })
    const { exit, json } = await asked('harness-boot')
    expect({ exit, result: json.result, target: json.target }).toEqual({
      exit: 0,
      result: 'accepted',
      target: { issueId: 'bd-3', title: 'Issue bd-3', priority: 1, why: 'ready' },
    })
    expect(await issue('bd-3')).toMatchObject({ status: 'open', assignee: '' })
  })

  test('[runtime.3.1.target] offers a worker the issue that it holds', async () => {
    const { asked, done } = project()
    await done('issue', 'claim', 'bd-2', '--assignee', 'worker')
    expect((await asked('harness-boot')).json.target).toMatchObject({
      issueId: 'bd-2',
      why: 'held',
    })
    const { json } = await asked('harness-boot', '--worker', 'another')
    expect(json.target).toMatchObject({ issueId: 'bd-1', why: 'ready' })
  })

  test('[runtime.3.1.target] offers an agent an issue that the policy lets it claim', async () => {
    const { asked, under } = await instructed({ action: 'issue_claim', issueId: 'bd-2' })
    const { json } = await asked('harness-boot', ...under)
    expect(json.target).toMatchObject({ issueId: 'bd-2', why: 'ready' })
    const other = await instructed({ action: 'issue_update', issueId: 'bd-1' })
    expect((await other.asked('harness-boot', ...other.under)).json.target).toBeNull()
  })

  test('[runtime.3.1.diagnostics] [tusk.3.1.boot] stops at a cycle among active issues, and claims nothing', async () => {
    const issues = [blockedBy('a', 'b'), blockedBy('b', 'a'), open('c')]
    const { step, issue, processes } = project({ issues })
    const { exit, json } = await step()
    expect(exit).toBe(1)
    expect(json).toMatchObject({ result: 'rejected', failureClasses: ['dependency_cycle_active'] })
    expect(await issue('c')).toMatchObject({ status: 'open' })
    expect(processes.started).toEqual([])
  })

  test('[runtime.3.1.handoff] [tusk.3.1.boot] loads the last handoff and recomputes the digests of its refs', async () => {
    const { asked, done, step, put } = project()
    await step()
    await done('harness-stop', '--next-step', 'the other half')
    const { json: before } = await asked('harness-boot')
    expect(before).toMatchObject({
      result: 'accepted',
      snapshot: 'same',
      bootstrap: { mode: 'resume', resumeIssueId: 'bd-1', nextStep: 'the other half' },
    })
    const states = before.refs.map(({ state }: { state: string }) => state)
    expect(states.filter((state: string) => state === 'verified')).toHaveLength(5)
    await done('issue', 'add', 'Third')
    expect((await asked('harness-boot')).json.snapshot).toBe('moved')
    await put('artifacts/steps/worker.bd-1.1.1/record.json', {})
    const { exit, json } = await asked('harness-boot')
    expect(exit).toBe(5)
    expect(json).toMatchObject({ result: 'rejected', failureClasses: ['handoff_witness_changed'] })
  })

  test('[runtime.3.1.startup] starts work only if the startup verification passes', async () => {
    const failing = { start: () => ({ exitCode: 1 }) }
    const { step, issue, processes } = project({ programs: failing })
    const { exit, json } = await step('--startup-cmd', 'start')
    expect(exit).toBe(1)
    expect(json).toMatchObject({ result: 'rejected', failureClasses: ['check_failed'] })
    expect(processes.started.map(({ command }) => command)).toEqual(['start'])
    expect(await issue('bd-1')).toMatchObject({ status: 'open' })

    const passing = project({ programs: { start: () => ({}) } })
    expect((await passing.step('--startup-cmd', 'start')).json.result).toBe('completed')
    const commands = passing.processes.started.map(({ command }) => command)
    expect(commands.filter(command => typeof command === 'string')).toEqual([
      'start',
      'work',
      'check',
    ])
  })
})

describe('a step', () => {
  test('[runtime.3.2.one-item] [tusk.3.2.step] claims one issue and closes it', async () => {
    const { step, issue, trajectory } = await stepped()
    expect(step.json).toMatchObject({ result: 'completed', claimed: true, issueId: 'bd-1' })
    expect(await issue('bd-1')).toMatchObject({ status: 'closed' })
    expect(await issue('bd-2')).toMatchObject({ status: 'open', assignee: '' })
    expect(trajectory.map(({ issueId }) => issueId)).toEqual(['bd-1'])
  })

  /** A project after its first step. */
  async function stepped(setup: MemorySetup = {}) {
    const made = project(setup)
    const step = await made.step()
    const { issue, trajectory, text, json, put } = made
    return { made, step, issue, trajectory, text, json, put }
  }

  test('[runtime.2.trajectory-artifact] [runtime.2.trajectory-commands] [tusk.6.references] leaves a row that names its payloads and holds none', async () => {
    const payload = 'a payload of the work'
    const { trajectory, text, made } = await stepped({
      programs: { work: () => ({ stdout: payload }) },
    })
    expect(trajectory).toMatchObject([
      {
        schema: 1,
        stepKind: 'premath.harness.step.v1',
        stepId: 'worker.bd-1.1.1',
        action: 'harness.step',
        resultClass: 'completed',
        commands: [
          { role: 'work', exitCode: 0 },
          { role: 'verify', exitCode: 0 },
        ],
      },
    ])
    expect(text('.premath/harness_trajectory.jsonl')).not.toContain(payload)
    expect(text('artifacts/steps/worker.bd-1.1.1/work.stdout')).toBe(payload)
    expect(await made.done('harness-trajectory', 'query')).toMatchObject({
      totalCount: 1,
      items: [{ stepId: 'worker.bd-1.1.1' }],
    })
  })

  test('[tusk.6.typed-metadata] leaves a row with attempt, durations, commands by digest, and the verdict on its turns', async () => {
    const { trajectory } = await stepped({
      programs: { check: () => ({ exitCode: 7, takesMs: 40, stdout: 'no\n' }) },
    })
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
    const command = { commandDigest: digest, outputDigest: digest }
    const row = (attempt: number) =>
      expect.objectContaining({
        attempt,
        durationMs: expect.any(Number),
        commands: [
          { role: 'work', exitCode: 0, durationMs: 0, ...command },
          { role: 'verify', exitCode: 7, durationMs: 40, ...command },
          { role: 'verify', exitCode: 7, durationMs: 40, ...command },
        ],
        turn: {
          callSpecDigest: digest,
          useSetDigest: digest,
          joinSetDigest: digest,
          joinClosed: true,
          mutationReady: true,
          failureClasses: [],
        },
        failureClasses: ['check_failed'],
      })
    expect(trajectory).toEqual([row(1), row(2), row(3)])
  })

  test('[runtime.3.2.witness-refs] [tusk.3.2.step] records its evidence by typed refs, and each can be opened', async () => {
    const { trajectory, text, json } = await stepped()
    const refs: string[] = trajectory[0].witnessRefs
    const files = refs.filter(ref => ref.startsWith('witness://'))
    expect(files.map(ref => fileOfRef(ref)?.path)).toEqual([
      expect.stringMatching(/^artifacts\/ciwitness\/join\/[0-9a-f]{64}\.json$/),
      expect.stringMatching(/^artifacts\/ciwitness\/verify\/[0-9a-f]{64}\.json$/),
      'artifacts/steps/worker.bd-1.1.1/record.json',
      'artifacts/steps/worker.bd-1.1.1/reread.json',
      'artifacts/steps/worker.bd-1.1.1/turn.json',
    ])
    for (const ref of files) {
      const file = fileOfRef(ref)
      expect(file?.isStill(text(file.path), sha256)).toBe(true)
      const changed = text(file?.path ?? '').replace(/\d/, '9')
      expect(file?.isStill(changed, sha256)).toBe(false)
    }
    const others = refs.filter(ref => !files.includes(ref)).map(ref => ref.split('/', 4).join('/'))
    expect(others).toEqual([
      'lease://handoff/bd-1',
      expect.stringMatching(/^policy:\/\//),
      expect.stringMatching(/^proof:\/\/bd-1\/[0-9a-f]{64}$/),
    ])
    expect(json('.premath/harness_session.json').witnessRefs).toEqual(refs)
  })

  test('[runtime.3.2.verify-before] [tusk.3.2.step] verifies the work before its issue changes', async () => {
    const seen: string[] = []
    const programs = {
      check: () => ({
        effect: () => void seen.push(made.rows('.premath/issues.jsonl').at(-1).status),
      }),
    }
    const made = project({ programs })
    expect((await made.step()).json.result).toBe('completed')
    expect(seen).toEqual(['in_progress'])
    expect(await made.issue('bd-1')).toMatchObject({ status: 'closed' })
  })

  test('[runtime.3.2.verify-before] does not close its issue without verification', async () => {
    const { step, issue } = await stepped({ programs: { check: () => ({ exitCode: 1 }) } })
    expect(step.json).toMatchObject({ result: 'failed', failureClasses: ['check_failed'] })
    expect(await issue('bd-1')).toMatchObject({ status: 'blocked' })
  })

  test('[runtime.3.2.verify-after] [tusk.3.2.step] reads back the result of its change', async () => {
    let closed = false
    const fault: MemorySetup['fault'] = () => {
      const row = made.text('.premath/issues.jsonl').trimEnd().split('\n').at(-1) ?? ''
      if (closed || !row.includes('"status":"closed"')) return undefined
      closed = true
      // Somebody opens the issue again right after the close.
      const opened = { ...JSON.parse(row), status: 'open', closed_at: undefined }
      void made.put(
        '.premath/issues.jsonl',
        `${made.text('.premath/issues.jsonl')}${JSON.stringify(opened)}\n`,
      )
      return undefined
    }
    const made = project({ fault })
    const { exit, json } = await made.step()
    expect({ exit, result: json.result }).toEqual({ exit: 1, result: 'failed' })
    expect(made.trajectory).toMatchObject([{ resultClass: 'failed_lease_invariant' }])
  })

  test('[runtime.3.2.verify-after] reports a lost lease, and leaves the issue to its holder', async () => {
    const programs = { work: (): SimScript => ({ effect: () => made.put(path, taken()) }) }
    const path = '.premath/issues.jsonl'
    // Somebody else has the lease of the next fence.
    const taken = () => {
      const row = made.rows(path).at(-1)
      const lease = { ...row.lease, owner: 'other', lease_id: 'lease1_bd-1_other' }
      const next = { ...row, assignee: 'other', lease, metadata: { premathFence: 2 } }
      return `${made.text(path)}${JSON.stringify(next)}\n`
    }
    const made = project({ programs })
    const { exit, json } = await made.step()
    expect({ exit, classes: json.failureClasses }).toEqual({
      exit: 4,
      classes: ['lease_fence_stale'],
    })
    expect(await made.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'other' })
    expect(made.trajectory).toMatchObject([{ resultClass: 'lease_fence_stale' }])
  })

  test('[runtime.3.2.state-views] has a turn with a state view and a queue, each bound by digest', async () => {
    const { json } = await stepped()
    const { evidence: left, policies } = json('artifacts/steps/worker.bd-1.1.1/turn.json')
    const policyDigest = digestOf(policies.stateViewPolicyDigest, sha256)
    const viewDigest = digestOf(json('artifacts/steps/worker.bd-1.1.1/view.json'), sha256)
    expect(left.stateViews).toEqual([{ viewId: 'harness/state', viewDigest, policyDigest }])
    const empty = {
      schema: 1,
      queueKind: 'premath.harness.reminder_queue.v1',
      linesMax: 200,
      dropped: 0,
      lines: [],
    }
    expect(left.reminderQueue).toEqual([
      { queueId: 'harness/reminders', reducedDigest: digestOf(empty, sha256), policyDigest },
    ])
    expect(left.callSpec).toMatchObject({
      stateViewPolicyDigest: policyDigest,
      reminderQueuePolicyDigest: policyDigest,
    })
  })

  test.each<[string, object, readonly string[]]>([
    ['not recorded', { toolUse: [] }, ['tool.use_missing', 'tool.join_incomplete']],
    [
      'a word that nobody knows',
      { toolUse: [{ toolCallId: 'tc-1', disposition: 'forgotten' }] },
      ['tool.schema_invalid'],
    ],
    [
      'a discard without its reason',
      { toolUse: [{ toolCallId: 'tc-1', disposition: 'discarded_with_reason' }] },
      ['tool.schema_invalid'],
    ],
    [
      'of another result',
      { toolUse: [{ toolCallId: 'tc-1', disposition: 'observed', resultDigest: 'other' }] },
      ['tool.use_unknown_result'],
    ],
  ])(
    '[runtime.3.2.tool-use] keeps the issue open if the use of a result is %s',
    async (_, left, classes) => {
      const { step, issue } = leaving({ evidence: evidence(['tc-1'], left) })
      expect((await step()).json.failureClasses).toEqual(classes)
      expect(await issue('bd-1')).toMatchObject({ status: 'in_progress' })
    },
  )

  test.each<[string, object]>([
    ['observed', { disposition: ' Observed ' }],
    ['observed_only', { disposition: 'observed_only' }],
    ['discarded', { disposition: 'discarded_with_reason', reasonCode: 'stale' }],
  ])(
    '[runtime.3.2.tool-use] closes the issue if a result was %s, in any spelling',
    async (_, use) => {
      const toolUse = [{ toolCallId: 'tc-1', ...use }]
      const { step, issue } = leaving({ evidence: evidence(['tc-1'], { toolUse }) })
      expect((await step()).json.result).toBe('completed')
      expect(await issue('bd-1')).toMatchObject({ status: 'closed' })
    },
  )

  test('[runtime.3.2.join-closed] needs every turn of the work to be closed', async () => {
    const closed = { evidence: evidence(['tc-1']) }
    const lost = { evidence: evidence(['tc-1'], { toolResults: [] }) }
    for (const turns of [[lost], [closed, lost], [lost, closed]]) {
      const { step, issue, processes } = leaving(...turns)
      const { exit, json } = await step()
      expect(exit).toBe(1)
      expect(json.failureClasses).toContain('tool.result_missing')
      expect(await issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'worker' })
      expect(processes.started.length).toBeGreaterThan(0)
    }
    expect((await leaving(closed, closed).step()).json.result).toBe('completed')
  })

  test('[runtime.3.2.fail-closed] records a rejection with classes and refs, and changes nothing', async () => {
    const made = leaving({ evidence: evidence(['tc-1'], { toolUse: [] }) })
    const { json } = await made.step()
    const [row] = made.trajectory
    expect(row).toMatchObject({
      resultClass: 'tool.use_missing',
      failureClasses: ['tool.use_missing', 'tool.join_incomplete'],
      turn: { joinClosed: false, mutationReady: false, failureClasses: json.failureClasses },
    })
    expect(row.witnessRefs.filter((ref: string) => ref.startsWith('witness://'))).toHaveLength(3)
    // Only the claim is in issue memory.
    const rows = made.rows('.premath/issues.jsonl').filter(({ id }) => id === 'bd-1')
    expect(rows.map(({ status = 'open' }) => status)).toEqual(['open', 'in_progress'])
  })

  test('[runtime.3.2.mutation-ready] cannot claim if the policy requires an instruction', async () => {
    const made = project()
    await made.put('.premath/policy.json', instructionsOnly)
    const { exit, json } = await made.step()
    expect(exit).toBe(1)
    expect(json).toMatchObject({ result: 'rejected', failureClasses: ['mutation_not_granted'] })
    expect(made.processes.started).toEqual([])
  })

  test('[runtime.3.2.mutation-ready] cannot close if its turn is gone by then', async () => {
    const turn = 'artifacts/steps/worker.bd-1.1.1/turn.json'
    let decided = false
    const fault: MemorySetup['fault'] = () => {
      if (decided || !made.text('.premath/steps/worker.jsonl').includes('"outcome"'))
        return undefined
      decided = true
      void made.remove(turn)
      return undefined
    }
    const made = project({ fault })
    const { json } = await made.step()
    expect(json.failureClasses).toEqual(['mutation_not_granted'])
    expect(await made.issue('bd-1')).toMatchObject({ status: 'in_progress' })
  })

  test('[runtime.3.2.instruction-mediated] lets an agent change the issue that its instruction lists, and no other', async () => {
    const about = { issueId: 'bd-1' }
    const allowed = [
      { action: 'issue_claim', ...about },
      { action: 'issue_update', ...about },
    ]
    const { step, issue, under } = await instructed(...allowed)
    expect((await step('--issue', 'bd-2', ...under)).json.failureClasses).toEqual([
      'instruction_scope_exceeded',
    ])
    expect((await step('--issue', 'bd-1', ...under)).json.result).toBe('completed')
    expect(await issue('bd-1')).toMatchObject({ status: 'closed' })
    expect(await issue('bd-2')).toMatchObject({ status: 'open' })
  })

  test('[runtime.3.2.instruction-mediated] uses each entry of an instruction for one change', async () => {
    const { asked, under, rows } = await instructed({ action: 'issue_claim', issueId: 'bd-1' })
    const claim = () => asked('issue', 'claim', 'bd-1', '--assignee', 'worker', ...under)
    expect((await claim()).exit).toBe(0)
    const { lease } = rows('.premath/issues.jsonl').at(-1)
    const proof = ['--lease-id', lease.lease_id, '--fence', '1']
    const words = ['issue', 'lease-release', 'bd-1', '--assignee', 'worker', ...proof]
    expect((await asked(...words, ...under)).exit).toBe(0)
    expect((await claim()).json.failureClasses).toEqual(['instruction_entry_used'])
  })

  test('[runtime.3.2.provenance] changes nothing under the governance profile without a pinned policy', async () => {
    const made = project()
    const claims = { profileOverlayClaims: ['profile.doctrine_inf_governance.v0'] }
    await made.put('.premath/capability-registry.json', claims)
    const { exit, json } = await made.step()
    expect({ exit, classes: json.failureClasses }).toEqual({
      exit: 1,
      classes: ['governance.policy_package_unpinned'],
    })
    expect(made.rows('.premath/issues.jsonl').map(({ status = 'open' }) => status)).toEqual([
      'open',
      'open',
    ])
  })
})

describe('stop', () => {
  test('[runtime.3.3.handoff] [tusk.3.3.stop] leaves a handoff for the next start', async () => {
    const { done, asked, json } = project()
    await done('issue', 'claim', 'bd-1', '--assignee', 'worker')
    const words = ['--summary', 'half of it', '--next-step', 'the other half']
    await done('harness-stop', ...words)
    expect(json('.premath/harness_session.json')).toMatchObject({
      state: 'stopped',
      issueId: 'bd-1',
      summary: 'half of it',
      nextStep: 'the other half',
    })
    expect((await asked('harness-boot')).json).toMatchObject({
      snapshot: 'same',
      bootstrap: { mode: 'resume', resumeIssueId: 'bd-1', nextStep: 'the other half' },
    })
  })

  test('[runtime.3.3.lease] [tusk.3.3.stop] releases the lease, or keeps it for another term', async () => {
    const { done, issue } = project()
    await done('issue', 'claim', 'bd-1', '--assignee', 'worker', '--lease-ttl-seconds', '60')
    const term = (await issue('bd-1')).lease.expiresAt
    expect(await done('harness-stop', '--keep-lease')).toMatchObject({
      leaseState: 'active',
      recommendedAction: 'issue_lease_renew',
    })
    expect(Date.parse((await issue('bd-1')).lease.expiresAt)).toBeGreaterThan(Date.parse(term))
    expect(await done('harness-stop')).toMatchObject({
      leaseState: 'unleased',
      recommendedAction: 'issue_claim',
    })
    expect(await issue('bd-1')).toMatchObject({ status: 'open', assignee: '' })
  })

  test('[runtime.3.3.row] [tusk.3.3.stop] appends a row with issue, lease, lineage and next step', async () => {
    const { done, asked, trajectory: none, rows } = project()
    expect(none).toEqual([])
    await done('issue', 'claim', 'bd-1', '--assignee', 'worker')
    const stopped = await done('harness-stop', '--next-step', 'the other half')
    const [row, ...more] = rows('.premath/harness_trajectory.jsonl')
    expect(more).toEqual([])
    expect(row).toMatchObject({
      action: 'harness.stop',
      issueId: 'bd-1',
      resultClass: 'ok',
      nextStep: 'the other half',
      witnessRefs: [expect.stringMatching(/^lease:\/\/handoff\/bd-1\/unleased\//)],
    })
    const { bootstrap } = (await asked('harness-boot')).json
    const classes = handoffClasses({
      session: { stateBefore: 'stopped', bootstrap },
      stop: {
        issueId: 'bd-1',
        leaseState: stopped.leaseState,
        sessionStateAfter: stopped.session.state,
        recommendedAction: stopped.recommendedAction,
        trajectoryRow: row,
      },
    })
    expect(classes).toEqual([])
  })
})

describe('session, ledger and trajectory', () => {
  /** The state of each issue in issue memory, in order. */
  const course = ({ rows }: MemoryProject) =>
    rows('.premath/issues.jsonl').map(({ id, status = 'open' }) => `${id} ${status}`)

  test('[runtime.1.no-authority] decide nothing: the same work is claimed and closed if they are missing or wrong', async () => {
    const honest = project()
    for (let at = 0; at < 2; at++) await honest.step()

    const bare = project()
    for (let at = 0; at < 2; at++) {
      await bare.step()
      for (const path of [...noFiles, '.premath/harness_trajectory.jsonl']) await bare.remove(path)
    }
    expect(course(bare)).toEqual(course(honest))

    const lying = project()
    await lying.done('harness-session', 'write', '--state', 'active', '--issue-id', 'bd-2')
    const feature = ['--feature-id', 'bd-1', '--status', 'completed', '--verification-ref', 'v']
    await lying.done('harness-feature', 'write', ...feature)
    const flags = ['--step-id', 'worker.bd-1.9.1', '--action', 'harness.step', '--issue-id', 'bd-1']
    await lying.done('harness-trajectory', 'append', ...flags, '--result-class', 'completed')
    for (let at = 0; at < 2; at++) expect((await lying.step()).exit).toBe(0)
    expect(course(lying)).toEqual(course(honest))
  })
})
