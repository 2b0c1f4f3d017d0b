/** Cases of an earlier evaluator, on the built command. Where premath decided otherwise, the case says so. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { instructionPath } from './an-instruction-project.ts'
import { aDoor, claims, instruction, under } from './mutation-surfaces.ts'

const { project, put, has, text } = aDoor()
const { asked, done, premath, rowsById } = project

const trajectory = '.premath/harness_trajectory.jsonl'
const rows = () =>
  text(trajectory)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ action }) => action.startsWith('scheme_eval.'))
const memory = () => readFileSync(project.issues, 'utf8')

const called = (program: object, ...flags: readonly string[]) =>
  asked(['scheme-eval', '--program', put('calls.json', program), ...flags])

/** An instruction that lets programs claim and comment on the first issue, and make other changes. */
function accepted(...others: readonly string[]) {
  const about = { issueId: 'bd-1', standing: true }
  const mutations = [
    { action: 'issue_claim', ...about },
    { action: 'issue_comment', ...about },
    ...others.map(action => ({ action })),
  ]
  const capabilityClaims = claims('issue_claim', 'issue_comment', ...others)
  put(instructionPath, { ...instruction, capabilityClaims, scope: { mutations } })
  expect(premath(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
}

/** As a process of its own. */
function mustBeUnknown(name: string, ...args: readonly string[]) {
  const message = `unknown command "${name}"`
  const hint = 'premath --help lists the commands'
  expect(asked([name, ...args], { isSpawned: true })).toEqual({
    status: 2,
    stderr: `error: ${message}\n  ${hint}\n`,
    json: { error: { code: 'usage', detail: {}, hint, message }, exitCode: 2 },
  })
}

interface Effect {
  readonly action: string
  readonly argsDigest: string
  readonly failureClasses: readonly string[]
  readonly resultClass: string
  readonly witnessRefs: readonly string[]
}

describe('a list of calls', () => {
  const kinds = ['premath.scheme_eval.request.v0', 'premath.rhai_eval.request.v0'] as const

  test.each(kinds)('of the kind %s makes an effect and a row for each call', programKind => {
    const calls = [{ action: 'issue.ready' }, { action: 'issue.list' }]
    const { status, json } = called({ schema: 1, programKind, calls })
    expect([status, json.result, json.executedCallCount]).toEqual([0, 'accepted', 2])
    expect(json.effects.map(({ resultClass }: Effect) => resultClass)).toEqual([
      'accepted',
      'accepted',
    ])
    expect(rows().map(({ action }) => action)).toEqual([
      'scheme_eval.issue.ready',
      'scheme_eval.issue.list',
    ])
  })

  test('has the same classes, witnesses and digests for both kinds, up to the call that is refused', () => {
    const calls = [
      { action: 'issue.ready' },
      { action: 'issue.claim', args: { id: 'bd-1', assignee: 'a' } },
      { action: 'issue.list' },
    ]
    const [scheme, rhai] = kinds.map(programKind => called({ programKind, calls }))
    const compared = ({ action, argsDigest, failureClasses, witnessRefs }: Effect) => ({
      ...{ action, argsDigest, failureClasses, witnessRefs },
    })
    expect(rhai?.json.effects.map(compared)).toEqual(scheme?.json.effects.map(compared))
    expect([rhai?.status, rhai?.json.failureClasses]).toEqual([
      1,
      ['mutation.use_evidence_missing'],
    ])
    expect(rhai?.json.effects).toHaveLength(2)
  })

  test('goes by the instruction of the call, then of the flag, then of the program', () => {
    accepted()
    const other = 'instructions/20260221T000000Z-other.json'
    const comment = { action: 'issue.comment', args: { id: 'bd-1', text: 'Seen' } }
    const run = (of: { call?: string; flag?: string; program?: string }) => {
      const call = { ...comment, ...(of.call && { instructionRef: of.call }) }
      const program = { calls: [call], ...(of.program && { instructionRef: of.program }) }
      const { json } = called(program, ...(of.flag ? ['--instruction-ref', of.flag] : []))
      return json.effects[0].resultClass
    }
    expect(run({ program: instructionPath })).toBe('accepted')
    expect(run({ program: other, flag: instructionPath })).toBe('accepted')
    expect(run({ program: instructionPath, flag: other })).toBe('instruction_witness_missing')
    expect(run({ flag: other, call: instructionPath })).toBe('accepted')
    expect(run({ flag: instructionPath, call: other })).toBe('instruction_witness_missing')
  })

  // The earlier evaluator printed what the caller had said.
  test('names in its effects the policy and the instruction that were found, and none for a read', () => {
    accepted()
    const said = { instructionRef: instructionPath, capabilityClaims: ['x'] }
    const calls = [
      { action: 'issue.ready' },
      { action: 'issue.comment', args: { id: 'bd-1', text: 'Seen' } },
    ]
    const [read, change] = called({ ...said, calls }).json.effects
    expect(read).toMatchObject({ policyDigest: null, instructionRef: null })
    const policyDigest = done('prime').mutationPolicyDigest
    expect(change).toMatchObject({ policyDigest, instructionRef: instructionPath })
  })

  // The earlier evaluator believed these texts.
  test('gets no right by the policy, the instruction and the claims that it asserts', () => {
    const before = memory()
    const { status, json } = called({
      policyDigest: done('prime').mutationPolicyDigest,
      instructionRef: instructionPath,
      capabilityClaims: claims('issue_claim', 'all'),
      calls: [{ action: 'issue.claim', args: { id: 'bd-1', assignee: 'a' } }],
    })
    expect([status, json.failureClasses]).toEqual([1, ['instruction_witness_missing']])
    expect(memory()).toBe(before)
  })
})

describe('without --json a refusal has its class, stage, action, diagnostic and hint', () => {
  test.each([
    [
      'policy/capability',
      { action: 'issue.claim', args: { id: 'bd-1', assignee: 'a' } },
      'mutation.use_evidence_missing',
    ],
    ['transport dispatch', { action: 'issue.show', args: { id: 'bd-9' } }, 'issue_not_found'],
    ['input validation', { action: 'issue.show', args: { limmit: 1 } }, 'usage'],
  ])('at the stage %s', (stage, call, failureClass) => {
    const program = put('calls.json', { calls: [call] })
    const { status, stdout, stderr } = premath(['scheme-eval', '--program', program])
    expect([status, stdout]).toEqual([1, ''])
    const [title, ...lines] = stderr.trimEnd().split('\n')
    expect(title).toBe(`error: the program was stopped (${failureClass})`)
    expect(lines).toEqual([
      `  Failure class: ${failureClass}`,
      `  Failure stage: ${stage}`,
      `  Failed action: ${call.action}`,
      expect.stringMatching(/^ {2}Diagnostic: \S/),
      expect.stringMatching(/^ {2}Hint: \S/),
    ])
  })
})

describe('routes are not resolved', () => {
  test.each([
    'site-resolve',
    'runtime-orchestration-check',
    'transport-check',
    'transport-dispatch',
  ])('%s is no command', name => {
    mustBeUnknown(name)
  })

  // A contract could withhold an action. A flag that is taken without effect would give it back.
  test.each(['--control-plane-contract', '--capability-claim'])(
    '%s is refused as an unknown flag before the first call',
    flag => {
      const { status, json } = called({ calls: [{ action: 'issue.ready' }] }, flag, 'x')
      expect([status, json.error]).toEqual([
        2,
        {
          code: 'usage',
          detail: {},
          hint: 'premath help scheme-eval lists its flags',
          message: `scheme-eval: unknown flag ${flag}`,
        },
      ])
      expect(rows()).toEqual([])
    },
  )

  test.each(['fiber.spawn', 'site.resolve', 'conformance.world_core_vectors.run'])(
    '%s has no operation, so the list of host functions refuses it in place of site_resolve_unbound',
    action => {
      const { status, json } = called({ calls: [{ action: 'issue.ready' }, { action }] })
      const classes = json.effects.map(({ resultClass }: Effect) => resultClass)
      expect([status, classes]).toEqual([1, ['accepted', 'scheme_eval.host_action_unallowlisted']])
      expect(json.error.hint).toMatch(/^Call one of: coherence\.check, /)
      expect(json.allowlistedActions).not.toContain(action)
    },
  )

  // The earlier evaluator compared the routes after the change, which then stayed.
  test('a claim has no route to be compared, and is refused before the change or made', () => {
    const before = memory()
    const claim = { action: 'issue.claim', args: { id: 'bd-1', assignee: 'a' } }
    expect(called({ calls: [claim] }).status).toBe(1)
    expect(memory()).toBe(before)
    accepted()
    const { status, json } = called({ calls: [claim] }, ...under)
    expect([status, json.failureClasses]).toEqual([0, []])
    expect(rowsById()['bd-1'].assignee).toBe('a')
    const [{ payload, witnessRefs, argsDigest }] = json.effects
    for (const name of ['resolverWitness', 'resolverWitnessRef', 'worldBinding']) {
      expect(payload).not.toHaveProperty(name)
    }
    expect(witnessRefs).toEqual([`host-effect://scheme-eval/issue.claim/${argsDigest}/1`])
  })
})

describe('Rhai is not a language of programs', () => {
  const script = 'host_action("issue.ready");\n'

  test('rhai-eval is no command', () => {
    mustBeUnknown('rhai-eval', '--script', put('program.rhai', script))
  })

  test('a script cannot be read as a program, and calls nothing', () => {
    const program = put('program.rhai', script)
    const { status, json } = asked(['scheme-eval', '--program', program])
    expect([status, json.failureClasses]).toEqual([2, ['scheme_eval.invalid_program']])
    expect(json.error).toEqual({
      code: 'scheme_eval.invalid_program',
      hint: 'Define it: (define host_action …).',
      message: 'line 1, column 1: the variable "host_action" is not defined',
    })
    expect([json.effects, rows()]).toEqual([[], []])
  })
})

describe('a program needs no scaffold', () => {
  test('evaluator-scaffold is no command, and writes nothing', () => {
    mustBeUnknown('evaluator-scaffold', '--path', '.premath/evaluator_scaffold')
    expect(has('.premath/evaluator_scaffold')).toBe(false)
  })

  // A claim of the next issue names no issue, so an instruction for one issue does not allow it.
  test('the calls of the scaffold run in the project itself, under an instruction for issue_claim_next', () => {
    const calls = [
      { action: 'issue.ready' },
      { action: 'issue.claim_next', args: { assignee: 'a' } },
    ]
    expect(called({ calls }).json.failureClasses).toEqual(['mutation.use_evidence_missing'])
    accepted()
    const refused = called({ calls }, ...under).json
    expect(refused.failureClasses).toEqual(['mutation.capability_claim_missing'])
    expect(refused.error.message).toContain('capabilities.change_morphisms.issue_claim_next')
    accepted('issue_claim_next')
    const { status, json } = called({ calls }, ...under)
    expect([status, json.failureClasses]).toEqual([0, []])
    expect(json.effects[1].payload.issue).toMatchObject({ id: 'bd-1', assignee: 'a' })
  })
})
