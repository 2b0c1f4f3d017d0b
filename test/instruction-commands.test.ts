/** The commands that check instructions and proposals, by the built command. */

import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { InstructionWitness } from '../src/wire/instruction/instruction-witness.ts'
import { aPolicy, binding, checked, envelope, proposal, runtimeOf } from './an-instruction.ts'
import { anInstructionProject, instructionPath } from './an-instruction-project.ts'

const { project, begin, put, pathOf, refusal, has } = anInstructionProject()
const { asked, premath } = project
beforeEach(begin)

const check = (value: unknown, ...more: readonly string[]) => [
  'instruction-check',
  '--instruction',
  put(instructionPath, value),
  ...more,
]

describe('premath instruction-check', () => {
  test('prints every known member of an instruction', () => {
    const { status, json, stderr } = asked(check({ ...envelope, proposal }))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(json).toEqual(JSON.parse(JSON.stringify(checked({ ...envelope, proposal }))))
  })

  test('prints a few lines of text', () => {
    const { status, stdout } = premath(check(envelope))
    expect(status).toBe(0)
    expect(stdout).toContain('decision  execute')
  })

  test('departs from earlier tools: a valid instruction that is rejected exits 1, not 0', () => {
    const { status, json, stderr } = asked(check({ ...envelope, instructionType: 'other' }))
    expect(status).toBe(1)
    expect(json.executionDecision.state).toBe('reject')
    expect(stderr).toMatch(/\ninstruction_unknown_unroutable: unsupported_instruction_type\n$/)
  })

  test('departs from earlier tools: an instruction whose proposal does not hold exits 1, not 0', () => {
    const { status, stderr } = asked(
      check({ ...envelope, proposal: { ...proposal, candidateRefs: [] } }),
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(/\ndescent_failure: proposal_discharge_rejected\n$/)
  })

  test.each<[string, unknown]>([
    ['instruction_envelope_invalid_json', '{"schema": 1,}'],
    ['instruction_envelope_invalid_json', '{"schema": 1, "schema": 1}'],
    ['instruction_envelope_invalid_shape', []],
    ['instruction_invalid_normalizer', { ...envelope, normalizerId: ' ' }],
    ['instruction_check_not_allowed', { ...envelope, requestedChecks: ['rm -rf /'] }],
    ['proposal_binding_mismatch', { ...envelope, proposal: { ...proposal, binding: other } }],
  ])('refuses with 2 and %s', (failureClass, value) => {
    expect(refusal(check(value)).slice(0, 2)).toEqual([2, failureClass])
  })

  test('finds instruction and policies below --repo-root', () => {
    put(`elsewhere/${instructionPath}`, envelope)
    put('elsewhere/policies/instruction/p.json', aPolicy({}))
    const args = ['instruction-check', '--instruction', instructionPath]
    expect(asked([...args, '--repo-root', 'elsewhere']).status).toBe(0)
    expect(refusal(args).slice(0, 2)).toEqual([2, 'instruction_envelope_invalid'])
    expect(asked([...args, '--repo-root', 'nowhere']).status).toBe(2)
  })
})

const other = { ...binding, normalizerId: 'normalizer.ci.v1' }

describe('the file of an instruction', () => {
  const checkFile = (path: string) => ['instruction-check', '--instruction', path]
  const bad = (path: string) => refusal(checkFile(path))

  test.each(['wiring.json', 'a-b.txt'])('is not called %s', name => {
    expect(bad(put(`instructions/${name}`, envelope)).slice(0, 2)).toEqual([
      2,
      'instruction_filename_invalid',
    ])
  })

  test.each(['.a-b.json', 'a-b c.json', 'latest-delta.json', 'governance-promotion.json'])(
    'departs from earlier tools: is not called %s either, since the id is a part of paths',
    name => {
      expect(bad(put(`instructions/${name}`, envelope)).slice(0, 2)).toEqual([
        2,
        'instruction_filename_invalid',
      ])
    },
  )

  test('is judged by its name before it is opened', () => {
    expect(bad('nowhere/at_all.json')[1]).toBe('instruction_filename_invalid')
  })

  test('must exist', () => {
    expect(bad('instructions/a-b.json').slice(0, 2)).toEqual([2, 'instruction_envelope_invalid'])
  })

  test('must not be a folder', () => {
    mkdirSync(pathOf('a-b.json'))
    expect(bad('a-b.json').slice(0, 2)).toEqual([2, 'instruction_envelope_invalid'])
  })

  test('does not lead out of the project', () => {
    const outside = join(project.folders, 'outside.json')
    writeFileSync(outside, JSON.stringify(envelope))
    symlinkSync(outside, pathOf('a-b.json'))
    const [status, failureClass, message] = bad('a-b.json')
    expect([status, failureClass]).toEqual([2, 'instruction_envelope_invalid'])
    expect(message).toContain('symbolic link')
  })

  test('may be a link within the project', () => {
    put('there.json', envelope)
    symlinkSync('there.json', pathOf('a-b.json'))
    expect(asked(checkFile('a-b.json')).status).toBe(0)
  })

  test('has at most 1 MB, and is not read further', () => {
    put('a-b.json', '')
    truncateSync(pathOf('a-b.json'), 100_000_000)
    const [status, failureClass, message] = bad('a-b.json')
    expect([status, failureClass]).toEqual([2, 'instruction_envelope_invalid'])
    expect(message).toContain('larger than 1048576 bytes')
  })

  test('is UTF-8', () => {
    writeFileSync(pathOf('a-b.json'), Buffer.from([0xff, 0xfe]))
    expect(bad('a-b.json').slice(0, 2)).toEqual([2, 'instruction_envelope_invalid'])
  })

  test('cannot forge a line of the output', () => {
    const { stderr } = premath(check({ ...envelope, requestedChecks: ['x\nproposal_ok: yes'] }))
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
  })
})

describe('policies', () => {
  const checkUnder = (path: string, policy: unknown) => {
    put(path, policy)
    return refusal(check(envelope))
  }

  test('departs from earlier tools: the shipped ones count if the project has none', () => {
    const bare = join(project.folders, 'bare')
    mkdirSync(join(bare, '.premath'), { recursive: true })
    const value = {
      ...envelope,
      instructionType: 'ci.gate.check',
      normalizerId: 'normalizer.agent.v1',
      policyDigest: 'pol1_6da691fb6dfc92b7e6b014882f337a806ab2fa6be564833e8f91ab43452c0a2f',
      requestedChecks: ['test', 'typecheck'],
    }
    writeFileSync(join(bare, 'a-b.json'), JSON.stringify(value))
    const args = ['instruction-check', '--instruction', 'a-b.json']
    expect(asked(args, { cwd: bare }).status).toBe(0)
    mkdirSync(join(bare, 'policies/instruction'), { recursive: true })
    expect(refusal(args, { cwd: bare }).slice(0, 2)).toEqual([2, 'instruction_unknown_policy'])
  })

  test.each<[string, unknown]>([
    ['that is no JSON', 'not json'],
    ['of another kind', { schema: 1, policyKind: 'ci.harness.retry.policy.v1' }],
    [
      'with two digests',
      `{"schema": 1, "policyKind": "ci.instruction.policy.v1", "policyDigest": "pol1_1", "policyDigest": "pol1_2"}`,
    ],
  ])('one %s fails every instruction, by its name', (_, policy) => {
    const [status, failureClass, message] = checkUnder('policies/instruction/x.json', policy)
    expect([status, failureClass]).toEqual([2, 'instruction_policy_invalid_shape'])
    expect(message).toContain('policies/instruction/x.json')
  })

  test('departs from earlier tools: an edited one is an integrity failure, exit 5', () => {
    const edited = { ...aPolicy({ policyId: 'p.2' }), allowedChecks: ['deploy'] }
    const [status, failureClass] = checkUnder('policies/instruction/x.json', edited)
    expect([status, failureClass]).toEqual([5, 'instruction_policy_digest_mismatch'])
  })

  test('two with one id are refused, both by name', () => {
    const [status, failureClass, message] = checkUnder(
      'policies/instruction/x.json',
      aPolicy({ allowedChecks: ['deploy'] }),
    )
    expect([status, failureClass]).toEqual([2, 'instruction_policy_ambiguous'])
    expect(message).toContain('test-v1.json and policies/instruction/x.json')
  })

  test('must not be folders, links out of the project, or large files', () => {
    mkdirSync(pathOf('policies/instruction/x.json'))
    expect(refusal(check(envelope))[1]).toBe('instruction_policy_invalid_shape')
    const outside = join(project.folders, 'policy.json')
    writeFileSync(outside, JSON.stringify(aPolicy({ policyId: 'p.3' })))
    symlinkSync(outside, pathOf('policies/instruction/a.json'))
    expect(refusal(check(envelope))[2]).toContain('symbolic link')
  })
})

describe('premath proposal-check', () => {
  const checkProposal = (value: unknown) => [
    'proposal-check',
    '--proposal',
    put('proposal.json', value),
  ]

  test('prints canonical form, digests, obligations and discharge', () => {
    const { status, json, stderr } = asked(checkProposal(proposal))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(Object.keys(json)).toEqual([
      'canonical',
      'digest',
      'discharge',
      'kcirRef',
      'obligations',
    ])
    expect(json).toMatchObject({
      digest: expect.stringMatching(/^prop1_[0-9a-f]{64}$/),
      kcirRef: expect.stringMatching(/^kcir1_[0-9a-f]{64}$/),
      discharge: { outcome: 'accepted' },
    })
    for (const { obligationId } of json.obligations) {
      expect(obligationId).toMatch(/^obl1_[0-9a-f]{64}$/)
    }
  })

  const step = { ruleId: 'rule.a', claim: 'c', outputs: ['y'] }
  const derivation = { ...proposal, proposalKind: 'derivation', candidateRefs: [], steps: [step] }

  test('accepts a derivation that yields a result', () => {
    expect(asked(checkProposal(derivation)).json.discharge.outcome).toBe('accepted')
  })

  test.each<[string, unknown]>([
    ['glue_non_contractible', { ...proposal, candidateRefs: ['a', 'b'] }],
    ['descent_failure', { ...proposal, candidateRefs: [] }],
    ['stability_failure', { ...proposal, proposalKind: 'refinementPlan' }],
    ['adjoint_triple_coherence_failure', { ...proposal, proposalKind: 'refinementPlan' }],
  ])('departs from earlier tools: %s exits 1, not 0', (failureClass, value) => {
    const { status, json, stderr } = asked(checkProposal(value))
    expect(status).toBe(1)
    expect(json.discharge.failureClasses).toContain(failureClass)
    expect(stderr).toMatch(/\n[a-z_]+: .* is not met\n$/)
  })

  test.each<[string, unknown]>([
    ['proposal_invalid_step', { ...derivation, steps: [{ ...step, ruleId: ' ' }] }],
    ['proposal_kcir_ref_mismatch', { ...proposal, proposalKcirRef: 'kcir1_0' }],
    ['proposal_nondeterministic', { ...proposal, proposalDigest: 'prop1_0' }],
    ['proposal_unbound_policy', { ...proposal, binding: undefined }],
    ['proposal_invalid_shape', 'not json'],
  ])('refuses with 2 and %s', (failureClass, value) => {
    expect(refusal(checkProposal(value)).slice(0, 2)).toEqual([2, failureClass])
  })

  test('reads stdin', () => {
    const input = JSON.stringify(proposal)
    expect(asked(['proposal-check', '--proposal', '-'], { input }).status).toBe(0)
  })
})

describe('premath instruction-witness', () => {
  const runtime = runtimeOf(checked(envelope))
  const witness = (runtime: unknown, ...more: readonly string[]) => [
    ...['instruction-witness', '--instruction', put(instructionPath, envelope)],
    ...['--runtime', put('runtime.json', runtime), ...more],
  ]
  const preExecution = (failureClass: string, reason: string) => [
    ...['--pre-execution-failure-class', failureClass, '--pre-execution-reason', reason],
  ]

  test('of a run that passed is accepted, and writes nothing', () => {
    const { status, json, stderr } = asked(witness(runtime))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(mustMatchShape(InstructionWitness, json)).toMatchObject({
      witnessKind: 'ci.instruction.v1',
      verdictClass: 'accepted',
      scope: { mutations: [{ action: 'issue_update', issueId: 'bd-1' }] },
    })
    expect(has('artifacts')).toBe(false)
  })

  test('departs from earlier tools: one of a run that failed exits 1, not 0', () => {
    const results = [{ ...runtime.results[0], status: 'failed', exitCode: 3 }]
    const { status, json, stderr } = asked(witness({ ...runtime, results }))
    expect([status, json.verdictClass, json.failureClasses]).toEqual([
      1,
      'rejected',
      ['check_failed'],
    ])
    expect(stderr).toMatch(/\ncheck_failed: hk-check exited with 3\n$/)
  })

  test('carries the content of a join witness', () => {
    const join = { joinClosed: true, joinFailureClasses: [], joinWitnessRef: 'sha256:0' }
    expect(asked(witness({ ...runtime, ...join })).json).toMatchObject(join)
  })

  test('of a run that never began has the reason', () => {
    const flags = preExecution('instruction_invalid_normalizer', 'normalizerId is missing')
    const { status, json } = asked(witness(runtime, ...flags))
    expect(status).toBe(1)
    expect(json).toMatchObject({
      rejectStage: 'pre_execution',
      rejectReason: 'normalizerId is missing',
      operationalFailureClasses: ['instruction_invalid_normalizer'],
      results: [],
    })
  })

  test('needs both flags about a refusal or none', () => {
    const half = ['--pre-execution-reason', 'so']
    expect(refusal(witness(runtime, ...half)).slice(0, 2)).toEqual([
      2,
      'instruction_runtime_invalid',
    ])
    expect(refusal(witness(runtime, ...preExecution(' ', 'so')))[1]).toBe(
      'instruction_runtime_invalid',
    )
  })

  test.each<[string, unknown]>([
    ['no JSON', 'soon'],
    ['a member missing', { ...runtime, squeakSiteProfile: undefined }],
  ])('refuses %s', (_, runtime) => {
    expect(refusal(witness(runtime)).slice(0, 2)).toEqual([2, 'instruction_runtime_invalid'])
  })

  test.each<[string, object]>([
    ['another instruction', { instructionId: '20260221T000000Z-other' }],
    ['another state of it', { instructionDigest: `instr1_${'0'.repeat(64)}` }],
  ])('departs from earlier tools: a run of %s is refused', (_, change) => {
    expect(refusal(witness({ ...runtime, ...change })).slice(0, 2)).toEqual([
      2,
      'instruction_runtime_invalid',
    ])
  })
})
