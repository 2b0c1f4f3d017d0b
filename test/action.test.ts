/** The steps of the reusable action and of our own workflow, run by bash in a project. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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

type Inputs = Readonly<Record<string, string>>

interface WorkflowStep {
  readonly uses?: string
  readonly run?: string
  readonly with?: Inputs
}

const stepsIn = (text: string): readonly WorkflowStep[] => {
  const { jobs } = parse(text) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly WorkflowStep[] }>>
  }
  return Object.values(jobs).flatMap(({ steps }) => steps)
}
const workflow = stepsIn(readFileSync('.github/workflows/ci.yml', 'utf8'))

/** The action with the inputs that the workflow gives it. */
const ownInputs = workflow.find(({ uses }) => uses === './')?.with ?? {}

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
const filled = (text: string, inputs: Inputs): string =>
  text.replace(
    /\$\{\{ inputs\.([\w-]+)(?: \|\| .*)? \}\}/,
    (_whole, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
  )

/** By name: the exit code of each step. */
const ran = (inputs: Inputs = { command: `${process.execPath} ${main}` }) =>
  Object.fromEntries(
    action.runs.steps.map(({ name, run, env }) => {
      const own = Object.entries(env).map(([key, value]) => [key, filled(value, inputs)])
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

test('the workflow of this repository installs, tests, and passes through the action', () => {
  const known = ['actions/checkout@v4', 'actions/setup-node@v4', './']
  expect(workflow.map(({ uses, run }) => uses ?? run)).toEqual([
    ...known.slice(0, 2),
    'npm ci',
    'npm test',
    './',
  ])
  // The history is needed, and only inputs that exist are given.
  expect(workflow[0]?.with).toMatchObject({ 'fetch-depth': 0 })
  for (const name of Object.keys(ownInputs)) expect(action.inputs).toHaveProperty(name)
  symlinkSync(resolve('dist'), join(repository.root, 'dist'))
  expect(ran(ownInputs)).toEqual(passing)
})

test('the rules of this repository name checks that exist', () => {
  const path = '.premath/required-checks.json'
  copyFileSync(path, join(repository.root, path))
  const plan = ['ci-required', '--print-plan', '--changed-file', 'src/fault.ts']
  const { status, json } = repository.asked(...plan)
  expect(status).toBe(0)
  const { order, checks } = JSON.parse(readFileSync(path, 'utf8'))
  expect(json.projection.requiredChecks).toEqual(order)
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const { command } of Object.values<{ readonly command: string }>(checks)) {
    expect(scripts).toHaveProperty([command.replace('npm run --silent ', '')])
  }
})

test('the workflow in the documentation gives the action inputs that exist', () => {
  const page = readFileSync('docs/how-to/use-in-ci.md', 'utf8')
  const shown = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text = '']) =>
    stepsIn(text),
  )
  const given = shown.filter(({ uses }) => uses?.startsWith('<owner>/premath@'))
  expect(given.length).toBeGreaterThan(0)
  for (const { with: inputs = {} } of given) {
    for (const name of Object.keys(inputs)) expect(action.inputs).toHaveProperty(name)
  }
  for (const { uses } of shown) {
    expect(uses ?? 'actions/').toMatch(/^(?:actions\/|<owner>\/premath@)/)
  }
})
