/** `premath spec create`, `update`, `format`, `explain` and what `lint` warns of, on real documents. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { conformanceClasses, conformanceFiles } from './conformance-files.ts'

const project = aProject()

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const textOf = (name: string) => readFileSync(join(project.folder, name), 'utf8')

const block = (...lines: readonly string[]) => ['```yaml spec-test', ...lines, '```', ''].join('\n')

const sh = (script: string) => ['sh', '-c', script]

const prints = (id: string, script: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    `harness: {entrypoint: ${JSON.stringify(sh(script))}}`,
    ...lines,
  )

/** Root may write anywhere, so a read-only document is tried by somebody else. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

function readOnly(name: string): void {
  for (const path of [project.folders, project.folder]) chmodSync(path, 0o777)
  chmodSync(join(project.folder, name), 0o444)
}

describe('spec create', () => {
  /** Words after `--` belong to the command, so the flag of premath comes first. */
  const create = (...args: readonly string[]) => {
    const { status, stdout, stderr } = project.premath(['spec', 'create', '--json', ...args])
    return { status, stderr, json: JSON.parse(stdout) }
  }

  test('prints a case with the observed output, which passes', () => {
    const { status, stdout, stderr } = project.premath([
      ...['spec', 'create', '--id', 'GREET', '--title', 'Greets', '--env', 'WHO=you', '--'],
      ...sh('echo hello $WHO; echo yes; echo careful >&2; exit 3'),
    ])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(
      block(
        'id: GREET',
        'title: Greets',
        'type: cli.run',
        'harness:',
        '  entrypoint: sh',
        '  env:',
        '    WHO: you',
        'argv:',
        '- -c',
        '- echo hello $WHO; echo yes; echo careful >&2; exit 3',
        'exit_code: 3',
        'assert:',
        '- target: stdout',
        '  must:',
        '  - equal: |',
        '      hello you',
        '      yes',
        '- target: stderr',
        '  must:',
        '  - equal: |',
        '      careful',
      ),
    )
    given({ 'a.spec.md': stdout })
    expect(project.done('spec', 'run').passed).toBe(1)
    expect(project.done('spec', 'format', '--check').changed).toEqual([])
    expect(project.done('spec', 'lint')).toMatchObject({ errors: 0, warnings: 0 })
  })

  test('records output that differs the second time as patterns, and reports it', () => {
    const script = 'echo same; echo "pid $$ runs"; echo at 12:34:56; pwd'
    const { status, stderr, json } = create('--', ...sh(script))
    expect(status).toBe(0)
    expect(json.block).toContain(
      [
        '  - lines: |',
        '      same',
        '      pid * runs (glob)',
        '      at <time>',
        '      <root>',
      ].join('\n'),
    )
    expect(json.block).toContain('masks: [root, times]\n')
    expect([json.masks, json.loose]).toEqual([
      ['root', 'times'],
      [{ from: 'stdout', text: 'pid * runs (glob)', why: 'changed' }],
    ])
    expect(stderr).toBe(
      [
        'masked: root, times',
        'stdout has the line "pid * runs (glob)", because the second run printed something else',
        '',
      ].join('\n'),
    )
  })

  test('records a number exactly, so that a longer one fails', () => {
    create('--into', 'a.spec.md', '--id', 'SEQ', '--', 'seq', '3')
    expect(textOf('a.spec.md')).toContain('  - equal: |\n      1\n      2\n      3\n')
    given({ 'a.spec.md': textOf('a.spec.md').replace('- "3"', '- "33"') })
    expect(project.premath(['spec', 'run']).stdout).toContain('+4\n')
  })

  test('records characters that are no text in quotes', () => {
    const { json } = create('--into', 'a.spec.md', '--', ...sh('printf "a\\000b\\033[1mc"'))
    expect(json.block).toContain('- equal: "a\\0b\\e[1mc"\n')
    expect(project.done('spec', 'run').passed).toBe(1)
  })

  test('adds to a document, which it makes if needed, and never twice under one id', () => {
    const into = ['--into', 'first-login.spec.md']
    expect(create(...into, '--id', 'A', '--', 'echo', '```').json).toMatchObject({
      file: 'first-login.spec.md',
      line: 6,
    })
    expect(create(...into, '--', 'true').json.id).toBe('true')
    expect(create(...into, '--', 'true').json.id).toBe('true-2')
    const before = textOf('first-login.spec.md')
    expect(before).toMatch(/^# First login\n\n## A\n\n````yaml spec-test\nid: A\n/)
    const taken = create(...into, '--id', 'A', '--', 'true')
    expect(taken.status).toBe(2)
    expect(taken.json.error).toMatchObject({
      message: 'first-login.spec.md already has a case A',
      hint: 'Give it another id, such as A-2.',
    })
    expect(textOf('first-login.spec.md')).toBe(before)
    expect(project.done('spec', 'run').passed).toBe(3)
    expect(readdirSync(project.folder)).toEqual(['first-login.spec.md'])
  })

  test('keeps the line endings and the content of a document', () => {
    given({ 'a.spec.md': '# A\r\n\r\ntext' })
    create('--into', 'a.spec.md', '--', 'echo', 'hi')
    const text = textOf('a.spec.md')
    expect(text.startsWith('# A\r\n\r\ntext\r\n\r\n## echo-hi\r\n\r\n```yaml spec-test\r\n')).toBe(
      true,
    )
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(project.done('spec', 'run').passed).toBe(1)
  })

  test('reads the stdin of the command from a file', () => {
    given({ rows: 'b\na\n' })
    const { json } = create('--stdin', 'rows', '--', 'cat')
    expect(json.block).toContain('stdin_text: |\n    b\n    a\n')
  })

  test.each([
    ['more than a document holds', 5],
    ['more than is read', 257],
  ])('refuses input of %s by name, before anything runs', (_, megabytes) => {
    given({ rows: '' })
    truncateSync(join(project.folder, 'rows'), megabytes * 1024 * 1024)
    const { status, json } = create('--stdin', 'rows', '--', ...sh('touch ran'))
    expect(json.error.message).toMatch(/^rows: (would make the document too large|is larger than)/)
    expect(status).toBe(2)
    expect(readdirSync(project.folder)).toEqual(['rows'])
  })

  test('does not record a command whose output changes each time', () => {
    const { status, json } = create('--', ...sh('test -e x && exit 1; touch x'))
    expect([status, json.error.message]).toEqual([
      2,
      'the command exited with 0, and the second time with 1',
    ])
  })

  test('does not write a case that fails', () => {
    const script = 'echo x >> n; test $(wc -l < n) -lt 3 || exit 7'
    const { status, json, stderr } = create('--into', 'a.spec.md', '--', ...sh(script))
    expect([status, json.result, json.file]).toEqual([1, 'rejected', null])
    expect(stderr).toContain('not recorded, because the case fails: [case_id=')
    expect(existsSync(join(project.folder, 'a.spec.md'))).toBe(false)
  })

  test.each([
    ['a command that is not there', ['--', 'no-such-program'], 'could not start no-such-program'],
    ['twenty megabytes', ['--', ...sh('yes | head -c 20000000')], 'wrote more than 8 MB to stdout'],
    ['no command', [], 'no command given'],
    ['a command before the dashes', ['true'], '-- <command> is missing'],
    ['a variable without a value', ['--env', 'A', '--', 'true'], '"A" must look like NAME=value'],
    ['an id that no chain can name', ['--id', 'a b', '--', 'true'], 'is not a valid id'],
    [
      'a document that is no Markdown',
      ['--into', 'a.yaml', '--', 'true'],
      'not a Markdown document',
    ],
    ['a folder', ['--into', 'f.md', '--', 'true'], 'is a folder'],
    ['a document in no folder', ['--into', 'x/a.spec.md', '--', 'true'], 'the folder "x/"'],
    ['input that is not there', ['--stdin', 'gone', '--', 'cat'], 'gone'],
  ])('reports %s and writes nothing', (_, args, words) => {
    mkdirSync(join(project.folder, 'f.md'))
    const { status, json } = create(...args)
    expect(json.error.message).toContain(words)
    expect(status).toBe(2)
    expect(readdirSync(project.folder)).toEqual(['f.md'])
  })

  test('leaves a document with an unclosed last block unchanged', () => {
    const text = '```yaml spec-test\nid: A\n'
    given({ 'a.spec.md': text })
    const { status, json } = create('--into', 'a.spec.md', '--', 'true')
    expect([status, json.error.message]).toEqual([
      2,
      'a.spec.md ends in an open block or comment that would contain the new case',
    ])
    expect(textOf('a.spec.md')).toBe(text)
  })

  test.each([
    ['that is there', '# O\n'],
    ['that is not there yet', undefined],
  ])('does not write through a link out of the contract root to a document %s', (_, text) => {
    mkdirSync(join(project.folder, 'root'))
    if (text !== undefined) given({ 'outside.spec.md': text })
    symlinkSync('../outside.spec.md', join(project.folder, 'root/lk.spec.md'))
    const into = ['--root', 'root', '--into', 'root/lk.spec.md']
    const { status, json } = create(...into, '--', ...sh('touch ran'))
    expect(json.error.message).toBe('root/lk.spec.md escapes contract root through a link')
    expect(status).toBe(2)
    expect(readdirSync(join(project.folder, 'root'))).toEqual(['lk.spec.md'])
    expect(existsSync(join(project.folder, 'outside.spec.md'))).toBe(text !== undefined)
  })

  test('keeps a link to a valid path', () => {
    mkdirSync(join(project.folder, 'docs'))
    symlinkSync('docs/new.spec.md', join(project.folder, 'lk.spec.md'))
    expect(create('--into', 'lk.spec.md', '--', 'true').status).toBe(0)
    expect(readdirSync(join(project.folder, 'docs'))).toEqual(['new.spec.md'])
  })

  test('keeps a document read-only', () => {
    given({ 'a.spec.md': '# A\n' })
    readOnly('a.spec.md')
    const args = ['spec', 'create', '--into', 'a.spec.md', '--', 'true']
    const { status, stderr } = project.premath(args, nobody)
    expect(status).toBe(3)
    expect(stderr).toContain('a.spec.md')
    expect(textOf('a.spec.md')).toBe('# A\n')
  })
})

describe('spec update', () => {
  const document = [
    '# U\r',
    '1. a list\r',
    '\r',
    '   ```yaml spec-test\r',
    '   id:   A  # stays\r',
    '   type: cli.run\r',
    `   harness: {entrypoint: ['sh', '-c', 'echo "version: 2"; echo same; exit 4']}\r`,
    '   exit_code: 3\r',
    "   assert: [{target: stdout, must: [{contain: ['version: 1', same]}]}]\r",
    '   ```\r',
    'end',
  ].join('\n')
  const next = document.replace('exit_code: 3', 'exit_code: 4').replace('version: 1', 'version: 2')

  const contains = (words: string) => [`assert: [{target: stdout, must: [{contain: [${words}]}]}]`]

  test('shows the new values, and writes nothing without confirmation', () => {
    given({ 'u.spec.md': document })
    for (const args of [[], ['--check'], ['--yes', '--check']]) {
      const { status, stdout } = project.premath(['spec', 'update', ...args])
      expect(status).toBe(1)
      expect(stdout).toBe(
        [
          '--- u.spec.md',
          '+++ u.spec.md',
          '@@ -5,7 +5,7 @@',
          '    id:   A  # stays',
          '    type: cli.run',
          `    harness: {entrypoint: ['sh', '-c', 'echo "version: 2"; echo same; exit 4']}`,
          '-   exit_code: 3',
          "-   assert: [{target: stdout, must: [{contain: ['version: 1', same]}]}]",
          '+   exit_code: 4',
          "+   assert: [{target: stdout, must: [{contain: ['version: 2', same]}]}]",
          '    ```',
          ' end',
          '\\ No newline at end of file',
          '1 of 1 case failed, nothing written: --yes writes the changes',
          '',
        ].join('\n'),
      )
      expect(textOf('u.spec.md')).toBe(document)
    }
  })

  test('writes those values and no other byte, in a list, with the existing line endings', () => {
    given({ 'u.spec.md': document })
    expect(project.done('spec', 'update', '--yes')).toMatchObject({
      result: 'accepted',
      updated: [{ id: 'A', file: 'u.spec.md', line: 5 }],
      documents: [{ file: 'u.spec.md', state: 'written' }],
      refused: [],
    })
    expect(textOf('u.spec.md')).toBe(next)
    expect(project.done('spec', 'update')).toMatchObject({ failed: 0, documents: [] })
    expect(readdirSync(project.folder)).toEqual(['u.spec.md'])
  })

  test('updates texts that stdout or stderr must equal, and blocks of lines', () => {
    const lines = (old: string, body: string) => [
      'assert:',
      '- target: stdout',
      '  must:',
      `  - evaluate: [{eq: [{var: subject}, ${old}]}, {std.logic.eq: [{lit: ${old}}, {subject: []}]}]`,
      '  - contain:',
      '    - |',
      '      a',
      `      ${body}`,
      '    - same',
    ]
    const script = 'echo a; echo b b; echo same'
    given({ 'u.spec.md': prints('A', script, ...lines('old', 'b')) })
    project.done('spec', 'update', '--yes')
    expect(textOf('u.spec.md')).toBe(prints('A', script, ...lines('"a\\nb b\\nsame\\n"', 'b b')))
  })

  test('accepts added, changed and removed lines, and keeps masks and marked lines', () => {
    const doc = (equal: readonly string[], lines: readonly string[]) =>
      prints(
        'A',
        'echo a; echo took 5 ms; echo "pid $$"; echo new; echo same',
        'assert:',
        '- target: output',
        '  must:',
        ...equal,
        '  - lines: |',
        ...lines.map(line => `      ${line}`),
      ).replace('harness:', 'masks_here\nharness:')
    const masked = (text: string) =>
      text
        .replace('masks_here\n', '')
        .replace(
          '{entrypoint: ',
          "{masks: [durations, {regex: 'pid [0-9]+', as: pid N}], entrypoint: ",
        )
    const before = masked(
      doc(['  - equal: ""'], ['gone', 'a', 'took <d.*> (re)', 'old', '(any*)', 'same']),
    )
    given({ 'u.spec.md': before })
    expect(project.premath(['spec', 'update']).stdout).toContain('-      gone\n')
    project.done('spec', 'update', '--yes')
    expect(textOf('u.spec.md')).toBe(
      masked(
        doc(
          [
            '  - equal: |',
            ...['a', 'took <duration>', 'pid N', 'new', 'same'].map(line => `      ${line}`),
          ],
          ['a', 'took <d.*> (re)', 'pid N', '(any*)', 'same'],
        ),
      ),
    )
    expect(project.done('spec', 'run').passed).toBe(1)
  })

  test('restores a case whose output changes each time, and updates the others', () => {
    const asserts = 'assert: [{target: stdout, must: [{contain: [old]}]}]'
    const text = `${prints('A', 'echo new', asserts)}${prints('B', 'echo $$', asserts)}`
    given({ 'u.spec.md': text })
    const { status, json } = project.asked(['spec', 'update', '--yes'])
    expect(status).toBe(1)
    expect(json.updated).toMatchObject([{ id: 'A' }])
    expect(json.refused).toMatchObject([
      { id: 'B', why: [expect.stringContaining('changes in every run')] },
    ])
    expect(textOf('u.spec.md')).toBe(text.replace('[old]', '[new]'))
  })

  test('does not restore a document that changes during the update, and reports it', () => {
    // The case itself is the somebody, the second time it runs.
    const script = 'echo $$; test -e ran && echo mine >> u.spec.md; touch ran'
    const text =
      prints('A', 'echo one two', ...contains('one ten')) + prints('B', script, ...contains('old'))
    given({ 'u.spec.md': text })
    const { status, stderr, json } = project.asked(['spec', 'update', '--yes'])
    expect(status).toBe(4)
    const why =
      'u.spec.md was changed by somebody else while this ran, so new output was written and not reverted: B'
    expect(stderr).toContain(`error: ${why}\n`)
    expect(stderr).not.toContain('left as it is')
    expect(json).toMatchObject({
      result: 'rejected',
      updated: [{ id: 'A' }],
      documents: [{ state: 'written' }],
      refused: [{ id: 'B', why: [why] }],
    })
    expect(textOf('u.spec.md')).toMatch(/\[one two\].*\["?\d+"?\].*```\nmine\n$/s)
  })

  test.each([
    ['a group', 'target: stdout, can: [{contain: [x]}, {contain: [y]}]', 'is a can'],
    [
      'a pattern',
      'target: stdout, must: [{regex: [x]}]',
      'is not a text that the output must contain or equal',
    ],
    [
      'no line that is meant',
      'target: stdout, must: [{contain: [zzz]}]',
      'is an obvious replacement',
    ],
    [
      'no output',
      'target: context_json, must: [{contain: [zzz]}]',
      'which is not output of a command',
    ],
    [
      'something computed',
      'target: stdout, must: [{evaluate: [{eq: [{var: subject}, {add: [1, 1]}]}]}]',
      'does not compare the output with a text',
    ],
    [
      'an alias',
      'target: stdout, must: [{contain: [&x one ten]}, {contain: [*x]}]',
      'is not a scalar written in the case',
    ],
  ])('leaves %s unchanged with a reason', (_, assertion, why) => {
    const text = prints('A', 'echo one two; echo three four', `assert: [{${assertion}}]`)
    given({ 'u.spec.md': text })
    const { status, json } = project.asked(['spec', 'update', '--yes'])
    expect(status).toBe(1)
    expect(json.refused[0].why.join('\n')).toContain(why)
    expect(textOf('u.spec.md')).toBe(text)
  })

  test('leaves an absent exit code and a missing command unchanged', () => {
    given({
      'u.spec.md':
        prints('A', 'exit 2') +
        block('id: B', 'type: cli.run', 'harness: {entrypoint: no-such-program}'),
    })
    const { json } = project.asked(['spec', 'update', '--yes'])
    expect(json.refused).toMatchObject([
      { id: 'A', why: ['the case has no exit_code, but the command returns 2: add exit_code: 2'] },
      { id: 'B', why: [expect.stringContaining('could not start no-such-program')] },
    ])
  })

  test.each([
    'expect: {status: fail, category: assertion}',
    'expect: {portable: {status: fail, category: assertion}}',
    'expect: {portable: {status: pass}, impl: {ts: {status: fail, category: assertion}}}',
  ])('has nothing to do for a case that fails as expected: %s', expecting => {
    const text = prints('A', 'echo one two', ...contains('one ten'), expecting)
    given({ 'u.spec.md': text })
    expect(project.done('spec', 'update', '--yes')).toMatchObject({ failed: 0, refused: [] })
    expect(textOf('u.spec.md')).toBe(text)
  })

  test.each([
    'expect: {status: fail, category: runtime}',
    'expect: {portable: {status: fail, category: assertion}, impl: {ts: {status: pass}}}',
  ])('leaves a case that is meant to fail unchanged: %s', expecting => {
    const text = prints('A', 'echo one two', ...contains('one ten'), expecting)
    given({ 'u.spec.md': text + prints('B', 'echo one two', ...contains('one ten')) })
    const { status, json } = project.asked(['spec', 'update', '--yes'])
    expect(status).toBe(1)
    expect(json.updated).toMatchObject([{ id: 'B' }])
    expect(json.refused).toMatchObject([
      { id: 'A', why: [expect.stringContaining('it expects to fail')] },
    ])
    expect(textOf('u.spec.md')).toBe(text + prints('B', 'echo one two', ...contains('one two')))
  })

  test('updates a case that is meant to fail only elsewhere', () => {
    const expecting = 'expect: {portable: {status: pass}, impl: {python: {status: fail}}}'
    given({ 'u.spec.md': prints('A', 'echo one two', ...contains('one ten'), expecting) })
    expect(project.done('spec', 'update', '--yes').updated).toMatchObject([{ id: 'A' }])
  })

  test('reports a missing path, a filter without a match, and a broken block', () => {
    given({ 'u.spec.md': `${prints('A', 'exit 1', 'exit_code: 0')}${block('id: [')}` })
    expect(project.asked(['spec', 'update', 'gone.spec.md']).status).toBe(2)
    const none = project.asked(['spec', 'update', '--filter', 'nothing'])
    expect([none.status, none.json.error.message]).toEqual([
      2,
      'none of 1 cases fits --filter "nothing"',
    ])
    const { status, json } = project.asked(['spec', 'update', '--yes'])
    expect([status, json.updated.length]).toEqual([2, 1])
    expect(textOf('u.spec.md')).toContain('exit_code: 1\n')
  })

  test.each([nobody, {}])('leaves a read-only document unchanged, for %j', user => {
    given({ 'u.spec.md': prints('A', 'exit 1', 'exit_code: 0') })
    readOnly('u.spec.md')
    const { status, stderr } = project.premath(['spec', 'update', '--yes'], user)
    expect([status, stderr]).toEqual([3, expect.stringContaining('u.spec.md is read-only')])
    expect(textOf('u.spec.md')).toContain('exit_code: 0')
  })
})

test('a read-only document does not block an update of the others', () => {
  const old = (id: string) => prints(id, 'exit 1', 'exit_code: 0')
  given({ 'a.spec.md': old('A'), 'b.spec.md': old('B'), 'c.spec.md': old('C') })
  readOnly('b.spec.md')
  const { status, json, stderr } = project.asked(['spec', 'update', '--yes'])
  expect([status, stderr]).toEqual([3, expect.stringContaining('chmod u+w b.spec.md')])
  expect(json).toMatchObject({
    result: 'rejected',
    updated: [{ id: 'A' }, { id: 'C' }],
    documents: [{ state: 'written' }, { file: 'b.spec.md', state: 'left' }, { state: 'written' }],
    refused: [{ id: 'B', why: ['b.spec.md is read-only'] }],
  })
  expect(textOf('b.spec.md')).toBe(old('B'))
  expect(textOf('c.spec.md')).toContain('exit_code: 1')
})

describe('spec format', () => {
  const loose = block('type:   text.file', 'id: A', 'tags: [ a,b ]')
  const tight = block('id: A', 'type: text.file', 'tags: [a, b]')

  test('leaves a read-only document unchanged', () => {
    given({ 'a.spec.md': loose })
    readOnly('a.spec.md')
    const { status, stderr } = project.premath(['spec', 'format'])
    expect([status, stderr]).toEqual([3, expect.stringContaining('chmod u+w a.spec.md')])
    expect(textOf('a.spec.md')).toBe(loose)
  })

  test('continues after a read-only document, and lists the written ones', () => {
    given({ 'a.spec.md': loose, 'b.spec.md': loose, 'c.spec.md': loose })
    readOnly('b.spec.md')
    expect(project.premath(['spec', 'format'])).toEqual({
      status: 3,
      stdout: 'a.spec.md\nc.spec.md\n2 of 3 documents changed\n',
      stderr: expect.stringMatching(/^error: b\.spec\.md is read-only\n/),
    })
    expect(['a', 'b', 'c'].map(name => textOf(`${name}.spec.md`))).toEqual([tight, loose, tight])
    expect(project.asked(['spec', 'format']).json).toMatchObject({
      result: 'rejected',
      changed: [],
      left: [{ file: 'b.spec.md', why: 'b.spec.md is read-only' }],
    })
  })

  test('writes documents that are not formatted, and lists them', () => {
    given({ 'a.spec.md': loose, 'docs/b.spec.md': tight })
    expect(project.premath(['spec', 'format', '--check'])).toEqual({
      status: 1,
      stdout: 'a.spec.md\n1 of 2 documents would change\n',
      stderr: '',
    })
    expect(textOf('a.spec.md')).toBe(loose)
    expect(project.premath(['spec', 'format']).stdout).toBe('a.spec.md\n1 of 2 documents changed\n')
    expect(textOf('a.spec.md')).toBe(tight)
    expect(project.done('spec', 'format', '--check')).toEqual({
      action: 'spec.format',
      result: 'accepted',
      documents: 2,
      changed: [],
      left: [],
      written: false,
      problems: [],
    })
  })

  test('prints one document instead', () => {
    given({ 'a.spec.md': loose, 'b.spec.md': loose })
    expect(project.premath(['spec', 'format', 'a.spec.md', '--stdout']).stdout).toBe(tight)
    expect(textOf('a.spec.md')).toBe(loose)
    const { status, json } = project.asked(['spec', 'format', '--stdout'])
    expect([status, json.error.message]).toEqual([2, expect.stringContaining('2 are named')])
  })

  test('leaves an unreadable block, reports it, and exits 2; the others are written', () => {
    const broken = block('id: [', 'type: x')
    given({ 'a.spec.md': `${loose}\n${broken}` })
    const { status, stderr, stdout } = project.premath(['spec', 'format'])
    expect([status, stdout]).toEqual([2, 'a.spec.md\n1 of 1 document changed\n'])
    expect(stderr).toMatch(/^error: a\.spec\.md:\d+:\d+: /)
    expect(textOf('a.spec.md')).toBe(`${tight}\n${broken}`)
  })

  test('keeps a link', () => {
    given({ 'docs/a.spec.md': loose })
    symlinkSync('docs/a.spec.md', join(project.folder, 'link.spec.md'))
    project.done('spec', 'format', 'link.spec.md')
    expect([textOf('docs/a.spec.md'), readdirSync(project.folder)]).toEqual([
      tight,
      ['docs', 'link.spec.md'],
    ])
  })

  test('reports a file that is missing, not text or not writable', () => {
    given({ 'a.spec.md': loose })
    writeFileSync(join(project.folder, 'b.spec.md'), Buffer.from([0xff, 0xfe]))
    expect(project.asked(['spec', 'format', 'gone.spec.md']).json.problems).toMatchObject([
      { code: 'path.not_found' },
    ])
    expect(project.asked(['spec', 'format', 'b.spec.md'])).toMatchObject({
      status: 2,
      json: { problems: [{ code: 'document.unreadable' }] },
    })
    readOnly('a.spec.md')
    expect(project.premath(['spec', 'format', 'a.spec.md'], nobody).status).toBe(3)
    expect(textOf('a.spec.md')).toBe(loose)
  })
})

describe('spec explain', () => {
  const documents = {
    'a.spec.md':
      prints('SEED', 'echo hello') +
      block(
        'id: A',
        'title: Says it',
        'type: cli.run',
        'requires: {capabilities: [cli.run]}',
        'harness:',
        '  entrypoint: echo',
        '  chain: {steps: [{id: s, ref: "#SEED", exports: {word: {from_target: stdout}}}]}',
        '  spec_lang: {max_steps: 500}',
        'argv: ["{{chain.s.word}}"]',
        'assert:',
        '- target: stdout',
        '  must:',
        '  - contain: [hello]',
        '  - evaluate: [{eq: [{var: subject}, x]}]',
      ),
  }

  test('shows the requests of a case as commands', () => {
    const request = 'method: POST, url: "{{var.base}}/a", headers: {Authorization: Bearer x}'
    given({
      'a.spec.md': block(
        'id: A',
        'type: api.http',
        'harness: {api_http: {mode: live}}',
        `requests: [{id: a, ${request}}]`,
      ),
    })
    const { stdout } = project.premath(['spec', 'explain', 'A'])
    expect(stdout).toContain(
      `\n  sends a: curl -X POST --location -H "Authorization: $AUTHORIZATION" "$base/a"\n`,
    )
  })

  test('shows the expressions, the prerequisites and the limits', () => {
    given(documents)
    const { status, stdout } = project.premath(['spec', 'explain', 'A'])
    expect([status, stdout]).toEqual([
      0,
      [
        'A  a.spec.md:7:1',
        '  Says it',
        '  type: cli.run',
        '  runs first: a.spec.md#SEED',
        '    step s: a.spec.md#SEED, takes word from stdout',
        '  requires: cli.run',
        '  budget of a predicate: 500 steps, 200 ms, 20000 nodes, 262144 literal bytes, depth 10000, size 16777216',
        '  looks at: stdout',
        '  assert[0].must[0].contain[0]  on stdout',
        '    {std.string.contains: [{std.core.subject: []}, {lit: "hello"}]}',
        '  assert[0].must[1].evaluate[0]  on stdout',
        '    {eq: [{var: "subject"}, "x"]}',
        '',
      ].join('\n'),
    ])
  })

  test('with --run shows the actual values, and the predicates that pass', () => {
    given(documents)
    const { status, json } = project.asked(['spec', 'explain', 'a.spec.md#A', '--run'])
    expect(status).toBe(1)
    expect(json.run).toMatchObject({
      status: 'fail',
      category: 'assertion',
      subjects: { stdout: '"hello\\n\\n"' },
      demands: [{ name: 'exit_code', expected: '0', actual: '0' }],
      failures: [null, expect.stringContaining('to equal "x"')],
    })
    const { stdout } = project.premath(['spec', 'explain', 'A', '--run'])
    expect(stdout).toMatch(
      /contain\[0\] {2}on stdout {2}holds\n[\s\S]*evaluate\[0\] {2}on stdout {2}does not hold\n/,
    )
  })

  test('distinguishes a text from a value that is written alike', () => {
    given({
      'a.spec.md': prints(
        'A',
        'echo "[3]"',
        'assert: [{target: stdout_json, must: [{evaluate: [{eq: [{var: subject}, "[3]"]}]}]}]',
      ),
    })
    const { json } = project.asked(['spec', 'explain', 'A', '--run'])
    expect(json.run.subjects).toEqual({ stdout_json: '[3]' })
    expect(json.run.failures[0]).toContain('\n  expected: to equal "[3]"\n  actual: [3]')
  })

  test('shortens long subjects, and escapes control characters', () => {
    given({
      'a.spec.md': prints(
        'A',
        'printf "\\033[31m"; seq 1 5000',
        'assert: [{target: stdout, must: [{contain: ["5000"]}]}]',
      ),
    })
    const { stdout } = project.premath(['spec', 'explain', 'A', '--run'])
    expect(stdout.length).toBeLessThan(3000)
    expect(stdout).not.toContain('\u001b')
  })

  test('reports why a case cannot be run', () => {
    given({
      'a.spec.md': block(
        'id: A',
        'type: text.file',
        'assert: [{target: text, must: [{evaluate: [{eq: 1}]}]}]',
      ),
    })
    const { status, stderr, json } = project.asked(['spec', 'explain', 'A'])
    expect([status, json.problems.length]).toEqual([1, 1])
    expect(stderr).toContain('operator args must be a list (lint.expression)')
  })

  test.each([
    [['B'], 'no case is called "B"', 'Did you mean A?'],
    [['a.spec.md#SED'], 'no case is called "SED"', 'Did you mean SEED?'],
    [['gone.spec.md#A'], 'no case is called "A"', 'no such file'],
    [['TWICE'], 'several cases are called "TWICE"', 'b.spec.md#TWICE'],
    [['LIB'], 'is a library', 'Explain a case that uses it.'],
    [[], '<case> is missing', 'for example'],
  ])('explain %j is refused with a correction', (args, message, hint) => {
    const library = block('id: LIB', 'type: spec_lang.library', 'definitions: {public: {a: 1}}')
    const twice = block('id: TWICE', 'type: text.file')
    given({ ...documents, 'b.spec.md': twice, 'c.spec.md': `${twice}${library}` })
    const { status, json } = project.asked(['spec', 'explain', ...args])
    expect(status).toBe(2)
    expect(json.error.message).toContain(message)
    expect(json.error.hint).toContain(hint)
  })
})

describe('spec lint', () => {
  const lintCodes = (...args: readonly string[]) => {
    const { json } = project.asked(['spec', 'lint', ...args])
    return json.problems.map(
      ({ code, line, severity }: { code: string; line: number; severity: string }) =>
        `${line} ${code}${severity === 'error' ? '!' : ''}`,
    )
  }
  const asserting = (...leaves: readonly string[]) =>
    block('id: A', 'type: text.file', 'assert:', '- target: text', '  must:', ...leaves)

  test('does not complain of what expect wants', () => {
    const failing = (id: string, tokens: string, line: string) =>
      block(
        `id: ${id}`,
        'type: text.file',
        `expect: {status: fail, category: schema, message_tokens: ["${tokens}"]}`,
        line,
      )
    const wrong = 'assert: [{target: text, must: [{evaluate: [{eq: 1}]}]}]'
    const doubtful = 'assert: [{target: text, must: [{evaluate: [{nope: [{var: subject}]}]}]}]'
    given({
      'a.spec.md':
        failing('KEY', 'unknown key: asert', 'asert: []') +
        failing('ARGS', 'args must be a list', wrong) +
        failing('DOUBT', 'nope', doubtful),
    })
    expect(lintCodes()).toEqual([])
    expect(project.premath(['spec', 'list']).stderr).toBe('')
    given({
      'a.spec.md': failing('KEY', 'other', 'asert: []') + failing('ARGS', 'other', wrong),
    })
    expect(lintCodes()).toEqual(['5 case.unknown_key!', '11 lint.expression!'])
  })

  test('compiles the expressions of single requests', () => {
    const requesting = (...lines: readonly string[]) =>
      block(
        'id: A',
        'type: api.http',
        'requests:',
        '- {id: a, method: GET, url: /a.spec.md}',
        ...lines,
      )
    const second = (...lines: readonly string[]) =>
      requesting('- id: b', '  method: GET', '  url: /a.spec.md', ...lines)
    const check = (expression: string) =>
      `[{target: body_text, must: [{evaluate: [${expression}]}]}]`
    const lines = (expression: string) => [
      `  when: ${expression}`,
      `  assert: ${check(expression)}`,
      `  retry: {until: ${check(expression)}}`,
    ]
    given({ 'a.spec.md': second(...lines('{nope: [{var: subject}]}')) })
    expect(lintCodes()).toEqual(['9 lint.doubt', '10 lint.doubt', '11 lint.doubt'])
    given({ 'a.spec.md': second(...lines('{eq: 1}')) })
    expect(lintCodes()).toEqual([
      '9 lint.expression!',
      '10 lint.expression!',
      '11 lint.expression!',
    ])
    expect(project.premath(['spec', 'explain', 'A']).status).toBe(1)
    given({ 'a.spec.md': second('  assert: [{target: body_text, must: [{regex: ["("]}]}]') })
    expect(lintCodes()).toEqual(['9 lint.pattern!'])
    given({
      'a.spec.md': second(
        '  when: {eq: [1, 1]}',
        `  assert: ${check('{eq: [{var: subject}, a]}')}`,
      ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('an expression of a request uses what it names', () => {
    given({
      'a.spec.md':
        block('id: FIRST', 'type: text.file', 'assert: [{target: text, must: [{contain: [x]}]}]') +
        block(
          'id: A',
          'type: api.http',
          'harness:',
          '  chain: {steps: [{id: s, ref: "#FIRST", exports: {t: {from_target: text}}}]}',
          'requests:',
          '- {id: a, method: GET, url: /a.spec.md, when: {get: [{var: chain}, s]}}',
        ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('warns of assertions that cannot fail', () => {
    given({
      'a.spec.md': asserting(
        '  - contain: [""]',
        '  - regex: [".*"]',
        '  - contain: [a, a]',
        '  - evaluate: [true]',
        '  - evaluate: [{eq: [1, 1]}]',
        '  - evaluate: [{nope: [{var: subject}]}]',
      ),
    })
    expect(lintCodes()).toEqual([
      '7 AH001',
      '8 AH002',
      '9 AH003',
      '10 lint.constant',
      '11 lint.constant',
      '12 lint.doubt',
    ])
    const { status, stdout } = project.premath(['spec', 'lint'])
    expect(status).toBe(0)
    expect(stdout).toContain(
      [
        'warning: a.spec.md:7:5: every text contains the empty text (AH001)',
        '  7 |   - contain: [""]',
        '    |     ^',
        '  Write the text that it must contain, or use exists.',
      ].join('\n'),
    )
  })

  test('reports a pattern that no engine accepts as an error with its place', () => {
    const leaves = [
      '  - regex: [ok, "("]',
      '  - evaluate: [{not: [{std.string.matches: [{var: subject}, "[a"]}]}]',
      '  - evaluate: [{matches_all: [{var: subject}, {lit: [ok, "a*+b"]}]}]',
      '  - evaluate: [{matches: [{var: subject}, {join: [{lit: ["(", "a"]}, ""]}]}]',
      '  - lines: ["a\\n( (re)\\n"]',
      '  - evaluate: [{eq: [{var: subject}, {lit: {matches: [a, "("]}}]}]',
    ]
    given({ 'a.spec.md': asserting(...leaves) })
    const errors = () => lintCodes().filter((one: string) => one.endsWith('!'))
    expect(errors()).toEqual([
      '7 lint.pattern!',
      '8 lint.pattern!',
      '9 lint.pattern!',
      '10 lint.pattern!',
      '11 lint.pattern!',
    ])
    const { status, stdout } = project.premath(['spec', 'lint'])
    expect(status).toBe(1)
    expect(stdout).toContain(
      'error: a.spec.md:7:17: spec_lang regex "(": unclosed ( (lint.pattern)',
    )
    expect(stdout).toContain('a.spec.md:8:61: spec_lang regex "[a"')
    given({
      'a.spec.md': block(
        'id: A',
        'type: text.file',
        'expect: {status: fail, category: schema}',
        'assert: [{target: text, must: [{regex: ["("]}]}]',
      ),
    })
    expect(errors()).toEqual([])
  })

  test('warns of predicates that pass for every text or for none, with the place', () => {
    given({
      'a.spec.md': asserting(
        '  - regex: [""]',
        '  - regex: [ok, "x?"]',
        '  - evaluate: [{eq: [{var: subject}, {var: subject}]}]',
        '  - evaluate: [{gte: [{len: [{var: subject}]}, 0]}]',
        '  - evaluate: [{eq: [{var: subject}, 3]}]',
        '  - cannot: [{evaluate: [{lt: [{len: [{var: subject}]}, 0]}]}]',
        '  - can: [{contain: [a]}, {cannot: [{contain: [a]}]}]',
        '- {target: context_json, must: [{exists: [true]}]}',
      ),
    })
    expect(lintCodes()).toEqual([
      '7 lint.always_true',
      '8 lint.always_true',
      '9 lint.always_true',
      '10 lint.always_true',
      '11 lint.always_false',
      '12 lint.always_false',
      '13 lint.covers_all',
      '14 lint.always_true',
    ])
    const { stdout } = project.premath(['spec', 'lint'])
    expect(stdout).toContain(
      [
        'warning: a.spec.md:8:17: holds for every text: it cannot fail (lint.always_true)',
        '  8 |   - regex: [ok, "x?"]',
        '    |                 ^',
        '  Replace it with an assertion that can fail, such as a text it must contain, or remove it.',
      ].join('\n'),
    )
    expect(stdout).toContain('a.spec.md:11:16: holds for no text: the case cannot pass')
    expect(stdout).toContain('a.spec.md:12:26: holds for no text: it cannot fail')
  })

  test('warns of contradictory and duplicate assertions', () => {
    given({
      'a.spec.md': asserting(
        '  - contain: [a]',
        '  - {cannot: [{contain: [b]}]}',
        '  - must: [{contain: [a]}]',
        '  - evaluate: [{not: [{contains: [{subject: []}, c]}]}]',
        '- {target: text, cannot: [{contain: [x]}, {contain: [a]}]}',
        '- {target: text, can: [{contain: [a]}, {contain: [y]}]}',
      ),
    })
    expect(lintCodes()).toEqual(['9 lint.repeated', '11 lint.contradiction'])
    expect(project.premath(['spec', 'lint']).stdout).toContain(
      'contradicts assert[0].must[0].contain[0]: the case cannot pass (lint.contradiction)',
    )
    given({ 'a.spec.md': asserting('  - cannot: [{contain: [b]}]', '  - contain: [abc]') })
    expect(lintCodes()).toEqual(['8 lint.contradiction'])
  })

  test('warns of a length compared with a fraction, with a correction', () => {
    given({
      'a.spec.md': asserting(
        '  - evaluate: [{equals: [{len: [{var: subject}]}, 3.0]}]',
        '  - evaluate: [{gt: [{len: [{var: subject}]}, -1.0]}]',
        '  - evaluate: [{eq: [{len: [{var: subject}]}, 3.0]}]',
      ),
    })
    expect(lintCodes()).toEqual(['7 lint.always_false', '8 lint.always_true'])
    expect(project.premath(['spec', 'lint']).stdout).toContain(
      '3.0 is not an integer: write 3, or use eq, which compares by value.',
    )
  })

  test('warns that several values under `cannot` fail only together', () => {
    given({
      'a.spec.md': asserting(
        '  - cannot: [{contain: [error, panic]}]',
        '  - cannot: [{contain: [fatal]}, {contain: [abort]}]',
        '  - can: [{contain: [one, two]}]',
      ),
    })
    expect(lintCodes()).toEqual(['7 lint.joined_values'])
    expect(project.premath(['spec', 'lint']).stdout).toContain(
      'this leaf fails only if all 2 values hold, not if one of them does',
    )
    const { json } = project.asked(['spec', 'explain', 'A'])
    expect(json.predicates.map(({ joined }: { joined: number }) => joined)).toEqual([
      2, 2, 1, 1, 1, 1,
    ])
    expect(project.premath(['spec', 'explain', 'A']).stdout).toContain(
      '"error"}]}\n    fails only if all 2 values of its leaf hold\n',
    )
  })

  test('accepts an assertion that only reads an optional subject', () => {
    const on = (target: string, leaf: string) => `- {target: ${target}, must: [${leaf}]}`
    given({
      'a.spec.md': prints(
        'A',
        'echo {}',
        'assert:',
        on('stdout_json', '{evaluate: [true]}, {contain: [""]}, {regex: [".*"]}'),
        on('stdout_path', '{exists: [true]}, {regex: ["x?"]}'),
      ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('accepts a predicate that never passes in a case that is expected to fail', () => {
    given({
      'a.spec.md': asserting(
        '  - evaluate: [{eq: [{var: subject}, 3]}]',
        'expect: {status: fail, category: assertion}',
      ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('accepts unread output in a case without an expected verdict', () => {
    const expecting = (id: string, outcome: string) =>
      block(
        `id: ${id}`,
        'type: cli.run',
        'harness: {entrypoint: [sleep, "9"], timeout_ms: 1}',
        `expect: {portable: {${outcome}}}`,
      )
    given({
      'a.spec.md':
        expecting('A', 'status: fail, category: runtime') + expecting('B', 'status: pass'),
    })
    expect(lintCodes()).toEqual(['8 lint.unread'])
  })

  test('warns that a template in an assertion is plain text', () => {
    given({
      'a.spec.md':
        prints('SEED', 'echo a', 'exit_code: 0') +
        block(
          'id: A',
          'type: cli.run',
          'harness:',
          '  entrypoint: echo',
          '  chain: {steps: [{id: m, ref: "#SEED", exports: {a: {from_target: stdout}}}]}',
          'assert:',
          '- {target: stdout, must: [{contain: ["{{chain.m.a}}", "{{chain.other.a}}"]}]}',
        ),
    })
    expect(lintCodes()).toEqual(['12 lint.unused_export', '14 lint.template'])
    const { stdout } = project.premath(['spec', 'lint'])
    expect(stdout).toContain('{{chain.m.a}} is not filled')
    expect(stdout).toContain('["state","m","a"] on target: chain_json')
    expect(stdout).not.toContain('Use it as')
  })

  test('recognizes every use of the subject', () => {
    given({
      'a.spec.md': asserting(
        '  - evaluate: [{contains: [x]}]',
        '  - evaluate: [{contains: [{subject: []}, x]}]',
        '  - evaluate: [{call: [{fn: [[a], {contains: [{var: subject}, {var: a}]}]}, x]}]',
        '  - evaluate: [{contains: [{call: [{var: std.core.subject}]}, x]}]',
      ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('accepts a case that marks its assertions as intended', () => {
    given({
      'a.spec.md': asserting('  - contain: [""]').replace(
        'assert:',
        'assert_health: {mode: ignore}\nassert:',
      ),
    })
    expect(lintCodes()).toEqual([])
  })

  test('warns of unread output, but not of exported output', () => {
    given({
      'a.spec.md':
        prints('UNREAD', 'echo') +
        prints('ENDS', 'echo', 'exit_code: 0') +
        prints('NEEDED', 'echo') +
        block(
          'id: NEEDS',
          'type: cli.run',
          'exit_code: 0',
          'harness:',
          '  entrypoint: "true"',
          '  chain:',
          '    steps:',
          '    - id: n',
          '      ref: "#NEEDED"',
          '      exports:',
          '        used: {from_target: stdout}',
          '        not: {from_target: stderr}',
          'argv: ["{{chain.n.used}}"]',
        ),
    })
    expect(lintCodes()).toEqual(['2 lint.unread', '29 lint.unused_export'])
  })

  test('warns of unused names, in cases and in libraries', () => {
    given({
      'lib.spec.md': block(
        'id: LIB',
        'type: spec_lang.library',
        'imports: [{from: std.math, names: [add, sub]}]',
        'definitions:',
        '  public:',
        '    twice: {fn: [[x], {call: [{var: sum}, {var: x}]}]}',
        '    gone: 1',
        '  private:',
        '    sum: {fn: [[x], {add: [{var: x}, {var: x}]}]}',
        '    never: {fn: [[x], {call: [{var: never}, {var: x}]}]}',
      ),
      'a.spec.md': block(
        'id: A',
        'type: text.file',
        'harness:',
        '  spec_lang:',
        '    includes: [/lib.spec.md]',
        '    imports: [{from: std.string, names: [trim], as: {trim: cut}}]',
        'assert:',
        '- {target: text, must: [{evaluate: [{eq: [{call: [{var: twice}, 1]}, 2]}]}]}',
      ),
      'b.spec.md': block(
        'id: B',
        'type: text.file',
        'harness: {spec_lang: {includes: [/lib.spec.md]}}',
        'assert: [{target: text, must: [{contain: [B]}]}]',
      ),
    })
    expect(lintCodes()).toEqual([
      '7 lint.unused_import',
      '4 lint.unused_include',
      '4 lint.unused_import',
      '8 lint.unused_symbol',
      '11 lint.unused_symbol',
    ])
    // The users of a library are unknown if only the library is linted.
    expect(lintCodes('lib.spec.md')).toEqual(['4 lint.unused_import', '11 lint.unused_symbol'])
  })

  test('reports a portable case without a command, and an invalid expression', () => {
    given({
      'a.spec.md':
        block('id: A', 'type: cli.run', 'expect: {portable: {status: pass}}') +
        asserting('  - evaluate: [{eq: 1}]').replace('id: A', 'id: B'),
    })
    expect(lintCodes()).toEqual(['2 case.missing_key!', '12 lint.expression!'])
  })

  test('has a hint that fits the problem', () => {
    const hintOf = (...lines: readonly string[]) => {
      given({ 'a.spec.md': block('id: A', 'type: text.file', ...lines) })
      return project.asked(['spec', 'lint']).json.problems[0].hint
    }
    const judged = (expression: string) =>
      `assert: [{target: text, must: [{evaluate: [${expression}]}]}]`
    expect(hintOf(judged('{eq: 1}'))).toMatch(/^An expression is a mapping/)
    expect(hintOf(judged('{eq: [[], 1]}'))).toBe('Write a list of values as {lit: […]}.')
    expect(hintOf('harness: {spec_lang: {includes: [none.spec.md]}}', judged('true'))).toBe(
      'A path in includes starts at the contract root.',
    )
    expect(hintOf('harness: {spec_lang: {exports: [none]}}', judged('true'))).toBeUndefined()
  })

  test('has two correct warnings for the given suite', () => {
    given(Object.fromEntries(conformanceFiles(...conformanceClasses)))
    const { json } = project.asked(['spec', 'lint', '--root', '.'])
    const warnings = json.problems.filter(
      ({ severity }: { severity: string }) => severity === 'warning',
    )
    // Two of its cases show that such assertions are run all the same. A case that uses an
    // unknown symbol expects its failure, so it gets no warning.
    expect(warnings.map(({ message }: { message: string }) => message)).toEqual([
      'holds for every text: it cannot fail',
      'holds for every text: it cannot fail',
    ])
  })
})
