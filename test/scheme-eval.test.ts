/** Programs in a real project: their effects, their records, and what is refused. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { HostEffect } from '../src/wire/scheme/host-effect.ts'
import { SchemeResult } from '../src/wire/scheme/scheme-result.ts'
import { id, instructionPath } from './an-instruction-project.ts'
import { aDoor, claims, instruction, under } from './mutation-surfaces.ts'

const { project, put, has, text, turn } = aDoor()
const { asked, done, premath } = project

const trajectory = '.premath/harness_trajectory.jsonl'
const rows = () =>
  text(trajectory)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ action }) => action.startsWith('scheme_eval.'))
const memory = () => readFileSync(project.issues, 'utf8')

const evaluated = (program: string, ...more: readonly string[]) =>
  asked(['scheme-eval', '--expression', program, ...more])
const called = (calls: readonly object[], more: object = {}, ...flags: readonly string[]) => {
  put('calls.json', { ...more, calls })
  return asked(['scheme-eval', '--program', 'calls.json', ...flags])
}

/** The instruction allows comments and claims, any number of them. */
function accepted() {
  const standing = { standing: true, issueId: 'bd-1' }
  const mutations = [
    { action: 'issue_comment', ...standing },
    { action: 'issue_claim', ...standing },
  ]
  const capabilityClaims = claims('issue_comment', 'issue_claim')
  put(instructionPath, { ...instruction, capabilityClaims, scope: { mutations } })
  expect(premath(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
}

describe('a program', () => {
  test('[tusk.14.1.envelope] gets the payload of a host function, and each call is an effect and a row of the trajectory', () => {
    put(
      'two.scm',
      "(define ready (issue.ready :limit 1))\n(list (hash-ref ready 'count) (hash-ref (issue.list) 'count))",
    )
    const { status, json } = asked(['scheme-eval', '--program', 'two.scm', '--issue-id', 'bd-1'])
    expect(status).toBe(0)
    mustMatchShape(SchemeResult, json)
    expect(json).toMatchObject({ value: [1, 2], result: 'accepted', executedCallCount: 2 })
    const [first, second] = json.effects
    mustMatchShape(HostEffect, first)
    expect(first).toMatchObject({
      schema: 'premath.host_effect.v0',
      callId: 'call-1',
      action: 'issue.ready',
      resultClass: 'accepted',
      payload: done('issue', 'ready', '--limit', '1'),
      witnessRefs: [`host-effect://scheme-eval/issue.ready/${first.argsDigest}/1`],
      policyDigest: null,
      instructionRef: null,
    })
    expect(second.argsDigest).toBe(
      'he1_44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    )
    expect(rows()).toMatchObject([
      {
        stepId: `scheme_eval.1.call-1.issue.ready.${first.argsDigest}`,
        issueId: 'bd-1',
        action: 'scheme_eval.issue.ready',
        resultClass: 'accepted',
        witnessRefs: first.witnessRefs,
      },
      { action: 'scheme_eval.issue.list' },
    ])
    expect(first.trajectoryRow).toMatchObject({ path: trajectory, stepId: rows()[0].stepId })
  })

  test('names the arguments of a host function in every casing', () => {
    const forms = [
      '(issue.list :issues-path ".premath/issues.jsonl")',
      '(issue.list \'issues_path ".premath/issues.jsonl")',
      '(issue.list (hash "issuesPath" ".premath/issues.jsonl"))',
      '(host \'issue.list :issuesPath ".premath/issues.jsonl")',
    ]
    const digests = forms.map(form => evaluated(form).json.effects[0])
    expect(digests.map(({ resultClass }) => resultClass)).toEqual(Array(4).fill('accepted'))
    expect(digests[0].argsDigest).toBe(digests[2].argsDigest)
  })

  test('catches a refusal, with its class and payload', () => {
    const program =
      '(guard (e ((hash? e) (list (hash-ref e \'class) (hash-ref e \'action)))) (issue.show :id "bd-9"))'
    const shown = asked(['issue', 'show', 'bd-9'])
    const { status, json } = evaluated(program)
    expect([status, json.value]).toEqual([0, [shown.json.error.code, 'issue.show']])
    expect(json.effects[0].payload).toEqual(shown.json)
  })

  test('that is not caught fails with the class of the command line', () => {
    const { status, json } = evaluated('(issue.show :id "bd-9")')
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual([asked(['issue', 'show', 'bd-9']).json.error.code])
  })

  test('answers people with class, stage, action, diagnostic and hint', () => {
    const { status, stdout, stderr } = premath(['scheme-eval', '--expression', '(shell.exec)'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.split('\n')).toEqual([
      'error: the program was stopped (scheme_eval.effect_denied)',
      '  Failure class: scheme_eval.effect_denied',
      '  Failure stage: policy/capability',
      '  Failed action: shell.exec',
      '  Diagnostic: line 1, column 1: shell.exec is denied to programs',
      '  Hint: Programs reach the project by host functions only.',
      '',
    ])
  })

  test('that cannot be read is bad input, and calls nothing', () => {
    const { status, json } = evaluated('(issue.ready) (list')
    expect([status, json.failureClasses]).toEqual([2, ['scheme_eval.invalid_program']])
    expect(json.error.message).toBe('line 1, column 15: the program ends before )')
    expect(json.effects).toEqual([])
    const unknown = evaluated('(issue.ready)\n(undefined-name)')
    expect(unknown.json.error.message).toContain('line 2, column 2')
    expect(unknown.json.executedCallCount).toBe(0)
  })
})

describe('a program has no effect but host functions', () => {
  test.each(['shell.exec', 'network.get', 'http.get', 'exec.run', 'SHELL.exec', 'Http.post'])(
    '[tusk.14.no-shell] %s is denied',
    action => {
      const { json } = called([{ action }, { action: 'issue.ready' }])
      expect(json.effects).toHaveLength(1)
      expect(json.failureClasses).toEqual(['scheme_eval.effect_denied'])
      expect(evaluated(`(host "${action}")`).json.failureClasses).toEqual(json.failureClasses)
      expect(rows()).toHaveLength(2)
    },
  )

  test('an action that is not in the list is refused, and a program in a program too', () => {
    for (const action of ['issue.import', 'policy.set', 'scheme.eval', 'constructor']) {
      const { json } = called([{ action }])
      expect(json.failureClasses).toEqual(['scheme_eval.host_action_unallowlisted'])
    }
    expect(called([{ action: ' ' }]).json.failureClasses).toEqual(['scheme_eval.invalid_program'])
  })

  test('the language has no clock, no chance, no file and no process', () => {
    for (const name of [
      'current-time',
      'random',
      'open-input-file',
      'system',
      'load',
      'eval',
      'display',
    ]) {
      expect(evaluated(`(${name} 1)`).json.failureClasses).toEqual(['scheme_eval.invalid_program'])
    }
  })

  test('a path outside of the project is refused', () => {
    const { json } = evaluated('(issue.list :issues-path "/etc/passwd")')
    expect(json.failureClasses).toEqual(['usage'])
  })
})

describe('a host function that changes something', () => {
  test('[tusk.14.instruction-linked] is refused without an accepted instruction, before anything is written', () => {
    const before = memory()
    for (const action of [
      'issue.claim',
      'issue.add',
      'dep.add',
      'harness.session.write',
      'harness.trajectory.append',
      'init',
      'spec.run',
    ]) {
      const { status, json } = evaluated(`(host "${action}")`)
      expect([action, status, json.failureClasses]).toEqual([
        action,
        1,
        ['mutation.use_evidence_missing'],
      ])
    }
    expect(memory()).toBe(before)
  })

  test('[tusk.14.instruction-linked] is a question with arguments that write nothing, and needs no instruction', () => {
    put('artifacts/turn.json', turn())
    const check = (more = '') => `(harness.join_check :input "artifacts/turn.json"${more})`
    const direct = asked(['harness-join-check', '--input', 'artifacts/turn.json'])
    for (const flags of [[], under]) {
      expect(evaluated(check(), ...flags).json.effects[0].payload).toEqual(direct.json)
    }
    const written = evaluated(check(' :write-witness #t')).json
    expect(written.failureClasses).toEqual(['mutation.use_evidence_missing'])
    expect(has('artifacts/ciwitness/join')).toBe(false)
  })

  test('is refused under an instruction that was not accepted, with the class of the door', () => {
    const { json } = evaluated('(issue.comment :id "bd-1" :text "x")', ...under)
    const direct = asked(['comment', 'bd-1', 'x', ...under])
    expect(json.failureClasses).toEqual(direct.json.failureClasses)
    expect(json.failureClasses).toEqual(['instruction_witness_missing'])
  })

  test('is made under an accepted one, and the effect names the real policy and instruction', () => {
    accepted()
    const { status, json } = evaluated('(issue.comment :id "bd-1" :text "Seen")', ...under)
    expect(status).toBe(0)
    expect(json.effects[0]).toMatchObject({
      policyDigest: done('prime').mutationPolicyDigest,
      instructionRef: instructionPath,
      resultClass: 'accepted',
    })
    expect(rows().at(-1).instructionRefs).toEqual([instructionPath])
    expect(project.rowsById()['bd-1'].comments).toMatchObject([{ text: 'Seen' }])
    const env = { PREMATH_INSTRUCTION_ID: id }
    const again = asked(['scheme-eval', '--expression', '(issue.comment :id "bd-1" :text "b")'], {
      env,
    })
    expect(again.status).toBe(0)
  })

  test('that the instruction does not list is refused by the door', () => {
    accepted()
    const before = memory()
    const { json } = evaluated('(issue.update :id "bd-1" :title "x")', ...under)
    expect(json.failureClasses).toEqual(
      asked(['issue', 'update', 'bd-1', '--title', 'x', ...under]).json.failureClasses,
    )
    expect(memory()).toBe(before)
  })

  test('[tusk.14.instruction-linked] is refused if the program asserts another policy than the one in force', () => {
    accepted()
    const before = memory()
    const comment = { action: 'issue.comment', args: { id: 'bd-1', text: 'x' } }
    const named = called([{ ...comment, policyDigest: 'sha256:00' }], {}, ...under)
    expect(named.json.failureClasses).toEqual(['mutation.policy_digest_mismatch'])
    const flag = evaluated('(issue.comment :id "bd-1" :text "x")', ...under, '--policy-digest', 'x')
    expect(flag.json.failureClasses).toEqual(['mutation.policy_digest_mismatch'])
    expect(memory()).toBe(before)
    const real = done('prime').mutationPolicyDigest
    expect(called([{ ...comment, policyDigest: real }], {}, ...under).status).toBe(0)
  })
})

describe('the list of calls of the earlier evaluator', () => {
  test('[tusk.14.2.families] is made in order, and stops at the first refusal', () => {
    const calls = [
      { action: 'issue.ready' },
      { action: 'issue.show', args: { id: 'bd-9' } },
      { action: 'issue.list' },
    ]
    const { status, json } = called(calls, {
      schema: 1,
      programKind: 'premath.scheme_eval.request.v0',
    })
    expect(status).toBe(1)
    expect(
      json.effects.map(({ callId, action }: { callId: string; action: string }) => [
        callId,
        action,
      ]),
    ).toEqual([
      ['call-1', 'issue.ready'],
      ['call-2', 'issue.show'],
    ])
    expect(rows()).toHaveLength(2)
  })

  test('takes its metadata from the call, then the flag, then the program', () => {
    const program = { issueId: 'from-program' }
    called(
      [
        {
          id: 'A b',
          action: 'issue.ready',
          issueId: 'from-call',
          witnessRefs: ['w://1'],
          lineageRefs: ['ctx://1'],
        },
        { action: 'issue.ready' },
      ],
      program,
      '--issue-id',
      'from-flag',
      '--step-prefix',
      'p',
    )
    called([{ action: 'issue.ready' }], program)
    expect(rows().map(({ issueId }) => issueId)).toEqual(['from-call', 'from-flag', 'from-program'])
    expect(rows()[0]).toMatchObject({ lineageRefs: ['ctx://1'] })
    expect(rows()[0].stepId).toMatch(/^p\.1\.a_b\.issue\.ready\.he1_/)
    expect(rows()[0].witnessRefs).toContain('w://1')
  })

  test.each([
    ['no calls', { calls: [] }, 'scheme_eval.invalid_program'],
    [
      'another schema',
      { schema: 2, calls: [{ action: 'issue.ready' }] },
      'scheme_eval.invalid_program',
    ],
    [
      'another kind',
      { programKind: 'x', calls: [{ action: 'issue.ready' }] },
      'scheme_eval.invalid_program',
    ],
    [
      'an unknown member',
      { calls: [{ action: 'issue.ready', arg: {} }] },
      'scheme_eval.invalid_program',
    ],
    [
      'too many calls',
      { calls: Array(33).fill({ action: 'issue.ready' }) },
      'scheme_eval.call_budget_exceeded',
    ],
  ])('is refused as a whole: %s', (_, program, failureClass) => {
    put('bad.json', program)
    const { status, json } = asked(['scheme-eval', '--program', 'bad.json'])
    expect(status).not.toBe(0)
    expect(json).toMatchObject({ failureClasses: [failureClass], effects: [] })
    expect(rows()).toEqual([])
  })

  test('leases need the transport mcp, and then pass the door of that surface', () => {
    const renew = {
      action: 'issue.lease_renew',
      args: { id: 'bd-1', assignee: 'a', leaseId: 'l', fence: 1 },
    }
    const local = called([renew])
    expect(local.json.failureClasses).toEqual(['control_plane_host_action_mcp_transport_required'])
    const mcp = called([renew], {}, '--host-action-transport', 'mcp')
    expect(mcp.json.failureClasses).toEqual(['mutation.use_evidence_missing'])
  })
})

describe('a budget', () => {
  test.each([
    ['step', '(let loop () (loop))', ['--max-steps', '10000']],
    ['memory', "(let loop ((all '())) (loop (cons 1 all)))", ['--max-memory', '1']],
    ['memory', '(let loop ((s "ab")) (loop (string-append s s)))', ['--max-memory', '1']],
    ['depth', '(define (f) (+ 1 (f))) (f)', []],
    ['time', '(let loop () (loop))', ['--timeout-seconds', '1', '--max-steps', '1000000000000']],
  ])('[scheme.1.budgets] of %s ends a program: %s', (name, program, flags) => {
    const { status, json } = evaluated(program, ...flags)
    expect([status, json.failureClasses]).toEqual([1, [`scheme_eval.${name}_budget_exceeded`]])
    expect(json.error.hint).toMatch(/\.$/)
  })

  test('of calls ends a program that makes 10,000, after those that it may make', () => {
    const program =
      '(let loop ((n 10000)) (if (= n 0) 1 (begin (issue.ready :limit 1) (loop (- n 1)))))'
    const { json } = evaluated(program, '--max-calls', '5')
    expect(json).toMatchObject({
      failureClasses: ['scheme_eval.call_budget_exceeded'],
      executedCallCount: 5,
    })
    expect(rows()).toHaveLength(5)
  })

  test('cannot be caught by the program', () => {
    const program = "(guard (e (#t 'caught)) (let loop () (loop)))"
    expect(evaluated(program, '--max-steps', '1000').status).toBe(1)
  })

  test('must be in range', () => {
    for (const flag of ['--max-calls', '--max-steps', '--max-memory', '--timeout-seconds']) {
      expect(evaluated('1', flag, '0').status).toBe(2)
    }
  })
})

describe('a replay', () => {
  const program =
    '(define n (hash-ref (issue.ready) \'count))\n(when (> n 1) (issue.show :id "bd-1"))\n(guard (e (#t \'none)) (issue.show :id "bd-9"))'

  test('[tusk.14.4.replay] of the same program makes the same calls, takes the same steps, and does nothing', () => {
    const first = evaluated(program)
    put('result.json', first.json)
    const before = text(trajectory)
    const second = evaluated(program, '--replay', 'result.json')
    expect(second.status).toBe(0)
    expect(second.json).toMatchObject({
      value: first.json.value,
      steps: first.json.steps,
      effects: first.json.effects,
      replayedRows: 3,
      trajectoryPath: null,
    })
    expect(text(trajectory)).toBe(before)
    const lines = first.json.effects.map((effect: object) => JSON.stringify(effect)).join('\n')
    put('rows.jsonl', `${lines}\n`)
    expect(evaluated(program, '--replay', 'rows.jsonl').status).toBe(0)
  })

  test('makes no change: a recorded one is only looked at', () => {
    accepted()
    const change = '(issue.comment :id "bd-1" :text "once")'
    put('result.json', evaluated(change, ...under).json)
    const before = memory()
    expect(evaluated(change, '--replay', 'result.json').status).toBe(0)
    expect(memory()).toBe(before)
  })

  test.each([
    ['action', '(issue.list)', 'the action of call 1 differs: issue.ready is recorded'],
    ['args digest', '(issue.ready :limit 1)', 'the args digest of call 1 (issue.ready) differs'],
    ['count', '(issue.ready)', 'the count differs: 3 calls are recorded, and the program made 1'],
    [
      'count',
      `${program} (issue.list)`,
      'the count differs: 3 calls are recorded, and call 4 is issue.list',
    ],
  ])('[tusk.14.4.replay] names the first difference: %s', (_, other, message) => {
    put('result.json', evaluated(program).json)
    const { status, json } = evaluated(other, '--replay', 'result.json')
    expect([status, json.failureClasses]).toEqual([1, ['scheme_eval.replay_difference']])
    expect(json.error.message).toContain(message)
  })

  test('of something else is bad input', () => {
    put('other.json', { a: 1 })
    expect(evaluated('1', '--replay', 'other.json').status).toBe(2)
    expect(evaluated('1', '--replay', 'none.json').status).toBe(2)
  })
})

describe('in the work of a step', () => {
  const env = { PREMATH_STEP_ID: 'w.bd-1.1.1' }

  test('[tusk.14.3.work-proposes] a program reads, and changes nothing', () => {
    const before = memory()
    const ran = (program: string) => asked(['scheme-eval', '--expression', program], { env })
    expect(ran("(hash-ref (issue.ready) 'count)")).toMatchObject({
      status: 0,
      json: { value: 2, trajectoryPath: null },
    })
    for (const call of [
      '(issue.update :id "bd-1" :status "closed")',
      '(issue.claim :id "bd-1" :assignee "a")',
      '(harness.session.write :state "stopped")',
      `(instruction.run :instruction-path "${instructionPath}")`,
    ]) {
      expect([call, ran(call).json.failureClasses]).toEqual([call, ['mutation_not_granted']])
    }
    expect(memory()).toBe(before)
    expect(has(trajectory) ? rows() : []).toEqual([])
  })
})

test('the file of a program lies anywhere, and standard input is one', () => {
  const { status, stdout } = premath(['scheme-eval', '--program', '-'], { input: '(+ 1 2)' })
  expect([status, stdout]).toEqual([0, '3\n'])
  expect(asked(['scheme-eval', '--program', 'none.scm']).status).toBe(2)
  expect(asked(['scheme-eval']).status).toBe(2)
})
