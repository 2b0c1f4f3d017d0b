/** Required checks by the built command, in real repositories and with real checks. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { RequiredDecision } from '../src/wire/required/decision.ts'
import { DeltaSnapshot } from '../src/wire/required/delta.ts'
import { GateWitness } from '../src/wire/required/gate-witness.ts'
import { RequiredWitness } from '../src/wire/required/required-witness.ts'
import { Repository } from './a-git-project.ts'
import { earlierRulesText, sha256 } from './required-rules.ts'

let repository: Repository

const at = (path: string) => join(repository.root, path)
const git = (...args: readonly string[]) => repository.git('-C', repository.root, ...args)

function put(path: string, content: string | object): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
}

const read = (path: string) => readFileSync(at(path), 'utf8')
const json = (path: string) => JSON.parse(read(path))

interface Check {
  readonly command?: string
  readonly timeoutSeconds?: number
  readonly after?: readonly string[]
}

/** Every path requires all of these checks. */
const rules = (checks: Readonly<Record<string, Check>>, more: object = {}) =>
  put('.premath/required-checks.json', {
    schema: 1,
    requiredChecksKind: 'premath.required_checks.v1',
    projectionPolicy: 'test-v1',
    order: Object.keys(checks),
    baseline: Object.keys(checks),
    docs: { paths: ['**/*.md'] },
    rules: [],
    checks,
    ...more,
  })

beforeEach(() => {
  repository = new Repository('required', { 'a.txt': 'one\n', 'b.txt': 'a text\nof some lines\n' })
  put('.premath/issues.jsonl', '')
})

afterEach(() => {
  expect(repository.processes).toEqual([])
  repository.remove()
})

/** Runs a command with a document as its input. */
function asked(command: string, document: object) {
  put('artifacts/input.json', document)
  const flag = command === 'required-witness' ? '--runtime' : '--input'
  return repository.asked(command, flag, 'artifacts/input.json')
}

describe('required-delta', () => {
  const delta = (document: object = {}) => asked('required-delta', document)

  test('sees deleted, renamed, staged and untracked files [required.10.delta]', () => {
    git('checkout', '--quiet', '-b', 'work')
    git('mv', 'b.txt', 'renamed.txt')
    git('commit', '--quiet', '-m', 'Rename.')
    git('rm', '--quiet', 'a.txt')
    put('new/untracked.txt', 'x')
    put('staged.txt', 'x')
    git('add', 'staged.txt')
    expect(delta().json).toEqual({
      schema: 1,
      deltaKind: 'ci.required.delta.v1',
      changedPaths: ['a.txt', 'b.txt', 'new/untracked.txt', 'renamed.txt', 'staged.txt'],
      source: 'git_diff+workspace+untracked',
      fromRef: 'main',
      toRef: 'HEAD',
    })
  })

  test('sees files that are changed and not staged, between equal commits', () => {
    put('a.txt', 'two\n')
    expect(delta({ repoRoot: '.', fromRef: 'HEAD', toRef: 'HEAD' }).json).toMatchObject({
      changedPaths: ['a.txt'],
      source: 'git_diff+workspace',
    })
  })

  test('looks at the folder of the project only', () => {
    put('sub/.premath/issues.jsonl', '')
    put('sub/c.txt', 'x')
    put('sub/input.json', {})
    put('d.txt', 'x')
    const { stdout } = repository.premath(['required-delta', '--input', 'input.json', '--json'], {
      cwd: at('sub'),
    })
    expect(JSON.parse(stdout).changedPaths).toEqual(['c.txt', 'input.json'])
  })

  test('leaves out records of premath, but not its settings [required.10.delta]', () => {
    put('.gitignore', '')
    put('.premath/issues.jsonl', '{}\n')
    put('.premath/required-checks.json', '{}')
    put('artifacts/ciwitness/a.json', '{}')
    expect(delta().json.changedPaths).toEqual([
      '.gitignore',
      '.premath/required-checks.json',
      'artifacts/input.json',
    ])
  })

  test('takes every file for changed if there is no base [required.10.delta]', () => {
    git('branch', '--quiet', '-m', 'trunk')
    expect(delta().json).toMatchObject({
      changedPaths: ['.gitignore', 'a.txt', 'b.txt'],
      source: 'none',
      fromRef: null,
    })
  })

  test.each<[string, object, string]>([
    ['unknown', { fromRef: 'nothing' }, 'git knows no commit nothing'],
    ['unknown', { toRef: '--output=x' }, 'git knows no commit --output=x'],
    ['no text', { fromRef: 7 }, 'fromRef is missing, blank or not text'],
  ])('refuses a commit that is %s: %j', (_why, document, message) => {
    const { status, stderr } = delta(document)
    expect(status).toBe(2)
    expect(stderr).toContain(`required_delta_invalid: ${message}`)
  })

  test('refuses commits that have no common one', () => {
    git('checkout', '--quiet', '--orphan', 'other')
    git('commit', '--quiet', '-m', 'Other.')
    const { status, stderr } = delta({ fromRef: 'main' })
    expect(status).toBe(2)
    expect(stderr).toContain('no merge base')
  })

  test('refuses a path that rules would take for another one', () => {
    put('docs\\a.md', 'x')
    expect(delta()).toMatchObject({ status: 2, stderr: expect.stringContaining('backslash') })
  })
})

test('a project without rules, or with broken ones, is told so [required.4.rules-file]', () => {
  const projection = () => asked('required-projection', { changedPaths: ['a'] })
  expect(projection()).toMatchObject({
    status: 2,
    json: { failureClasses: ['required_rules_invalid'] },
    stderr: expect.stringContaining('the project has no .premath/required-checks.json'),
  })
  rules({ a: { after: ['b'] }, b: { after: ['a'] } })
  expect(projection()).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^required_rules_invalid: .*cycle: a -> b -> a$/m),
  })
  const { json: found } = repository.asked('doctor')
  expect(JSON.stringify(found.findings)).toContain('cycle: a -> b -> a')
  put('.premath/required-checks.json', '{"schema": 1,')
  expect(projection()).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the end of the text'),
  })
})

describe('documents of a run elsewhere', () => {
  const projectionDigest = 'proj1_demo'
  const runtime = {
    projectionPolicy: 'ci-topos-v0',
    projectionDigest,
    changedPaths: ['crates/a.rs'],
    requiredChecks: ['build'],
    results: [{ checkId: 'build', status: 'failed', exitCode: 1, durationMs: 5 }],
    gateWitnessRefs: [
      {
        checkId: 'build',
        artifactRelPath: 'gates/build.json',
        sha256: 'a'.repeat(64),
        source: 'fallback',
        failureClasses: ['descent_failure'],
      },
    ],
    docsOnly: false,
    reasons: ['rust_surface_changed'],
    deltaSource: 'git_diff',
    fromRef: null,
    toRef: null,
    normalizerId: 'normalizer.ci.required.v1',
    policyDigest: 'ci-topos-v0',
    squeakSiteProfile: 'local',
    runStartedAt: '2026-02-23T00:00:00Z',
    runFinishedAt: '2026-02-23T00:00:01Z',
    runDurationMs: 1000,
  }

  beforeEach(() => put('.premath/required-checks.json', earlierRulesText))

  // The earlier implementation exits with 0 here, and callers have to read the JSON.
  test('a rejected witness exits with 1 [required.11.exit-codes]', () => {
    const { status, json: witness } = asked('required-witness', runtime)
    expect(status).toBe(1)
    expect(witness).toMatchObject({
      verdictClass: 'rejected',
      failureClasses: ['check_failed', 'descent_failure'],
    })
    const changedPaths = ['crates/a.rs']
    const verified = asked('required-witness-verify', { witness, changedPaths })
    expect(verified.status).toBe(1)
    expect(verified.json.errors.join('\n')).toContain('projectionDigest mismatch')
    const decided = asked('required-witness-decide', {
      witness,
      expectedChangedPaths: changedPaths,
    })
    expect(decided.status).toBe(1)
    expect(decided.json).toMatchObject({ decision: 'reject', reasonClass: 'verification_reject' })
  })

  test.each<[string, readonly string[], object]>([
    [
      'a source file',
      ['crates/premath-bd/src/lib.rs'],
      {
        projectionDigest: 'proj1_a650cc9dd752ba9cec31cecc5f872e19f588906e6cf557cb6aecb9da495285ce',
        requiredChecks: ['build', 'test'],
      },
    ],
    [
      'no path',
      [],
      {
        projectionDigest: 'proj1_ace4d9d49dbfaf18361f3b20bb37333e253039251f14d1872b1ccfb3c27cee8d',
        requiredChecks: ['baseline'],
      },
    ],
    [
      'the kernel',
      ['crates/premath-kernel/src/lib.rs'],
      { requiredChecks: ['build', 'test', 'test-toy', 'test-kcir-toy'] },
    ],
  ])('the projection of %s is that of the earlier implementation', (_, changedPaths, expected) => {
    expect(asked('required-projection', { changedPaths })).toMatchObject({
      status: 0,
      json: { projectionPolicy: 'ci-topos-v0', changedPaths, ...expected },
    })
  })

  // It says what the check did, so a failed check is no rejection of the question.
  test('the gate witness of a failed check has the digests of the earlier implementation, and exits with 0', () => {
    const fallback = {
      ...{ exitCode: 1, projectionDigest, policyDigest: 'ci-topos-v0' },
      ...{ ctxRef: 'origin/main', dataHeadRef: 'HEAD' },
    }
    const check = { checkId: 'baseline', artifactRelPath: 'gates/baseline.json', fallback }
    expect(asked('required-gate-ref', check)).toMatchObject({
      status: 0,
      json: {
        gateWitnessRef: {
          sha256: 'bc0dc39bd0d9c382fb736a7bf07e0e2450f8af506ac24363bc53ee943e2e0da7',
          runId: 'run1_c29e05745b0409b95603dc34723db2e21ea7ec293a506d414b1253ce5d749cca',
          result: 'rejected',
          failureClasses: ['descent_failure'],
        },
        gatePayload: {
          intentId: 'intent1_f35bdcce732789b8f71138f32ed7e260617dfa8f38ba498e978bbc6a0f07fee6',
          failures: [{ witnessId: 'w1_oequo5vlpa5la4fsnd5i9krr43uiao68dgeiosaqajls89mtge9g' }],
        },
      },
    })
  })

  test('gate witnesses below witnessRoot are opened, and half of one is named', () => {
    const { json: witness } = asked('required-witness', runtime)
    put('artifacts/gates/build.json', '{"witnessKind": "ga')
    const question = { witness, changedPaths: ['crates/a.rs'], witnessRoot: 'artifacts' }
    const { errors } = asked('required-witness-verify', question).json
    expect(errors.join('\n')).toContain('gate witness of build: not readable as JSON')
  })

  test.each<[string, object, string]>([
    ['required-projection', { changedPaths: 'a' }, 'required_projection_invalid'],
    ['required-delta', { repoRoot: 7 }, 'required_delta_invalid'],
    ['required-gate-ref', {}, 'required_gate_ref_invalid'],
    ['required-witness', {}, 'required_witness_runtime_invalid'],
    ['required-witness-verify', { witness: 7 }, 'required_witness_verify_invalid'],
    [
      'required-witness-verify',
      { witness: {}, changedPaths: ['../a'] },
      'required_witness_verify_invalid',
    ],
    ['required-witness-decide', {}, 'required_witness_decide_invalid'],
    ['required-decision-verify', { decision: [] }, 'required_decision_verify_invalid'],
  ])('%s refuses %j [required.11.exit-codes]', (command, document, failureClass) => {
    const { status, stderr, json: answer } = asked(command, document)
    expect(status).toBe(2)
    expect(stderr).toMatch(new RegExp(`^${failureClass}: `, 'm'))
    expect(answer).toMatchObject({ failureClasses: [failureClass], result: 'rejected' })
  })
})

const folder = 'artifacts/ciwitness'

describe('ci-required', () => {
  const ci = (...more: readonly string[]) => repository.asked('ci-required', ...more)

  test('runs the checks of a change, and others can verify the files that it writes [required.12.artifacts]', () => {
    rules({
      build: { command: 'echo built' },
      test: { command: 'test "$PREMATH_CHECK_ID" = test' },
    })
    put('src/a.ts', 'x')
    const { status, json: answer } = ci('--attested')
    expect(status).toBe(0)
    expect(answer).toMatchObject({ result: 'accepted', decisionErrors: [] })
    const witness = json(`${folder}/latest-required.json`)
    const { projectionDigest, gateWitnessRefs } = witness
    mustMatchShape(RequiredWitness, witness)
    mustMatchShape(DeltaSnapshot, json(`${folder}/latest-delta.json`))
    mustMatchShape(RequiredDecision, json(`${folder}/latest-decision.json`))
    expect(read(`${folder}/${projectionDigest}.json`)).toBe(read(`${folder}/latest-required.json`))
    for (const name of ['latest-delta', 'latest-required', 'latest-decision']) {
      const digest = sha256(read(`${folder}/${name}.json`))
      expect(read(`${folder}/${name}.sha256`)).toBe(`${digest}  ${name}.json\n`)
    }
    expect(readdirSync(at(`${folder}/gates/${projectionDigest}`))).toEqual([
      '01-build.json',
      '01-build.source',
      '02-test.json',
      '02-test.source',
    ])
    mustMatchShape(GateWitness, json(`${folder}/${gateWitnessRefs[0].artifactRelPath}`))
    expect(read(`${folder}/required/${projectionDigest}/build.stdout`)).toBe('built\n')
    const { changedPaths } = witness
    const question = { witness, changedPaths, witnessRoot: folder }
    expect(asked('required-witness-verify', question)).toMatchObject({
      status: 0,
      json: { errors: [] },
    })
    const chain = {
      decision: json(`${folder}/latest-decision.json`),
      witness,
      deltaSnapshot: json(`${folder}/latest-delta.json`),
      actualWitnessSha256: sha256(read(`${folder}/latest-required.json`)),
      actualDeltaSha256: sha256(read(`${folder}/latest-delta.json`)),
    }
    expect(asked('required-decision-verify', chain)).toMatchObject({
      status: 0,
      json: { errors: [] },
    })
    const other = { ...chain, actualWitnessSha256: sha256('') }
    expect(asked('required-decision-verify', other)).toMatchObject({ status: 1 })
  })

  test('a check that fails rejects the change, and those after it do not run [required.13.run]', () => {
    rules({
      build: { command: 'exit 3' },
      test: { command: 'touch ran', after: ['build'] },
      lint: { command: 'true' },
    })
    const { status, json: answer, stderr } = ci('--attested')
    expect(status).toBe(1)
    expect(answer.witness.results.map((one: { exitCode: number }) => one.exitCode)).toEqual([
      3, 125, 0,
    ])
    expect(answer.decision).toMatchObject({ decision: 'reject' })
    expect(stderr).toContain('test: failed, not run because build did not pass')
    expect(existsSync(at('ran'))).toBe(false)
    expect(ci('--allow-failure').status).toBe(0)
  })

  test('checks run side by side, as many as --jobs says [required.13.run]', () => {
    // Each waits for the other, so that neither ends if they run one after the other.
    const meets = (own: string, other: string) =>
      `touch artifacts/${own}; until test -f artifacts/${other}; do sleep 0.05; done`
    const checks = { one: { command: meets('one', 'two') }, two: { command: meets('two', 'one') } }
    rules({
      one: { ...checks.one, timeoutSeconds: 20 },
      two: { ...checks.two, timeoutSeconds: 20 },
    })
    put('artifacts/.keep', '')
    expect(ci().status).toBe(0)
    // The second one finds what the first one leaves at its end.
    rules({
      one: { command: 'rm artifacts/one; sleep 0.2; touch artifacts/ended' },
      two: { command: 'test -f artifacts/ended' },
    })
    expect(ci('--jobs', '1').status).toBe(0)
  })

  test('a check that hangs is ended with all its processes, and its output is bounded [required.13.run]', () => {
    rules({
      hangs: { command: 'sleep 1000 & sleep 1000', timeoutSeconds: 1 },
      prints: { command: 'yes "an endless text"', timeoutSeconds: 1 },
      missing: { command: 'no-such-program-anywhere' },
    })
    const { status, json: answer } = ci()
    expect(status).toBe(1)
    expect(answer.witness.results.map((one: { exitCode: number }) => one.exitCode)).toEqual([
      124, 124, 127,
    ])
    const { projectionDigest } = answer.witness
    const { size } = statSync(at(`${folder}/required/${projectionDigest}/prints.stdout`))
    expect(size).toBeLessThan(11 * 1024 * 1024)
  })

  test('a check writes its own gate witness, and one that cannot be used fails it [required.5.gate]', () => {
    const native = JSON.stringify({
      witnessKind: 'gate',
      runId: 'run1_own',
      result: 'accepted',
      failures: [],
    })
    const refused = JSON.stringify({
      witnessKind: 'gate',
      result: 'rejected',
      failures: [{ class: 'a' }],
    })
    const writes = (text: string) => `printf '%s' '${text}' > "$PREMATH_GATE_WITNESS_OUT"`
    rules({ own: { command: writes(native) } })
    expect(ci('--attested', '--require-native-check', 'own')).toMatchObject({
      status: 0,
      json: { witness: { gateWitnessRefs: [{ source: 'native', runId: 'run1_own' }] } },
    })
    rules({
      half: { command: writes(native.slice(0, 20)) },
      contradicts: { command: writes(refused) },
    })
    const { status, json: answer, stderr } = ci('--attested')
    expect(status).toBe(1)
    expect(answer.witness.results.map((one: { status: string }) => one.status)).toEqual([
      'failed',
      'failed',
    ])
    expect(stderr).toContain('half: its gate witness cannot be used')
    rules({ own: { command: 'true' } })
    const fallback = ci('--attested', '--require-native-check', 'own')
    expect(fallback.status).toBe(1)
    expect(fallback.json.decision.errors.join()).toContain('requires native source')
  })

  test('a gate witness that an earlier run left does not count [required.12.artifacts]', () => {
    const own = '{"witnessKind":"gate","result":"accepted","failures":[]}'
    rules({ build: { command: `echo '${own}' > "$PREMATH_GATE_WITNESS_OUT"` } })
    const first = ci()
    const { artifactRelPath, source } = first.json.witness.gateWitnessRefs[0]
    expect(source).toBe('native')
    const sourcePath = `${folder}/${artifactRelPath.replace(/json$/, 'source')}`
    expect(read(sourcePath)).toBe('native\n')
    rules({ build: { command: 'true' } })
    expect(ci().json.witness.gateWitnessRefs).toMatchObject([{ source: 'fallback' }])
    expect(read(sourcePath)).toBe('fallback\n')
    rules({ build: { command: 'false' } })
    const second = ci('--attested')
    expect(second.json.witness.projectionDigest).toBe(first.json.witness.projectionDigest)
    expect(json(`${folder}/${artifactRelPath}`)).toMatchObject({ result: 'rejected' })
    expect(second.json.decision.errors).toEqual(['the verdict of the witness is not accepted'])
  })

  test('an interrupted run leaves no witness, no lock and no process [required.12.artifacts]', async () => {
    rules({ slow: { command: 'touch artifacts/began; sleep 1000' } })
    put('artifacts/.keep', '')
    const running = repository.start(['ci-required', '--json'])
    while (!existsSync(at('artifacts/began'))) await new Promise(next => setTimeout(next, 20))
    const second = repository.premath(['ci-required'])
    expect(second).toMatchObject({ status: 4, stderr: expect.stringContaining('already running') })
    running.child.kill('SIGTERM')
    const { status } = await running.ended
    expect(status).toBe(3)
    expect(existsSync(at(`${folder}/latest-required.json`))).toBe(false)
    rules({ slow: { command: 'true' } })
    expect(ci().status).toBe(0)
  })

  test('documents alone may require nothing, and the plan says so', () => {
    rules({ build: { command: 'true' } })
    const { status, json: answer } = ci('--changed-file', 'README.md', '--print-plan')
    expect(status).toBe(0)
    expect(answer.projection).toMatchObject({ requiredChecks: [], docsOnly: true })
    expect(existsSync(at(folder))).toBe(false)
    expect(ci('--changed-file', 'README.md', '--attested').status).toBe(0)
  })

  test('commands come from .premath/checks.json too', () => {
    rules({ unit: {} })
    expect(ci()).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the check unit has no command'),
    })
    put('.premath/checks.json', {
      schema: 1,
      checksKind: 'premath.checks.v1',
      checks: { unit: 'true' },
    })
    expect(ci().status).toBe(0)
  })

  test.each<[readonly string[], number, string]>([
    [['--changed-file', '../a'], 2, 'not a path in the project'],
    [['--changed-file', '/etc/passwd'], 2, 'not a path in the project'],
    [['--from-ref', 'nothing'], 2, 'git knows no commit nothing'],
    [['--jobs', '0'], 2, '--jobs 0 is out of range'],
    [['--check-timeout-seconds', '0'], 2, 'out of range'],
    [['--out-dir', '../out'], 2, 'cannot hold witnesses'],
    [['--out-dir', '.premath/out'], 2, 'cannot hold witnesses'],
  ])('refuses %j, and nothing runs [required.3.paths]', (flags, code, message) => {
    rules({ build: { command: 'touch ran' } })
    const { status, stderr } = ci(...flags)
    expect(status).toBe(code)
    expect(stderr).toContain(message)
    expect(existsSync(at('ran'))).toBe(false)
  })

  test('the work of a step may not run them: their witness would be its own', () => {
    rules({ build: { command: 'true' } })
    const { status, stderr } = repository.premath(['ci-required'], {
      env: { PREMATH_STEP_ID: 'worker.bd-1.1.1' },
    })
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('required checks'),
    })
  })
})
