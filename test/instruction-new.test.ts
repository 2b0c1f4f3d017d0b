/** premath instruction new: a person lets an agent work on an issue. */
import { readdirSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeWithGit, gitIn } from './a-repository.ts'
import { anInstructionProject } from './an-instruction-project.ts'

const { project, put, json, has, pathOf } = anInstructionProject()
const { asked, done, rowsById } = project

const command = ['instruction', 'new', '--issue', 'bd-1']
const standing = { issueId: 'bd-1', standing: true }

beforeEach(() => {
  done('init')
  done('issue', 'add', 'Greet')
  done('issue', 'add', 'Another')
  put('.premath/checks.json', {
    schema: 1,
    checksKind: 'premath.checks.v1',
    checks: { test: 'true', lint: 'true', other: 'true' },
  })
  put('.premath/policy.json', { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } })
})

/** The agent runs the checks, and works under the instruction. */
function works(path: string, id: string): void {
  expect(asked(['instruction-run', '--instruction', path]).json.result).toBe('accepted')
  const under = ['--instruction', id]
  for (const args of [
    ['issue', 'claim', 'bd-1', '--assignee', 'agent'],
    ['issue', 'comment', 'bd-1', 'Began.'],
    [
      'issue',
      'lease-renew',
      'bd-1',
      '--assignee',
      'agent',
      '--lease-id',
      'lease1_bd-1_agent',
      '--fence',
      '1',
    ],
    ['issue', 'comment', 'bd-1', 'Goes on.'],
    ['issue', 'lease-release', 'bd-1', '--lease-id', 'lease1_bd-1_agent', '--fence', '1'],
    ['issue', 'claim', 'bd-1', '--assignee', 'agent'],
  ]) {
    expect(asked([...args, ...under])).toMatchObject({ status: 0 })
  }
  expect(rowsById()['bd-1'].status).toBe('in_progress')
  const other = asked(['issue', 'claim', 'bd-2', '--assignee', 'agent', ...under])
  expect(other.json.failureClasses).toEqual(['instruction_scope_exceeded'])
  const update = ['issue', 'update', 'bd-1', '--title', 'Other', ...under]
  const lease = ['--lease-id', 'lease1_bd-1_agent', '--fence', '2']
  expect(asked([...update, ...lease]).json.failureClasses).toEqual([
    'mutation.use_evidence_missing',
  ])
}

test('[authority.8.new-instruction] writes an instruction that lets an agent work on one issue', () => {
  const written = done(...command)
  const { path, instructionId } = written
  expect(written).toMatchObject({
    result: 'written',
    issueId: 'bd-1',
    inForce: true,
    requestedChecks: ['lint', 'test'],
    next: [`premath instruction-run --instruction ${path}`],
  })
  expect(path).toMatch(/^instructions\/\d{8}T\d{6}Z-bd-1\.json$/)
  expect(json(path)).toMatchObject({
    intent: 'Work on bd-1: Greet',
    scope: {
      mutations: [
        { action: 'issue_claim', ...standing },
        { action: 'issue_lease_renew', ...standing },
        { action: 'issue_lease_release', ...standing },
        { action: 'issue_comment', ...standing },
        { action: 'issue_update', issueId: 'bd-1' },
        { action: 'issue_update', issueId: 'bd-1' },
      ],
    },
  })
  expect(done('instruction-check', '--instruction', path).executionDecision.state).toBe('execute')
  works(path, instructionId)
})

test('a second one gets a name of its own', () => {
  const names = [done(...command), done(...command), done(...command)].map(({ path }) => path)
  expect(new Set(names).size).toBe(3)
})

describe('is refused', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['inside a step', { PREMATH_STEP_ID: 'step-1' }],
    ['under an agent', { CLAUDECODE: '1' }],
    ['under an instruction', { PREMATH_INSTRUCTION_ID: '20260221T000000Z-fix' }],
  ])('[authority.8.new-instruction] %s', (_, env) => {
    const { status, json: answer } = asked(command, { env })
    expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(answer.remedy).toContain('Let a person run it')
    expect(has('instructions')).toBe(false)
  })
})

test.each([
  ['an issue that does not exist', ['--issue', 'bd-9'], 1, 'issue_not_found'],
  ['a policy that does not exist', ['--issue', 'bd-1', '--policy', 'x'], 2, 'usage'],
  [
    'a check that the policy does not allow',
    ['--issue', 'bd-1', '--check', 'other'],
    2,
    'instruction_check_not_allowed',
  ],
])('names %s', (_, flags, code, failure) => {
  const { status, json: answer } = asked(['instruction', 'new', ...flags])
  expect([status, answer.error.code]).toEqual([code, failure])
  expect(answer.error.hint).toMatch(/\S/)
  expect(has('instructions')).toBe(false)
})

test('says which checks need a command', () => {
  put('.premath/checks.json', { schema: 1, checksKind: 'premath.checks.v1', checks: {} })
  const { status, json: answer } = asked(command)
  expect([status, answer.error.code]).toEqual([2, 'usage'])
  expect(answer.error.hint).toContain('.premath/checks.json')
})

describeWithGit('in a repository', () => {
  beforeEach(() => {
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'x')
  })

  test('[authority.8.new-instruction] is put in force by the person at the terminal', () => {
    const { inForce, path, instructionId } = asked(command).json
    expect(inForce).toBe(true)
    works(path, instructionId)
  })

  test('without a terminal it says how to put it in force', () => {
    const { status, json: answer } = asked(command, { isUnattended: true })
    const { path, instructionId } = answer
    expect([status, answer.inForce]).toEqual([0, false])
    expect(answer.next[0]).toBe(`premath policy set --input ${path} --reason <why>`)
    asked(['instruction-run', '--instruction', path])
    const claim = ['issue', 'claim', 'bd-1', '--assignee', 'agent', '--instruction', instructionId]
    expect(asked(claim).json.failureClasses).toEqual(['instruction_not_in_force'])
    gitIn(project.folder, 'add', 'instructions')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'y')
    expect(asked(claim).status).toBe(0)
    expect(readdirSync(pathOf('instructions'))).toHaveLength(1)
  })
})
