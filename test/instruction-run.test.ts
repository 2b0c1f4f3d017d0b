/** Instructions carried out by the built command, with real checks. */

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkWitness } from '../src/kernel/instruction/witness-check.ts'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { InstructionWitness } from '../src/wire/instruction/instruction-witness.ts'
import { binding, envelope, proposal, registry, sha256, testPolicy } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath, witnessPath } from './an-instruction-project.ts'
import { main } from './built-command.ts'

const { project, begin, put, has, json, text, pathOf, refusal } = anInstructionProject()
const { asked, premath } = project

const checks = (commands: Readonly<Record<string, string>>) =>
  put('.premath/checks.json', {
    schema: 1,
    checksKind: 'premath.checks.v1',
    checks: commands,
  })

beforeEach(() => {
  begin()
  checks({ 'hk-check': 'echo checked; echo aside >&2' })
})

const run = (value: unknown, ...more: readonly string[]) => [
  ...['instruction-run', '--instruction', put(instructionPath, value)],
  ...more,
]

/** The witness of a run, once it is known that it can be trusted. */
function witness() {
  const witness = json(witnessPath)
  expect(mustMatchShape(InstructionWitness, witness)).toBeTruthy()
  return witness
}

const outputs = `artifacts/ciwitness/instructions/${id}`

describe('an instruction that runs', () => {
  test('leaves a verifiable witness and the output of its checks', () => {
    const { status, json: answer } = asked(run({ ...envelope, proposal }))
    expect(status).toBe(0)
    expect(answer).toMatchObject({
      action: 'instruction-run',
      result: 'accepted',
      failureClasses: [],
      witnessPath,
    })
    expect(answer.witness).toEqual(witness())
    expect(witness()).toMatchObject({
      instructionId: id,
      instructionRef: instructionPath,
      squeakSiteProfile: 'local',
      executedChecks: ['hk-check'],
      results: [{ checkId: 'hk-check', status: 'passed', exitCode: 0 }],
      verdictClass: 'accepted',
    })
    const ground = { registry: registry(testPolicy), sha256, envelope: { ...envelope, proposal } }
    expect(checkWitness(witness(), ground)).toEqual([])
    expect(text(`${outputs}/hk-check.stdout`)).toBe('checked\n')
    expect(text(`${outputs}/hk-check.stderr`)).toBe('aside\n')
  })

  test('has the same witness, except times, when it runs again', () => {
    const runs = [1, 2].map(() => {
      expect(asked(run(envelope)).status).toBe(0)
      const { runStartedAt, runFinishedAt, runDurationMs, witnessDigest, ...rest } = witness()
      expect([runStartedAt, runFinishedAt, runDurationMs, witnessDigest]).not.toContain(undefined)
      const results = rest.results.map(({ durationMs: _, ...row }: { durationMs: number }) => row)
      return { ...rest, results }
    })
    expect(runs[1]).toEqual(runs[0])
  })

  test('prints the file with members in the order of the contract', () => {
    asked(run(envelope))
    expect(Object.keys(witness()).slice(0, 3)).toEqual(['ciSchema', 'witnessKind', 'instructionId'])
    expect(text(witnessPath)).toBe(`${JSON.stringify(witness(), null, 2)}\n`)
  })

  test('runs every check in the project’s folder, also after one failed', () => {
    checks({ 'hk-check': 'exit 3', 'ci-wiring-check': 'pwd; echo "$PREMATH_CHECK_ID"' })
    const requestedChecks = ['hk-check', 'ci-wiring-check']
    const value = { ...envelope, instructionType: 'ci.gate.check', requestedChecks }
    const { status, stderr } = asked(run(value), { cwd: project.folder })
    expect(status).toBe(1)
    expect(witness().results).toMatchObject([
      { exitCode: 3, status: 'failed', failureClass: 'check_failed' },
      { exitCode: 0, status: 'passed' },
    ])
    expect(text(`${outputs}/ci-wiring-check.stdout`)).toContain('a project')
    expect(text(`${outputs}/ci-wiring-check.stdout`)).toContain('ci-wiring-check\n')
    expect(stderr).toMatch(/\ncheck_failed: hk-check exited with 3\n$/)
  })

  test('exits 0 after a rejection if failure is allowed, and the witness stays rejected', () => {
    checks({ 'hk-check': 'exit 1' })
    expect(asked(run(envelope, '--allow-failure')).status).toBe(0)
    expect(witness().verdictClass).toBe('rejected')
  })

  test('counts a check without a command as not runnable', () => {
    checks({})
    expect(asked(run(envelope)).status).toBe(1)
    expect(witness()).toMatchObject({
      results: [{ exitCode: 127, failureClass: 'executor_unavailable' }],
      failureClasses: ['executor_unavailable'],
    })
  })

  test('ends a check that takes too long, with all that it started', () => {
    checks({ 'hk-check': 'sleep 600 & echo $! > child; wait' })
    // A busy machine needs longer to start it, and then the limit is longer.
    for (let seconds = 1; !has('child'); seconds *= 2) {
      expect(asked(run(envelope, '--check-timeout-seconds', String(seconds))).status).toBe(1)
    }
    expect(witness()).toMatchObject({
      results: [{ exitCode: 124, failureClass: 'flaky_execution' }],
    })
    expect(isRunning(text('child'))).toBe(false)
  })

  test('runs no command from its own text', () => {
    const evil = '$(touch evil); touch evil; `touch evil`'
    asked(run({ ...envelope, intent: evil, scope: { note: evil } }))
    asked(run({ ...envelope, requestedChecks: [`hk-check; touch evil`] }))
    expect(has('evil')).toBe(false)
  })

  test('is started by its other name, with the file first', () => {
    put(instructionPath, envelope)
    const script = resolve('tools/ci/run_instruction.sh')
    const { status, stdout } = spawnSync('sh', [script, instructionPath, '--out-dir', 'out'], {
      cwd: project.folder,
      encoding: 'utf8',
    })
    expect([status, json(`out/${id}.json`).verdictClass]).toEqual([0, 'accepted'])
    expect(stdout).toContain('verdict   accepted')
  })
})

const hasGit = spawnSync('git', ['--version']).status === 0

test.runIf(hasGit)(
  'a linked worktree is checked, by the rules of the project it is linked to',
  () => {
    checks({ 'hk-check': 'pwd' })
    const git = (...args: readonly string[]) => {
      const own = ['-c', 'user.name=reader', '-c', 'user.email=reader@localhost']
      expect(spawnSync('git', [...own, ...args], { cwd: project.folder }).status).toBe(0)
    }
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'begin')
    git('worktree', 'add', '-q', 'linked')
    put(`linked/${instructionPath}`, envelope)
    const args = ['instruction-run', '--instruction', instructionPath]
    expect(asked(args, { cwd: pathOf('linked') }).status).toBe(0)
    expect(witness().instructionRef).toBe(instructionPath)
    expect(text(`${outputs}/hk-check.stdout`)).toMatch(/\/linked\n$/)
  },
)

describe('an instruction that does not run', () => {
  const elsewhere = { ...binding, normalizerId: 'normalizer.ci.v1' }

  test.each<[string, string, object]>([
    ['a missing normalizer', 'instruction_invalid_normalizer', { normalizerId: undefined }],
    ['a blank normalizer', 'instruction_invalid_normalizer', { normalizerId: '  ' }],
    ['a check that is not allowed', 'instruction_check_not_allowed', { requestedChecks: ['x'] }],
    [
      'a proposal bound elsewhere',
      'proposal_binding_mismatch',
      { proposal: { ...proposal, binding: elsewhere } },
    ],
  ])('%s exits 2 and leaves a rejected witness', (_, failureClass, change) => {
    const [status, found] = refusal(run({ ...envelope, ...change }))
    expect([status, found]).toEqual([2, failureClass])
    expect(witness()).toMatchObject({
      instructionClassification: { state: 'unknown', reason: 'pre_execution_invalid' },
      rejectStage: 'pre_execution',
      rejectReason: expect.stringMatching(/\w/),
      verdictClass: 'rejected',
      operationalFailureClasses: [failureClass],
      failureClasses: [failureClass],
      executedChecks: [],
      results: [],
    })
    expect(has(outputs)).toBe(false)
  })

  test('is named by the digest of its text if it is not JSON', () => {
    const [status, failureClass] = refusal(run('{"schema":'))
    expect([status, failureClass]).toEqual([2, 'instruction_envelope_invalid_json'])
    expect(witness()).toMatchObject({
      instructionDigest: `instr1_${sha256('{"schema":')}`,
      intent: '(invalid envelope)',
      scope: null,
    })
  })

  test('exits 1 if its type is unknown, and runs no check', () => {
    checks({ 'hk-check': 'touch ran' })
    const { status } = asked(run({ ...envelope, instructionType: 'other' }))
    expect([status, has('ran')]).toEqual([1, false])
    expect(witness()).toMatchObject({
      failureClasses: ['instruction_unknown_unroutable'],
      executedChecks: [],
    })
  })

  test('replaces an earlier acceptance', () => {
    expect(asked(run(envelope)).status).toBe(0)
    refusal(run({ ...envelope, intent: '' }))
    expect(witness().verdictClass).toBe('rejected')
  })

  test('leaves nothing if it is a folder, a link out, a large file or missing', () => {
    const outside = join(project.folders, 'outside run.json')
    writeFileSync(outside, JSON.stringify(envelope))
    symlinkSync(outside, pathOf('link-1.json'))
    mkdirSync(pathOf('folder-1.json'))
    truncateSync(pathOf(put('large-1.json', '')), 100_000_000)
    for (const name of ['link-1', 'folder-1', 'large-1', 'missing-1']) {
      const args = ['instruction-run', '--instruction', `${name}.json`]
      expect(refusal(args).slice(0, 2)).toEqual([2, 'instruction_envelope_invalid'])
    }
    expect(has('artifacts')).toBe(false)
  })

  test.each(['..-x.json', 'governance-promotion.json', 'a-b\\c.json', 'latest-required.json'])(
    'leaves nothing if its file is called %s',
    name => {
      const args = ['instruction-run', '--instruction', put(`instructions/${name}`, envelope)]
      expect(refusal(args).slice(0, 2)).toEqual([2, 'instruction_filename_invalid'])
      expect(has('artifacts')).toBe(false)
    },
  )
})

describe('the place of a witness', () => {
  const outcome = (args: readonly string[]) => {
    const { status, stderr } = premath(args)
    return { status, stderr }
  }

  test('is another folder of the project when one is named', () => {
    expect(asked(run(envelope, '--out-dir', 'out/w')).json.witnessPath).toBe(`out/w/${id}.json`)
    expect(json(`out/w/${id}.json`).verdictClass).toBe('accepted')
  })

  test.each(['../out', '/', '.premath', 'policies/instruction', '.git/x', 'a/../../out'])(
    'is not %s',
    outDir => {
      const before = readdirSync(project.folder)
      expect(outcome(run(envelope, '--out-dir', outDir))).toEqual({
        status: 2,
        stderr: expect.stringContaining('cannot hold witnesses'),
      })
      expect(readdirSync(project.folder).sort()).toEqual([...before, 'instructions'].sort())
    },
  )

  test('is not behind a link, within the project or out of it', () => {
    mkdirSync(pathOf('artifacts'))
    symlinkSync(project.folders, pathOf('artifacts/ciwitness'))
    expect(outcome(run(envelope)).status).toBe(3)
    expect(readdirSync(project.folders).filter(name => name.includes('wiring'))).toEqual([])
  })

  test('is not a link to a protected file', () => {
    put('.premath/issues.jsonl', '')
    mkdirSync(pathOf('artifacts/ciwitness'), { recursive: true })
    symlinkSync(pathOf('.premath/issues.jsonl'), pathOf(witnessPath))
    expect(outcome(run(envelope))).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('is a symbolic link'),
    })
    expect(text('.premath/issues.jsonl')).toBe('')
  })

  test('is not a file that holds something else', () => {
    put('package-lock.json', '{"lockfileVersion": 3}')
    const args = ['instruction-run', '--instruction', put('i/package-lock.json', envelope)]
    expect(outcome([...args, '--out-dir', '.'])).toEqual({
      status: 2,
      stderr: expect.stringContaining('is not the witness of an instruction'),
    })
    expect(text('package-lock.json')).toBe('{"lockfileVersion": 3}')
  })

  test('for output is not a link that an earlier run left', () => {
    put('kept.txt', 'kept')
    mkdirSync(pathOf(outputs), { recursive: true })
    symlinkSync(pathOf('kept.txt'), pathOf(`${outputs}/hk-check.stdout`))
    expect(asked(run(envelope)).status).toBe(0)
    expect(text('kept.txt')).toBe('kept')
    expect(text(`${outputs}/hk-check.stdout`)).toBe('checked\n')
  })
})

describe('checks', () => {
  test.each<[string, unknown]>([
    ['no JSON', '{'],
    ['another kind', { schema: 1, checksKind: 'x', checks: {} }],
    ['a blank command', { schema: 1, checksKind: 'premath.checks.v1', checks: { a: ' ' } }],
  ])('of %s are bad input, and nothing is run', (_, content) => {
    put('.premath/checks.json', content)
    const { status, stderr } = premath(run(envelope))
    expect(status).toBe(2)
    expect(stderr).toContain('.premath/checks.json cannot be used')
    expect(has(witnessPath)).toBe(false)
  })

  test('have a timeout', () => {
    expect(premath(run(envelope, '--check-timeout-seconds', '0')).status).toBe(2)
    expect(premath(run(envelope, '--check-timeout-seconds', '86401')).status).toBe(2)
  })

  test('depart from earlier tools: they run here or not at all', () => {
    const env = { PREMATH_SQUEAK_SITE_PROFILE: 'external' }
    expect(premath(run(envelope), { env }).status).toBe(2)
    expect(has(witnessPath)).toBe(false)
  })

  test('are run once at a time for one instruction', async () => {
    checks({ 'hk-check': 'touch begun; while [ ! -f go ]; do sleep 0.05; done' })
    const first = started(run(envelope))
    await until(() => has('begun'))
    expect(premath(run(envelope)).status).toBe(4)
    put('go', '')
    expect((await first.ended).status).toBe(0)
  })

  test('end when the run is asked to stop, and no witness is written', async () => {
    checks({ 'hk-check': 'sleep 600 & echo $! > child; wait' })
    const { child, ended } = started(run(envelope))
    await until(() => has('child') && text('child').endsWith('\n'))
    child.kill('SIGINT')
    const { status, stderr } = await ended
    expect(status).toBe(3)
    expect(stderr).toContain('no witness is written')
    expect(has(witnessPath)).toBe(false)
    expect(isRunning(text('child'))).toBe(false)
  })
})

interface Ended {
  readonly status: number | null
  readonly stderr: string
}

/** Runs beside the test. */
function started(args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { cwd: project.folder })
  let stderr = ''
  child.stderr.on('data', piece => {
    stderr += piece
  })
  const ended = new Promise<Ended>(settle => {
    child.on('close', status => settle({ status, stderr }))
  })
  return { child, ended }
}

/** One that has ended and that nobody has asked after yet does not run. */
function isRunning(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid.trim()], { encoding: 'utf8' })
  return /^[^Z]/.test(stdout.trim())
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(settle => setTimeout(settle, 20))
}
