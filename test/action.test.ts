/** The steps of the reusable action, run by bash in a project. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Repository } from './a-git-project.ts'
import { main } from './built-command.ts'

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: {
    readonly steps: readonly {
      readonly name: string
      readonly run: string
      readonly env: Readonly<Record<string, string>>
    }[]
  }
}

const action: Action = parse(readFileSync('action.yml', 'utf8'))

let repository: Repository

beforeEach(() => {
  repository = new Repository('action', { 'login.conf': 'timeout = 30\n' })
  const at = (path: string) => join(repository.root, path)
  mkdirSync(at('specs'))
  repository.given([])
  expect(
    repository.premath([
      ...['spec', 'create', '--id', 'TIMEOUT', '--into', 'specs/login.spec.md'],
      ...['--', 'cat', 'login.conf'],
    ]).status,
  ).toBe(0)
  writeFileSync(
    at('.premath/required-checks.json'),
    JSON.stringify({
      schema: 1,
      requiredChecksKind: 'premath.required_checks.v1',
      projectionPolicy: 'login-v1',
      order: ['settings'],
      baseline: ['settings'],
      rules: [],
      checks: { settings: { command: "grep -q 'timeout = 30' login.conf" } },
    }),
  )
})

afterEach(() => repository.remove())

/** The expressions of GitHub that the action uses, outside of a pull request. */
const filled = (text: string): string =>
  text.replace(/\$\{\{ inputs\.([\w-]+)(?: \|\| .*)? \}\}/, (_whole, name: string) =>
    name === 'command' ? `${process.execPath} ${main}` : (action.inputs[name]?.default ?? ''),
  )

/** By name: the exit code of each step. */
const ran = () =>
  Object.fromEntries(
    action.runs.steps.map(({ name, run, env }) => {
      const own = Object.entries(env).map(([key, value]) => [key, filled(value)])
      const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
        cwd: repository.root,
        env: { ...repository.marks, ...Object.fromEntries(own) },
      })
      return [name, status]
    }),
  )

const passing = {
  'Run the specs': 0,
  'Verify the proofs of closed issues again': 0,
  'Run the required checks': 0,
}

test('every step passes in a project that is in order', () => {
  expect(ran()).toEqual(passing)
})

test('a broken file fails the specs and the required checks', () => {
  writeFileSync(join(repository.root, 'login.conf'), 'timeout = 0\n')
  expect(ran()).toEqual({ ...passing, 'Run the specs': 1, 'Run the required checks': 1 })
})
