import { expect, test } from 'vitest'
import { wrongNameIn } from './command-index.ts'
import { targetOf } from './link-target.ts'
import { commandsOf } from './shell-commands.ts'
import { slugger } from './slug.ts'

const wordsOf = (text: string) => commandsOf('premath', text).map(({ words }) => words.join(' '))

test.each([
  ['premath a b', ['a b']],
  ['A=1 B="x y" npx premath a && premath b; premath c | premath d', ['a', 'b', 'c', 'd']],
  ['x=$(premath a) && echo `premath b`', ['b', 'a']],
  ['if ! premath a; then premath b; fi', ['a', 'b']],
  ["premath a --cmd 'premath b --flag' --last", ['a --cmd premath b --flag --last']],
  ['echo premath a # premath b', []],
  ['premath a \\\n  --flag', ['a --flag']],
  ['premath-other a', []],
])('the commands of %j are found', (text, expected) => {
  expect(wordsOf(text).toSorted()).toEqual([...expected].toSorted())
})

test('a command has the line that it begins in', () => {
  expect(commandsOf('premath', 'a\n\npremath b \\\n c\npremath d')).toEqual([
    { words: ['b', 'c'], line: 3 },
    { words: ['d'], line: 5 },
  ])
})

const commands = new Map([
  ['issue list', new Set(['status', 'json'])],
  ['issue add', new Set(['json'])],
  ['required-delta', new Set(['json'])],
  ['run', new Set(['work-cmd', 'json'])],
])

test.each([
  ['issue list --status open', undefined],
  ['issue list --status=open [--json]', undefined],
  ['issue', undefined],
  ['issue --help', undefined],
  ['issue … --json', undefined],
  ['<command> --help', undefined],
  ['required-*', undefined],
  ['--version', undefined],
  ['run -- sh --flag', undefined],
  ['isue list', { is: 'command', named: 'premath isue', meant: 'premath issue' }],
  ['issue lst', { is: 'command', named: 'premath issue lst', meant: 'premath issue list' }],
  ['observe-*', { is: 'command', named: 'premath observe-*', meant: undefined }],
  ['run --work-cmd=x --wrok', { is: 'flag', named: 'premath run --wrok', meant: undefined }],
  ['--vresion', { is: 'flag', named: '--vresion', meant: '--version' }],
])('of premath %s is wrong: %o', (line, expected) => {
  expect(wrongNameIn(line.split(' '), commands)).toEqual(expected)
})

test('headings get the anchors that GitHub gives them', () => {
  const slugOf = slugger()
  expect(['What is open?', '`a` & b_c', 'Twice', 'Twice', 'Über uns'].map(slugOf)).toEqual([
    'what-is-open',
    'a--b_c',
    'twice',
    'twice-1',
    'über-uns',
  ])
})

test.each([
  ['docs/a.md', 'b.md#c', { path: 'docs/b.md', anchor: 'c' }],
  ['docs/a.md', '../b.md?x', { path: 'b.md', anchor: undefined }],
  ['docs/a.md', '/b/c.md', { path: 'b/c.md', anchor: undefined }],
  ['docs/a.md', '#c', { path: 'docs/a.md', anchor: 'c' }],
  ['docs/a.md', '../../b.md', undefined],
  ['docs/a.md', 'https://example.org/b.md', undefined],
  ['docs/a.md', 'mailto:a@example.org', undefined],
])('in %s, %s leads to %o', (page, target, expected) => {
  expect(targetOf(page, target)).toEqual(expected)
})
