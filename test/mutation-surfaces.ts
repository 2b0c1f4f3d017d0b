/**
 * A real project with an issue that an agent closes under an instruction, and the surfaces that an
 * agent can use. Each surface builds the chain up to the close, breaks one link, closes, and reports
 * the result. A new surface is one more driver.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect } from 'vitest'
import { nodeDisk } from '../src/world/node-disk.ts'
import { block } from './a-spec-run.ts'
import { callSpec, evidence } from './a-turn.ts'
import { envelope, testPolicy } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath } from './an-instruction-project.ts'
import { main } from './built-command.ts'
import { connected, type Era } from './mcp/a-client.ts'

export const claims = (...actions: readonly string[]) => [
  'capabilities.change_morphisms',
  ...actions.map(action => `capabilities.change_morphisms.${action}`),
]

export const instruction = {
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

export const policy = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }
export const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { 'hk-check': 'true' } }
export const under = ['--instruction', id]

const spec = (script = 'cat said.txt') =>
  block(
    'id: SAID',
    'type: cli.run',
    `harness: {entrypoint: [sh, -c, '${script}']}`,
    'assert: [{target: stdout, must: [{contain: [yes]}]}]',
  )

/** The change that breaks a link, applied before that link is made. */
export interface Change {
  readonly instruction?: object
  readonly files?: Readonly<Record<string, string>>
  readonly turn?: {
    /** One of its calls has no result. */
    readonly lost?: true
    readonly handoff?: true
    /** Other members of its evidence, such as refs. */
    readonly refs?: object
    /** Additional members of its call spec. */
    readonly spec?: object
    readonly mutation?: object
    readonly capabilityClaims?: readonly string[]
    /** Its governance claims. */
    readonly governanceProfile?: object
  }
  readonly answer?: string
  /** The command that the spec of the issue runs. */
  readonly spec?: string
}

export interface Lease {
  readonly leaseId: string
  readonly fence: number
}

export interface Broken {
  readonly change?: Change
  /** The lease that the close names, from the one that the agent holds. */
  readonly lease?: (held: Lease) => Lease
  /** Runs after the chain is complete and before the close. */
  readonly spoil?: () => unknown
  /** The broken link is made after the last command of a step ends. */
  readonly isLate?: true
}

export interface Closing {
  readonly status: number | null
  readonly failureClasses: readonly string[]
}

export interface Surface {
  readonly name: 'the command line' | 'a worker' | `MCP ${Era}`
  close(link: Broken): Promise<Closing>
}

/** A closed turn that requests the close of the issue, with the given changes. */
export function closingTurn(
  mutationPolicyDigest: string,
  { lost, handoff, spec: more, refs, ...asks }: NonNullable<Change['turn']> = {},
) {
  const left = {
    callSpec: { ...callSpec, mutationPolicyDigest, ...more },
    sessionRefs: ['.premath/harness_session.json'],
    trajectoryRefs: ['step-1'],
    ...refs,
    ...(lost && { toolResults: [] }),
    ...(handoff && {
      handoff: { target: 'other', requiredArtifactRefs: [], returnPathRef: 'r' },
    }),
  }
  return {
    evidence: evidence(['tc-1'], left),
    mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
    capabilityClaims: claims('issue_update'),
    activeMutationPolicyDigest: mutationPolicyDigest,
    ...asks,
  }
}

/** The refs of the turn of a close. */
export const turnContext = [
  ['harness-session', 'write', '--state', 'active', '--issue-id', 'bd-1'],
  [
    ...['harness-trajectory', 'append', '--step-id', 'step-1', '--action', 'agent.turn'],
    ...['--result-class', 'completed'],
  ],
] as const

export function aDoor() {
  const of = anInstructionProject()
  const { project, put, pathOf, json } = of
  const { asked, done, premath } = project

  /** The first test makes it; later tests copy it, in a tenth of the time. */
  const begun = join(project.folders, 'begun')
  beforeEach(() => {
    if (!existsSync(begun)) makeProject()
    else cpSync(begun, project.folder, { recursive: true })
  })

  function makeProject() {
    done('init')
    put('policies/instruction/test-v1.json', testPolicy)
    put('.premath/checks.json', checks)
    put('specs/said.spec.md', spec())
    put('said.txt', 'no\n')
    done('issue', 'add', 'Say yes', '--spec', 'specs')
    done('issue', 'add', 'Another')
    for (const words of turnContext) done(...words)
    put('.premath/policy.json', policy)
    put(instructionPath, instruction)
    cpSync(project.folder, begun, { recursive: true })
  }

  /** The policy digest that a host gets before it calls a model. */
  const policyInForce = (): string => done('prime').mutationPolicyDigest

  const turn = (change?: Change['turn']) => closingTurn(policyInForce(), change)

  const judge = () =>
    asked(['harness-join-check', '--input', 'artifacts/turn.json', '--write-witness', ...under])

  function begin(change: Change) {
    if (change.instruction) put(instructionPath, { ...instruction, ...change.instruction })
    for (const [path, text] of Object.entries(change.files ?? {})) put(path, text)
    if (change.spec) put('specs/said.spec.md', spec(change.spec))
    premath(['instruction-run', '--instruction', instructionPath])
    put('artifacts/turn.json', turn(change.turn))
  }

  /** Everything up to the close, command by command. */
  function worked(change: Change = {}) {
    begin(change)
    const claim = asked(['issue', 'claim', 'bd-1', '--assignee', 'agent', ...under])
    put('said.txt', change.answer ?? 'yes\n')
    const joined = judge()
    premath(['spec', 'run', 'specs'])
    return { claim, joined }
  }

  /** The agent's lease, read from the issue. */
  function leaseOf(issueId = 'bd-1'): Lease {
    const { lease, metadata } = project.rowsById()[issueId]
    return { leaseId: lease?.lease_id ?? 'none', fence: metadata?.premathFence ?? 1 }
  }

  /** A change of the issue, under the instruction and the lease. */
  const updating = ({ leaseId, fence }: Lease, ...more: readonly string[]) => [
    ...['issue', 'update', 'bd-1', ...under, ...more],
    ...['--lease-id', leaseId, '--fence', String(fence)],
  ]
  const update = (lease: Lease, ...more: readonly string[]) => asked(updating(lease, ...more))
  const closing = (lease: Lease) => updating(lease, '--status', 'closed')
  const close = (lease: Lease = leaseOf()) => asked(closing(lease))

  /** The witness of the only judged turn. */
  const joinRef = () => {
    const [name, ...others] = readdirSync(pathOf('artifacts/ciwitness/join'))
    expect(others).toEqual([])
    return `artifacts/ciwitness/join/${name}`
  }

  const commandLine: Surface = {
    name: 'the command line',
    async close({ change, spoil }) {
      worked(change)
      const lease = leaseOf()
      await spoil?.()
      const before = readFileSync(project.issues)
      const { status, json: answer } = close(lease)
      if (status !== 0) {
        expect(readFileSync(project.issues)).toEqual(before)
        expect(answer.remedy).toMatch(/\.$/)
      }
      return { status, failureClasses: answer.failureClasses ?? [] }
    },
  }

  /** Every change is a tool call of the official client. */
  const overMcp = (era: Era): Surface => ({
    name: `MCP ${era}`,
    async close({ change = {}, spoil, lease: named = held => held }) {
      begin(change)
      const instructionId = id
      const { call, close: leave } = await connected({ cwd: project.folder, env: project.env }, era)
      try {
        await call('issue_claim', { id: 'bd-1', assignee: 'agent', instructionId })
        put('said.txt', change.answer ?? 'yes\n')
        const input = json('artifacts/turn.json')
        await call('harness_join_check', { input, writeWitness: true, instruction: id })
        await call('spec_run', { path: ['specs'] })
        const lease = named(leaseOf())
        await spoil?.()
        const before = readFileSync(project.issues)
        const asking = { id: 'bd-1', status: 'closed', instructionId, ...lease }
        const { isError, json: answer } = await call('issue_update', asking)
        if (isError) {
          expect(readFileSync(project.issues)).toEqual(before)
          expect(answer.remedy).toMatch(/\.$/)
        }
        const { exitCode: status = 0, failureClasses = [] } = answer
        return { status, failureClasses }
      } finally {
        await leave()
      }
    },
  })

  /** Its work signals that it has started, and waits for permission to continue. */
  const working = (answer: string) =>
    [
      `printf '${answer.replace('\n', '\\n')}' > said.txt`,
      'cat artifacts/turn.json >> "$PREMATH_TURN_EVIDENCE"',
      '> artifacts/at-work',
      'while [ ! -e artifacts/go-on ]; do sleep 0.02; done',
    ].join('; ')

  const stepping = (answer = 'yes\n') => [
    ...['harness-step', '--sandbox', 'off', '--issue', 'bd-1', '--worker', 'agent', ...under],
    ...['--work-cmd', working(answer), '--verify-cmd', 'true'],
  ]

  const worker: Surface = {
    name: 'a worker',
    async close({ change = {}, spoil, isLate = false }) {
      begin(change)
      const child = spawn(process.execPath, [main, ...stepping(change.answer), '--json'], {
        cwd: project.folder,
        env: project.env,
        stdio: 'ignore',
      })
      const ended = new Promise<number | null>(settle => child.once('close', settle))
      let isOver = false
      void ended.then(() => {
        isOver = true
      })
      /** Or until the step ends, which may be correct. */
      const until = async (isSo: () => boolean) => {
        while (!isOver && !isSo()) await pause(5)
      }
      await until(() => existsSync(pathOf('artifacts/at-work')))
      if (isLate) await cutOffBeforeClose()
      await spoil?.()
      put('artifacts/go-on', '')
      const status = isLate ? finish() : await ended
      return { status, failureClasses: lastStep().failureClasses ?? [] }

      /** The test holds the lock, so the step is killed while it waits to close. */
      async function cutOffBeforeClose() {
        const lock = await nodeDisk.lock(`${project.issues}.lock`, 120_000)
        expect(lock.held).toBe(true)
        put('artifacts/go-on', '')
        // A line without a line feed is not a decision.
        await until(() => /"outcome".*\n/.test(journals()))
        expect(isOver).toBe(false)
        child.kill('SIGKILL')
        await ended
        if (lock.held) await lock.release()
      }

      /** The next start of the worker applies the decision. */
      function finish() {
        premath(['harness-boot', '--worker', 'agent', ...under])
        return Number(project.rowsById()['bd-1'].status !== 'closed')
      }
    },
  }

  const lastStep = () =>
    JSON.parse(of.text('.premath/harness_trajectory.jsonl').trimEnd().split('\n').at(-1) ?? '')

  const journals = () => {
    const folder = pathOf('.premath/steps')
    const names = readdirSync(folder).filter(name => name.endsWith('.jsonl'))
    return names.map(name => readFileSync(`${folder}/${name}`, 'utf8')).join('')
  }

  return {
    ...of,
    ...{ turn, judge, worked, leaseOf, update, closing, close, joinRef, stepping },
    surfaces: [commandLine, worker, overMcp('2026-07-28'), overMcp('2025-11-25')] as const,
  }
}
