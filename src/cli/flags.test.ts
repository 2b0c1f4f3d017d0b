import { describe, expect, test } from 'vitest'
import { operation } from '../operations/operation.ts'
import { any } from '../wire/shape.ts'
import { findCommand, readFlags } from './flags.ts'

const mix = operation({
  group: 'reference',
  summary: 'Takes one field of each type.',
  effect: 'read',
  opId: 'op/test.one',
  output: any,
  input: {
    input: { type: 'text', describe: 'In.', placeholder: 'file', required: true },
    witnessRef: { type: 'text', describe: 'Witness.', many: true },
    jobs: { type: 'count', describe: 'How many.', default: 1, also: ['threads'] },
    era: { type: 'text', describe: 'Which.', noEffect: 'there is one' },
    target: { type: 'number', describe: 'How much.', default: 0.8 },
    mood: { type: 'choice', values: ['good', 'bad'], describe: 'Mood.' },
    explain: { type: 'flag', describe: 'Explain.' },
    first: { type: 'text', describe: 'First.', positional: true },
    rest: { type: 'text', describe: 'Rest.', positional: true, many: true },
  },
  examples: { 'premath mix --input turn.json': 'a mix' },
  run: async () => ({ output: {}, yes: true, render: () => '' }),
})

const read = (...args: string[]) => readFlags('mix', mix, args)

test('every type of field arrives as declared, and an absent flag as its default', () => {
  expect(read('--input', 'a')).toEqual({
    json: false,
    help: false,
    input: {
      input: 'a',
      witnessRef: [],
      jobs: 1,
      era: undefined,
      target: 0.8,
      mood: undefined,
      explain: false,
      first: undefined,
      rest: [],
    },
    notes: [],
  })
  const args = [
    'one',
    '--input=a=b',
    '--witness-ref',
    'x',
    'two',
    '--witness-ref=y',
    '--jobs',
    '12',
    '--target=1.5',
  ]
  expect(read(...args, '--mood', 'bad', '--explain', '--json', '--', '--three')).toEqual({
    json: true,
    help: false,
    input: {
      input: 'a=b',
      witnessRef: ['x', 'y'],
      jobs: 12,
      era: undefined,
      target: 1.5,
      mood: 'bad',
      explain: true,
      first: 'one',
      rest: ['two', '--three'],
    },
    notes: [],
  })
})

test('a flag is known by its other names too', () => {
  expect(read('--input', 'a', '--threads', '3').input).toMatchObject({ jobs: 3 })
})

test('a flag without effect is accepted with a note', () => {
  expect(read('--input', 'a', '--era', '2').notes).toEqual([
    'note: --era has no effect: there is one',
  ])
})

test('a dash alone is a value', () => {
  expect(read('--input', '-').input).toMatchObject({ input: '-' })
})

test('a value that looks like a flag is taken only after an equals sign', () => {
  expect(read('--input=--json')).toMatchObject({ json: false, input: { input: '--json' } })
  expect(() => read('--input', '--json')).toThrow('looks like a flag')
})

test('help comes even when something required is missing', () => {
  expect(read('-h')).toMatchObject({ help: true })
  expect(read('--help', '--json', 'a')).toMatchObject({ help: true, json: true })
})

describe('a usage error names the mistake and the correct form', () => {
  test.each([
    [['--inptu', 'a'], 'unknown flag --inptu', 'did you mean --input?'],
    [['--jsn'], 'unknown flag --jsn', 'did you mean --json?'],
    [['-x'], 'unknown flag -x', 'premath help mix lists its flags'],
    [[], '--input <file> is missing', 'for example: premath mix --input turn.json'],
    [['--input'], '--input needs a value', 'premath help mix shows'],
    [['--input', 'a', '--input', 'b'], '--input was given twice', 'premath help mix'],
    [['--input', 'a', '--jobs', '1', '--threads', '1'], '--jobs, also named --threads, was', 'mix'],
    [['--input', 'a', '--thread', '1'], 'unknown flag --thread', 'did you mean --threads?'],
    [['--input', 'a', '--mood', 'god'], '--mood <mood> cannot be "god"', 'did you mean good?'],
    [['--input', 'a', '--mood', 'x'], 'cannot be "x"', 'it is one of good, bad'],
    [['--input', 'a', '--jobs', '1.5'], '--jobs <n> cannot be "1.5"', 'it is a whole number'],
    [['--input', 'a', '--jobs=-1'], 'cannot be "-1"', 'it is a whole number'],
    [
      ['--input', 'a', '--jobs', '9'.repeat(20)],
      '--jobs <n> cannot be',
      'it is at most 9007199254740991',
    ],
    [['--input', 'a', '--target', '1e3'], '--target <n> cannot be "1e3"', 'it is a decimal number'],
    [['--input', 'a', '--target=-0.5'], 'cannot be "-0.5"', 'it is a decimal number'],
    [['--input', 'a', '--target', 'NaN'], 'cannot be "NaN"', 'it is a decimal number'],
    [['--input', 'a', '--explain=yes'], '--explain takes no value', 'premath help mix'],
  ])('%j', (args, message, hint) => {
    expect(() => read(...args)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    )
  })
})

describe('finding the command', () => {
  const commands = ['conformance run', 'help', 'schema', 'schema list', 'version']
  const find = (...argv: string[]) => findCommand(argv, commands)

  test.each([
    [[], { command: 'help', args: [] }],
    [['--help'], { command: 'help', args: [] }],
    [['--json'], { command: 'help', args: ['--json'] }],
    [['schema', 'x'], { command: 'schema', args: ['x'] }],
    [['schema', '--help'], { command: 'schema', args: ['--help'] }],
    [['schema', 'list', 'x'], { command: 'schema list', args: ['x'] }],
    [['--json', 'schema'], { command: 'schema', args: ['--json'] }],
    [['conformance', 'run', 'd'], { command: 'conformance run', args: ['d'] }],
    [['--version', '--json'], { command: 'version', args: ['--json'] }],
    [['conformance', '--help'], { command: 'help', args: ['conformance'] }],
    [['-h', 'conformance', '--json'], { command: 'help', args: ['conformance', '--json'] }],
  ])('%j', (argv, found) => {
    expect(find(...argv)).toEqual(found)
  })

  test.each([
    [['scema'], 'unknown command "scema"', 'did you mean: premath schema'],
    [['conformance'], 'conformance: missing subcommand', 'try: conformance run'],
    [['run'], 'unknown command "run"', 'did you mean: premath conformance run'],
    [['conformance', 'rn'], 'unknown command "conformance rn"', 'premath conformance run'],
    [['conformanec'], 'unknown command "conformanec"', 'did you mean: premath conformance'],
    [['conformanec', 'x'], 'unknown command "conformanec"', 'did you mean: premath conformance'],
    [['frobnicate', '--help'], 'unknown command "frobnicate"', 'premath --help lists'],
    [['frobnicate'], 'unknown command "frobnicate"', 'premath --help lists the commands'],
    [['--frob'], 'unknown flag --frob', 'premath --help'],
    [['-v'], 'unknown flag -v', 'did you mean --version?'],
    [['__proto__'], 'unknown command "__proto__"', 'premath --help'],
  ])('%j is a usage fault', (argv, message, hint) => {
    expect(() => find(...argv)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    )
  })
})

describe('words behind --', () => {
  const carry = operation({
    group: 'reference',
    summary: 'Takes a command.',
    effect: 'read',
    opId: 'op/test.one',
    output: any,
    input: {
      place: { type: 'text', describe: 'Where.', positional: true },
      command: {
        type: 'text',
        describe: 'What.',
        positional: true,
        many: true,
        required: true,
        behindDashes: true,
      },
    },
    examples: { 'premath carry -- ls': 'a list' },
    run: async () => ({ output: {}, yes: true, render: () => '' }),
  })
  const carried = (...args: string[]) => readFlags('carry', carry, args)

  test('are taken as they are, flags of ours too', () => {
    expect(carried('here', '--json', '--', 'ls', '--json', '-h', '--', 'x')).toEqual({
      json: true,
      help: false,
      input: { place: 'here', command: ['ls', '--json', '-h', '--', 'x'] },
      notes: [],
    })
  })

  test.each([[[]], [['ls']], [['--']], [['ls', '--']], [['ls', '-la']]])('%j has none', args => {
    expect(() => carried(...args)).toThrow('-- <command> is missing')
  })

  test('are refused with too many arguments before them', () => {
    expect(() => carried('a', 'b', '--', 'ls')).toThrow('unexpected "b"')
  })
})
