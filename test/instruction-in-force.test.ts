/** An agent acts under an instruction that is on the target branch, or that a person put in force. */
import { beforeEach, expect, test } from 'vitest'
import { describeWithGit, gitIn } from './a-repository.ts'
import { envelope } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath } from './an-instruction-project.ts'
import { claims } from './mutation-surfaces.ts'

const { project, put, begin, text } = anInstructionProject()
const { asked, done, rowsById } = project

const instruction = {
  ...envelope,
  instructionType: 'ci.gate.check',
  capabilityClaims: claims('issue_claim'),
  scope: { kind: 'repo', mutations: [{ action: 'issue_claim', issueId: 'bd-1' }] },
}
const weaker = { ...instruction, intent: 'Claim it all the same.' }
const claim = ['issue', 'claim', 'bd-1', '--assignee', 'agent', '--instruction', id]
const set = ['policy', 'set', '--input', instructionPath, '--reason', 'reviewed']

const commit = (...paths: readonly string[]) => {
  gitIn(project.folder, 'add', ...paths)
  gitIn(project.folder, 'commit', '--quiet', '--message', 'x')
}

const accepted = () =>
  expect(asked(['instruction-run', '--instruction', instructionPath]).status).toBe(0)

/** Runs its checks, as an agent does. */
const run = (document: object) => {
  put(instructionPath, document)
  accepted()
}

const refused = { status: 1, json: { failureClasses: ['instruction_not_in_force'] } }

describeWithGit('an instruction', () => {
  beforeEach(() => {
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    begin()
    done('init')
    done('issue', 'add', 'One')
    const checks = { 'hk-check': 'true' }
    put('.premath/checks.json', { schema: 1, checksKind: 'premath.checks.v1', checks })
  })

  test('counts as it is before the first commit, when there is no target', () => {
    run(instruction)
    expect(asked(claim)).toMatchObject({ status: 0 })
  })

  test('[authority.7.instruction-in-force] that is only in the working tree is refused', () => {
    commit('policies')
    run(instruction)
    const { status, json } = asked(claim)
    expect({ status, json }).toMatchObject(refused)
    expect(json.diagnostic).toContain(`${instructionPath} is not in the commit`)
    expect(json.remedy).toContain(`premath policy set --input ${instructionPath}`)
    gitIn(project.folder, 'add', instructionPath)
    expect(asked(claim)).toMatchObject(refused)
    expect(rowsById()['bd-1']).toMatchObject({ status: 'open' })
    commit(instructionPath)
    expect(asked(claim)).toMatchObject({ status: 0 })
  })

  test('[authority.7.instruction-in-force] that is only on another branch is refused', () => {
    commit('policies')
    done('config', 'set', 'onto', 'main')
    gitIn(project.folder, 'switch', '--quiet', '--create', 'work')
    run(instruction)
    commit(instructionPath)
    expect(asked(claim)).toMatchObject(refused)
    gitIn(project.folder, 'branch', '--force', 'main', 'work')
    expect(asked(claim)).toMatchObject({ status: 0 })
  })

  test('[authority.7.instruction-in-force] that differs from the one on the target is refused', () => {
    put(instructionPath, instruction)
    commit(instructionPath)
    run(weaker)
    const { status, json } = asked(claim)
    expect({ status, json }).toMatchObject(refused)
    expect(json.diagnostic).toContain('differs from')
    put(instructionPath, JSON.stringify(instruction, null, 2))
    accepted()
    expect(asked(claim)).toMatchObject({ status: 0 })
  })

  test('[authority.7.instruction-in-force] that a person put in force counts, as it was then', () => {
    commit('policies')
    run(instruction)
    for (const setup of [{ isUnattended: true }, { env: { CLAUDECODE: '1' } }] as const) {
      expect(asked(set, setup)).toMatchObject({ status: 1 })
    }
    const before = text(instructionPath)
    expect(done(...set)).toMatchObject({ what: 'instruction', result: 'accepted' })
    expect(text(instructionPath)).toBe(before)
    run(weaker)
    expect(asked(claim)).toMatchObject(refused)
    run(instruction)
    expect(asked(claim)).toMatchObject({ status: 0 })
    expect(asked(['doctor'])).toMatchObject({ status: 0 })
    expect(done('policy', 'show').policy.inForce).toBeNull()
  })
})
