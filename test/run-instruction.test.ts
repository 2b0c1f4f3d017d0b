/** A run by a person is the instruction for its steps, and runs the checks that policies require. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeWithGit, gitIn } from './a-repository.ts'
import { aPolicy, envelope } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath } from './an-instruction-project.ts'
import { main } from './built-command.ts'
import { claims } from './mutation-surfaces.ts'
import { withoutSandbox } from './without-sandbox.ts'

const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0
const { project, put, json, text, refusal, pathOf } = anInstructionProject()
const { asked, done, premath, rowsById } = project

const linked = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }
const checksOf = (checks: object) => ({ schema: 1, checksKind: 'premath.checks.v1', checks })
const verified = ['--work-cmd', 'touch made', '--verify-cmd', 'test -f made']
const step = ['harness-step', ...verified]

const trajectory = () =>
  text('.premath/harness_trajectory.jsonl')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

const runInstructions = () =>
  existsSync(pathOf('artifacts/ciwitness'))
    ? readdirSync(pathOf('artifacts/ciwitness')).filter(name => name.startsWith('run-'))
    : []

/** A policy that requires the check, which is the command. */
function requireCheck(command: string, name = 'hk-check') {
  put('policies/instruction/test-v1.json', aPolicy({ requiredChecks: [name] }))
  put('.premath/checks.json', checksOf({ [name]: command }))
}

/** As at a terminal. */
const typed = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const program = [process.execPath, main, ...withoutSandbox(args)]
  const { status, stdout } = spawnSync(
    'python3',
    [resolve('test/answered-terminal.py'), '', ...program],
    { cwd: project.folder, encoding: 'utf8', env: { ...project.env, ...env } },
  )
  return { status, stdout }
}

const begin = () => {
  done('init')
  done('issue', 'add', 'One')
  put('.premath/policy.json', linked)
}

describe.skipIf(!hasTerminals)('a step that a person starts at a terminal', () => {
  beforeEach(begin)

  test('[authority.5.run] is its own instruction, which its records name', () => {
    expect(typed(step)).toMatchObject({ status: 0 })
    expect(rowsById()['bd-1']).toMatchObject({ status: 'closed' })
    const [file = '', ...others] = runInstructions()
    expect([file, others]).toEqual([expect.stringMatching(/^run-[0-9a-f]{64}\.json$/), []])
    expect(json(`artifacts/ciwitness/${file}`)).toMatchObject({
      instructionKind: 'premath.run_instruction.v1',
      startedBy: { actor: 'terminal', uid: process.getuid?.() },
      workCommand: 'touch made',
      verifyCommand: 'test -f made',
      verifySpecs: [],
      requiredChecks: [],
    })
    const instructionRefs = [`instruction://${file.replace('.json', '')}`]
    expect(trajectory()).toMatchObject([{ instructionRefs, resultClass: 'completed' }])
    expect(json('.premath/harness_session.json')).toMatchObject({ instructionRefs })
    const [join = ''] = readdirSync(pathOf('artifacts/ciwitness/join'))
    expect(json(`artifacts/ciwitness/join/${join}`)).toMatchObject({
      instructionId: file.replace('.json', ''),
    })
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[authority.5.run] leaves no instruction that an agent could act under', () => {
    typed(step)
    const [file = ''] = runInstructions()
    done('policy', 'show')
    const under = ['--instruction', file.replace('.json', '')]
    expect(asked(['issue', 'add', 'Two', ...under])).toMatchObject({ status: 2 })
    expect(asked(['issue', 'add', 'Two'])).toMatchObject({ status: 1 })
  })

  test.each([
    ['an agent', { CLAUDECODE: '1' }, 'Claude Code may not start a run without an instruction'],
    ['a step', { PREMATH_STEP_ID: 'w.bd-1.1.1' }, 'may not begin another step'],
  ])('[authority.5.run] is refused to %s', (_who, env, why) => {
    done('config', 'set', 'verify', 'test -f made')
    const unverified = step.slice(0, step.indexOf('--verify-cmd'))
    const { status, stdout } = typed(unverified, env)
    expect(status).not.toBe(0)
    expect(stdout.replace(/\s+/g, ' ')).toContain(why)
    expect(rowsById()['bd-1']).toMatchObject({ status: 'open' })
    expect(runInstructions()).toEqual([])
  })

  test('[authority.4.required-checks] runs the checks that policies require, and fails with them', () => {
    requireCheck('test -f other')
    expect(typed(step)).toMatchObject({ status: 1 })
    expect(rowsById()['bd-1'].status).not.toBe('closed')
    expect(trajectory().at(-1).summary).toContain('the check hk-check, which a policy requires')
    writeFileSync(pathOf('other'), '')
    done('policy', 'show')
    put('.premath/policy.json', { schema: 1, surfaces: { cli: { mode: 'open' } } })
    done('issue', 'add', 'Two')
    put('.premath/policy.json', linked)
    expect(typed([...step, '--issue', 'bd-2', '--worker', 'w2'])).toMatchObject({ status: 0 })
    const { commands } = trajectory().at(-1)
    expect(commands.map(({ role }: { role: string }) => role)).toEqual(['work', 'verify', 'verify'])
    expect(runInstructions().map(name => json(`artifacts/ciwitness/${name}`))).toContainEqual(
      expect.objectContaining({
        requiredChecks: [{ checkId: 'hk-check', commandDigest: expect.any(String) }],
      }),
    )
  })

  test('[authority.4.required-checks] claims nothing if a required check has no command', () => {
    requireCheck('true')
    put('.premath/checks.json', checksOf({}))
    const { status, stdout } = typed(step)
    expect([status, stdout.replace(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining('requires the check hk-check, which has no command'),
    ])
    expect(rowsById()['bd-1']).toMatchObject({ status: 'open' })
  })
})

describe('a step without a terminal', () => {
  beforeEach(begin)

  test('[authority.5.run] is refused, and says how to start it', () => {
    const { status, json: answer } = asked(step)
    expect(status).toBe(1)
    expect(answer).toMatchObject({ failureClasses: ['mutation_not_granted'] })
    const { stdout } = premath(step)
    for (const way of ['ssh -t', '"override": "script"', '--instruction']) {
      expect(stdout.replace(/\s+/g, ' ')).toContain(way)
    }
    expect(runInstructions()).toEqual([])
  })

  test('is made as before where the policy demands no instruction', () => {
    requireCheck('false')
    put('.premath/policy.json', { schema: 1, surfaces: { cli: { mode: 'open' } } })
    expect(asked(step)).toMatchObject({ status: 0 })
    expect(trajectory()[0].instructionRefs).toBeUndefined()
    expect(runInstructions()).toEqual([])
  })
})

describeWithGit('a run of scripts, which the policy on the target lets override', () => {
  beforeEach(() => {
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    done('init')
    done('issue', 'add', 'One')
    put('.premath/policy.json', { ...linked, override: 'script' })
    put('README', 'x\n')
    requireCheck('test -f README')
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Begin')
  })

  test('[authority.5.run] lands its work under its own instruction', () => {
    expect(premath(['run', '--workers', '1', ...verified, '--no-baseline'])).toMatchObject({
      status: 0,
    })
    expect(rowsById()['bd-1']).toMatchObject({ status: 'closed' })
    const [file = ''] = runInstructions()
    expect(json(`artifacts/ciwitness/${file}`).startedBy.actor).toBe('script')
    const instructionRefs = [`instruction://${file.replace('.json', '')}`]
    expect(trajectory().at(-1)).toMatchObject({ instructionRefs, resultClass: 'completed' })
    expect(existsSync(join(project.folder, 'made'))).toBe(true)
  })

  test('[authority.5.run] premath land is one too, of which the issue is the record', () => {
    const kept = ['--land', 'branch', '--no-baseline', '--workers', '1']
    expect(premath(['run', ...verified, ...kept])).toMatchObject({ status: 0 })
    expect(rowsById()['bd-1']).toMatchObject({ status: 'in_review' })
    const before = runInstructions()
    const landed = premath(['land', 'bd-1', '--verify-cmd', 'test -f made'])
    expect(landed, landed.stdout).toMatchObject({ status: 0 })
    expect(rowsById()['bd-1']).toMatchObject({ status: 'closed' })
    const [file = '', ...others] = runInstructions().filter(name => !before.includes(name))
    expect(others).toEqual([])
    expect(json(`artifacts/ciwitness/${file}`)).toMatchObject({
      workCommand: ': the work is on premath/bd-1',
      verifyCommand: 'test -f made',
    })
    const instructionRefs = [`instruction://${file.replace('.json', '')}`]
    expect(trajectory().at(-1)).toMatchObject({ instructionRefs, resultClass: 'completed' })
  })

  test('[authority.5.run] premath land is refused without that policy on the target', () => {
    const kept = ['--land', 'branch', '--no-baseline', '--workers', '1']
    expect(premath(['run', ...verified, ...kept])).toMatchObject({ status: 0 })
    put('.premath/policy.json', linked)
    gitIn(project.folder, 'commit', '--quiet', '--all', '--message', 'No scripts')
    const { status, json: answer } = asked(['land', 'bd-1', '--verify-cmd', 'test -f made'])
    expect([status, answer]).toEqual([
      1,
      expect.objectContaining({ failureClasses: ['mutation_not_granted'] }),
    ])
    expect(rowsById()['bd-1']).toMatchObject({ status: 'in_review' })
  })

  test('[authority.5.run] a run that is refused does not verify the target first', () => {
    put('.premath/policy.json', linked)
    gitIn(project.folder, 'commit', '--quiet', '--all', '--message', 'No scripts')
    const mark = join(project.folder, 'artifacts/verified')
    const commands = ['--work-cmd', 'touch made', '--verify-cmd', `touch '${mark}'`]
    const { status, stdout } = premath(['run', '--workers', '1', ...commands])
    expect([status, existsSync(mark)]).toEqual([1, false])
    expect(stdout).toContain('mutation_not_granted')
    put('.premath/policy.json', { ...linked, override: 'script' })
    gitIn(project.folder, 'commit', '--quiet', '--all', '--message', 'Scripts')
    premath(['run', '--workers', '1', ...commands])
    expect(existsSync(mark)).toBe(true)
  })

  test('[authority.4.required-checks] lands nothing that a required check rejects', () => {
    const gone = ['--work-cmd', 'rm README', '--verify-cmd', 'true', '--no-baseline']
    expect(premath(['run', '--workers', '1', ...gone])).toMatchObject({ status: 1 })
    expect(rowsById()['bd-1'].status).not.toBe('closed')
    expect(existsSync(join(project.folder, 'README'))).toBe(true)
  })
})

describe('an instruction', () => {
  beforeEach(begin)

  test('[authority.4.required-checks] that does not ask for a required check is refused', () => {
    const policy = aPolicy({ requiredChecks: ['ci-wiring-check'] })
    put('policies/instruction/test-v1.json', policy)
    put('.premath/checks.json', checksOf({ 'hk-check': 'true', 'ci-wiring-check': 'false' }))
    const asks = (...requestedChecks: readonly string[]) => ({
      ...envelope,
      policyDigest: policy.policyDigest,
      instructionType: 'ci.gate.check',
      requestedChecks,
    })
    put(instructionPath, asks('hk-check'))
    for (const command of ['instruction-check', 'instruction-run']) {
      expect(refusal([command, '--instruction', instructionPath])).toEqual([
        2,
        'instruction_check_required',
        'policy.test.v1 requires the check "ci-wiring-check", and requestedChecks lacks it',
      ])
    }
    put(instructionPath, asks('hk-check', 'ci-wiring-check'))
    expect(asked(['instruction-run', '--instruction', instructionPath]).status).toBe(1)
    expect(asked(['issue', 'add', 'Two', '--instruction', id]).json).toMatchObject({
      failureClasses: ['instruction_not_accepted'],
    })
  })

  test('[authority.4.required-checks] closes nothing if its required check fails after the work', () => {
    requireCheck('test ! -f broken')
    const mutations = ['issue_claim', 'issue_update'].map(action => ({ action, issueId: 'bd-1' }))
    put(instructionPath, {
      ...envelope,
      policyDigest: aPolicy({ requiredChecks: ['hk-check'] }).policyDigest,
      instructionType: 'ci.gate.check',
      capabilityClaims: claims('issue_claim', 'issue_update'),
      scope: { kind: 'repo', mutations },
    })
    expect(asked(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
    const commands = ['--issue', 'bd-1', '--work-cmd', 'touch broken', '--verify-cmd', 'true']
    const { status, json: report } = asked(['harness-step', ...commands, '--instruction', id])
    expect(status, JSON.stringify(report)).toBe(1)
    expect(rowsById()['bd-1'].status).not.toBe('closed')
    expect(trajectory()[0].summary, JSON.stringify(report)).toContain('the check hk-check')
  })

  test('[authority.4.required-checks] finds the required checks in policy show', () => {
    requireCheck('true')
    expect(done('policy', 'show').instructionPolicies).toMatchObject([
      { policyId: 'policy.test.v1', requiredChecks: ['hk-check'] },
    ])
    const { stdout } = premath(['policy', 'show'])
    expect(stdout).toMatch(/must ask for +hk-check\n/)
    expect(stdout).toMatch(/override +terminal\n/)
    put('.premath/policy.json', { ...linked, override: 'script' })
    expect(premath(['policy', 'show']).stdout).toMatch(/override +script\n/)
    put('policies/instruction/test-v1.json', '{}')
    expect(premath(['policy', 'show']).stdout).toContain('no policy counts')
  })
})

describe('the proof of a close by force', () => {
  test('[authority.6.closed-by] names who confirmed it', () => {
    done('init')
    done('issue', 'add', 'One')
    done('close', 'bd-1', '--force', '--reason', 'Moot')
    const folder = pathOf('.premath/proofs/bd-1')
    const [file = ''] = readdirSync(folder)
    const { files } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const [chain = ''] = Object.keys(files).filter(name => name.startsWith('chain-'))
    expect(JSON.parse(files[chain]).closedBy).toEqual({
      by: 'force',
      reason: 'Moot',
      actor: 'terminal',
      uid: process.getuid?.(),
    })
    const row = text('.premath/issues.jsonl')
    const verdict = () => JSON.stringify(asked(['witness', 'verify', 'bd-1']).json)
    expect(verdict()).not.toContain('another actor')
    put('.premath/issues.jsonl', row.replace('"actor":"terminal"', '"actor":"script"'))
    expect(verdict()).toContain('another actor')
  })
})
