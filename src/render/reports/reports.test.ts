import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allOf,
  junitErrors,
  readTap,
  readWorkflow,
  readXml,
  schemaErrors,
  type XmlNode,
} from '../../../test/a-report.ts'
import type { Page } from '../../answer.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { ctrf } from './ctrf.ts'
import { githubProblems, githubRun } from './github.ts'
import { html } from './html.ts'
import { script, style } from './html-assets.ts'
import { junit } from './junit.ts'
import { pretty } from './pretty.ts'
import type { ReportedProblem } from './reported.ts'
import type { ReportedCase, ReportedRun } from './reported-run.ts'
import { lintReports, runReports } from './reports.ts'
import { sarif } from './sarif.ts'
import { tap } from './tap.ts'

const page: Page = { columns: 80, ink: (_ink, text) => text }

const aCase = (id: string, more: Partial<ReportedCase> = {}): ReportedCase => ({
  id,
  type: 'cli.run',
  title: '',
  file: 'docs/a.spec.md',
  line: 4,
  column: 1,
  status: 'pass',
  category: null,
  message: null,
  assertions: 1,
  warnings: [],
  chain: [],
  durationMs: 1.5,
  tags: [],
  text: '',
  ...more,
})

const failed = (id: string, message: string, more: Partial<ReportedCase> = {}) =>
  aCase(id, {
    status: 'fail',
    category: 'assertion',
    message,
    at: { line: 9, column: 15 },
    text: `9 | - contain: [x]\n  | ^\nassertion: ${message}`,
    ...more,
  })

const aProblem = (more: Partial<ReportedProblem> = {}): ReportedProblem => ({
  code: 'yaml.tab',
  severity: 'error',
  message: 'a tab is used',
  hint: 'Replace it.',
  file: 'docs/b.spec.md',
  line: 3,
  column: 2,
  lineText: '\ttype: x',
  text: 'error: docs/b.spec.md:3:2: a tab is used (yaml.tab)',
  ...more,
})

function aRun(
  cases: readonly ReportedCase[],
  problems: readonly ReportedProblem[] = [],
): ReportedRun {
  const count = (status: string) => cases.filter(one => one.status === status).length
  const isRejected = count('fail') + problems.length > 0
  return {
    json: {
      action: 'spec.run',
      result: isRejected ? 'rejected' : 'accepted',
      total: cases.length,
      passed: count('pass'),
      failed: count('fail'),
      skipped: count('skip'),
      notRun: count('not run'),
      durationMs: 1234.5,
      results: [],
      problems: [],
    },
    cases,
    problems,
    startedMs: Date.UTC(2026, 1, 3, 4, 5, 6, 7),
    checkoutPath: file => `sub/${file}`,
    sha256: text => createHash('sha256').update(text).digest('hex'),
    page: () => `${count('pass')} passed\n`,
  }
}

const chain = [
  { step_id: 's', ref_case_id: 'GOOD', ref_doc_path: '/docs/a.spec.md', status: 'pass' },
] as const

const attempts = [
  { status: 'fail', durationMs: 2.4, message: 'not yet' },
  { status: 'fail', durationMs: 1, message: 'not yet' },
  { status: 'pass', durationMs: 1.5, message: null },
] as const

/** One of everything. */
const run = aRun(
  [
    aCase('GOOD', { title: 'holds', tags: ['smoke'] }),
    failed('BAD', 'not #1: 100%, "x" \\ <y>', { chain: [...chain] }),
    aCase('SHAKY', {
      warnings: ['old'],
      attempts: [...attempts],
      flaky: true,
      file: 'docs/c.spec.md',
    }),
    aCase('LACKS', { status: 'skip' }),
    aCase('LATE', { status: 'not run' }),
  ],
  [aProblem()],
)

describe('JUnit', () => {
  const suites = allOf(readXml(junit(run)), 'testsuite')
  const cases = allOf(readXml(junit(run)), 'testcase')

  test('has a suite for each document, with its counts', () => {
    expect(suites.map(({ attributes }) => attributes)).toEqual([
      {
        name: 'docs/a.spec.md',
        file: 'docs/a.spec.md',
        timestamp: '2026-02-03T04:05:06',
        time: '0.006',
        tests: '4',
        failures: '1',
        errors: '0',
        skipped: '2',
      },
      expect.objectContaining({ name: 'docs/c.spec.md', tests: '1', failures: '0' }),
      expect.objectContaining({ name: 'docs/b.spec.md', tests: '1', errors: '1' }),
    ])
  })

  test('complies with its schema', async () => {
    expect(await junitErrors(junit(run))).toEqual([])
    expect(await junitErrors(junit(aRun([])))).toEqual([])
  })

  test('has every case with its place and details', () => {
    expect(
      cases.map(({ attributes: { name, classname }, children }) => [
        name,
        classname,
        ...children.map(
          ({ name: child, text, attributes }) => `${child}: ${text || attributes['message']}`,
        ),
      ]),
    ).toEqual([
      ['GOOD: holds', 'docs/a.spec.md'],
      [
        'BAD',
        'docs/a.spec.md',
        `failure: docs/a.spec.md:9:15\n${run.cases[1]?.text}`,
        'system-out: chain s: /docs/a.spec.md#GOOD pass',
      ],
      ['LACKS', 'docs/a.spec.md', 'skipped: skip: it requires a capability that this runner lacks'],
      [
        'LATE',
        'docs/a.spec.md',
        'skipped: not run: another case failed before it, or the run was stopped',
      ],
      [
        'SHAKY',
        'docs/c.spec.md',
        'system-out: run 3 times\nflaky: it passed and it failed\nwarning: old',
      ],
      ['yaml.tab', 'docs/b.spec.md', `error: ${run.problems[0]?.text}`],
    ])
    const [failure] = cases[1]?.children ?? []
    expect(failure?.attributes).toEqual({ message: run.cases[1]?.message, type: 'assertion' })
  })
})

test('TAP has a point for each case and each problem, with its message', () => {
  expect(readTap(tap(run))).toEqual([
    {
      ok: true,
      description: 'GOOD: holds (docs/a.spec.md:4)',
      skip: undefined,
      more: { duration_ms: 1.5 },
    },
    {
      ok: false,
      description: 'BAD (docs/a.spec.md:4)',
      skip: undefined,
      more: {
        category: 'assertion',
        at: 'docs/a.spec.md:9:15',
        message: run.cases[1]?.text,
        remarks: ['chain s: /docs/a.spec.md#GOOD pass'],
        duration_ms: 1.5,
      },
    },
    {
      ok: true,
      description: 'SHAKY (docs/c.spec.md:4)',
      skip: undefined,
      more: {
        duration_ms: 1.5,
        remarks: ['run 3 times', 'flaky: it passed and it failed', 'warning: old'],
      },
    },
    {
      ok: true,
      description: 'LACKS (docs/a.spec.md:4)',
      skip: 'it requires a capability that this runner lacks',
      more: {},
    },
    {
      ok: true,
      description: 'LATE (docs/a.spec.md:4)',
      skip: 'another case failed before it, or the run was stopped',
      more: {},
    },
    {
      ok: false,
      description: 'docs/b.spec.md: a tab is used',
      skip: undefined,
      more: {
        category: 'document',
        at: 'docs/b.spec.md:3:2',
        code: 'yaml.tab',
        message: run.problems[0]?.text,
      },
    },
  ])
  expect(tap(aRun([]))).toBe('TAP version 14\n1..0 # SKIP no cases\n')
})

test('CTRF complies with its schema, and its counts match its tests', () => {
  const report = JSON.parse(ctrf(run))
  expect(schemaErrors('ctrf', report)).toEqual([])
  expect(report.results.summary).toEqual({
    tests: 6,
    passed: 2,
    failed: 2,
    skipped: 1,
    pending: 1,
    other: 0,
    flaky: 1,
    suites: 3,
    start: 1770091506007,
    stop: 1770091507242,
    duration: 1235,
  })
  const [good, bad, shaky, , late, problem] = report.results.tests
  expect(good).toEqual({
    testId: 'docs/a.spec.md#GOOD',
    name: 'GOOD: holds',
    status: 'passed',
    rawStatus: 'pass',
    duration: 2,
    suite: ['docs/a.spec.md'],
    filePath: 'docs/a.spec.md',
    line: 4,
    type: 'cli.run',
    tags: ['smoke'],
    extra: { assertions: 1 },
  })
  expect(bad).toMatchObject({
    message: run.cases[1]?.message,
    trace: run.cases[1]?.text,
    steps: [{ name: 's: /docs/a.spec.md#GOOD', status: 'passed' }],
  })
  expect(shaky).toMatchObject({
    retries: 2,
    retryAttempts: [
      { attempt: 1, status: 'failed', duration: 2, message: 'not yet' },
      { attempt: 2, status: 'failed', duration: 1, message: 'not yet' },
    ],
    flaky: true,
    extra: { warnings: ['old'] },
  })
  expect(late).toMatchObject({ status: 'pending', rawStatus: 'not run' })
  expect(problem).toMatchObject({ status: 'failed', rawStatus: 'error', message: 'a tab is used' })
})

test('the GitHub report has each failure, problem and warning at its place', () => {
  expect(readWorkflow(githubRun(run))).toEqual([
    {
      name: 'error',
      properties: { file: 'sub/docs/b.spec.md', line: '3', col: '2', title: 'yaml.tab' },
      message: 'a tab is used\nReplace it.',
    },
    {
      name: 'error',
      properties: { file: 'sub/docs/a.spec.md', line: '9', col: '15', title: 'BAD' },
      message: `assertion: ${run.cases[1]?.message}`,
    },
    {
      name: 'warning',
      properties: { file: 'sub/docs/c.spec.md', line: '4', col: '1', title: 'SHAKY' },
      message: 'old',
    },
    {
      name: 'warning',
      properties: { file: 'sub/docs/c.spec.md', line: '4', col: '1', title: 'SHAKY' },
      message: 'flaky: it passed and it failed',
    },
    {
      name: 'notice',
      properties: { title: '1 skipped' },
      message: 'it requires a capability that this runner lacks:\nsub/docs/a.spec.md#LACKS',
    },
    {
      name: 'notice',
      properties: { title: '1 not run' },
      message: 'another case failed before it, or the run was stopped:\nsub/docs/a.spec.md#LATE',
    },
  ])
})

describe('SARIF', () => {
  test('has a rule for each code, and places relative to the checkout', () => {
    const warning = aProblem({ code: 'case.no_effect', severity: 'warning', file: 'docs/ä b.md' })
    const report = JSON.parse(sarif(aRun([], [aProblem(), warning, aProblem({ line: 8 })])))
    expect(schemaErrors('sarif', report)).toEqual([])
    const [{ results, tool }] = report.runs
    expect(tool.driver.rules).toEqual([
      {
        id: 'case.no_effect',
        shortDescription: { text: 'case: no effect' },
        defaultConfiguration: { level: 'warning' },
      },
      {
        id: 'yaml.tab',
        shortDescription: { text: 'yaml: tab' },
        defaultConfiguration: { level: 'error' },
      },
    ])
    expect(results.map(({ ruleIndex }: { ruleIndex: number }) => ruleIndex)).toEqual([1, 0, 1])
    expect(results[1]).toEqual({
      ruleId: 'case.no_effect',
      ruleIndex: 0,
      level: 'warning',
      message: { text: 'a tab is used\nReplace it.' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'sub/docs/%C3%A4%20b.md', uriBaseId: '%SRCROOT%' },
            region: { startLine: 3, startColumn: 2, snippet: { text: '\ttype: x' } },
          },
        },
      ],
    })
  })

  test('names a file outside the checkout by its full path', () => {
    const outside = { ...aRun([], [aProblem()]), checkoutPath: () => '/else where/x.md' }
    const report = JSON.parse(sarif(outside))
    expect(schemaErrors('sarif', report)).toEqual([])
    expect(report.runs[0].results[0].locations[0].physicalLocation.artifactLocation).toEqual({
      uri: 'file:///else%20where/x.md',
    })
  })
})

describe('HTML', () => {
  const document = readXml(html(run))
  const byClass = (name: string, node: XmlNode = document, tag = 'details') =>
    allOf(node, tag).filter(({ attributes }) => attributes['class']?.split(' ').includes(name))

  test('shows every case and problem, with failed ones expanded', () => {
    const ids = byClass('case').map(one => byClass('id', one, 'span')[0]?.text)
    expect(ids).toEqual(['GOOD', 'BAD', 'LACKS', 'LATE', 'SHAKY'])
    expect(byClass('case').filter(({ attributes }) => attributes['open'])).toEqual(byClass('fail'))
    expect(allOf(byClass('fail')[0] as XmlNode, 'pre')[0]?.text).toBe(run.cases[1]?.text)
    expect(byClass('fail', document, 'article')[0]?.text).toContain(run.problems[0]?.text)
    expect(byClass('flaky', document, 'span')).toHaveLength(1)
  })

  test('links to failures without a script, and hides controls that need one', () => {
    const [link] = allOf(document, 'a')
    const ids = byClass('fail').map(({ attributes }) => `#${attributes['id']}`)
    expect([link?.attributes['href']]).toEqual(ids)
    const [filter] = allOf(document, 'div')
    expect(filter?.attributes).toMatchObject({ id: 'filter', hidden: 'hidden' })
  })

  test('refers to nothing external, and allows only its own script and style', () => {
    const source = html(run)
    expect(source).not.toMatch(/https?:|src=|@import|url\(/)
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const [, policy] = allOf(document, 'meta')
    expect(policy?.attributes).toEqual({
      'http-equiv': 'Content-Security-Policy',
      content: `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`,
    })
    expect(allOf(document, 'script').map(({ text }) => text)).toEqual([script])
    expect(allOf(document, 'style').map(({ text }) => text)).toEqual([style])
    expect(source).not.toMatch(/ style=| on\w+=/)
  })

  test('has the verdict in its title', () => {
    const title = (of: ReportedRun) => allOf(readXml(html(of)), 'title')[0]?.text
    expect([title(run), title(aRun([aCase('A')])), title(aRun([]))]).toEqual([
      '1 failed, 1 problem · premath spec run',
      '1 passed · premath spec run',
      'No cases · premath spec run',
    ])
  })
})

test('the page in a file includes the messages of the command', () => {
  expect(pretty(run, page)).toBe(
    [
      'error: docs/b.spec.md:3:2: a tab is used (yaml.tab)',
      'skip: LACKS  docs/a.spec.md:4  it requires a capability that this runner lacks',
      'not run: LATE  docs/a.spec.md:4  another case failed before it, or the run was stopped',
      '2 passed',
      '',
    ].join('\n'),
  )
})

/** Controls, ends of CDATA, what begins commands and directives, half characters, colours. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...[']]>', '::error::', '%0A', '%', '\n', '\r\n', '\u0000', '\u001b[31m', '\ud800'],
        ...[
          '\udc00',
          '\u2028',
          '\ufffe',
          '#',
          '\\',
          '<b>&amp;',
          '...',
          '---',
          ' ',
          '\n\n',
          ' # SKIP',
        ],
        ...['</script>', '</style>', '-->', '"', "'", '- x: [', '\t', '\u0085', '\ufeff'],
      ),
      fc.integer({ min: 0xd800, max: 0xdfff }).map(unit => String.fromCharCode(unit)),
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(''))

describe('a report shows any text and stays readable', () => {
  const given = (text: string) => {
    const name = `x${text}`
    return aRun(
      [
        failed(name, text, {
          title: text,
          file: name,
          warnings: [name],
          chain: [{ ...chain[0], step_id: name }],
        }),
      ],
      [aProblem({ code: name, message: name, hint: text, file: name, lineText: text, text: name })],
    )
  }
  const holds = (check: (run: ReportedRun, text: string) => void) =>
    fc.assert(fc.property(hostile, text => check(given(text), text)))

  test('in JUnit', () => {
    holds((of, text) => {
      const [one, problem] = allOf(readXml(junit(of)), 'testcase')
      const [failure] = one?.children ?? []
      expect(failure?.attributes['message'] ?? '').toBe(visibleLines(text))
      expect(failure?.text.replaceAll(']]\\u003e', ']]>')).toContain(visibleLines(text))
      expect(problem?.attributes['name']).toBe(visible(`x${text}`))
    })
  })

  test('in TAP', () => {
    holds((of, text) => {
      const [one, problem] = readTap(tap(of))
      expect(one?.description).toBe(
        visible(`x${text}${text && `: ${text}`} (x${text}:4)`).trimEnd(),
      )
      expect(`${one?.more['message']}`.trimEnd()).toBe(
        visibleLines(of.cases[0]?.text ?? '').trimEnd(),
      )
      expect(`${problem?.more['code']}`.trimEnd()).toBe(visibleLines(`x${text}`).trimEnd())
    })
  })

  test('in CTRF', () => {
    holds((of, text) => {
      const report = JSON.parse(ctrf(of))
      expect(schemaErrors('ctrf', report)).toEqual([])
      expect(report.results.tests[0].message).toBe(text)
    })
  })

  test('in SARIF', () => {
    holds((of, text) => {
      const report = JSON.parse(sarif(of))
      expect(schemaErrors('sarif', report)).toEqual([])
      expect(report.runs[0].results[0].message.text).toBe(`x${text}\n${text}`)
    })
  })

  test('for GitHub', () => {
    holds((of, text) => {
      const [problem, error, warning] = readWorkflow(githubRun(of))
      expect(error?.message).toBe(visibleLines(`assertion: ${text}`))
      expect(error?.properties['title']).toBe(visibleLines(`x${text}`))
      expect(warning?.properties['file']).toBe(visibleLines(`sub/x${text}`))
      expect([problem]).toEqual(readWorkflow(githubProblems(of)))
    })
  })

  test('in HTML', () => {
    holds((of, text) => {
      const source = html(of)
      const [problem, one] = allOf(readXml(source), 'pre')
      expect(problem?.text).toBe(visibleLines(`x${text}`))
      expect(one?.text).toBe(visibleLines(of.cases[0]?.text ?? ''))
      // An HTML parser ends a script at `</script` in any position.
      expect(source.match(/<\/script/g)).toHaveLength(1)
    })
  })
})

test('every listed report can be written, the same each time', async () => {
  for (const load of Object.values(runReports)) {
    const report = await load()
    expect(report(run, page)).toBe(report(run, page))
    expect(report(run, page).endsWith('\n')).toBe(true)
  }
  for (const load of Object.values(lintReports)) {
    const report = await load()
    expect(report(run)).toBe(report(run))
  }
})
