/** Changes that the work of a step may not make, even if a person started it; on the built command. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, premath, rowsById } = project

const at = (name: string) => join(project.folder, name)
const closing = ['issue', 'update', 'bd-1', '--status', 'closed']
const row = { id: 'bd-1', title: 'One', status: 'closed' }

/** Commands for people, by the purpose of an agent that would use them. */
const forPeople: readonly [string, readonly string[]][] = [
  ['close by force', [...closing, '--force', '--reason', 'done']],
  ['choose its verification', [...closing, '--verify-cmd', 'ls']],
  ['choose its specs', ['issue', 'update', 'bd-1', '--spec', 'specs']],
  ['import rows', ['issue', 'import', 'rows.jsonl', '--on-conflict', 'replace']],
  ['compact', ['issue', 'compact']],
  ['write events anew', ['issue', 'migrate-events']],
]

/** Opens the policy for the work of a step. */
function openWork(): void {
  const surfaces = { cli: { mode: 'open' }, work: { mode: 'open' } }
  writeFileSync(at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
}

beforeEach(() => {
  done('init')
  done('issue', 'add', 'One')
  done('issue', 'add', 'Two')
  writeFileSync(at('rows.jsonl'), `${JSON.stringify(row)}\n`)
})

const env = { PREMATH_STEP_ID: 'step-1' }
/** Commands that need no person, but an instruction or an open policy. */
const forAgents: readonly (readonly string[])[] = [
  ['issue', 'update', 'bd-1', '--notes', 'seen'],
  ['issue', 'update', 'bd-1', '--title', 'Won'],
  ['issue', 'comment', 'bd-1', 'seen'],
  ['issue', 'add', 'Three'],
  ['issue', 'discover', 'bd-1', 'Three'],
  ['dep', 'add', 'bd-1', 'bd-2'],
  ['issue', 'claim', 'bd-2', '--assignee', 'me'],
]

describe('the work of a step changes issue memory', () => {
  test.each(forAgents.map(args => [args]))('only under an instruction: %j', args => {
    const before = readFileSync(project.issues)
    const { status, json } = asked(args, { env })
    expect([status, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(json.diagnostic).toContain(
      'from the work of a step, issue memory takes changes only under',
    )
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test('or if the policy allows it', () => {
    openWork()
    for (const args of forAgents) expect(premath(args, { env })).toMatchObject({ status: 0 })
  })

  test('not at all if it can only read', () => {
    const args = ['issue', 'import', 'rows.jsonl', '--on-conflict', 'keep', '--dry-run']
    expect(premath(args, { env })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('under every policy the work of a step is refused', () => {
  beforeEach(openWork)

  test.each(forPeople)('to %s', (_, args) => {
    const before = readFileSync(project.issues)
    const { status, json } = asked(args, { env })
    expect([status, json.result, json.failureClasses]).toEqual([
      1,
      'rejected',
      ['mutation_not_granted'],
    ])
    expect(json.diagnostic).toContain('the work of a step may not')
    expect(json.remedy).toContain('Leave it to a person')
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test.each([
    [['harness-step', '--session', 'own.json']],
    [['harness-loop', 'worker', '--session', 'own.json']],
    [['harness-loop', 'coordinator', '--worktree', '.']],
  ])('to begin another step: %j', command => {
    const before = readFileSync(project.issues)
    const args = [...command, '--work-cmd', 'true', '--verify-cmd', 'true']
    const { status, stderr } = premath(args, { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining('may not begin another step')])
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test('to repair memory, which the doctor still checks and reports', () => {
    const { stdout } = premath(['doctor', '--fix', '--json'], { env })
    expect(stdout).toContain('the work of a step may not')
    expect(premath(['doctor'], { env }).stdout).not.toContain('the work of a step')
  })

  test('without failing the step, which is verified as usual', () => {
    const run = forPeople.map(([, args]) => `"$NODE" "$MAIN" ${args.join(' ')}; echo $? >> codes`)
    const step = ['harness-step', '--issue', 'bd-2', '--work-cmd', run.join('\n')]
    const env = { NODE: process.execPath, MAIN: main }
    const { status } = premath([...step, '--verify-cmd', 'true'], { env: env })
    expect(readFileSync(at('codes'), 'utf8').trim().split('\n')).toEqual(forPeople.map(() => '1'))
    expect([status, rowsById()['bd-1'].status, rowsById()['bd-2'].status]).toEqual([
      0,
      'open',
      'closed',
    ])
  })
})

test.each(forPeople.slice(0, 2))('a person outside of a step may %s', (_, args) => {
  expect(premath(args)).toMatchObject({ status: 0, stderr: '' })
  expect(rowsById()['bd-1'].status).toBe('closed')
})
