/** What no proof backs is confirmed at a real terminal, or by a policy on the target branch. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { describeWithGit, gitIn } from './a-repository.ts'
import { letScriptsOverride, writeScriptPolicy } from './at-a-terminal.ts'
import { main } from './built-command.ts'
import { inTurn } from './sim/seeded.ts'

const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0
if (!hasTerminals) console.log('skipped: no python3 here that can open a terminal')

const project = aProject()
const { done, rowsById } = project
const uid = process.getuid?.()
const at = (path: string) => join(project.folder, path)

type Env = Readonly<Record<string, string>>

function run(program: readonly string[], env: Env = {}) {
  const [command = '', ...args] = program
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project.folder,
    encoding: 'utf8',
    env: { ...project.env, ...env },
  })
  return { status, said: stdout + stderr }
}

const node = [process.execPath, main]
const piped = (args: readonly string[], env?: Env) => run([...node, ...args], env)
const typed = (answer: string, args: readonly string[], env?: Env) =>
  run(['python3', resolve('test/answered-terminal.py'), answer, ...node, ...args], env)

const force = ['close', 'bd-1', '--force', '--reason', 'Moot']
const setting = ['policy', 'set', '--input', 'policy.json', '--reason', 'a new one']
const allowing = ['issue', 'update', 'bd-1', '--may-change', 'test/**']
const adding = ['issue', 'add', 'Two', '--writes-specs']
const replaying = ['issue', 'replay-events', '--events', 'old.jsonl', '--force']
const signing = ['witness', 'export', 'bd-2', '--attest', '--key', 'ci.pem', '--output', 'a.jsonl']

const overrides: readonly (readonly [string, readonly string[]])[] = [
  ['a close by force', force],
  ['a policy', setting],
  ['an allowance', allowing],
  ['an issue with an allowance', adding],
  ['a signature', signing],
  ['a replay that loses rows', replaying],
]

/** Everything that an override could write. */
const written = () =>
  ['.premath/issues.jsonl', '.premath/policy.json', '.premath/policy-log.jsonl', 'a.jsonl']
    .map(path => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : ''))
    .join('\n')

const commitPolicy = () => {
  gitIn(project.folder, 'add', '.premath/policy.json')
  gitIn(project.folder, 'commit', '--quiet', '--message', 'Policy')
}

describeWithGit('an override', () => {
  /** The first test makes it; later tests copy it. */
  const begun = join(project.folders, 'begun')
  beforeEach(() => {
    if (!existsSync(begun)) begin()
    else cpSync(begun, project.folder, { recursive: true })
  })

  function begin() {
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    done('init')
    done('issue', 'add', 'One')
    done('issue', 'migrate-events', '--events', 'old.jsonl')
    done('issue', 'add', 'Proven')
    done('close', 'bd-2', '--verify-cmd', 'test -d .premath')
    done('witness', 'keygen', '--key', 'ci.pem')
    const surfaces = { cli: { mode: 'open' }, mcp: { mode: 'open' } }
    writeFileSync(at('policy.json'), JSON.stringify({ schema: 1, surfaces }))
    commitPolicy()
    cpSync(project.folder, begun, { recursive: true })
  }

  type Caller = readonly [string, readonly string[], Env]
  const unattended: Caller = ['without a terminal', [], {}]
  const disguised: readonly Caller[] = [
    [
      'after the work of a step removed its variable',
      ['env', '-u', 'PREMATH_STEP_ID'],
      { PREMATH_STEP_ID: 'x' },
    ],
    ['in a session of its own', ['setsid', '--wait'], { PREMATH_STEP_ID: '' }],
    ['with an empty environment', ['env', '-i', `PATH=${process.env['PATH']}`], {}],
    [
      'with variables that look like a terminal',
      [],
      { TERM: 'xterm', PREMATH_OPERATOR: 'boss', FORCE_COLOR: '1' },
    ],
  ]
  const notPeople: readonly (readonly [string, Env, string])[] = [
    ['under an agent', { CLAUDECODE: '1' }, 'mutation_not_granted'],
    ['under an agent that names itself', { AI_AGENT: 'x_1_agent' }, 'mutation_not_granted'],
    ['in a step', { PREMATH_STEP_ID: 'w.bd-1.1.1' }, 'mutation_not_granted'],
    ['under an instruction', { PREMATH_INSTRUCTION_ID: '20260221T000000Z-x' }, 'instruction'],
  ]

  /** Torture tries each override for each caller; `npm test` tries each override and each caller. */
  const turns = overrides.map(([name, args], turn) => ({ name, args, turn }))

  describe.each(turns)('$name', ({ args, turn }) => {
    test.each([unattended, ...inTurn(disguised, turn)])(
      '[authority.2.override] is refused %s',
      (_how, before, env) => {
        const earlier = written()
        const { status, said } = run([...before, ...node, ...args], env)
        expect([status, said]).toEqual([1, expect.stringContaining('override_needs_terminal')])
        expect(said).toContain('ssh -t')
        expect(said).toContain('"override": "script"')
        expect(written()).toBe(earlier)
      },
    )

    test.skipIf(!hasTerminals).each(inTurn(notPeople, turn))(
      '[authority.2.override] is refused at a terminal %s',
      (_how, env, why) => {
        const earlier = written()
        const { status, said } = typed('y', args, env)
        expect([status, said]).toEqual([1, expect.stringContaining(why)])
        expect(said).not.toContain('[y/N]')
        expect(written()).toBe(earlier)
      },
    )

    test.skipIf(!hasTerminals)('is made at a terminal, and not by a person of any name', () => {
      const earlier = written()
      expect(typed('n', args)).toMatchObject({ status: 1 })
      expect(written()).toBe(earlier)
      const names = { PREMATH_OPERATOR: 'boss', USER: 'boss', LOGNAME: 'boss' }
      const { status, said } = typed('y', [...args, '--json'], names)
      expect([status, said]).toEqual([0, expect.stringContaining('[y/N] ')])
      expect(written()).not.toBe(earlier)
      expect(written()).not.toContain('boss')
    })

    test('[authority.3.script] is made by a script only if the commit of the target says so', () => {
      writeScriptPolicy(project.folder)
      const earlier = written()
      expect(piped(args)).toMatchObject({ status: 1 })
      expect(written()).toBe(earlier)
      commitPolicy()
      expect(piped(args)).toMatchObject({ status: 0 })
      expect(written()).not.toBe(earlier)
    })
  })

  test.skipIf(!hasTerminals)(
    '[authority.2.override] is recorded as terminal with the real user id',
    () => {
      const by = { actor: 'terminal', uid }
      const names = { PREMATH_OPERATOR: 'boss' }
      for (const args of [allowing, force, setting]) expect(typed('y', args, names).status).toBe(0)
      const { metadata } = rowsById()['bd-1']
      expect(metadata).toMatchObject({ premathClose: by, premathAllowedBy: by })
      const [line = ''] = readFileSync(at('.premath/policy-log.jsonl'), 'utf8').split('\n')
      expect(JSON.parse(line)).toMatchObject({ operator: 'terminal', uid })
      expect(done('policy', 'show').policy.inForce).toMatchObject({ operator: 'terminal', uid })
    },
  )

  test.skipIf(!hasTerminals)(
    '[authority.2.override] of rows that a replay loses is recorded, and only if there are some',
    () => {
      expect(typed('y', replaying, { PREMATH_OPERATOR: 'boss' }).status).toBe(0)
      const [line = ''] = readFileSync(at('.premath/memory/grants.jsonl'), 'utf8').split('\n')
      expect(JSON.parse(line)).toMatchObject({
        action: 'issue.replay-events --force',
        operator: `terminal (uid ${uid})`,
        mode: 'open',
      })
      // The rows are those of the log now, so nobody is asked.
      expect(piped(replaying)).toMatchObject({ status: 0 })
    },
  )

  test('[authority.3.script] is recorded as script with the real user id', () => {
    writeScriptPolicy(project.folder)
    commitPolicy()
    expect(piped(force, { PREMATH_OPERATOR: 'boss' }).status).toBe(0)
    expect(rowsById()['bd-1'].metadata.premathClose).toMatchObject({ actor: 'script', uid })
  })

  test('[authority.3.script] is not made by a script on a detached head, which has no target', () => {
    writeScriptPolicy(project.folder)
    commitPolicy()
    gitIn(project.folder, 'checkout', '--quiet', '--detach')
    expect(piped(force)).toMatchObject({ status: 1 })
  })

  test('takes allowances away without a question', () => {
    expect(piped(['issue', 'update', 'bd-1', '--may-change', '']).status).toBe(0)
  })
})

describe('without git', () => {
  beforeEach(() => {
    done('init')
    done('issue', 'add', 'One')
  })

  test('[authority.3.script] a policy that was put in force decides, and not the file', () => {
    writeScriptPolicy(project.folder)
    expect(piped(force)).toMatchObject({ status: 1 })
    letScriptsOverride(project.folder)
    expect(piped(force)).toMatchObject({ status: 0 })
  })
})

test('[authority.2.override] an override under the policy human-override has no name of the environment', () => {
  done('init')
  const surfaces = { cli: { mode: 'human-override' } }
  writeFileSync(at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
  const adds = ['issue', 'add', 'One', '--reason', 'nightly']
  expect(piped(adds, { PREMATH_OPERATOR: 'boss', USER: 'boss' }).status).toBe(0)
  const { premathOverride } = rowsById()['bd-1'].metadata
  expect(premathOverride.operator).toBe(`script (uid ${uid})`)
})
