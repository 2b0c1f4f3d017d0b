import { expect, test } from 'vitest'
import type { Field } from '../field.ts'
import { operations } from '../operations/index.ts'
import { operation } from '../operations/operation.ts'
import { openContext } from '../project/context.ts'
import { SimDisk } from '../testing/sim-disk.ts'
import { simWorld } from '../testing/sim-world.ts'
import { any } from '../wire/shape.ts'
import { allCommands } from './commands.ts'
import { completeWords } from './completion.ts'

const commands = allCommands({
  'turn judge': async () =>
    operation({
      group: 'gate',
      summary: 'Judge one turn.',
      effect: 'read',
      opId: 'op/test.one',
      output: any,
      input: {
        input: { type: 'text', describe: 'The turn.', path: true, also: ['turn-path'] },
        era: { type: 'text', describe: 'Which.', noEffect: 'there is one' },
        format: { type: 'choice', values: ['json', 'jsonl', 'text'], describe: 'Its format.' },
        strict: { type: 'flag', describe: 'No mercy.' },
        issue: { type: 'text', describe: 'Its issue.', names: 'issue' },
        status: { type: 'text', describe: 'The status of that.', names: 'status' },
        label: { type: 'text', describe: 'A label of that.', names: 'label', many: true },
      },
      examples: {},
      run: async () => ({ output: {}, yes: true, render: () => '' }),
    }),
  count: async () => counting('Count turns.', 'hours'),
  'count again': async () => counting('Count them again.', 'reason'),
})

const counting = (summary: string, flag: string) =>
  operation({
    group: 'gate',
    summary,
    effect: 'read',
    opId: 'op/test.one',
    output: any,
    input: { [flag]: { type: 'text', describe: 'A flag.' } },
    examples: {},
    run: async () => ({ output: {}, yes: true, render: () => '' }),
  })

/** The candidates, and last the directive: 4 forbids file names, 0 asks the shell for them. */
async function complete(...words: string[]) {
  return await completeIn({ '/p/README.md': '' }, words)
}

async function completeIn(files: Readonly<Record<string, string>>, words: readonly string[]) {
  const disk = new SimDisk({ files })
  const world = simWorld({ disk, cwd: '/p' })
  const text = await completeWords(words, commands, openContext(world))
  expect([...disk.contents().keys()].toSorted()).toEqual(Object.keys(files).toSorted())
  expect(world.printed).toEqual({ out: '', err: '' })
  return text
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t')[0])
}

test.each([
  ['a command', ['tur'], ['turn', ':4']],
  ['the second word of a command', ['turn', ''], ['judge', ':4']],
  ['a flag', ['turn', 'judge', '--str'], ['--strict', ':4']],
  ['another name of a flag', ['turn', 'judge', '--t'], ['--turn-path', ':4']],
  ['no flag without effect', ['turn', 'judge', '--e'], [':4']],
  ['a global flag', ['turn', 'judge', '--j'], ['--json', ':4']],
  ['the values of a flag', ['turn', 'judge', '--format', 'js'], ['json', 'jsonl', ':4']],
  ['values after an equals sign', ['turn', 'judge', '--format=js'], ['json', 'jsonl', ':4']],
  ['a positional choice', ['completion', ''], ['bash', 'fish', 'zsh', ':4']],
  ['the second word of what is a command without it', ['count', ''], ['again', ':4']],
  ['the flags of the shorter command', ['count', '--h'], ['--hours', '--help', ':4']],
  ['the flags of the longer one', ['count', 'again', '--r'], ['--reason', ':4']],
  ['nothing', ['frobnicate', 'x'], [':4']],
])('completes %s', async (_, words, candidates) => {
  expect(await complete(...words)).toEqual(candidates)
})

test('leaves file names to the shell', async () => {
  expect(await complete('turn', 'judge', '--input', 'src/')).toEqual([':0'])
  expect(await complete('turn', 'judge', '--input=src/')).toEqual([':0'])
  expect(await complete('turn', 'judge', '--turn-path', 'src/')).toEqual([':0'])
})

const rows = [
  { id: 'bd-1', title: 'One', status: 'closed', labels: ['web'] },
  { id: 'bd-2', title: 'Two', labels: ['ui', 'web'] },
  { id: 'ops-1', title: 'Three' },
]
const linesOf = (all: readonly object[]) => all.map(row => `${JSON.stringify(row)}\n`).join('')
const memory = { '/p/.premath/issues.jsonl': linesOf(rows) }
const config = { '/p/.premath/config.json': '{ "statuses": ["in_design"] }' }
const judge = ['turn', 'judge']

test.each([
  ['issue ids, open ones first', memory, ['--issue', ''], ['bd-2', 'ops-1', 'bd-1']],
  ['issue ids that begin so', memory, ['--issue', 'bd-'], ['bd-2', 'bd-1']],
  ['issue ids after an equals sign', memory, ['--issue=o'], ['ops-1']],
  ['labels', memory, ['--label', 'ui', '--label', ''], ['ui', 'web']],
  ['statuses', memory, ['--status', 'in_'], ['in_progress', 'in_review']],
  ['own statuses', config, ['--status', 'in_d'], ['in_design']],
  ['nothing without issues', config, ['--issue', ''], []],
  ['nothing outside of a project', { '/p/a': '' }, ['--issue', ''], []],
  ['no status outside of a project', { '/p/a': '' }, ['--status', ''], []],
  ['nothing of damaged rows', { '/p/.premath/issues.jsonl': '{"id":\n{}\n' }, ['--issue', ''], []],
  [
    'known statuses beside a damaged configuration',
    { '/p/.premath/config.json': '{' },
    ['--status', 'o'],
    ['open'],
  ],
  [
    'ids of the named memory',
    { ...memory, '/p/other.jsonl': linesOf([{ id: 'x-1', title: 'X' }]) },
    ['--issues', 'other.jsonl', '--issue', ''],
    ['x-1'],
  ],
])('completes %s', async (_, files, words, candidates) => {
  expect(await completeIn(files, [...judge, ...words])).toEqual([...candidates, ':4'])
})

test('offers no name that a shell would obey', async () => {
  const bad = ['$(id)', '`id`', 'a b', 'a;b', ':4', '-x', 'a\tb', "it's", '*', 'good.1']
  const files = {
    '/p/.premath/issues.jsonl': linesOf([{ id: 'bd-1', title: 'One', labels: bad }]),
  }
  expect(await completeIn(files, [...judge, '--label', ''])).toEqual(['good.1', ':4'])
})

test('offers at most 200 names, and makes no cache', async () => {
  const many = Array.from({ length: 2000 }, (_, n) => ({ id: `bd-${n}`, title: 'x'.repeat(100) }))
  const files = { '/p/.premath/issues.jsonl': linesOf(many) }
  expect(await completeIn(files, [...judge, '--issue', ''])).toHaveLength(201)
  expect(await completeIn(files, [...judge, '--issue', 'bd-1999'])).toEqual(['bd-1999', ':4'])
})

test('every field for an issue, a status or a label says so', async () => {
  const fields: (readonly [string, Field])[] = []
  for (const load of Object.values(operations)) {
    fields.push(...Object.entries((await load()).input))
  }
  const isFor = ([name, field]: readonly [string, Field]) =>
    field.type === 'text' &&
    (/^(status|label|parent|dependsOn|issueId|issue)$/.test(name) ||
      (name === 'id' && !/new issue|the case/.test(field.describe)))
  const silent = fields.filter(isFor).filter(([, field]) => !('names' in field))
  expect(silent.map(([name, { describe }]) => `${name}: ${describe}`)).toEqual([])
})
