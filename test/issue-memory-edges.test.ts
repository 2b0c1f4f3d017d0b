/** Ends and edges of issue memory on real files, by the built command. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { premath } = project

const torn = '{"id":"bd-9","title":"never ack'

test.each([['compact'], ['migrate-events'], ['import']])(
  'a torn tail is set aside and not lost, whoever meets it first: %s',
  verb => {
    premath(['init'])
    premath(['issue', 'add', 'kept'])
    const before = readFileSync(project.issues, 'utf8')
    writeFileSync(project.issues, before + torn)
    writeFileSync(join(project.folder, 'more.jsonl'), '{"id":"bd-2","title":"more"}\n')
    const args = verb === 'import' ? ['issue', 'import', 'more.jsonl'] : ['issue', verb]
    expect(premath(args).status).toBe(0)
    expect(premath(['issue', 'list']).stdout).toContain('kept')
    const aside = readdirSync(join(project.folder, '.premath')).filter(name => /torn-/.test(name))
    const kept = aside.map(name => readFileSync(join(project.folder, '.premath', name), 'utf8'))
    // What only reads leaves the file as it is.
    const still = readFileSync(project.issues, 'utf8').endsWith(torn)
    expect(still ? [torn] : kept).toEqual([torn])
  },
)

test('a link that leaves the project is refused, also when it leads to nothing yet', () => {
  const outside = join(project.folders, 'outside.jsonl')
  mkdirSync(join(project.folder, '.premath'))
  symlinkSync(outside, project.issues)
  const { status, stderr } = premath(['issue', 'add', 'escape'])
  expect({ status, made: existsSync(outside) }).toEqual({ status: 3, made: false })
  expect(stderr).toContain('outside')
})

test('a root that is not there is named, and nothing is judged or listed without it', () => {
  const env = { PREMATH_ROOT: join(project.folder, 'nowhere') }
  const turn = join(project.folder, 'turn.json')
  writeFileSync(turn, '{"evidence":{}}')
  for (const args of [
    ['issue', 'list'],
    ['harness-join-check', '--input', turn],
  ]) {
    const { status, stderr } = premath(args, { env })
    expect({ status, named: stderr.includes('PREMATH_ROOT') }).toEqual({ status: 2, named: true })
  }
})

test.each([
  ['replay-events', '--cache'],
  ['migrate-events', '--events'],
  ['export', '--output'],
])('issue %s %s does not overwrite what the project must not lose', (verb, flag) => {
  premath(['init'])
  premath(['issue', 'add', 'kept'])
  const before = readFileSync(project.issues, 'utf8')
  for (const file of ['issues.jsonl', 'policy.json', './issues.jsonl.lock']) {
    const { status, stderr } = premath(['issue', verb, flag, `.premath/${file}`])
    expect({ file, status, named: stderr.includes(' is the ') }).toMatchObject({
      status: 2,
      named: true,
    })
  }
  expect(readFileSync(project.issues, 'utf8')).toBe(before)
  expect(premath(['doctor']).status).toBe(0)
})

test('a fence that cannot be read refuses a claim, and is not counted from the start', () => {
  premath(['init'])
  const row = '{"id":"bd-1","title":"t","metadata":{"premathFence":"1"}}\n'
  writeFileSync(project.issues, row)
  const { status, stdout } = premath(['issue', 'claim', 'bd-1', '--assignee', 'w', '--json'])
  expect({ status, classes: JSON.parse(stdout).failureClasses }).toEqual({
    status: 1,
    classes: ['lease_fence_invalid'],
  })
})
