/** Reports of `premath spec run` and `premath spec lint`, by the built command. */
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
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import { aProject } from './a-project.ts'
import { allOf, junitErrors, readTap, readWorkflow, readXml, schemaErrors } from './a-report.ts'
import { block } from './a-spec-run.ts'
import { everyOutcome, unreadable as oddUnreadable } from './every-outcome.ts'

const project = aProject()

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const read = (path: string) => readFileSync(join(project.folder, path), 'utf8')

const cli = (id: string, entrypoint: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', `harness: {entrypoint: ${entrypoint}}`, ...lines)

const documents = {
  'docs/a.spec.md': cli('GOOD', '"true"') + cli('BAD', '"false"'),
  'docs/b.spec.md': cli('LACKS', '"true"', 'requires: {capabilities: [wings], when_missing: skip}'),
}
const unreadable = { 'docs/c.spec.md': block('id: C', '\ttype: x') }

const inActions = (more: Readonly<Record<string, string>> = {}) => ({
  env: { GITHUB_ACTIONS: 'true', ...more },
})

const names = ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']

describe('reports of a run', () => {
  test('are written together, and the page is still printed', () => {
    given({ ...documents, ...unreadable })
    const plain = project.premath(['spec', 'run'])
    const flags = names.flatMap(name => ['--report', `${name}=out/deep/${name}=1.txt`])
    const { status, stdout, stderr } = project.premath(['spec', 'run', ...flags])
    const untimed = (text: string) => text.replace(/in [\d.]+ s/, 'in T s')
    expect([status, untimed(stdout), stderr]).toEqual([2, untimed(plain.stdout), plain.stderr])

    expect(readdirSync(join(project.folder, 'out/deep'))).toEqual(
      names.map(name => `${name}=1.txt`).sort(),
    )
    const report = (name: string) => read(`out/deep/${name}=1.txt`)
    expect(report('pretty')).toContain('error: docs/c.spec.md:3:1: a tab is used')
    expect(report('pretty')).toContain('FAIL BAD  docs/a.spec.md:7:1\n')
    expect(JSON.parse(report('json'))).toMatchObject({ action: 'spec.run', failed: 1 })
    const suites = allOf(readXml(report('junit')), 'testsuite')
    expect(suites.map(({ attributes: { name, tests } }) => [name, tests])).toEqual([
      ['docs/a.spec.md', '2'],
      ['docs/b.spec.md', '1'],
      ['docs/c.spec.md', '1'],
    ])
    expect(readTap(report('tap')).map(({ ok }) => ok)).toEqual([true, false, true, false])
    expect(schemaErrors('ctrf', JSON.parse(report('ctrf')))).toEqual([])
    expect(allOf(readXml(report('html')), 'details')).toHaveLength(3)
    expect(readWorkflow(report('github')).map(one => one.properties['title'])).toEqual([
      'yaml.tab',
      'BAD',
      '1 skipped',
    ])
  })

  test('are printed instead of the page without a path', () => {
    given({ ...documents, ...unreadable })
    const { status, stdout, stderr } = project.premath(['spec', 'run', '--report', 'tap'])
    expect([status, readTap(stdout).length]).toEqual([2, 4])
    expect(stderr).toContain('a tab is used as indentation')
    expect(JSON.parse(project.premath(['spec', 'run', '--report', 'json']).stdout)).toEqual(
      expect.objectContaining({ action: 'spec.run' }),
    )
    const page = project.premath(['spec', 'run', 'docs/b.spec.md', '--report', 'pretty'])
    expect(page.stdout).toMatch(/^0 passed, 0 failed, 1 skipped in [\d.]+ s\n$/)
  })

  test('list cases that were not run', () => {
    given({ 'a.spec.md': cli('BAD', '"false"') + cli('LATE', '"true"') })
    const flags = ['--fail-fast', '--jobs', '1', '--report', 'tap']
    const { stdout } = project.premath(['spec', 'run', ...flags])
    expect(readTap(stdout)[1]).toMatchObject({
      description: 'LATE (a.spec.md:7)',
      skip: 'another case failed before it, or the run was stopped',
    })
  })

  test('are the same for the same results, except times', () => {
    given(documents)
    const printed = (name: string) =>
      project
        .premath(['spec', 'run', '--jobs', '2', '--report', name])
        .stdout.replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|[\d.]+ m?s\b/g, 'T')
        .replace(/(time="|duration(?:_ms|Ms)?"?: |"(?:start|stop)": )[\d.]+/g, '$1T')
    for (const name of names) expect(printed(name)).toBe(printed(name))
  })

  test('replace the target of a link, and keep the link', () => {
    given({ ...documents, 'real.xml': 'old' })
    symlinkSync('real.xml', join(project.folder, 'link.xml'))
    project.premath(['spec', 'run', '--report', 'junit=link.xml'])
    expect(lstatSync(join(project.folder, 'link.xml')).isSymbolicLink()).toBe(true)
    expect(read('real.xml')).toMatch(/^<\?xml/)
  })

  test('do not change the JSON output', () => {
    given(documents)
    const { status, json, stderr } = project.asked(['spec', 'run', '--report', 'junit=out.xml'])
    expect([status, json.action, json.failed, stderr]).toEqual([1, 'spec.run', 1, ''])
    expect(existsSync(join(project.folder, 'out.xml'))).toBe(true)
  })
})

describe('reports of every kind of outcome', () => {
  test('are valid for the tools that read them', async () => {
    given({ ...everyOutcome, ...oddUnreadable })
    const flags = ['junit', 'tap', 'ctrf', 'html', 'github', 'json'].flatMap(name => [
      '--report',
      `${name}=artifacts/${name}`,
    ])
    expect(project.premath(['spec', 'run', '--retry', '1', ...flags]).status).toBe(2)
    const { results }: { results: readonly SpecCaseResult[] } = JSON.parse(read('artifacts/json'))
    expect(
      results.map(one =>
        [one.id, one.category ?? one.status, one.flaky && 'flaky'].filter(Boolean).join(' '),
      ),
    ).toEqual([
      'PASS pass',
      'FAIL assertion',
      'EXIT assertion',
      'ODD-OUTPUT assertion',
      'ODD-EXPECTED assertion',
      'ODD-NAME-\u202e\u0007\uffff assertion',
      'SCHEMA schema',
      'SHAPE schema',
      'RUNTIME runtime',
      'TIMEOUT runtime',
      'SKIP skip',
      'EXPECTED pass',
      'UNEXPECTED assertion',
      'FLAKY pass flaky',
      'CHAIN assertion',
      'BROKEN-CHAIN assertion',
      'console assertion',
      'good pass',
      'HTTP-PASS pass',
      'HTTP-FAIL assertion',
      'HTTP-RUNTIME runtime',
      'HTTP-SCHEMA schema',
      'HTTP-SCENARIO assertion',
      'HTTP-STEP schema',
      'FILE assertion',
      'NO-FILE runtime',
      'DOCS-SAME pass',
      'DOCS-OTHER assertion',
      'TOOL-PASS pass',
      'TOOL-FAIL assertion',
      'TOOL-UNCHECKED pass',
      'TOOL-SCHEMA schema',
    ])
    const failed = results.filter(({ status }) => status === 'fail')

    expect(await junitErrors(read('artifacts/junit'))).toEqual([])
    const junit = readXml(read('artifacts/junit'))
    expect(allOf(junit, 'failure')).toHaveLength(failed.length)
    expect([allOf(junit, 'error'), allOf(junit, 'skipped')].map(list => list.length)).toEqual([
      1, 1,
    ])

    const points = readTap(read('artifacts/tap'))
    expect(points.map(({ ok }) => ok)).toEqual([
      ...results.map(({ status }) => status !== 'fail'),
      false,
    ])
    expect(points.filter(({ skip }) => skip).map(({ description }) => description)).toEqual([
      'SKIP (commands.spec.md:61)',
    ])
    expect(points[3]?.more['message']).toContain('\n    | ok 1 # SKIP\n    | 1..9\n')

    const ctrf = JSON.parse(read('artifacts/ctrf'))
    expect(schemaErrors('ctrf', ctrf)).toEqual([])
    expect(ctrf.results.summary).toMatchObject({ tests: 33, failed: failed.length + 1, flaky: 1 })

    expect(allOf(readXml(read('artifacts/html')), 'details')).toHaveLength(results.length)
    expect(
      readWorkflow(read('artifacts/github')).filter(({ name }) => name === 'error'),
    ).toHaveLength(failed.length + 1)
  })

  test('of a lint too', () => {
    given({ ...everyOutcome, ...oddUnreadable })
    const { stdout } = project.premath(['spec', 'lint', '--report', 'sarif'])
    const report = JSON.parse(stdout)
    expect(schemaErrors('sarif', report)).toEqual([])
    const codes = report.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)
    expect(codes).toEqual(expect.arrayContaining(['case.unknown_key', 'case.value', 'yaml.tab']))
  })
})

describe('a report that cannot be written', () => {
  test('is reported, does not affect other reports, and exits 3', () => {
    given({ ...documents, taken: 'a file', 'folder/x': '' })
    const flags = ['taken/a.xml', 'folder', 'good.xml', '/dev/null'].flatMap(path => [
      '--report',
      `junit=${path}`,
    ])
    const { status, stdout, stderr } = project.premath(['spec', 'run', ...flags])
    expect(status).toBe(3)
    expect(stdout).toContain('1 passed, 1 failed, 1 skipped')
    expect(stderr.match(/^error: a report was not written: .*$/gm)).toHaveLength(3)
    expect(read('good.xml')).toMatch(/^<\?xml/)
    expect(read('taken')).toBe('a file')
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
    expect(readdirSync(project.folder).sort()).toEqual(['docs', 'folder', 'good.xml', 'taken'])
  })

  test('is one that would overwrite a protected file', () => {
    given({ ...documents, '.premath/issues.jsonl': '', '.premath/policy.json': 'kept' })
    symlinkSync('.premath/policy.json', join(project.folder, 'link.json'))
    for (const path of ['.premath/issues.jsonl', 'link.json', './docs/../.premath/new.json']) {
      const { status, stderr } = project.premath(['spec', 'run', '--report', `json=${path}`])
      expect([status, stderr]).toEqual([2, expect.stringContaining('lies in .premath')])
    }
    expect([read('.premath/issues.jsonl'), read('.premath/policy.json')]).toEqual(['', 'kept'])
    expect(existsSync(join(project.folder, '.premath/new.json'))).toBe(false)
    given({ '.premath/worktrees/w/x': '' })
    const inside = ['spec', 'run', '--report', 'tap=.premath/worktrees/w/out.tap']
    expect(project.premath(inside).status).toBe(1)
  })

  test('is one behind a link to nothing, and one over a file that is read-only', () => {
    given({ ...documents, 'kept.xml': 'kept' })
    chmodSync(join(project.folder, 'kept.xml'), 0o444)
    symlinkSync('gone/deep/x.xml', join(project.folder, 'link.xml'))
    symlinkSync('gone/other', join(project.folder, 'linked'))
    for (const [path, why] of [
      ['kept.xml', 'kept.xml is read-only'],
      ['link.xml', 'link.xml leads over a link to what is not there'],
      ['linked/x.xml', 'linked/x.xml leads over a link to what is not there'],
    ]) {
      const { status, stderr } = project.premath(['spec', 'run', '--report', `junit=${path}`])
      expect([status, stderr]).toEqual([3, expect.stringContaining(why ?? '')])
    }
    expect([read('kept.xml'), existsSync(join(project.folder, 'gone'))]).toEqual(['kept', false])
  })

  test('leaves JSON as it is', () => {
    given({ ...documents, taken: 'a file' })
    const { status, json } = project.asked(['spec', 'run', '--report', 'tap=taken/x'])
    expect([status, json.action]).toEqual([3, 'spec.run'])
  })
})

describe('an invalid report flag', () => {
  test.each([
    ['an unknown name', ['junti'], 'there is no report "junti"', 'did you mean junit?'],
    ['a report of lint', ['sarif=x'], 'there is no report "sarif"', 'It is one of pretty,'],
    [
      'two without a path',
      ['tap', 'junit'],
      '--report tap and --report junit both print on standard output',
      '--report junit=<path>',
    ],
    ['an empty path', ['tap='], '--report tap= names no file', 'leave out the ='],
    ['one path for two', ['tap=x', 'junit=x'], 'two reports go to "x"', 'Name a file for each.'],
    [
      'one file under two names',
      ['tap=x', 'junit=./x'],
      'two reports go to one file: "x" and "./x"',
      'Name a file for each.',
    ],
    [
      'the place of the document',
      ['tap=x', 'json=./a.spec.md'],
      '--report json=./a.spec.md would replace the document a.spec.md',
      'Name another file',
    ],
    [
      'a name of standard output',
      ['junit=/dev/stdout'],
      'a report goes to a file, and /dev/stdout is none',
      '--report junit prints it',
    ],
  ])('%s is refused before anything is run', (_, reports, message, hint) => {
    given({ 'a.spec.md': cli('RUNS', JSON.stringify(['touch', join(project.folder, 'ran')])) })
    const flags = reports.flatMap(report => ['--report', report])
    const { status, stdout, stderr } = project.premath(['spec', 'run', ...flags])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`error: ${message}\n`)
    expect(stderr).toContain(hint)
    expect(readdirSync(project.folder)).toEqual(['a.spec.md'])
  })

  test('one that a link leads over a document, or to the file of another, is refused', () => {
    given({ ...documents, 'docs/d.spec.md': cli('HOST', '"true"') })
    symlinkSync('docs/a.spec.md', join(project.folder, 'link.json'))
    symlinkSync('out.tap', join(project.folder, 'out.link'))
    const before = read('docs/a.spec.md')
    const run = project.premath(['spec', 'run', '--report', 'json=link.json'])
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('would replace the document docs/a.spec.md')
    const lint = project.premath(['spec', 'lint', '--report', 'sarif=docs/../docs/a.spec.md'])
    expect([lint.status, lint.stdout]).toEqual([2, ''])
    expect(read('docs/a.spec.md')).toBe(before)
    const two = ['--report', 'tap=out.tap', '--report', 'json=out.link']
    const { status, stderr } = project.premath(['spec', 'run', ...two])
    expect([status, stderr]).toEqual([2, expect.stringContaining('two reports go to one file')])
    expect(existsSync(join(project.folder, 'out.tap'))).toBe(false)
  })

  test('one that would be printed beside JSON is refused', () => {
    const { status, json } = project.asked(['spec', 'run', '--report', 'tap'])
    expect([status, json.error.message]).toEqual([
      2,
      '--json and --report tap both print on standard output',
    ])
  })
})

describe('in GitHub Actions', () => {
  const annotation = '::error file=docs/a.spec.md,line=7,col=1,title=BAD::assertion:'

  test('annotations follow the page', () => {
    given(documents)
    const { stdout, stderr } = project.premath(['spec', 'run'], inActions())
    expect(stdout.indexOf(annotation)).toBeGreaterThan(stdout.indexOf('1 passed, 1 failed'))
    expect(stderr).toBe('')
  })

  test.each([
    ['1', true],
    ['', false],
  ])('with the variable set to %j annotations are printed: %j', (value, isTold) => {
    given(documents)
    const { stdout } = project.premath(['spec', 'run'], { env: { GITHUB_ACTIONS: value } })
    expect(stdout.includes(annotation)).toBe(isTold)
  })

  test('annotations are not in the JSON output', () => {
    given(documents)
    const { json, stderr } = project.asked(['spec', 'run'], inActions())
    expect([json.failed, stderr.includes(annotation)]).toEqual([1, true])
    const tap = project.premath(['spec', 'run', '--report', 'tap'], inActions())
    expect([readTap(tap.stdout).length, tap.stderr.includes(annotation)]).toEqual([3, true])
  })

  test('annotations are printed once', () => {
    given(documents)
    const { stdout, stderr } = project.premath(['spec', 'run', '--report', 'github'], inActions())
    expect([readWorkflow(stdout).length, stderr]).toEqual([2, ''])
  })

  test('files are named from the top of the checkout', () => {
    given(documents)
    const workspace = inActions({ GITHUB_WORKSPACE: project.folder })
    const { stdout } = project.premath(['spec', 'run', '--report', 'github'], {
      ...workspace,
      cwd: join(project.folder, 'docs'),
    })
    expect(readWorkflow(stdout)[0]?.properties['file']).toBe('docs/a.spec.md')
  })
})

describe('reports of a lint', () => {
  const wrong = { ...unreadable, 'docs/ü.spec.md': block('id: A', 'type: text.fiel') }

  test('SARIF has every problem with its rule and its place', () => {
    given(wrong)
    const { status, stdout } = project.premath(['spec', 'lint', '--report', 'sarif'])
    const report = JSON.parse(stdout)
    expect([status, schemaErrors('sarif', report)]).toEqual([2, []])
    const results: readonly { ruleId: string; locations: unknown[] }[] = report.runs[0].results
    expect(results.map(({ ruleId }) => ruleId)).toEqual(['yaml.tab', 'case.unknown_type'])
    expect(results[1]?.locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: 'docs/%C3%BC.spec.md', uriBaseId: '%SRCROOT%' },
          region: { startLine: 3, startColumn: 7, snippet: { text: 'type: text.fiel' } },
        },
      },
    ])
  })

  test('the page stays, with annotations in GitHub Actions', () => {
    given(wrong)
    const flags = ['--report', 'sarif=out/x.sarif', '--report', 'json=out/x.json']
    const { status, stdout } = project.premath(['spec', 'lint', ...flags], inActions())
    expect([status, readdirSync(join(project.folder, 'out'))]).toEqual([2, ['x.json', 'x.sarif']])
    const [page = '', ...annotations] = stdout.split(/^(?=::)/m)
    expect(page).toContain('1 case, 2 errors, 0 warnings\n')
    expect(readWorkflow(annotations.join('')).map(({ properties }) => properties['title'])).toEqual(
      ['yaml.tab', 'case.unknown_type'],
    )
  })

  test('are empty without a problem', () => {
    given({ 'docs/a.spec.md': cli('GOOD', '"true"', 'exit_code: 0') })
    const printed = (name: string) => project.premath(['spec', 'lint', '--report', name])
    expect(printed('github')).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(JSON.parse(printed('sarif').stdout).runs[0].results).toEqual([])
  })
})
