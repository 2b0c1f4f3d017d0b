/** `premath spec list` and `premath spec lint`, on real documents. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const block = (...lines: readonly string[]) => ['```yaml spec-test', ...lines, '```', ''].join('\n')

const good = {
  'docs/b.spec.md': block('id: B', 'type: cli.run', 'title: Runs', 'harness: {entrypoint: x}'),
  'docs/a.spec.md': `# A\n\n${block('id: A', 'type: text.file', 'tags: [slow, net]')}`,
}

describe('spec list', () => {
  test('lists the cases of every document below this folder, by place', () => {
    given(good)
    const { status, stdout, stderr } = project.premath(['spec', 'list'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(
      [
        'id  type       place             tags      title',
        'A   text.file  docs/a.spec.md:4  slow net',
        'B   cli.run    docs/b.spec.md:2            Runs',
        '2 cases',
        '',
      ].join('\n'),
    )
  })

  test('never cuts a place, on any page', () => {
    const folder = 'documents/of/a/rather/deep/folder/with/names'
    const title = 'title: A title that is long enough to be cut where there is little room for it'
    given({ [`${folder}/a.spec.md`]: block('id: A', 'type: text.file', title) })
    const { stdout } = project.premath(['spec', 'list'], { env: { COLUMNS: '70' } })
    expect(stdout).toContain(`${folder}/a.spec.md:2`)
  })

  test('prints the same as JSON', () => {
    given(good)
    expect(project.done('spec', 'list', 'docs/b.spec.md')).toEqual({
      action: 'spec.list',
      count: 1,
      cases: [
        { id: 'B', type: 'cli.run', title: 'Runs', file: 'docs/b.spec.md', line: 2, tags: [] },
      ],
      problems: [],
    })
  })

  test('finds other formats on request', () => {
    given({ 'a.spec.yaml': 'id: A\ntype: text.file\n', 'b.spec.json': '{"id": "B"}' })
    const ids = (...args: readonly string[]) =>
      project.asked(['spec', 'list', ...args]).json.cases.map(({ id }: { id: string }) => id)
    expect([ids(), ids('--format', 'yaml', '--format', 'json')]).toEqual([[], ['A', 'B']])
  })

  test('every command refuses a .json document that is not JSON', () => {
    given({ 'b.spec.json': '{\n  "id": "B", // mine\n  "type": "text.file"\n}\n' })
    for (const command of ['list', 'lint', 'run', 'conform', 'update', 'format']) {
      const { status, stdout, stderr } = project.premath(['spec', command, 'b.spec.json'])
      expect([command, status]).toEqual([command, 2])
      expect(stdout + stderr).toContain('b.spec.json:2:14: not readable as JSON: ')
    }
  })

  test('reports an unreadable document with a caret, and lists the rest', () => {
    given({ ...good, 'docs/c.spec.md': block('id: C', '\ttype: x') })
    const { status, stderr, json } = project.asked(['spec', 'list', '.', 'gone.spec.md'])
    expect(json.cases.map(({ id }: { id: string }) => id)).toEqual(['A', 'B'])
    expect(status).toBe(2)
    expect(stderr).toBe(
      [
        'error: docs/c.spec.md:3:1: a tab is used as indentation (yaml.tab)',
        '  3 |  type: x',
        '    | ^',
        '  Replace the tab with spaces.',
        'error: gone.spec.md: no such file or folder (path.not_found)',
        '  Use a path or pattern relative to the working folder.',
        '',
      ].join('\n'),
    )
  })

  test('lists and reports an invalid case, and exits 0', () => {
    given({ 'a.spec.md': block('id: A', 'type: text.fiel') })
    const { status, stderr, json } = project.asked(['spec', 'list'])
    expect([status, json.count]).toEqual([0, 1])
    expect(stderr).toContain('Did you mean text.file?')
  })

  test('an empty list is no failure', () => {
    expect(project.premath(['spec', 'list'])).toEqual({
      status: 0,
      stdout: 'No cases.\n',
      stderr: '',
    })
  })

  test('a link out of the contract root is not followed', () => {
    given(good)
    mkdirSync(join(project.folder, '.git'))
    symlinkSync('/etc/hostname', join(project.folder, 'out.spec.md'))
    const { status, stderr } = project.premath(['spec', 'list'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('escapes contract root')])
  })

  test('a root that is no folder is bad usage', () => {
    const { status, stderr } = project.premath(['spec', 'list', '--root', 'gone'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('which is no folder')])
  })

  test('refuses a document of fifty megabytes, and lists the rest', () => {
    given({ ...good, 'huge.spec.md': 'spec-test '.repeat(5_000_000) })
    const { status, stderr, json } = project.asked(['spec', 'list'])
    expect([status, json.count]).toEqual([2, 2])
    expect(stderr).toContain('huge.spec.md: is larger than 4 MB')
  })
})

describe('spec lint', () => {
  test('reports nothing for a valid document', () => {
    const read = 'assert: [{target: text, must: [{contain: [A]}]}]'
    given({
      'a.spec.md': block('id: A', 'type: text.file', read),
      'b.spec.md': block('id: B', 'type: cli.run', 'exit_code: 0', 'harness: {entrypoint: x}'),
    })
    expect(project.premath(['spec', 'lint'])).toEqual({
      status: 0,
      stdout: '2 cases, 0 errors, 0 warnings\n',
      stderr: '',
    })
  })

  test('reports every problem of every case, including chains through other documents', () => {
    given({
      'a.spec.md': block(
        'id: A',
        'titel: x',
        'type: text.file',
        'harness: {chain: {steps: [{id: b, ref: sub/b.spec.md}]}}',
      ),
      'sub/b.spec.md': block(
        'id: B',
        'type: text.file',
        'harness: {chain: {steps: [{id: a, ref: "../a.spec.md#A"}]}}',
      ),
    })
    const { status, json } = project.asked(['spec', 'lint', 'a.spec.md', '--root', '.'])
    expect(status).toBe(1)
    expect(json).toMatchObject({ documents: 2, cases: 1, errors: 2, warnings: 0 })
    expect(json.problems).toMatchObject([
      { code: 'case.unknown_key', file: 'a.spec.md', line: 3, column: 1, severity: 'error' },
      {
        code: 'chain.cycle',
        message: 'the chain is a cycle: a.spec.md#A → sub/b.spec.md#B → a.spec.md#A',
      },
    ])
  })

  test('warns of words that older YAML reads differently, and exits 0', () => {
    const read = 'assert: [{target: text, must: [{contain: [A]}]}]'
    given({ 'a.spec.md': block('id: A', 'type: text.file', 'title: yes', read) })
    const { status, stdout } = project.premath(['spec', 'lint'])
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^warning: a\.spec\.md:4:8: YAML 1\.1 reads yes as true/),
    ])
  })

  test('escapes terminal control characters', () => {
    given({ 'a.spec.md': block('id: A', 'type: text.file', '"a\\e[31mb": 1') })
    const { stdout } = project.premath(['spec', 'lint'])
    expect(stdout).toContain('unknown key: a\\u001b[31mb')
  })
})
