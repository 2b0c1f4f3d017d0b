/**
 * The whole chain with nothing faked: an instruction is accepted, work is done, the turn is judged,
 * specs run, the issue closes. Then the same with each link broken in turn.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { instructionWitnessDigest } from '../src/kernel/instruction/instruction-witness.ts'
import { gitIn } from './a-repository.ts'
import { block } from './a-spec-run.ts'
import { callSpec, evidence } from './a-turn.ts'
import { aPolicy, envelope } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath, witnessPath } from './an-instruction-project.ts'

const { project, put, pathOf, json } = anInstructionProject()
const { asked, done, premath } = project
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const policy = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }

const claims = (...actions: readonly string[]) => [
  'capabilities.change_morphisms',
  ...actions.map(action => `capabilities.change_morphisms.${action}`),
]

const instruction = {
  ...envelope,
  instructionType: 'ci.gate.check',
  capabilityClaims: claims('issue_claim', 'issue_update'),
  scope: {
    kind: 'repo',
    mutations: [
      { action: 'issue_claim', issueId: 'bd-1' },
      { action: 'issue_update', issueId: 'bd-1' },
    ],
  },
}

const spec = block(
  'id: SAID',
  'type: cli.run',
  'harness: {entrypoint: [cat, said.txt]}',
  'assert: [{target: stdout, must: [{contain: [yes]}]}]',
)

/** As a host is told before it calls a model. */
const policyInForce = (): string => done('prime').mutationPolicyDigest

/** A closed turn that asks to close the issue. */
const turn = (more: object = {}) => ({
  evidence: evidence(['tc-1'], {
    callSpec: { ...callSpec, mutationPolicyDigest: policyInForce() },
    sessionRefs: ['session-1'],
    trajectoryRefs: ['step-1'],
    ...more,
  }),
  mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
  capabilityClaims: claims('issue_update'),
  activeMutationPolicyDigest: policyInForce(),
})

const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { 'hk-check': 'true' } }

const under = ['--instruction', id]
const memory = () => readFileSync(project.issues, 'utf8')

beforeEach(() => {
  gitIn(project.folder, 'init', '--quiet')
  done('init')
  put('policies/instruction/test-v1.json', json0('policies'))
  put('.premath/checks.json', checks)
  put('specs/said.spec.md', spec)
  put('said.txt', 'no\n')
  done('issue', 'add', 'Say yes', '--spec', 'specs')
  done('issue', 'add', 'Another')
  put('.premath/policy.json', policy)
  put(instructionPath, instruction)
})

/** Everything up to the close; what a test changes, it changes before its link is made. */
async function worked(
  change: {
    instruction?: object
    /** `lost`: a call of it was never answered. */
    turn?: {
      readonly lost?: true
      readonly handoff?: true
      /** More of its call spec. */
      readonly spec?: object
      readonly mutation?: object
    }
    said?: string
  } = {},
) {
  if (change.instruction) put(instructionPath, { ...instruction, ...change.instruction })
  premath(['instruction-run', '--instruction', instructionPath])
  const claim = asked(['issue', 'claim', 'bd-1', '--assignee', 'agent', ...under])
  put('said.txt', change.said ?? 'yes\n')
  const { lost, handoff, spec: more, ...asks } = change.turn ?? {}
  const said = turn({
    ...(lost && { toolResults: [] }),
    ...(handoff && { handoff: { target: 'other', requiredArtifactRefs: [], returnPathRef: 'r' } }),
    ...(more && { callSpec: { ...callSpec, mutationPolicyDigest: policyInForce(), ...more } }),
  })
  put('artifacts/turn.json', { ...said, ...asks })
  const judge = [
    'harness-join-check',
    '--input',
    'artifacts/turn.json',
    '--write-witness',
    ...under,
  ]
  const joined = asked(judge)
  premath(['spec', 'run', 'specs'])
  const lease = claim.json.issue?.lease ?? {}
  return { claim, joined, lease }
}

interface Lease {
  readonly leaseId?: string
  readonly fence?: number
}

const close = ({ leaseId = 'none', fence = 1 }: Lease, ...more: readonly string[]) =>
  asked([
    ...['issue', 'update', 'bd-1', '--status', 'closed', ...under],
    ...['--lease-id', leaseId, '--fence', String(fence), ...more],
  ])

function json0(_: 'policies') {
  return {
    schema: 1,
    policyKind: 'ci.instruction.policy.v1',
    policyId: 'policy.test.v1',
    allowedChecks: ['ci-wiring-check', 'conformance-run', 'hk-check'],
    allowedNormalizers: ['normalizer.test.v1'],
    policyDigest: envelope.policyDigest,
  }
}

test('what an agent closed can be verified afterwards, from the claim to the close', async () => {
  const { lease } = await worked()
  expect(close(lease).status).toBe(0)
  const names = readdirSync(pathOf('.premath/proofs/bd-1'))
  const chain = json(`.premath/proofs/bd-1/${names.find(name => name.startsWith('chain-'))}`)
  expect(chain).toMatchObject({
    claim: { leaseId: lease.leaseId, fence: 1, worker: 'agent' },
    links: [{ kind: 'instruction' }, { kind: 'join' }, { kind: 'spec' }],
    closedBy: { by: 'specs' },
  })
  expect(asked(['witness', 'verify', 'bd-1', '--tree'])).toMatchObject({
    status: 0,
    json: { result: 'accepted' },
  })
  expect(asked(['witness', 'verify', '--all']).status).toBe(0)
})

test('[runtime.3.2.instruction-mediated] an agent closes an issue when every link holds, and once', async () => {
  const { claim, joined, lease } = await worked()
  expect([claim.status, claim.stderr]).toEqual([0, ''])
  expect(joined.json).toMatchObject({ result: 'accepted', mutationReady: true })
  const closed = close(lease)
  expect([closed.status, closed.stderr]).toEqual([0, ''])
  expect(closed.json).toMatchObject({
    issue: { status: 'closed' },
    writeWitness: {
      witnessKind: 'bd.issue.write.v1',
      action: 'issue.update',
      issueId: 'bd-1',
      instruction: {
        instructionId: id,
        joinClosed: true,
        joinWitnessRef: joined.json.joinWitnessRef,
      },
    },
  })
  const again = asked(['issue', 'update', 'bd-1', '--title', 'Once more', ...under])
  expect([again.status, again.json.failureClasses]).toEqual([4, ['instruction_entry_used']])
})

const otherPolicy = { ...json0('policies'), policyId: 'policy.other.v1' }

/** Changes what a file of the project holds. */
const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(pathOf(path), change(readFileSync(pathOf(path), 'utf8')))

const joinRef = () => json(witnessPath).joinWitnessRef as string

interface Broken {
  readonly change?: Change
  readonly lease?: (lease: Lease) => Lease
  /** Done after everything was made, before the close. */
  readonly spoil?: () => unknown
  readonly env?: Readonly<Record<string, string>>
}

type Change = NonNullable<Parameters<typeof worked>[0]>

const elsewhere = { kind: 'issue', action: 'issue_update', issueId: 'bd-2' }
const allowing = (...mutations: readonly object[]) => ({
  instruction: {
    scope: { kind: 'repo', mutations: [{ action: 'issue_claim', issueId: 'bd-1' }, ...mutations] },
  },
})

/** What is broken, how, and the class that names it. */
const broken: readonly [string, Broken, string][] = [
  [
    'a policy that is not registered',
    { spoil: () => rmSync(pathOf('policies/instruction/test-v1.json')) },
    'instruction_policy_unknown',
  ],
  [
    'a policy that is not what its digest says',
    { spoil: () => put('policies/instruction/test-v1.json', otherPolicy) },
    'instruction_policy_unknown',
  ],
  ['a result that was lost', { change: { turn: { lost: true } } }, 'tool.result_missing'],
  [
    'a turn that divides its work without the policy for it',
    { change: { turn: { spec: { executionPattern: 'parallel' } } } },
    'coordination.decomposition_policy_violation',
  ],
  [
    'a turn that hands work on without a contract',
    { change: { turn: { handoff: true } } },
    'handoff.target_not_allowed',
  ],
  [
    'a turn about another issue',
    { change: { turn: { mutation: elsewhere } } },
    'mutation.use_evidence_missing',
  ],
  [
    'an instruction about another issue',
    { change: allowing({ action: 'issue_update', issueId: 'bd-2' }) },
    'instruction_scope_exceeded',
  ],
  [
    'an instruction about another change',
    { change: allowing({ action: 'dep_add', issueId: 'bd-1' }) },
    'instruction_scope_exceeded',
  ],
  ['an instruction that was rejected', { spoil: rejectedRun }, 'instruction_not_accepted'],
  [
    'a witness that is too old',
    {
      spoil: () => put('.premath/policy.json', { ...policy, witnessTtlSeconds: 1 }),
      env: { WAIT: '2' },
    },
    'instruction_expired',
  ],
  [
    'a witness from a time that has not come',
    { spoil: () => resealed(witnessPath, { runFinishedAt: '2999-01-01T00:00:00Z' }) },
    'instruction_expired',
  ],
  [
    'a witness that allows more than its instruction, sealed anew',
    { change: allowing(), spoil: () => resealed(witnessPath, { scope: instruction.scope }) },
    'instruction_witness_invalid',
  ],
  [
    'a witness of another instruction, which would have unused entries',
    { spoil: () => put(instructionPath, { ...instruction, intent: 'Another.' }) },
    'instruction_witness_invalid',
  ],
  [
    'an instruction that is gone',
    { spoil: () => rmSync(pathOf(instructionPath)) },
    'instruction_witness_invalid',
  ],
  [
    'one byte of the witness changed',
    { spoil: () => edit(witnessPath, text => text.replace('"local"', '"lokal"')) },
    'instruction_witness_invalid',
  ],
  [
    'one byte of the turn’s witness changed',
    { spoil: () => edit(joinRef(), text => text.replace('fs.read', 'fs.reed')) },
    'mutation.use_evidence_missing',
  ],
  [
    'no witness of the turn',
    { spoil: () => rmSync(pathOf(joinRef())) },
    'mutation.use_evidence_missing',
  ],
  ['a witness that is a link', { spoil: linked }, 'instruction_witness_missing'],
  ['a witness that is a folder', { spoil: folder }, 'instruction_witness_missing'],
  ['a witness that is a pipe', { spoil: pipe }, 'instruction_witness_missing'],
  [
    'no witness of the instruction',
    { spoil: () => rmSync(pathOf(witnessPath)) },
    'instruction_witness_missing',
  ],
  ['files that changed since', { spoil: () => put('said.txt', 'yes, but\n') }, 'close_proof_stale'],
  ['specs that failed', { change: { said: 'no\n' } }, 'close_proof_failed'],
  [
    'a fence that is not the last',
    { lease: ({ fence = 1, ...rest }) => ({ ...rest, fence: fence - 1 }) },
    'lease_fence_stale',
  ],
  [
    'a claim that is missing',
    { change: { instruction: { capabilityClaims: claims('issue_claim') } } },
    'mutation.capability_claim_missing',
  ],
  [
    'a turn under another policy',
    { spoil: () => put('.premath/policy.json', { ...policy, ids: 'hash' }) },
    'mutation.policy_digest_mismatch',
  ],
]

function rejectedRun() {
  put('.premath/checks.json', { ...checks, checks: { 'hk-check': 'false' } })
  premath(['instruction-run', '--instruction', instructionPath])
}

/** Somebody who knows how seals are made. */
function resealed(path: string, change: object) {
  const { witnessDigest: _, ...witness } = { ...json(path), ...change }
  put(path, { ...witness, witnessDigest: instructionWitnessDigest(witness, sha256) })
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

describe('[typestate.6.reject-missing-closure] [typestate.6.active-policy] the command line refuses', () => {
  test.each(broken)(
    '%s',
    async (_, { change, lease: leaseOf = one => one, spoil, env }, failureClass) => {
      const { lease } = await worked(change)
      spoil?.()
      if (env?.['WAIT']) await pause(Number(env['WAIT']) * 1000)
      const before = memory()
      const refused = close(leaseOf(lease))
      expect(refused.json.failureClasses).toContain(failureClass)
      expect(refused.json.remedy).toMatch(/\.$/)
      expect([1, 4]).toContain(refused.status)
      expect(memory()).toBe(before)
    },
  )

  test('a turn that vouched for a change before', async () => {
    const update = { action: 'issue_update', issueId: 'bd-1' }
    const { lease } = await worked(allowing(update, update))
    const proof = ['--lease-id', lease.leaseId, '--fence', String(lease.fence)]
    const edit = (title: string) =>
      asked(['issue', 'update', 'bd-1', '--title', title, ...under, ...proof])
    expect(edit('One').status).toBe(0)
    // Judged once more it has another witness, and is the same turn.
    premath(['harness-join-check', '--input', 'artifacts/turn.json', '--write-witness', ...under])
    const { status, json: answer } = edit('Two')
    expect([status, answer.failureClasses]).toEqual([4, ['instruction_entry_used']])
    expect(answer.diagnostic).toContain('the turn has vouched')
  })

  test('an agent that chooses itself what shows that it is done', async () => {
    const bare = { action: 'issue_update', issueId: 'bd-2' }
    await worked({ ...allowing(bare), turn: { mutation: elsewhere } })
    const closing = ['issue', 'update', 'bd-2', '--status', 'closed']
    for (const flags of [[...under], []]) {
      const verified = asked([...closing, '--verify-cmd', 'true', ...flags])
      expect([verified.status, verified.json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    }
    expect(asked([...closing, ...under]).json.failureClasses).toEqual(['close_proof_missing'])
  })

  test('an instruction that lies in another worktree, and says where', () => {
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message=one')
    gitIn(project.folder, 'worktree', 'add', '--quiet', 'linked')
    const cwd = pathOf('linked')
    expect(premath(['instruction-run', '--instruction', instructionPath], { cwd }).status).toBe(0)
    rmSync(pathOf(instructionPath))
    const claim = ['issue', 'claim', 'bd-1', '--assignee', 'agent', ...under]
    const { status, json: answer } = asked(claim)
    expect([status, answer.failureClasses]).toEqual([1, ['instruction_witness_invalid']])
    expect(answer.diagnostic).toContain(`its instruction ${instructionPath} is not here`)
    expect(answer.remedy).toContain(`copy ${join(realpathSync(cwd), instructionPath)} to `)
    expect(asked(claim, { cwd }).status).toBe(0)
  })

  test('who names no instruction at all', () => {
    const { status, json: answer } = asked(['issue', 'update', 'bd-2', '--title', 'x'])
    expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
  })

  test.each(['../../etc/passwd', 'a/b', '-', 'plain', '..'])('the id %s', name => {
    const before = memory()
    const { status } = premath(['issue', 'add', 'x', '--instruction', name])
    expect(status).toBe(2)
    expect(memory()).toBe(before)
  })
})

const twice = JSON.stringify(json0('policies')).replace(/}$/, ',"policyDigest":"pol1_00"}')

describe('a bad folder of policies', () => {
  test.each<[string, string, unknown, string]>([
    ['two policies with one id', 'x', aPolicy({ allowedChecks: ['hk-check'] }), 'test-v1.json or'],
    ['one policy twice', 'x', json0('policies'), 'test-v1.json or'],
    ['a policy with two digests', 'x', twice, 'Mend'],
    ['a policy that was edited', 'test-v1', otherPolicy, 'Mend'],
    ['a policy that is no JSON', 'x', '{', 'Mend'],
  ])('is told by the file: %s', async (_, name, policy, before) => {
    const { lease } = await worked()
    const path = put(`policies/instruction/${name}.json`, policy)
    const { status, json: answer } = close(lease)
    expect([status, answer.failureClasses]).toEqual([1, ['instruction_policy_unknown']])
    expect(answer.remedy).toContain(`${before} `)
    expect(answer.remedy).toContain(`${path}, or take it away`)
    expect(answer.remedy).not.toContain('instruction-run')
  })

  test('is told by its name where it is no folder', async () => {
    const { lease } = await worked()
    rmSync(pathOf('policies'), { recursive: true })
    put('policies/instruction', 'text')
    expect(close(lease).json).toMatchObject({
      failureClasses: ['instruction_policy_unknown'],
      remedy: expect.stringContaining(`Mend ${pathOf('policies/instruction')}`),
    })
  })
})

/** What can be broken before a step begins, which claims, works, judges and closes by itself. */
const beforeStep = new Set([
  'a policy that is not registered',
  'a policy that is not what its digest says',
  'an instruction about another issue',
  'an instruction about another change',
  'an instruction that was rejected',
  'a witness that is too old',
  'a witness from a time that has not come',
  'a witness that allows more than its instruction, sealed anew',
  'an instruction that is gone',
  'one byte of the witness changed',
  'a witness that is a link',
  'a witness that is a folder',
  'no witness of the instruction',
  'a claim that is missing',
])

describe('a worker', () => {
  const step = (work: string) =>
    asked([
      ...['harness-step', '--issue', 'bd-1', '--worker', 'agent', ...under],
      ...['--work-cmd', work, '--verify-cmd', 'true'],
    ])
  const saying = 'echo yes > said.txt'
  const issue = () => done('issue', 'show', 'bd-1').issue

  test('closes an issue under its instruction, with the turn of its step', () => {
    premath(['instruction-run', '--instruction', instructionPath])
    const { status, stderr } = step(saying)
    expect([status, stderr]).toEqual([0, expect.any(String)])
    expect(issue().status).toBe('closed')
    expect(issue().metadata.premathWriteWitness).toMatchObject({
      instruction: { instructionId: id, joinClosed: true },
    })
    const { joinWitnessRef } = issue().metadata.premathWriteWitness.instruction
    expect(json(joinWitnessRef)).toMatchObject({ instructionId: id, joinClosed: true })
    // A command line may hold a secret, and this is kept with the project.
    expect(JSON.stringify(json(joinWitnessRef))).not.toContain('echo yes')
  })

  test('whose work left a turn open closes nothing', async () => {
    premath(['instruction-run', '--instruction', instructionPath])
    put('artifacts/lost.json', turn({ toolResults: [] }))
    const { status } = step(`${saying}; cat artifacts/lost.json >> "$PREMATH_TURN_EVIDENCE"`)
    expect(status).toBe(1)
    expect(issue().status).toBe('in_progress')
  })

  test('that may not add what it would escalate by stops, says so, and gives the issue back', () => {
    premath(['instruction-run', '--instruction', instructionPath])
    const { status, json: answer } = step('no-such-program')
    expect([status, answer.failureClasses]).toEqual([
      1,
      ['executor_unavailable', 'escalation_not_allowed'],
    ])
    expect(answer.summary).toContain('issue_discover was refused, so it only stops')
    expect(answer.attempts.at(-1)).toMatchObject({
      resultClass: 'executor_unavailable',
      failureClasses: ['executor_unavailable', 'escalation_not_allowed'],
      nextStep: expect.stringContaining('mend what failed'),
    })
    expect(issue()).toMatchObject({ status: 'open', assignee: '', lease: null })
    expect(Object.keys(project.rowsById())).toEqual(['bd-1', 'bd-2'])
    expect(asked(['harness-boot', '--worker', 'agent', ...under]).json.recovered).toBeNull()
  })

  test('whose specs fail closes nothing', () => {
    premath(['instruction-run', '--instruction', instructionPath])
    expect(step('echo no > said.txt').status).toBe(1)
    expect(issue().status).not.toBe('closed')
  })

  test.each(broken.filter(([name]) => beforeStep.has(name)))(
    'refuses %s',
    async (_, link, failureClass) => {
      if (link.change?.instruction)
        put(instructionPath, { ...instruction, ...link.change.instruction })
      premath(['instruction-run', '--instruction', instructionPath])
      link.spoil?.()
      if (link.env?.['WAIT']) await pause(Number(link.env['WAIT']) * 1000)
      const { status, stderr, json: answer } = step(saying)
      expect(status).toBeGreaterThan(0)
      expect(`${JSON.stringify(answer)}${stderr}`).toContain(failureClass)
      expect(issue().status).not.toBe('closed')
    },
  )
})
