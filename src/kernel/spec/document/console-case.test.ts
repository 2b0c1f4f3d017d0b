import { describe, expect, test } from 'vitest'
import { type SpecValue, toJson } from '../lang/value.ts'
import { type Problem, placeName } from './raw-case.ts'
import { readDocument } from './read-document.ts'

const md = (...lines: readonly string[]) => readDocument(lines.join('\n'), 'docs/list.spec.md')
const block = (...lines: readonly string[]) => md('## List', '```console', ...lines, '```')
const ids = ({ cases }: ReturnType<typeof readDocument>) => cases.map(({ id }) => id)
const reported = (problems: readonly Problem[]) =>
  problems.map(({ place, code }) => `${place.line}:${place.column} ${code}`)
const plain = (value: SpecValue) => JSON.parse(JSON.stringify(toJson(value)))

describe('a console block', () => {
  test('is a case with one assertion per command', () => {
    const { cases, problems } = block(
      ...['# three numbers', '$ seq 3 |', '> sort', '1', '2', ''],
      ...['$ true', '$ ls missing', 'ls: * (glob)', '[exit 2]'],
    )
    expect(problems).toEqual([])
    expect(cases.map(({ value }) => plain(value))).toEqual([
      {
        title: 'List',
        id: 'list',
        type: 'cli.run',
        harness: { entrypoint: 'sh' },
        commands: [{ run: 'seq 3 |\nsort' }, { run: 'true' }, { run: 'ls missing', exit_code: 2 }],
        assert: [
          { target: 'output[0]', must: [{ lines: ['1\n2\n\n'] }] },
          { target: 'output[1]', must: [{ lines: [''] }] },
          { target: 'output[2]', must: [{ lines: ['ls: * (glob)\n'] }] },
        ],
      },
    ])
  })

  test('takes other keys of a case from its info string', () => {
    const { cases } = md(
      '~~~Console {id: LIST-1, tags: [slow], harness: {cwd: temp, entrypoint: bash}}',
      ...['$ ls', '~~~'],
    )
    expect(cases.map(({ value }) => plain(value))).toMatchObject([
      { id: 'LIST-1', tags: ['slow'], harness: { cwd: 'temp', entrypoint: 'bash' } },
    ])
  })

  test('stands beside yaml blocks, in the order of the document', () => {
    const yaml = ['```yaml spec-test', 'id: B', 'type: text.file', '```']
    expect(ids(md('# A', '```console', '$ a', '```', ...yaml, '```console', '$ c', '```'))).toEqual(
      ['a', 'B', 'a-2'],
    )
  })

  test.each([['console no-test'], ['console No-Test'], ['shell'], ['bash console'], ['consoles']])(
    'opened with ```%s is text',
    info => {
      expect(md('# A', `\`\`\`${info}`, '$ rm -rf .', '```', '```console')).toMatchObject({
        cases: [],
        problems: [{ code: 'fence.unclosed' }],
      })
    },
  )
})

describe('the id', () => {
  test.each([
    ['## Usage', 'usage'],
    ['# `premath spec run`: what it does!', 'premath-spec-run-what-it-does'],
    ['## A [link](http://x) & more', 'a-link--more'],
    ['Überschrift 2\n---', 'überschrift-2'],
    ['## !?', 'list'],
    ['', 'list'],
  ])('of a block under %j is %s', (heading, id) => {
    expect(ids(md(heading, '```console', '$ a', '```'))).toEqual([id])
  })

  test('of a later block under one heading has a number that no other case has', () => {
    const one = ['```console', '$ a', '```']
    const read = md(
      ...['# A', ...one, ...one, '```console {id: a-3}', '$ a', '```', ...one],
      ...['## B', ...one, '## A', ...one, '```yaml spec-test', 'id: a-5', '```'],
    )
    expect(ids(read)).toEqual(['a', 'a-2', 'a-3', 'a-4', 'b', 'a-6', 'a-5'])
    expect(read.cases.map(({ isIdDerived = false }) => isIdDerived)).toEqual([
      ...[true, true, false, true, true, true, false],
    ])
  })
})

describe('places', () => {
  const { cases } = md(
    '> # A',
    '>',
    '> ```console {id: A, harness: {cwd: temp}}',
    '> # a comment',
    '> $ one',
    '> $ two |',
    '> > three',
    '> out',
    '> [exit 3]',
    '> ```',
  )
  const [one] = cases
  test.each([
    ['', '5:3'],
    ['commands[0].run', '5:3'],
    ['commands[0].exit_code', '5:3'],
    ['commands[1].exit_code', '9:3'],
    ['assert[1].must[0].lines[0]', '6:3'],
    ['id', '3:19'],
    ['harness.cwd', '3:37'],
    ['harness.entrypoint', '3:31'],
  ])('of %s', (path, place) => {
    expect(placeName(one?.placeOf(path) as never)).toBe(`docs/list.spec.md:${place}`)
  })

  test('of keys stand before their values', () => {
    expect(placeName(one?.keyPlaceOf('harness.cwd') as never)).toBe('docs/list.spec.md:3:32')
    expect([one?.line, one?.column]).toEqual([5, 3])
  })
})

describe('problems', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['text before the first command', ['total 3', '$ ls'], ['3:1 console.before_command']],
    ['a prompt without a space', ['$ls'], ['2:1 console.no_command']],
    [
      'an empty command',
      ['$ ls', '$', '$ '],
      ['4:1 console.empty_command', '5:1 console.empty_command'],
    ],
    ['output after the exit code', ['$ ls', '[exit 1]', '', 'a', 'b'], ['6:1 console.after_exit']],
    ['an impossible exit code', ['$ ls', '[exit 256]'], ['4:1 console.exit_code']],
  ])('%s', (_, lines, problems) => {
    const read = block(...lines)
    expect([read.cases.length, reported(read.problems)]).toEqual([0, problems])
  })

  test.each([
    ['console notest', '1:1 console.info'],
    ['console {id: "}', '1:19 yaml.syntax'],
    ['console {id: A} more', '1:20 yaml.syntax'],
  ])('```%s is an error, and nothing runs', (info, problem) => {
    const read = md(`\`\`\`${info}`, '$ a', '```')
    expect([read.cases.length, reported(read.problems)[0]]).toEqual([0, problem])
  })

  test('a key that the block states itself is an error of the case', () => {
    const { cases } = md('```console {exit_code: 1, id: A, id: B}', '$ a', '```')
    expect(cases.map(({ problems }) => reported(problems))).toEqual([
      ['1:34 yaml.duplicate_key', '1:13 console.stated_key'],
    ])
  })
})
