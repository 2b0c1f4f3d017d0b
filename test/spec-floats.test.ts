/**
 * Numbers on their way through the built command: `1.0` beside `1`, `3.10` as it is written, and
 * integers beyond 2^53.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'

const project = aProject()

const given = (name: string, text: string) => writeFileSync(join(project.folder, name), text)
const read = (path: string) => readFileSync(join(project.folder, path), 'utf8')

/** Prints its arguments as one list of JSON. */
const printing = `harness: {entrypoint: [node, -e, 'console.log("["+process.argv.slice(1)+"]")']}`
const printed = (id: string, predicate: string) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    printing,
    'argv: [1.0, 1, 1.5]',
    'assert:',
    '- target: stdout',
    '  must:',
    `  - evaluate: [${predicate}]`,
  )

const parsed = '{json_parse: [{var: subject}]}'
const good = printed('GOOD', `{equals: [${parsed}, {lit: [1.0, 1, 1.5]}]}`)
const loose = printed('LOOSE', `{eq: [${parsed}, {lit: [1, 1.0, 1.5]}]}`)
const strict = printed('STRICT', `{equals: [${parsed}, {lit: [1, 1, 1.5]}]}`)
const needsInteger = printed('INDEX', `{nth: [${parsed}, 1.0]}`)

/** The text of an internal value that was printed as an object. */
const leak = /\[object|"value":|{"text":|Float/

test('a run distinguishes integers from floats, and leaves a witness', () => {
  project.premath(['init'])
  given('a.spec.md', good + loose)
  const { status, stderr, json } = project.asked(['spec', 'run'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(json).toMatchObject({ passed: 2, failed: 0 })
  const folder = 'artifacts/ciwitness/spec'
  const witnesses = readdirSync(join(project.folder, folder))
  expect(witnesses).toHaveLength(1)
  expect(read(join(folder, witnesses[0] ?? ''))).not.toMatch(leak)
})

test('a failure shows the fraction in every report, in the trace and on the page', () => {
  given('a.spec.md', strict + needsInteger)
  const names = ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']
  const reports = names.flatMap(name => ['--report', `${name}=${name}.txt`])
  const { status, stdout } = project.premath(['spec', 'run', '--trace', ...reports])
  expect(status).toBe(1)
  for (const text of [stdout, ...names.map(name => read(`${name}.txt`))]) {
    expect(text).toContain('[1.0,1,1.5]')
    expect(text).not.toMatch(/\[object|Float/)
  }
  expect(stdout).toContain('spec_lang nth expects integer args')
  expect(stdout).toContain('1.0 is not an integer: write 1, or round it.')
})

test('an explanation shows expressions and values as written', () => {
  given('a.spec.md', good)
  const { status, stdout } = project.premath(['spec', 'explain', 'GOOD', '--run'])
  expect(status).toBe(0)
  expect(stdout).toContain('{lit: [1.0, 1, 1.5]}')
  expect(stdout).toContain('[1.0,1,1.5]')
  expect(stdout).not.toMatch(leak)
  const { json } = project.asked(['spec', 'explain', 'GOOD'])
  expect(json.predicates[0].expression).toContain('{lit: [1.0, 1, 1.5]}')
})

test('formatting keeps the spelling of numbers and the meaning of a document', () => {
  given('a.spec.md', `${good}\n${strict.replace('[1.0, 1, 1.5]', '[ 1.0,1, 1.50 ]')}`)
  const { status, stdout } = project.premath(['spec', 'format', '--stdout', 'a.spec.md'])
  expect(status).toBe(0)
  expect(stdout).toContain('argv: [1.0, 1, 1.5]\n')
  expect(stdout).toContain('argv: [1.0, 1, 1.50]\n')
})

test('an update replaces an exit code that was written as a float', () => {
  const fails = block(
    'id: A',
    'type: cli.run',
    'exit_code: 2.0',
    `harness: {entrypoint: [node, -e, 'process.exit(3)']}`,
  )
  given('a.spec.md', fails)
  const { stdout } = project.premath(['spec', 'run'])
  expect(stdout).toContain('exit_code expected=2 actual=3')
  expect(project.premath(['spec', 'update', '--yes']).status).toBe(0)
  expect(read('a.spec.md')).toBe(fails.replace('2.0', '3'))
})

test('lint accepts a float, and a library may contain one', () => {
  given(
    'lib.spec.md',
    block(
      'id: LIB',
      'type: spec_lang.library',
      'definitions:',
      '  public:',
      '    price: 7.0',
      '    isPrice: {fn: [[x], {equals: [{var: x}, {var: price}]}]}',
    ),
  )
  given(
    'a.spec.md',
    block(
      'id: A',
      'type: text.file',
      'harness: {spec_lang: {includes: [/lib.spec.md]}}',
      'assert:',
      '- target: text',
      '  must:',
      '  - evaluate: [{call: [{var: isPrice}, {json_parse: ["7.0"]}]}]',
      '  - evaluate: [{not: [{call: [{var: isPrice}, 7]}]}]',
      '  - contain: [7.0]',
    ),
  )
  expect(project.asked(['spec', 'run', 'a.spec.md'])).toMatchObject({ status: 0, stderr: '' })
  const { stdout, stderr } = project.premath(['spec', 'lint', 'a.spec.md', 'lib.spec.md'])
  expect(stdout + stderr).not.toMatch(leak)
})

const large = '9007199254740993'

test('integers beyond 2^53 pass through argv, a chain, templates and reports unchanged', () => {
  given(
    'a.spec.md',
    block(
      'id: SEED',
      'type: cli.run',
      printing,
      `argv: [${large}, -12345678901234567890]`,
      'assert:',
      '- target: stdout_json',
      '  must:',
      `  - evaluate: [{equals: [{var: subject}, {lit: [${large}, -12345678901234567890]}]}]`,
    ) +
      block(
        'id: NEXT',
        'type: cli.run',
        'harness:',
        `  entrypoint: [node, -e, 'console.log("["+process.argv.slice(1)+"]")']`,
        '  chain:',
        '    steps:',
        "    - {id: seed, ref: '#SEED', exports: {id: {from_target: stdout_json, path: '0'}}}",
        `argv: ['{{chain.seed.id}}']`,
        'assert:',
        '- target: chain_json',
        '  must:',
        `  - evaluate: [{equals: [{get_in: [{var: subject}, {lit: [state, seed, id]}]}, ${large}]}]`,
        '- target: stdout_json',
        '  must:',
        `  - evaluate: [{equals: [{nth: [{var: subject}, 0]}, 9007199254740992]}]`,
      ),
  )
  const names = ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']
  const reports = names.flatMap(name => ['--report', `${name}=${name}.txt`])
  const { status, stdout, stderr } = project.premath(['spec', 'run', '--trace', ...reports])
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  expect(stdout).toMatch(/1 passed, 1 failed|1 failed, 1 passed/)
  for (const text of [stdout, ...names.map(name => read(`${name}.txt`))]) {
    expect(text).toContain(large)
    expect(text).not.toMatch(/\[object|9007199254740993n/)
  }
})

test('argv, env and contain pass the text that is written', () => {
  given(
    'a.spec.md',
    block(
      'id: A',
      'type: cli.run',
      'harness:',
      `  entrypoint: [node, -e, 'console.log(process.argv.slice(1).join(" "), process.env.V, process.env.N)']`,
      '  env: {V: 3.10, N: 007}',
      'argv: [3.10, 0x1F, True, 1e3, 1_000]',
      'assert:',
      '- target: stdout',
      '  must:',
      '  - evaluate: [{eq: [{trim: [{var: subject}]}, "3.10 0x1F True 1e3 1_000 3.10 007"]}]',
      '  - contain: [3.10]',
      '- target: stdout',
      '  cannot:',
      '  - contain: [3.100]',
    ),
  )
  const { status, stdout } = project.premath(['spec', 'run', 'a.spec.md'])
  expect({ status, stdout }).toMatchObject({ status: 0 })
})
