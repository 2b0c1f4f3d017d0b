import { describe, expect, test } from 'vitest'
import { caseTypes } from '../../../runner/cases/index.ts'
import { readDocument } from '../document/read-document.ts'
import { caseProblems, duplicateIds, failureCategory } from './check-case.ts'

const read = (...lines: readonly string[]) => readDocument(lines.join('\n'), 'a.spec.yaml').cases

function problemsOf(...lines: readonly string[]) {
  const [one] = read(...lines)
  if (!one) throw new Error('no case was read')
  return caseProblems(one, caseTypes)
}

const problems = (...lines: readonly string[]) =>
  problemsOf(...lines).map(({ place, message }) => `${place.line}:${place.column} ${message}`)

const text = ['id: A', 'type: text.file']
const cli = ['id: A', 'type: cli.run']

test('a whole number may be written as a float', () => {
  const limits = 'harness: {entrypoint: x, timeout_ms: 30e3, spec_lang: {max_steps: 1000.0}}'
  expect(problems(...cli, limits, 'exit_code: 2.0')).toEqual([])
  expect(problems(...cli, 'harness: {entrypoint: x}', 'exit_code: -1.0')).toEqual([
    '4:12 exit_code must be a non-negative whole number or a non-empty list, but is the number -1.0',
  ])
})

test('limits of expressions have a ceiling, and the remedy names it', () => {
  const limited = (size: string) => `harness: {entrypoint: x, spec_lang: {max_size: ${size}}}`
  expect(problems(...cli, limited('33554432'))).toEqual([])
  expect(problemsOf(...cli, limited('33554433'))).toMatchObject([
    {
      place: { line: 3, column: 48 },
      message:
        'harness.spec_lang.max_size must be a whole number from 1 to 33554432, but is the number 33554433',
      hint: 'Write 33554432 or less, or leave it out.',
    },
  ])
})

test('an argument cannot be a list or a mapping, and a hook is one line', () => {
  const harness = 'harness: {entrypoint: x, hook_after: [rm, a]}'
  expect(problems(...cli, harness, 'argv: [1.0, [a], {a: b}]')).toEqual([
    '3:38 harness.hook_after must be non-blank text, but is a list',
    '4:13 argv[1] must be text, a number, true, false or null, but is a list',
    '4:18 argv[2] must be text, a number, true, false or null, but is a mapping',
  ])
})

test('a valid case has no problem', () => {
  expect(
    problems(
      ...text,
      'title: t',
      'purpose: p',
      'path: /a',
      'tags: [slow]',
      'concurrency: db',
      'requires: {capabilities: [x, " "], when_missing: skip}',
      'assert_health: {mode: warn}',
      'expect:',
      '  portable: {status: fail, category: schema, message_tokens: [a]}',
      '  impl: {php: {status: skip, category: null}}',
      '  overrides: [{runner: ts, status: pass}]',
      'harness: {spec_lang: {max_steps: 5, includes: [/lib.spec.md]}}',
      'assert:',
      '- target: text',
      '  must:',
      '  - evaluate: [true]',
      '  - can: [{contain: [x]}, [{regex: [y]}]]',
      '- {target: chain_json, cannot: [{exists: [true]}]}',
    ),
  ).toEqual([])
  expect(
    problems(
      ...cli,
      'argv: [a, 1, true, null]',
      'exit_code: 2',
      'harness:',
      '  entrypoint: [node, "a b"]',
      '  env: {A: b, C: null, D: 1}',
      '  stdin_text: ""',
      '  setup_files: [{path: a, text: b}, {path: c}]',
      '  hook_before: a',
      '  hook_kwargs: {a: [1]}',
    ),
  ).toEqual([])
  expect(problems('id: L', 'type: spec_lang.library', 'definitions: {public: {a: 1}}')).toEqual([])
})

test('all problems are reported at once, in the order of the document', () => {
  expect(
    problems(
      'titel: x',
      'id: " "',
      'type: cli.run',
      'exit_code: "0"',
      'argv: {a: b}',
      'harness:',
      '  entrypoint: a',
      '  stdin: x',
      '  setup_files: [{path: a, txt: b}]',
      'requires: {capabilities: x, when_missing: skp}',
      'assert: {}',
    ),
  ).toEqual([
    '1:1 unknown key: titel',
    '2:5 id must be non-blank text, but is blank',
    '4:12 exit_code must be a non-negative whole number or a non-empty list, but is text',
    '5:7 argv must be text or a list, but is a mapping',
    '8:3 unsupported harness key(s): stdin',
    '9:27 unknown key in harness.setup_files[0]: txt',
    '10:26 requires.capabilities must be a list, but is text',
    '10:43 requires.when_missing must be one of fail, skip',
    '11:9 assert must be a list, but is an empty mapping',
  ])
})

test('an unknown name is reported with the nearest one', () => {
  const hints = problemsOf(...cli, 'titel: x', 'harness: {entrypoin: a}').map(({ hint }) => hint)
  expect(hints).toContain('Did you mean title?')
  expect(hints).toContain('Did you mean entrypoint?')
  expect(problemsOf('id: A', 'type: text.fil')[0]?.hint).toBe('Did you mean text.file?')
  expect(problemsOf(...text, 'assert_health: {mode: erro}')[0]?.hint).toBe('Did you mean error?')
})

test.each<[string, readonly string[], string]>([
  ['no id', ['type: text.file'], '1:1 missing required key: id'],
  ['no type', ['id: A'], '1:1 missing required key: type'],
  [
    'a number as id',
    ['id: 3', 'type: text.file'],
    '1:5 id must be non-blank text, but is the number 3',
  ],
  [
    'harness that is null',
    [...text, 'harness: null'],
    '3:10 harness must be a mapping, but is null',
  ],
  ['assert that is null', [...text, 'assert:'], '3:8 assert must be a list, but is null'],
  ['a dotted key', [...text, 'harness.chain: x'], '3:1 unknown key: harness.chain'],
  ['a key of another type', [...text, 'exit_code: 0'], '3:1 unknown key: exit_code'],
  ['__proto__', [...text, '__proto__: {}'], '3:1 unknown key: __proto__'],
  [
    'a nested key',
    [...text, 'harness: {spec_lang: {includs: []}}'],
    '3:23 unknown key in harness.spec_lang: includs',
  ],
  [
    'a budget of 0',
    [...text, 'harness: {spec_lang: {max_steps: 0}}'],
    '3:34 harness.spec_lang.max_steps must be a whole number of at least 1, but is the number 0',
  ],
  [
    'a health mode',
    [...text, 'assert_health: {mode: loud}'],
    '3:23 assert_health.mode must be one of ignore, warn, error',
  ],
  [
    'health without mode',
    [...text, 'assert_health: {}'],
    '3:16 missing required key: assert_health.mode',
  ],
  ['expect of nothing', [...text, 'expect: {}'], '3:9 missing required key: expect.portable'],
  [
    'portable without status',
    [...text, 'expect: {portable: {category: null}}'],
    '3:20 missing required key: expect.portable.status',
  ],
  [
    'an override without runner',
    [...text, 'expect: {status: pass, overrides: [{status: fail}]}'],
    '3:36 missing required key: expect.overrides[0].runner',
  ],
  [
    'a category',
    [...text, 'expect: {portable: {status: fail, category: odd}}'],
    '3:45 expect.portable.category must be one of schema, assertion, runtime',
  ],
  [
    'a library without definitions',
    ['id: A', 'type: spec_lang.library'],
    '1:1 missing required key: definitions',
  ],
])('%s is a problem at its place', (_, lines, expected) => {
  expect(problems(...lines)).toEqual([expected])
})

describe('assertions', () => {
  const assertion = (...lines: readonly string[]) => problems(...text, 'assert:', ...lines)

  test.each<[string, string, string]>([
    ['text', '- x', '4:3 assertion must be a mapping or a list, but is text'],
    [
      'two groups',
      '- {must: [], can: []}',
      '4:3 assertion group must have only one of must, can, cannot, but has must, can',
    ],
    [
      'an empty group',
      '- {target: text, must: []}',
      '4:24 assertion must must be a non-empty list, but is an empty list',
    ],
    [
      'a group that is no list',
      '- {target: text, must: {}}',
      '4:24 assertion must must be a non-empty list, but is an empty mapping',
    ],
    [
      'another key in a group',
      '- {target: text, must: [{evaluate: [true]}], mus: 1}',
      '4:46 unknown key in an assertion group: mus',
    ],
    [
      'a leaf with a target',
      '- {target: text, evaluate: [true]}',
      '4:4 leaf assertion must not include key: target',
    ],
    [
      'a leaf without one around it',
      '- {evaluate: [true]}',
      '4:3 leaf assertion requires inherited target from parent group',
    ],
    [
      'an operator that is no list',
      '- {target: text, must: [{evaluate: true}]}',
      '4:36 assertion op evaluate must be a list, but is true',
    ],
    [
      'an unknown operator',
      '- {target: text, must: [{evalute: [true]}]}',
      '4:26 unsupported op for text.file.text: evalute',
    ],
    ['no operator', '- {target: text, must: [{}]}', '4:25 assertion has no operator'],
    [
      'an operator without values',
      '- {target: text, must: [{evaluate: []}]}',
      '4:25 assertion has an operator without values',
    ],
    [
      'an unknown target',
      '- {target: txt, must: [{evaluate: [true]}]}',
      '4:12 unknown assert target for text.file: txt',
    ],
    [
      'a number as target',
      '- {target: 1, must: [{target: text, can: [{evaluate: [true]}]}]}',
      '4:12 assertion target must be text, but is the number 1',
    ],
  ])('%s is a problem at its place', (_, line, expected) => {
    expect(assertion(line)).toEqual([expected])
  })

  test.each([
    ['- {must: [], can: []}', 'Write a group for each of them, with the same target.'],
    ['- {target: text, must: [{equal: 1}]}', 'Write a list of values: equal: […].'],
  ])('%s has a hint', (line, hint) => {
    const [problem] = problemsOf(...text, 'assert:', line)
    expect(problem?.hint).toBe(hint)
  })

  test('a blank target means the surrounding one', () => {
    const line = '- {target: text, must: [{target: " ", can: [{evaluate: [true]}]}]}'
    expect(assertion(line)).toEqual([])
  })
})

describe('the category of a failure', () => {
  const category = (...lines: readonly string[]) => failureCategory(problemsOf(...lines))

  test('an unknown type is runtime, whatever else is wrong', () => {
    expect(category('id: A', 'type: magic.wand', 'assert: null', 'wand: {}')).toBe('runtime')
    expect(problems('id: A', 'type: magic.wand', 'wand: {}')).toEqual([
      '2:7 unknown spec-test type: magic.wand',
    ])
  })

  test.each([
    ['none', []],
    ['a blank one', ['harness: {entrypoint: " "}']],
    ['null', ['harness: {entrypoint: null}']],
  ])('a command without entrypoint is runtime: %s', (_, lines) => {
    expect(category(...cli, ...lines)).toBe('runtime')
    expect(problems(...cli, ...lines)[0]).toMatch(/requires explicit harness\.entrypoint/)
  })

  test('anything else is schema', () => {
    expect(category(...cli, 'titel: x')).toBe('schema')
  })
})

test('a duplicate id is reported with both places', () => {
  const [a, b] = [read('- id: A', '- id: B'), readDocument('id: A', 'b.spec.yaml').cases]
  expect([...duplicateIds([...a, ...b]).values()]).toMatchObject([
    {
      place: { file: 'b.spec.yaml', line: 1, column: 5 },
      message: 'duplicate id A: first used at a.spec.yaml:1:7',
    },
  ])
})

describe('paths', () => {
  test.each([
    ['{id: A, type: text.file, path: ../x}', '1:32 text.file path escapes contract root'],
    ['{id: A, type: text.file, path: " "}', '1:32 text.file path must not be blank'],
    [
      '{id: A, type: text.file, harness: {spec_lang: {includes: [/a, ../b]}}}',
      '1:63 harness.spec_lang.includes[1] escapes contract root',
    ],
    [
      '{id: A, type: text.file, harness: {spec_lang: {includes: ["external://x/"]}}}',
      '1:59 harness.spec_lang.includes[0] must be of the form external://provider/id',
    ],
    [
      '{id: A, type: spec_lang.library, definitions: {}, imports: ["C:/a"]}',
      '1:61 imports[0] names a drive or a host, but must lie in the contract root',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: ../../x}]}}',
      '1:70 harness.setup_files[0].path escapes tmp_path',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: {path: /etc/x}}}',
      '1:69 harness.setup_files.path must be relative',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: " "}]}}',
      '1:70 harness.setup_files[0].path must be non-blank text, but is blank',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: a}, {path: ./a/b}]}}',
      '1:81 harness.setup_files[0].path and harness.setup_files[1].path conflict: a is both a file and a folder',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: d/a/b}, {path: d/a}]}}',
      '1:85 harness.setup_files[0].path and harness.setup_files[1].path conflict: d/a is both a file and a folder',
    ],
    [
      '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: a}, {path: ./a}]}}',
      '1:81 harness.setup_files[0].path and harness.setup_files[1].path both name a',
    ],
  ])('%s is refused before any file is touched', (text, expected) => {
    expect(problems(text)).toEqual([expected])
  })

  test('a well-formed external reference is accepted', () => {
    const spec = '{spec_lang: {includes: ["external://x/y"]}}'
    expect(problems(`{id: A, type: text.file, harness: ${spec}}`)).toEqual([])
  })

  test('files beside each other in a folder are fine', () => {
    const files = '[{path: d/a}, {path: d/b}, {path: da}, {path: e/d/a}]'
    const harness = `{entrypoint: a, setup_files: ${files}}`
    expect(problems(`{id: A, type: cli.run, harness: ${harness}}`)).toEqual([])
  })
})
