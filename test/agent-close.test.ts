/**
 * The close of an agent outside of a step: verified in a clean checkout, by what the target holds. On
 * the built command.
 */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { proofPart } from './a-proof.ts'
import { describeWithGit, gitIn } from './a-repository.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, rowsById } = project
const at = (name: string) => join(project.folder, name)
const put = (name: string, text: string) => writeFileSync(at(name), text)
const git = (...args: readonly string[]) => gitIn(project.folder, ...args)

const env = { CLAUDECODE: '1' }
const byAgent = (...args: readonly string[]) => asked(args, { env })
const status = () => rowsById()['bd-1'].status

const spec = (entrypoint: string) =>
  `# Spec\n\n\`\`\`yaml spec-test\nid: A-1\ntype: cli.run\nharness: {entrypoint: ${entrypoint}}\nargv: []\nassert:\n- target: stdout\n  must:\n  - contain: [hello]\n\`\`\`\n`

/** The close is refused by this class, and the issue stays open. */
function isRefused(name: string, ...more: readonly string[]): string {
  const { status: code, json } = byAgent('close', 'bd-1', ...more)
  expect([code, json.failureClasses, status()]).toEqual([1, [name], 'open'])
  return `${json.diagnostic}. ${json.remedy}`
}

function commit(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'base')
}

describeWithGit('in a repository', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch', 'main')
    done('init')
    done('config', 'set', 'verify', 'sh check.sh')
    done('config', 'set', 'sandbox', 'off')
    put('say.sh', 'cat greeting.txt said.txt build/* 2> /dev/null; true\n')
    put('check.sh', 'sh say.sh | grep -q hello\n')
    put('greeting.txt', 'goodbye\n')
    put('greeting.spec.md', spec('sh say.sh'))
    put('.gitignore', 'build/\n')
    done('issue', 'add', 'Greet', '--spec', 'greeting.spec.md')
  })

  test('[trust.29.agent-close] work that is done closes, and its proof names the commit', () => {
    commit()
    isRefused('close_proof_failed')
    put('greeting.txt', 'hello\n')
    expect(byAgent('close', 'bd-1').status).toBe(0)
    expect(status()).toBe('closed')
    const chain = JSON.parse(proofPart(at('.premath/proofs/bd-1'), 'chain').text)
    expect(chain).toMatchObject({ documents: [{ path: 'greeting.spec.md' }] })
    // The commit that was verified has the work, and no branch holds it.
    expect(git('show', `${chain.head}:greeting.txt`)).toBe('hello')
    expect(git('branch', '--contains', chain.head)).toBe('')
    expect(git('worktree', 'list').split('\n')).toHaveLength(1)
    done('witness', 'verify', '--all')
  })

  test.each<[string, () => void]>([
    [
      'relies on an ignored file',
      () => {
        mkdirSync(at('build'))
        put('build/said.txt', 'hello\n')
      },
    ],
    [
      'hides a file from git',
      () => {
        appendFileSync(at('.git/info/exclude'), 'said.txt\n')
        put('said.txt', 'hello\n')
      },
    ],
    ['sets another verify command', () => put('.premath/config.json', '{"verify":"true"}\n')],
  ])('[trust.29.agent-close] the working folder has no say for work that %s', (_, act) => {
    commit()
    act()
    isRefused('close_proof_failed')
  })

  test.each<[string, string, () => void]>([
    ['its spec', 'close_specs_changed', () => put('greeting.spec.md', spec('echo hello'))],
    ['the script', 'protected_path_changed', () => put('check.sh', 'true\n')],
  ])('[trust.30.agent-close] refused if the work changed %s', (_, name, act) => {
    commit()
    act()
    put('greeting.txt', 'hello\n')
    expect(isRefused(name)).toContain('person')
  })

  test('[trust.30.agent-close] a spec that no commit has judges nothing', () => {
    rmSync(at('greeting.spec.md'))
    commit()
    put('greeting.spec.md', spec('echo hello'))
    put('greeting.txt', 'hello\n')
    expect(isRefused('close_specs_changed')).toContain('--writes-specs')
  })

  test('[trust.30.agent-close] nor the row of an issue that names other specs than its commit', () => {
    put('other.spec.md', spec('echo hello'))
    commit()
    done('issue', 'update', 'bd-1', '--spec', 'other.spec.md')
    put('greeting.txt', 'hello\n')
    expect(isRefused('close_specs_changed')).toContain('.premath/issues.jsonl')
  })

  test('[trust.30.agent-close] allowances count as they are in the commit', () => {
    commit()
    put('check.sh', 'true # allowed\n')
    put('greeting.txt', 'hello\n')
    done('issue', 'update', 'bd-1', '--may-change', 'check.sh')
    isRefused('protected_path_changed')
    git('add', '.premath')
    git('commit', '--quiet', '--message', 'allow')
    expect(byAgent('close', 'bd-1').status).toBe(0)
  })

  test('[trust.30.agent-close] without a commit nothing judges, and the message says what to do', () => {
    put('greeting.txt', 'hello\n')
    expect(isRefused('close_proof_missing')).toContain('git add --all && git commit')
  })

  test('[trust.30.agent-close] settings that are not committed judge nothing beside memory that is', () => {
    git('add', '.premath/issues.jsonl', 'greeting.spec.md', 'check.sh', 'greeting.txt')
    git('commit', '--quiet', '--message', 'base')
    put('greeting.txt', 'hello\n')
    expect(isRefused('close_proof_missing')).toContain('.premath/config.json')
  })

  test('memory that git ignores counts as it is on disk', () => {
    put('.gitignore', '.premath/\nartifacts/\n')
    commit()
    isRefused('close_proof_failed')
    put('greeting.txt', 'hello\n')
    expect(byAgent('close', 'bd-1').status).toBe(0)
  })

  test('[trust.29.agent-close] the committed command verifies, and its witness names commit, tree and sandbox', () => {
    done('issue', 'update', 'bd-1', '--spec', '')
    commit()
    put('.premath/config.json', '{"verify":"true"}\n')
    isRefused('close_proof_failed')
    put('greeting.txt', 'hello\n')
    expect(byAgent('close', 'bd-1').status).toBe(0)
    const witness = JSON.parse(proofPart(at('.premath/proofs/bd-1'), 'verify').text)
    const tree = git('rev-parse', `${witness.commit}^{tree}`)
    expect(witness).toMatchObject({ gitTree: tree, sandbox: 'off', stepId: 'close.bd-1.0.1' })
  })

  test('a detached head has no target', () => {
    commit()
    git('checkout', '--quiet', '--detach')
    put('greeting.txt', 'hello\n')
    expect(isRefused('close_proof_missing')).toContain('premath config set onto <branch>')
  })

  test('[trust.29.agent-close] variables of the agent do not reach the verification', () => {
    put('check.sh', 'test "$PREMATH_WORKER_ID" = hello\n')
    commit()
    put('greeting.txt', 'hello\n')
    const { json } = asked(['close', 'bd-1'], { env: { ...env, PREMATH_WORKER_ID: 'hello' } })
    expect(json.failureClasses).toEqual(['close_proof_failed'])
  })

  test('[trust.29.agent-close] the code that is verified cannot change issues', () => {
    put(
      'check.sh',
      `env -u CLAUDECODE '${process.execPath}' "$MAIN" close bd-2 --verify-cmd true; true\n`,
    )
    done('issue', 'add', 'Two')
    commit()
    put('greeting.txt', 'hello\n')
    expect(asked(['close', 'bd-1'], { env: { ...env, MAIN: main } }).status).toBe(0)
    expect(rowsById()['bd-2'].status).toBe('open')
  })

  test('an agent does not choose the specs of an issue', () => {
    const { status: code, json } = byAgent('issue', 'update', 'bd-1', '--spec', '')
    expect([code, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
  })

  test('[trust.30.agent-close] a step of an agent has the settings of the commit', () => {
    commit()
    const step = ['harness-step', '--work-cmd', 'echo hello > greeting.txt']
    put('.premath/config.json', '{"verify":"true","sandbox":"off"}\n')
    const { status: code, json } = byAgent(...step)
    expect([code, json.error.message]).toEqual([
      2,
      '.premath/config.json differs from the commit of the target branch',
    ])
    git('checkout', '--', '.premath/config.json')
    expect(byAgent(...step).status).toBe(0)
    expect(status()).toBe('closed')
  })

  test('a person closes as before', () => {
    put('greeting.txt', 'hello\n')
    done('close', 'bd-1', '--verify')
    expect(status()).toBe('closed')
  })
})
