/** Programs as the work of a step, in a real project: what they may do, and how they end. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { SchemeResult } from '../src/wire/scheme/scheme-result.ts'
import { aProject } from './a-project.ts'
import { id, instructionPath } from './an-instruction-project.ts'
import { isSandboxed } from './bubblewrap.ts'
import { aDoor, checks } from './mutation-surfaces.ts'

const project = aProject()
const { asked, done } = project

const put = (name: string, text: string) => writeFileSync(join(project.folder, name), text)
const memory = () => readFileSync(project.issues, 'utf8')
const show = (issue: string) => done('issue', 'show', issue).issue

const stepWith = (program: string, ...more: readonly string[]) => {
  put('work.scm', program)
  return asked(['harness-step', '--work-program', 'work.scm', '--verify-cmd', 'true', ...more])
}

/** A .gitignore lies beside the folders of steps. */
const foldersIn = (steps: string) => readdirSync(steps).filter(name => !name.startsWith('.'))

/** The files of the only step, or of the last one. */
const stepFile = (name: string) => {
  const steps = join(project.folder, 'artifacts/steps')
  const folder = foldersIn(steps).toSorted().at(-1) ?? ''
  const path = join(steps, folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

describe('a program as the work of a step', () => {
  test('[tusk.14.3.program-as-work] reads its issue, asks for another and comments; the harness verifies and closes', () => {
    done('issue', 'add', 'Find the loose ends')
    const { status, json } = stepWith(`
      (define id (hash-ref step 'issueId))
      (define title (hash-ref (hash-ref (issue.show :id id) 'issue) 'title))
      (issue.discover :parent id :title (string-append "Follow: " title))
      (issue.comment :id id :text "looked")
      (list id title (hash-ref (hash-ref step 'issue) 'title) (hash-ref step 'attempt))`)
    expect(json).toMatchObject({ result: 'completed', issueId: 'bd-1' })
    expect(status).toBe(0)
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
    const titles = done('issue', 'list', '--json').items.map((one: { title: string }) => one.title)
    expect(titles).toContain('Follow: Find the loose ends')
    expect(memory()).toContain('looked')
    const result = JSON.parse(stepFile('work.stdout') ?? '')
    mustMatchShape(SchemeResult, result)
    const title = 'Find the loose ends'
    expect(result).toMatchObject({ value: ['bd-1', title, title, 1], trajectoryPath: null })
    const actions = result.effects.map((one: { action: string }) => one.action)
    expect(actions).toEqual(['issue.show', 'issue.discover', 'issue.comment'])
    expect(stepFile('work.stderr')).toBeUndefined()
  })

  test('is a list of calls, too', () => {
    done('issue', 'add', 'One')
    put('calls.json', JSON.stringify({ calls: [{ action: 'issue.ready', args: {} }] }))
    const { json } = asked(['harness-step', '--work-program', 'calls.json', '--verify-cmd', 'true'])
    expect(json).toMatchObject({ result: 'completed' })
  })

  test.each([
    ['(issue.update :id "bd-1" :status "closed")', 'mutation_not_granted'],
    ['(issue.claim :id "bd-2" :assignee "me")', 'mutation_not_granted'],
    ['(issue.add :title "Mine")', 'mutation_not_granted'],
    ['(harness.session.write :state "stopped")', 'mutation_not_granted'],
    ['(spec.run :paths (list "specs"))', 'mutation_not_granted'],
    ['(harness.join_check :evidence (hash))', 'mutation_not_granted'],
    ['(instruction.run :instruction-path "instructions/x.json")', 'mutation_not_granted'],
    ['(shell.run :command "true")', 'scheme_eval.effect_denied'],
  ])('[tusk.14.3.program-proposes] is refused %s', (program, failureClass) => {
    done('issue', 'add', 'One')
    done('issue', 'add', 'Two')
    const { status, json } = stepWith(program)
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual([failureClass])
    expect(show('bd-1')).toMatchObject({ status: 'open' })
    expect(show('bd-2')).toMatchObject({ status: 'open' })
    expect(done('issue', 'list').count).toBe(2)
    expect(existsSync(join(project.folder, '.premath/witnesses/specs'))).toBe(false)
    const result = JSON.parse(stepFile('work.stdout') ?? '')
    expect(result).toMatchObject({ result: 'rejected', failureClasses: [failureClass] })
    expect(stepFile('work.stderr')).toMatch(new RegExp(`\n${failureClass}: `))
    const turn = JSON.parse(stepFile('turn.json') ?? '')
    expect(JSON.stringify(turn)).toContain(`"errorCode":"${failureClass}"`)
  })

  test('[tusk.14.3.program-ends] that never ends is stopped by its steps', () => {
    done('issue', 'add', 'One')
    const forever = '(define (again) (again)) (again)'
    const { json } = stepWith(forever, '--work-timeout-seconds', '60')
    expect(json.failureClasses).toEqual(['scheme_eval.step_budget_exceeded'])
    expect(stepFile('work.stderr')).not.toContain('--max-steps')
    expect(show('bd-1')).toMatchObject({ status: 'open' })
  })

  test('gets the feedback of the attempt before it', () => {
    done('issue', 'add', 'One')
    put('verify.sh', 'test "$PREMATH_ATTEMPT" = 2 || { echo the roof leaks; exit 1; }\n')
    put('work.scm', "(list (hash-ref step 'attempt) (hash-ref step 'feedback))")
    const { json } = asked([
      'harness-step',
      '--work-program',
      'work.scm',
      '--verify-cmd',
      'sh verify.sh',
    ])
    expect(json).toMatchObject({ result: 'completed' })
    const steps = join(project.folder, 'artifacts/steps')
    const values = foldersIn(steps).map(
      name => JSON.parse(readFileSync(join(steps, name, 'work.stdout'), 'utf8')).value,
    )
    expect(values).toContainEqual([1, false])
    expect(values).toContainEqual([2, expect.stringContaining('the roof leaks')])
  })

  test.skipIf(!isSandboxed)('does the same where commands are sandboxed', () => {
    done('issue', 'add', 'One')
    put('verify.sh', `test ! -e '${project.issues}'\n`)
    put('work.scm', '(issue.comment :id (hash-ref step \'issueId) :text "seen")')
    const program = ['--work-program', 'work.scm', '--verify-cmd', 'sh verify.sh']
    const { status, json } = asked(['harness-step', ...program, '--sandbox', 'require'])
    expect([status, json.result]).toEqual([0, 'completed'])
    expect(memory()).toContain('seen')
    expect(json.attempts.at(-1)).toMatchObject({ sandbox: 'bubblewrap' })
  })

  test.skipIf(!isSandboxed)(
    '[tusk.14.3.program-proposes] may do no more where commands are sandboxed',
    () => {
      done('issue', 'add', 'One')
      const { json } = stepWith(
        '(issue.update :id "bd-1" :status "closed")',
        '--sandbox',
        'require',
      )
      expect(json.failureClasses).toEqual(['mutation_not_granted'])
      expect(show('bd-1')).toMatchObject({ status: 'open' })
    },
  )

  test('is read before anything is claimed', () => {
    done('issue', 'add', 'One')
    const before = memory()
    const { status, json } = stepWith('(define x')
    expect(status).toBe(2)
    expect(json.error.message).toContain('work.scm: line 1')
    expect(stepWith('1', '--work-cmd', 'true').status).toBe(2)
    expect(stepWith('1', '--terminal').status).toBe(2)
    expect(memory()).toBe(before)
  })

  test('works on each issue of a loop', () => {
    done('issue', 'add', 'One')
    done('issue', 'add', 'Two')
    put('work.scm', '(issue.comment :id (hash-ref step \'issueId) :text "seen")')
    const loop = ['harness-loop', 'worker', '--work-program', 'work.scm', '--verify-cmd', 'true']
    expect(project.premath(loop).status).toBe(0)
    expect([show('bd-1').status, show('bd-2').status]).toEqual(['closed', 'closed'])
    expect(memory().match(/"seen"/g)?.length).toBeGreaterThanOrEqual(2)
  })
})

describe('under an instruction', () => {
  const { project, put } = aDoor()

  /** The effects of a step under the instruction, whose work is one call. */
  const effectsOf = (args: object) => {
    expect(project.premath(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
    put('work.json', { calls: [{ action: 'instruction.run', args }] })
    const flags = ['--verify-cmd', 'true', '--issue', 'bd-1', '--instruction', id]
    const { json } = project.asked(['harness-step', '--work-program', 'work.json', ...flags])
    expect(json).toMatchObject({ issueId: 'bd-1' })
    const steps = join(project.folder, 'artifacts/steps')
    const [name = ''] = foldersIn(steps)
    return JSON.parse(readFileSync(join(steps, name, 'work.stdout'), 'utf8')).effects
  }

  test('[tusk.14.3.own-instruction] runs the checks of that one', () => {
    expect(effectsOf({ instructionPath })).toMatchObject([
      { resultClass: 'accepted', payload: { result: 'accepted' }, instructionRef: instructionPath },
    ])
  })

  test.each([
    { instructionPath, allowFailure: true },
    { instructionPath, outDir: 'elsewhere' },
    { instructionPath: 'instructions/20260221T000000Z-other.json' },
  ])('[tusk.14.3.own-instruction] is refused %o', args => {
    expect(effectsOf(args)).toMatchObject([{ failureClasses: ['mutation_not_granted'] }])
  })

  test('[tusk.14.3.program-ends] ends a check that it runs at the timeout of the work', () => {
    expect(project.premath(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
    put('.premath/checks.json', { ...checks, checks: { 'hk-check': 'sleep 1000' } })
    const call = { action: 'instruction.run', args: { instructionPath } }
    put('work.json', { calls: [call] })
    const flags = ['--verify-cmd', 'true', '--issue', 'bd-1', '--instruction', id]
    const limits = ['--work-timeout-seconds', '1']
    const program = ['--work-program', 'work.json']
    const { status, json } = project.asked(['harness-step', ...program, ...flags, ...limits])
    expect([status, json.failureClasses]).toEqual([1, ['flaky_execution']])
  })
})
