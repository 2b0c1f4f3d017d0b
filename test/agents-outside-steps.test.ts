/** Agents with a shell, outside of steps: they work on issues, and judge nothing. On the built command. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done, premath, rowsById } = project
const at = (name: string) => join(project.folder, name)

const env = { CLAUDECODE: '1' }
const byAgent = (...args: readonly string[]) => asked(args, { env })
const status = () => rowsById()['bd-1'].status

beforeEach(() => {
  done('init')
  done('issue', 'add', 'One')
})

test('an agent adds, claims, comments and updates, as the policy permits', () => {
  for (const args of [
    ['add', 'Two'],
    ['claim', 'bd-2', '--assignee', 'me'],
    ['comment', 'bd-1', 'seen'],
    ['issue', 'update', 'bd-1', '--notes', 'looked'],
  ]) {
    expect(byAgent(...args).status).toBe(0)
  }
  const surfaces = { cli: { mode: 'human-override' } }
  writeFileSync(at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
  expect(byAgent('comment', 'bd-1', 'again').status).toBe(1)
})

describe('an agent never', () => {
  test.each([
    ['closes by force', ['close', 'bd-1', '--force', '--reason', 'x']],
    ['chooses its verification', ['close', 'bd-1', '--verify-cmd', 'true']],
    ['allows changes', ['issue', 'update', 'bd-1', '--may-change', '**']],
    ['allows specs', ['issue', 'update', 'bd-1', '--writes-specs']],
    ['adds an issue with allowances', ['add', 'Two', '--may-change', '**']],
    ['sets a policy', ['policy', 'set', '--input', 'policy.json', '--reason', 'x']],
    ['sets the configuration', ['config', 'set', 'verify', 'true']],
    ['changes the specs of an issue', ['issue', 'update', 'bd-1', '--spec', '']],
    ['imports rows', ['issue', 'import', 'policy.json']],
  ])('[trust.41.agents] %s', (_, args) => {
    writeFileSync(at('policy.json'), '{}')
    const before = readFileSync(project.issues)
    const { status: code, json } = byAgent(...args)
    expect([code, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(json.remedy).toContain('Let a person run it')
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test.each([
    ['a verify command', ['--verify-cmd', 'true']],
    ['specs', ['--verify-spec', 'specs']],
  ])('[trust.41.agents] starts a step with %s of its own', (_, flags) => {
    const work = ['--work-cmd', 'echo x > x']
    const { status: code, json } = byAgent('harness-step', ...work, ...flags)
    expect([code, json.error.message]).toEqual([
      2,
      'Claude Code may not choose how its work is verified',
    ])
    expect(status()).toBe('open')
  })

  test('signs', () => {
    premath(['close', 'bd-1', '--verify-cmd', 'true'])
    const { status: code, json } = byAgent('witness', 'export', 'bd-1', '--attest')
    expect([code, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
  })

  test('chooses its verification by a variable', () => {
    const chosen = { ...env, PREMATH_VERIFY_CMD: 'true' }
    expect(asked(['close', 'bd-1'], { env: chosen }).json.failureClasses).toEqual([
      'mutation_not_granted',
    ])
    expect(status()).toBe('open')
  })
})

describe('premath verifies what an agent closes', () => {
  const verifyWitnesses = 'artifacts/ciwitness/verify'

  test('[trust.41.verified-close] with the command of the project, and not by a witness that lies around', () => {
    writeFileSync(at('done.sh'), 'exit 0\n')
    done('config', 'set', 'verify', 'sh done.sh')
    // A witness of these files, as an agent could write it.
    done('issue', 'add', 'Two')
    premath(['close', 'bd-1', '--verify-cmd', 'true'])
    premath(['reopen', 'bd-1'])
    const [witness = ''] = readdirSync(at(verifyWitnesses))
    expect(witness).not.toBe('')
    done('config', 'set', 'verify', 'false')
    const { status: code, json } = byAgent('close', 'bd-1')
    expect([code, json.failureClasses, status()]).toEqual([1, ['close_proof_failed'], 'open'])
    done('config', 'set', 'verify', 'sh done.sh')
    expect(byAgent('close', 'bd-1').status).toBe(0)
    expect(status()).toBe('closed')
  })

  test('[trust.41.verified-close] with the specs of the issue, which run again', () => {
    const spec =
      '# Spec\n\n```yaml spec-test\nid: A-1\ntype: cli.run\nharness: {entrypoint: printenv SAID}\nargv: []\nassert:\n- target: stdout\n  must:\n  - contain: [fine]\n```\n'
    mkdirSync(at('specs'))
    writeFileSync(at('specs/a.spec.md'), spec)
    done('issue', 'update', 'bd-1', '--spec', 'specs/a.spec.md')
    // A witness of the same files.
    expect(asked(['spec', 'run', 'specs'], { env: { SAID: 'fine' } }).status).toBe(0)
    const saying = (SAID: string) => asked(['close', 'bd-1'], { env: { ...env, SAID } })
    expect(saying('broken').json.failureClasses).toEqual(['close_proof_failed'])
    expect(status()).toBe('open')
    const closed = saying('fine')
    expect(closed.stderr).toContain('no commit holds what judges the work')
    expect([closed.status, status()]).toEqual([0, 'closed'])
  })

  test('not at all if nothing says how', () => {
    expect(byAgent('close', 'bd-1').json).toMatchObject({
      failureClasses: ['close_proof_missing'],
      remedy: expect.stringContaining(
        "Let a person set one: premath config set verify '<command>'.",
      ),
    })
  })

  test('a person may use a witness of the same files', () => {
    premath(['close', 'bd-1', '--verify-cmd', 'true'])
    premath(['reopen', 'bd-1'])
    expect(premath(['close', 'bd-1']).status).toBe(0)
  })
})
