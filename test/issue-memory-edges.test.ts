/** Ends and edges of issue memory on real files, by the built command. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done, premath } = project

const torn = '{"id":"bd-9","title":"never ack'

test.each([['compact'], ['migrate-events'], ['import']])(
  'a torn tail is set aside and not lost, whichever command meets it first: %s',
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
    // A read-only command leaves the file unchanged.
    const still = readFileSync(project.issues, 'utf8').endsWith(torn)
    expect(still ? [torn] : kept).toEqual([torn])
  },
)

test('a link that leaves the project is refused, even if its target is missing', () => {
  const outside = join(project.folders, 'outside.jsonl')
  mkdirSync(join(project.folder, '.premath'))
  symlinkSync(outside, project.issues)
  const { status, stderr } = premath(['issue', 'add', 'escape'])
  expect({ status, made: existsSync(outside) }).toEqual({ status: 3, made: false })
  expect(stderr).toContain('outside')
})

test('a missing root is reported, and nothing is judged or listed without it', () => {
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
])('issue %s %s does not overwrite a protected file', (verb, flag) => {
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

test('an unreadable fence refuses a claim, and is not reset', () => {
  premath(['init'])
  const row = '{"id":"bd-1","title":"t","metadata":{"premathFence":"1"}}\n'
  writeFileSync(project.issues, row)
  const { status, stdout } = premath(['issue', 'claim', 'bd-1', '--assignee', 'w', '--json'])
  expect({ status, classes: JSON.parse(stdout).failureClasses }).toEqual({
    status: 1,
    classes: ['lease_fence_invalid'],
  })
})

test.each(['jsonl', 'json', 'csv'])(
  'export --json is one document with every row, also in the format %s',
  format => {
    done('init')
    const exotic = '{"id":"bd-1","title":"x","metadata":{"big":12345678901234567890}}\n'
    writeFileSync(project.issues, `${exotic}{"id":"bd-2","title":"y"}\n`)
    const { status, stdout } = premath(['issue', 'export', '--format', format, '--json'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      action: 'issue.export',
      issueCount: 2,
      issues: [
        { id: 'bd-1', title: 'x' },
        { id: 'bd-2', title: 'y' },
      ],
      snapshotRef: done('issue', 'backend-status').canonicalMemory.snapshotRef,
    })
    expect(stdout).toContain('"big": 12345678901234567890')
  },
)

test('one issue is counted as one', () => {
  done('init')
  done('issue', 'add', 'x')
  for (const args of [
    ['compact'],
    ['migrate-events'],
    ['export', '--output', 'own'],
    ['import', 'own'],
  ]) {
    expect(premath(['issue', ...args]).stdout).toMatch(/\b1 issue\b/)
  }
})

describe('import', () => {
  const file = (text: string | Uint8Array) => {
    writeFileSync(join(project.folder, 'rows'), text)
    return 'rows'
  }
  const good = '{"id":"bd-7","title":"x"}\n'

  test.each([
    ['a row that lacks its id', `${good}{"id":7}\n${good}`, 'rows: line 2: id must be text'],
    ['a row that is no JSON', `${good}rows\n`, 'rows: line 2: not readable as JSON'],
    ['an open merge', `${good}<<<<<<< HEAD\n`, 'rows: line 2: marks of a merge that git left open'],
    ['a cut off row', `${good}{"id":"bd-8","ti`, 'rows: line 2 is not a complete row'],
    ['a NUL byte', `${good}\0\n`, 'a NUL byte in line 2'],
    ['a bad member of a list', '[{"id":"bd-7","title":"x"},{"id":7}]', 'rows: row 2: id must be'],
    ['bytes that are no text', Buffer.from([0x5b, 0xff]), 'rows: is not valid UTF-8'],
  ])('%s is bad input', (_, text, why) => {
    done('init')
    const { status, json } = asked(['issue', 'import', file(text)])
    expect([status, json.error.code]).toEqual([2, 'invalid_input'])
    expect(json.error.message).toContain(why)
    expect(json.error.message).not.toContain('issue memory')
    expect(json.error.hint).toMatch(/\.$/)
    expect(readFileSync(project.issues, 'utf8')).toBe('')
  })

  test('accepts its own export, in any order of edges', () => {
    done('init')
    const edge = (to: string) => `{"issue_id":"bd-1","depends_on_id":"${to}","type":"blocks"}`
    const row = (id: string, more = '') => `{"id":"${id}","title":"x"${more}}\n`
    const edges = `,"dependencies":[${edge('bd-3')},${edge('bd-2')}]`
    writeFileSync(project.issues, row('bd-1', edges) + row('bd-2') + row('bd-3'))
    const before = readFileSync(project.issues, 'utf8')
    for (const format of ['jsonl', 'json']) {
      done('issue', 'export', '--format', format, '--output', 'own')
      expect(done('issue', 'import', 'own')).toMatchObject({ added: [], replaced: [] })
    }
    const { stdout } = project.premath(['issue', 'export', '--json'])
    writeFileSync(join(project.folder, 'own.json'), stdout)
    expect(done('issue', 'import', 'own.json')).toMatchObject({ added: [], replaced: [] })
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
  })
})

describe('an error of the file that --issues names has a remedy:', () => {
  const file = (name: string) => join(project.folder, name)
  const commands = [
    ['issue', 'list'],
    ['issue', 'add', 'x'],
    ['issue', 'compact'],
  ]

  test.each([
    ['a folder', () => mkdirSync(file('odd')), 'odd', 'name a file inside it'],
    ['a pipe', () => execFileSync('mkfifo', [file('odd')]), 'odd', 'Name a file'],
    [
      'below a file',
      () => writeFileSync(file('odd'), ''),
      'odd/x.jsonl',
      'where a folder is needed',
    ],
    ['a link to itself', () => symlinkSync('odd', file('odd')), 'odd', 'remove it'],
  ])('%s', (_, prepare, named, next) => {
    prepare()
    const before = lstatSync(file('odd'))
    for (const command of commands) {
      const { status, json } = asked([...command, '--issues', named])
      expect({ command, status, hint: json.error.hint }).toEqual({
        command,
        status: 3,
        hint: expect.stringContaining(next),
      })
    }
    expect(lstatSync(file('odd')).mode).toBe(before.mode)
  })

  test('.premath that is a file', () => {
    writeFileSync(file('.premath'), '')
    for (const command of commands) {
      expect(asked(command).json.error.hint).toContain('where a folder is needed')
    }
  })

  test('.premath that is a link to a missing folder is set up at its target', () => {
    symlinkSync('shared', file('.premath'))
    expect(asked(['issue', 'list']).json.error.hint).toContain('premath init')
    done('init')
    done('issue', 'add', 'x')
    expect(existsSync(file('shared/issues.jsonl'))).toBe(true)
  })

  test('a missing file, which premath init would not make', () => {
    const { status, json } = asked(['issue', 'list', '--issues', 'none/x.jsonl'])
    expect([status, json.error.hint]).toEqual([
      2,
      expect.stringContaining('premath issue add creates it'),
    ])
    expect(asked(['issue', 'add', 'x', '--issues', 'none/x.jsonl']).status).toBe(0)
  })

  test('a file that may not be read', () => {
    done('init')
    const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    for (const folder of [project.folders, project.folder]) chmodSync(folder, 0o755)
    chmodSync(project.issues, 0o000)
    const { status, json } = asked(['issue', 'list'], somebody)
    expect([status, json.error.hint]).toEqual([3, expect.stringContaining('permission to read')])
  })

  test('a row that is not JSON, printed on one line', () => {
    done('init')
    writeFileSync(
      project.issues,
      '{"id":"bd-1","title":"x"}\n{"id":"bd-2"\n{"id":"bd-3","title":"x"}\n',
    )
    const { status, stderr } = premath(['issue', 'list'])
    expect(status).toBe(5)
    expect(stderr).toContain('line 2: not readable as JSON')
    expect(stderr).toContain('at column 13')
    expect(stderr.match(/line \d/g)).toEqual(['line 2'])
  })
})
