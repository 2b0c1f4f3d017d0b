/** The witness that a run of specs leaves in a project, on the built command and real trees. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { witnessDigest } from '../src/kernel/proof/witness.ts'
import { jsonSchemas } from '../src/wire/index.ts'
import { aProject } from './a-project.ts'
import { describeWithGit, gitIn } from './a-repository.ts'
import { block } from './a-spec-run.ts'

const project = aProject()
const isWitness = new Ajv2020({ strict: false }).compile(
  jsonSchemas()['premath.spec.witness.v1'] as object,
)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const put = (name: string, text: string) => {
  mkdirSync(join(project.folder, name, '..'), { recursive: true })
  writeFileSync(join(project.folder, name), text)
}

const passing = block('id: GOOD', 'type: text.file', 'path: /a.txt')
const failing = block(
  'id: BAD',
  'type: cli.run',
  'exit_code: 1',
  'harness:',
  '  entrypoint: "true"',
)

const run = (args: readonly string[] = [], cwd = project.folder) =>
  project.asked(['spec', 'run', '--root', cwd, ...args], { cwd })

/** The witness that a report names, which must be whole. */
function witnessOf(report: { witness: string }, root = project.folder) {
  const witness = JSON.parse(readFileSync(join(root, report.witness), 'utf8'))
  isWitness(witness)
  expect(isWitness.errors ?? []).toEqual([])
  expect(report.witness).toBe(`artifacts/ciwitness/spec/${witnessDigest(witness, sha256)}.json`)
  return witness
}

function aSpecProject() {
  project.premath(['init'])
  put('a.txt', 'a')
  put('specs/one.spec.md', `${passing}\n${failing}`)
}

test('a witness has the verdict of each case, the documents and the tree', () => {
  aSpecProject()
  const { status, json } = run()
  expect(status).toBe(1)
  expect(witnessOf(json)).toEqual({
    schema: 1,
    witnessKind: 'premath.spec.witness.v1',
    runner: { name: 'premath', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    result: 'rejected',
    treeDigest: expect.stringMatching(/^tree1_[0-9a-f]{64}$/),
    head: null,
    total: 2,
    passed: 1,
    failed: 1,
    skipped: 0,
    notRun: 0,
    documents: [
      {
        path: 'specs/one.spec.md',
        sha256: `sha256:${sha256(`${passing}\n${failing}`)}`,
        cases: 2,
        whole: true,
        readable: true,
      },
    ],
    cases: [
      { id: 'GOOD', document: 'specs/one.spec.md', status: 'pass', category: null, assertions: 0 },
      {
        id: 'BAD',
        document: 'specs/one.spec.md',
        status: 'fail',
        category: 'assertion',
        assertions: 1,
      },
    ],
  })
})

test('the same tree gives the same witness to the byte, another one another', () => {
  aSpecProject()
  const first = run().json.witness
  const bytes = readFileSync(join(project.folder, first))
  expect(run(['--jobs', '1']).json.witness).toBe(first)
  expect(readFileSync(join(project.folder, first))).toEqual(bytes)
  put('a.txt', 'b')
  expect(run().json.witness).not.toBe(first)
  put('a.txt', 'a')
  expect(run().json.witness).toBe(first)
})

test('a witness shows cases that were not run or could not be read', () => {
  aSpecProject()
  put(
    'specs/two.spec.md',
    `${block('id: OTHER', 'type: text.file', 'path: /a.txt')}\n${block('id: [')}`,
  )
  const { status, json } = run(['--filter', 'GOOD'])
  expect(status).toBe(2)
  expect(witnessOf(json)).toMatchObject({
    result: 'rejected',
    documents: [
      { path: 'specs/one.spec.md', cases: 2, whole: false, readable: true },
      { path: 'specs/two.spec.md', cases: 1, whole: false, readable: false },
    ],
  })
})

test('a run with the flag, and one outside a project, leave no witness', () => {
  put('specs/one.spec.md', passing)
  put('a.txt', 'a')
  const outside = run()
  expect(outside.json).not.toHaveProperty('witness')
  expect(existsSync(join(project.folder, 'artifacts'))).toBe(false)
  project.premath(['init'])
  expect(run(['--no-witness']).json).not.toHaveProperty('witness')
  expect(existsSync(join(project.folder, 'artifacts'))).toBe(false)
  expect(project.premath(['spec', 'run', '--root', '.']).stdout).toMatch(
    /^1 passed, 0 failed in .*\nwitness artifacts\/ciwitness\/spec\/[0-9a-f]{64}\.json\n$/,
  )
  // Git is told to leave them alone.
  expect(readdirSync(join(project.folder, 'artifacts/ciwitness'))).toEqual(['.gitignore', 'spec'])
})

test('a tree that changed while its specs ran has no witness', () => {
  aSpecProject()
  const script = JSON.stringify('date +%N >> made.txt')
  put(
    'specs/one.spec.md',
    block('id: W', 'type: cli.run', 'harness:', `  entrypoint: [sh, -c, ${script}]`),
  )
  const { status, json } = run()
  expect([status, json.result, json.witness]).toEqual([0, 'accepted', null])
  const { stdout } = project.premath(['spec', 'run', '--root', '.'])
  expect(stdout).toContain('no witness: files changed while the specs ran')
})

test('a report in the tree gets a warning, since the witness is of the tree before it', () => {
  aSpecProject()
  put('specs/one.spec.md', passing)
  const at = (path: string) =>
    project.premath(['spec', 'run', '--root', '.', '--report', `tap=${path}`]).stderr
  expect(at('artifacts/specs.tap')).toBe('')
  expect(at('specs.tap')).toContain('the reports changed the tree')
})

test('a witness is not written through a link', () => {
  aSpecProject()
  mkdirSync(join(project.folder, '../elsewhere'), { recursive: true })
  symlinkSync('../elsewhere', join(project.folder, 'artifacts'))
  const { status, stdout, stderr } = project.premath(['spec', 'run', '--root', '.'])
  expect(status).toBe(1)
  expect(stdout).toMatch(/1 passed, 1 failed in .*\nno witness: .* lies behind a symbolic link\n$/)
  expect(stderr).toMatch(
    /^error: the witness was not written: .* lies behind a symbolic link\n {2}/,
  )
  expect(readdirSync(join(project.folder, '../elsewhere'))).toEqual([])
})

test('a witness that cannot be written does not change the result of the run', () => {
  aSpecProject()
  put('artifacts/ciwitness/spec', 'a file')
  const failed = run(['--report', 'junit=j.xml'])
  expect(failed.status).toBe(1)
  expect(failed.json).toMatchObject({ passed: 1, failed: 1, witness: null })
  expect(failed.stderr).toContain('error: the witness was not written: ')
  expect(readFileSync(join(project.folder, 'j.xml'), 'utf8')).toContain('failures="1"')
  put('specs/one.spec.md', passing)
  expect(run()).toMatchObject({ status: 3, json: { result: 'accepted', passed: 1, witness: null } })
  put('specs/two.spec.md', block('id: ['))
  expect(run()).toMatchObject({ status: 2, json: { passed: 1, witness: null } })
})

describeWithGit('in a repository', () => {
  test('the commit is printed and does not change the witness; a worktree has its own tree', () => {
    aSpecProject()
    gitIn(project.folder, 'init', '--quiet')
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message=one')
    const first = run().json
    expect(witnessOf(first).head).toBe(gitIn(project.folder, 'rev-parse', 'HEAD'))
    gitIn(project.folder, 'commit', '--quiet', '--allow-empty', '--message=two')
    expect(run().json.witness).toBe(first.witness)
    expect(witnessOf(first).head).toBe(gitIn(project.folder, 'rev-parse', 'HEAD'))

    const worktree = `${project.folder}-worktree`
    gitIn(project.folder, 'worktree', 'add', '--quiet', '--detach', worktree)
    // With the issues, in the main worktree; and of the same tree, so the same.
    expect(run([], worktree).json.witness).toBe(first.witness)
    writeFileSync(join(worktree, 'a.txt'), 'changed')
    const changed = run([], worktree).json
    expect(changed.witness).not.toBe(first.witness)
    expect(witnessOf(changed).treeDigest).not.toBe(witnessOf(first).treeDigest)
    expect(existsSync(join(worktree, 'artifacts'))).toBe(false)
  })
})
