/** Steps that required checks verify: by the rules of the target, whatever the work does to them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { RequiredWitness } from '../src/wire/required/required-witness.ts'
import { Repository } from './a-git-project.ts'
import { isSandboxed } from './bubblewrap.ts'

let repository: Repository

const at = (path: string) => join(repository.root, path)
const git = (...args: readonly string[]) => repository.git('-C', repository.root, ...args)
const read = (path: string) => readFileSync(at(path), 'utf8')

function put(path: string, content: string | object): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
}

const commitAll = (message = 'Change.') => {
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
}

interface Check {
  readonly command?: string
  readonly timeoutSeconds?: number
  readonly after?: readonly string[]
}

const rulesOf = (checks: Readonly<Record<string, Check>>, more: object = {}) => ({
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

const rulesPath = '.premath/required-checks.json'
const rules = (checks: Readonly<Record<string, Check>>, more: object = {}) =>
  put(rulesPath, rulesOf(checks, more))

/** `src` requires one check and `lib` another. */
const twoFolders = {
  rules: [
    { reason: 'src_changed', paths: ['src/**'], checks: ['src'] },
    { reason: 'lib_changed', paths: ['lib/**'], checks: ['lib'] },
  ],
}

beforeEach(() => {
  repository = new Repository('required-steps', { 'a.txt': 'one\n', 'check.sh': 'test -f done\n' })
  repository.premath(['issue', 'add', 'First'])
})

afterEach(() => {
  expect(repository.processes).toEqual([])
  repository.remove()
})

const step = (work: string, ...more: readonly string[]) =>
  repository.asked('harness-step', '--work-cmd', work, '--verify-required', ...more)

const statusOf = (id: string) => repository.asked('issue', 'show', id).json.issue.status
const lastRow = () => repository.rows('harness_trajectory.jsonl').at(-1)

/** The witness that a step names. */
function witnessOf({ witnessRefs }: { readonly witnessRefs: readonly string[] }) {
  const ref = witnessRefs.find(one => one.includes('/required.json/')) ?? ''
  const [, folder] = /^witness:\/\/steps\/(.+)\/required\.json\//.exec(ref) ?? []
  const root = `artifacts/steps/${folder}`
  return { witness: JSON.parse(read(`${root}/required.json`)), root }
}

const sandboxes = isSandboxed ? ['off', 'require'] : ['off']

describe('a step with --verify-required', () => {
  test.each(sandboxes)(
    'runs the checks of the paths that the work changed, with the sandbox %s [required.14.step]',
    sandbox => {
      rules({ src: { command: 'test -f src/a.ts' }, lib: { command: 'exit 1' } }, twoFolders)
      put('lib/mine.txt', 'the file of a person, which is not the work')
      const { status, json } = step('mkdir src; echo x > src/a.ts', '--sandbox', sandbox)
      expect([status, json.result]).toEqual([0, 'completed'])
      expect(statusOf('bd-1')).toBe('closed')
      const { witness, root } = witnessOf(lastRow())
      mustMatchShape(RequiredWitness, witness)
      expect(witness).toMatchObject({
        changedPaths: ['src/a.ts'],
        requiredChecks: ['src'],
        results: [{ checkId: 'src', exitCode: 0 }],
        verdictClass: 'accepted',
      })
      const question = { witness, changedPaths: ['src/a.ts'], witnessRoot: root }
      put('artifacts/input.json', question)
      const verified = repository.asked(
        'required-witness-verify',
        '--input',
        'artifacts/input.json',
      )
      expect(verified.json.errors).toEqual([])
      const features = repository.asked('harness-feature', 'read').json.ledger.features
      expect(features[0].verificationRefs.join()).toContain('/required.json/')
      expect(repository.asked('coherence-check').status).toBe(0)
    },
  )

  test('sees deleted, renamed and new files [required.14.step]', () => {
    mkdirSync(at('lib'))
    put('lib/old.txt', 'a text\nof some lines\n')
    put('lib/gone.txt', 'gone')
    commitAll()
    rules({ src: { command: 'true' }, lib: { command: 'true' } }, twoFolders)
    const work = 'mkdir src; git mv lib/old.txt src/new.txt; rm lib/gone.txt; echo x > src/own.txt'
    expect(step(work).status).toBe(0)
    expect(witnessOf(lastRow()).witness).toMatchObject({
      changedPaths: ['lib/gone.txt', 'lib/old.txt', 'src/new.txt', 'src/own.txt'],
      requiredChecks: ['src', 'lib'],
    })
  })

  test('gives a check that fails to the next attempt, with its class and its output [required.15.failure]', () => {
    rules({
      late: { command: 'echo late >> ../late', after: ['lint'] },
      lint: { command: 'test -f done || { echo "there is no file done"; exit 3; }' },
    })
    const work =
      'cp "$PREMATH_FEEDBACK_FILE" artifacts/feedback.json 2>/dev/null && touch done; echo x > b.txt'
    mkdirSync(at('artifacts'), { recursive: true })
    const { json } = step(work)
    expect([json.result, json.attempts.length]).toEqual(['completed', 2])
    expect(read('artifacts/feedback.json')).toContain('there is no file done')
    expect(read('artifacts/feedback.json')).toContain('the required check lint failed')
    const [first] = repository.rows('harness_trajectory.jsonl')
    expect(first).toMatchObject({ failureClasses: ['check_failed'] })
    expect(witnessOf(first).witness).toMatchObject({
      requiredChecks: ['late', 'lint'],
      executedChecks: ['lint'],
      verdictClass: 'rejected',
      failureClasses: expect.arrayContaining(['check_failed', 'check_not_executed']),
    })
  })

  test.each<[string, string, string]>([
    ['a missing program', 'no-such-program-anywhere', 'executor_unavailable'],
    [
      'a check that reports its own class',
      'echo "lint.unused_import: a.ts" >&2; exit 1',
      'lint.unused_import',
    ],
  ])('fails by the class of %s [required.15.failure]', (_what, command, failureClass) => {
    rules({ lint: { command } })
    const { status, json } = step('echo x > b.txt')
    expect(status).not.toBe(0)
    expect(json.failureClasses).toEqual([failureClass])
    expect(statusOf('bd-1')).not.toBe('closed')
  })

  test('ends a check at its own timeout [required.15.failure]', () => {
    rules({ hangs: { command: 'sleep 1000', timeoutSeconds: 1 } })
    const { json } = step('echo x > b.txt')
    expect(json.failureClasses).toEqual(['command_timeout'])
  })

  test('runs the verify command after the checks, which may require nothing [required.14.step]', () => {
    rules({ lint: { command: 'exit 1' } })
    expect(step('echo x > b.md', '--verify-cmd', 'test -f b.md').status).toBe(0)
    expect(witnessOf(lastRow()).witness).toMatchObject({ requiredChecks: [], docsOnly: true })
  })

  test('verifies by the baseline if nothing is required and nothing else verifies [required.14.step]', () => {
    rules({ lint: { command: 'exit 1' } })
    const { status, json } = step('echo x > b.md')
    expect(status).not.toBe(0)
    expect(json.failureClasses).toEqual(['check_failed'])
  })

  test('claims nothing without rules on the target [required.16.target]', () => {
    const missing = step('touch began')
    expect(missing).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`the project has no ${rulesPath}`),
    })
    writeFileSync(at('.gitignore'), 'artifacts/\n')
    commitAll()
    rules({ lint: { command: 'true' } })
    const uncommitted = step('touch began')
    expect(uncommitted.status).toBe(2)
    expect(uncommitted.stderr).toContain('the required checks of main cannot be used')
    expect(existsSync(at('began'))).toBe(false)
    expect(statusOf('bd-1')).toBe('open')
    commitAll()
    expect(step('echo x > b.txt').status).toBe(0)
  })

  test.each<[string, object | string, string]>([
    ['a check has no command', rulesOf({ lint: {} }), 'the check lint has no command'],
    ['they are half written', '{"schema": 1,', rulesPath],
  ])('claims nothing if %s [required.16.target]', (_why, document, message) => {
    put(rulesPath, document)
    const { status, stderr } = step('touch began')
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(existsSync(at('began'))).toBe(false)
  })

  test.each(['memory in git', 'memory out of git'])(
    'judges by the rules from before the work, which edits them: %s [required.16.target]',
    where => {
      if (where === 'memory in git') writeFileSync(at('.gitignore'), 'artifacts/\n')
      rules({ lint: { command: 'sh check.sh' } })
      put('c.txt', 'x')
      commitAll('Require.')
      const weaker = JSON.stringify(rulesOf({ lint: { command: 'true' } }))
      const work = `echo '${weaker}' > ${rulesPath}; echo x >> a.txt; git add -Af . ; git commit -qm x || true`
      const { status, json } = step(work)
      expect([status, json.failureClasses]).toEqual([1, ['check_failed']])
      expect(statusOf('bd-1')).not.toBe('closed')
    },
  )

  test.each(sandboxes)(
    'refuses work that edits the script of a check, with the sandbox %s [required.16.target]',
    sandbox => {
      rules({ lint: { command: 'sh check.sh' }, other: { command: 'true' } })
      const { status, json } = step('echo true > check.sh', '--sandbox', sandbox)
      expect([status, json.failureClasses]).toEqual([1, ['protected_path_changed']])
    },
  )

  test.skipIf(!isSandboxed)('hides issue memory from the checks in the sandbox', () => {
    rules({ lint: { command: `test ! -e '${at(rulesPath)}'` } })
    expect(step('echo x > b.txt', '--sandbox', 'require').status).toBe(0)
  })

  test('works without git [required.14.step]', () => {
    rmSync(at('.git'), { recursive: true })
    rules({ src: { command: 'test -f src/a.ts' }, lib: { command: 'exit 1' } }, twoFolders)
    expect(step('mkdir src; echo x > src/a.ts').status).toBe(0)
    expect(witnessOf(lastRow()).witness).toMatchObject({
      changedPaths: ['src/a.ts'],
      requiredChecks: ['src'],
    })
  })

  test('an agent does not choose it, and its own close obeys the setting [required.16.target]', () => {
    rules({ lint: { command: 'sh check.sh' } })
    put('.premath/config.json', { verifyRequired: true })
    const env = { CLAUDECODE: '1' }
    const chosen = ['harness-step', '--work-cmd', 'true', '--verify-required']
    const { status, stderr } = repository.premath(chosen, { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining('may not choose')])
    put('b.txt', 'x')
    const refused = repository.premath(['close', 'bd-1'], { env })
    expect(refused.stderr).toContain('the required check lint failed')
    put('done', '')
    expect(repository.premath(['close', 'bd-1'], { env }).status).toBe(0)
  })
})

describe('a worker', () => {
  test('verifies each issue by the checks of its own work [required.14.step]', () => {
    rules({ src: { command: 'test -f src/a.ts' }, lib: { command: 'test -f lib/b' } }, twoFolders)
    repository.premath(['issue', 'add', 'Second'])
    const work =
      'if [ $PREMATH_ISSUE_ID = bd-1 ]; then mkdir src; echo x > src/a.ts; else mkdir lib; echo x > lib/b; fi'
    const args = ['harness-loop', 'worker', '--work-cmd', work, '--verify-required']
    expect(repository.premath(args).status).toBe(0)
    const required = repository
      .rows('harness_trajectory.jsonl')
      .filter(({ stepKind }) => stepKind === 'premath.harness.step.v1')
      .map(row => witnessOf(row).witness.requiredChecks)
    expect(required).toEqual([['src'], ['lib']])
  })
})

describe('a run', () => {
  const run = (work: string, ...more: readonly string[]) =>
    repository.premath(['run', '--workers', '1', '--work-cmd', work, '--verify-required', ...more])

  const rerun = (...more: readonly string[]) =>
    repository.asked('witness', 'verify', '--rerun', '--all', '--sandbox', 'off', ...more)

  beforeEach(() => {
    writeFileSync(at('.gitignore'), 'artifacts/\n')
    put('done', '')
    rules({ src: { command: 'test -s src/a.ts' }, lib: { command: 'sh check.sh' } }, twoFolders)
    put('src/a.ts', 'x')
    commitAll()
  })

  test('lands what the checks accept, and a rerun reproduces it [required.17.rerun]', () => {
    expect(run('echo y > src/a.ts').status).toBe(0)
    expect(statusOf('bd-1')).toBe('closed')
    const { status, json } = rerun('--verify-required')
    expect([status, json.reruns[0].result, json.reruns[0].notes]).toEqual([0, 'reproduced', []])
    expect(json.reruns[0].commands).toMatchObject([{ role: 'verify', command: 'test -s src/a.ts' }])
    expect(rerun().json.reruns[0].result).toBe('not_rerunnable')
  })

  test('a rerun goes by the setting and the rules of the commit before the work [required.17.rerun]', () => {
    put('.premath/config.json', { verifyRequired: true })
    commitAll('Set.')
    expect(run('echo y > src/a.ts', '--no-baseline').status).toBe(0)
    // The rules of today would require another check.
    rules({ src: { command: 'exit 1' } })
    commitAll('Other rules.')
    expect(rerun()).toMatchObject({ status: 0, json: { reruns: [{ result: 'reproduced' }] } })
  })

  test('a rerun finds a result that a check does not accept [required.17.rerun]', () => {
    put('.premath/config.json', { verify: 'true' })
    commitAll('Set.')
    const lenient = ['run', '--workers', '1', '--work-cmd', ': > src/a.ts']
    expect(repository.premath(lenient).status).toBe(0)
    expect(rerun('--verify-required')).toMatchObject({
      status: 1,
      json: { reruns: [{ result: 'failed', why: expect.stringContaining('test -s src/a.ts') }] },
    })
  })

  test('work that commits weaker rules is judged by those of the target [required.16.target]', () => {
    const weaker = JSON.stringify(rulesOf({ src: { command: 'true' } }))
    const work = `echo '${weaker}' > ${rulesPath}; : > src/a.ts; git add -A; git commit -qm Weaker`
    expect(run(work).status).toBe(1)
    expect(statusOf('bd-1')).not.toBe('closed')
    expect(git('log', '--format=%s', 'main')).not.toContain('Weaker')
  })

  test('does not begin on a target that fails the baseline [required.15.failure]', () => {
    rules({ src: { command: 'exit 1' } }, { rules: [] })
    commitAll('Broken.')
    const { status, stderr } = run('touch began')
    expect(status).toBe(3)
    expect(stderr).toContain('main fails by itself: the required check src failed')
    expect(statusOf('bd-1')).toBe('open')
  })
})
