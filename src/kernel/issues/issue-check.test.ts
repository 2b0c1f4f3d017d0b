import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { type Issue, readIssue, readIssueLine } from './issue.ts'
import { checkIssues } from './issue-check.ts'
import { IssueMemory } from './issue-memory.ts'

const good = { description: 'Acceptance: it works.\nRun `premath issue list`.' }

function check(rows: readonly JsonObject[], noteWarnThreshold?: number) {
  const memory = new IssueMemory()
  for (const [at, row] of rows.entries()) {
    memory.put(readIssue({ id: `bd-${at + 1}`, title: 'Work', ...row }) as Issue)
  }
  return checkIssues(memory, noteWarnThreshold)
}

const classes = (row: JsonObject) =>
  check([row]).failureClasses.map(name => name.replace('issue_graph.', ''))

test('a report has every member, even without findings', () => {
  expect(check([good])).toEqual({
    checkKind: 'premath.issue_graph.check.v1',
    result: 'accepted',
    failureClasses: [],
    warningClasses: [],
    errors: [],
    warnings: [],
    summary: { issueCount: 1, errorCount: 0, warningCount: 0, noteWarnThreshold: 2000 },
  })
})

test('the report lists the missing parts of each issue, by id', () => {
  const report = check([{}, good, { id: 'bd-0', description: 'Acceptance: yes' }])
  expect(report.errors).toEqual([
    {
      issueId: 'bd-0',
      class: 'issue_graph.verification_command.missing',
      message: 'active issue must include at least one verification command',
    },
    {
      issueId: 'bd-1',
      class: 'issue_graph.acceptance.missing',
      message: 'active issue must include an Acceptance section',
    },
    {
      issueId: 'bd-1',
      class: 'issue_graph.verification_command.missing',
      message: 'active issue must include at least one verification command',
    },
  ])
  expect(report.failureClasses).toEqual([
    'issue_graph.acceptance.missing',
    'issue_graph.verification_command.missing',
  ])
})

describe('an epic in name', () => {
  const epic = { ...good, title: '[EPIC] All of it' }
  test.each([
    ['must be one', { ...epic, issue_type: 'task' }, ['issue_type.epic_mismatch']],
    ['is fine when it is one', { ...epic, issue_type: 'epic' }, []],
    [
      'must be one after it was closed, too',
      { ...epic, status: 'closed' },
      ['issue_type.epic_mismatch'],
    ],
  ])('%s', (_, row, expected) => {
    expect(classes(row)).toEqual(expected)
  })
})

describe('issues that need acceptance criteria', () => {
  const both = ['acceptance.missing', 'verification_command.missing']
  test.each([
    ['an open issue', { status: 'open' }, both],
    ['one in progress, however it is spelled', { status: ' In_Progress' }, both],
    ['not a blocked one', { status: 'blocked' }, []],
    ['not a closed one', { status: 'closed' }, []],
    ['not a passing one', { ephemeral: true }, []],
  ])('%s', (_, row, expected) => {
    expect(classes(row)).toEqual(expected)
  })
})

describe('acceptance criteria are recognized', () => {
  const command = { notes: '`npm test`' }
  test.each([
    ['by a line', { description: 'First.\n  ACCEPTANCE criteria  : works' }, true],
    ['by a heading', { description: '## Acceptance criteria\n- works' }, true],
    ['by the field for it', { acceptance_criteria: 'works' }, true],
    ['by specs', { metadata: { premathSpecs: ['specs/a.spec.md'] } }, true],
    ['not in the middle of a line', { description: 'the acceptance: later' }, false],
    ['not without a colon', { description: 'Acceptance is important' }, false],
    ['not by a blank field', { acceptance_criteria: ' \n ' }, false],
    ['not by an empty list of specs', { metadata: { premathSpecs: [] } }, false],
    ['not by notes', { notes: 'Acceptance: works\n`npm test`' }, false],
  ])('%s', (_, row, isStated) => {
    expect(classes({ ...command, ...row })).toEqual(isStated ? [] : ['acceptance.missing'])
  })
})

describe('a command that checks is named', () => {
  const wanted = { acceptance_criteria: 'works' }
  test.each([
    ['on a line of its own', { description: 'cargo test' }, true],
    ['in a list', { notes: 'Do:\n  * mise run baseline' }, true],
    ['in back-quotes', { description: 'then run `uv run pytest -q` twice' }, true],
    ['in back-quotes, in capitals', { description: 'run `PREMATH issue list`' }, true],
    ['at the start of a line, quoted', { description: '`nix develop -c make`' }, true],
    ['by the package manager we use ourselves', { notes: '- npm run check' }, true],
    ['in the acceptance field', { acceptance_criteria: '`premath spec run specs/`' }, true],
    ['by specs', { metadata: { premathSpecs: ['specs/a.spec.md'] } }, true],
    ['not in passing', { description: 'we should use cargo some day' }, false],
    ['not as part of a word', { description: 'shell out\n`premathematics`' }, false],
    ['not by a sentence about it', { description: 'Premath is a harness.' }, false],
  ])('%s', (_, row, named) => {
    expect(classes({ ...wanted, ...row })).toEqual(named ? [] : ['verification_command.missing'])
  })
})

describe('a warning rejects nothing', () => {
  test('about notes that are longer than the threshold, counted in characters', () => {
    const notes = '😀'.repeat(11)
    expect(check([{ ...good, notes }], 11).warnings).toEqual([])
    const report = check([{ ...good, status: 'closed', notes }], 10)
    expect(report).toMatchObject({
      result: 'accepted',
      warningClasses: ['issue_graph.notes.large'],
      warnings: [{ issueId: 'bd-1', message: 'notes have 11 characters, more than 10' }],
      summary: { warningCount: 1, noteWarnThreshold: 10 },
    })
  })

  test('about an edge to nowhere, of an active issue', () => {
    const edge = { issue_id: 'bd-1', depends_on_id: 'gone', type: 'blocks' }
    const row = { ...good, dependencies: [edge, { ...edge, type: 'related' }] }
    expect(check([row])).toMatchObject({
      result: 'accepted',
      warnings: [
        {
          issueId: 'bd-1',
          class: 'issue_graph.dependency.target_missing',
          message: 'depends on gone, which does not exist',
        },
      ],
    })
    expect(check([{ ...row, status: 'closed' }]).warnings).toEqual([])
  })
})

test('active issues that wait for each other are an error', () => {
  const to = (target: string) => ({
    ...good,
    dependencies: [{ issue_id: 'x', depends_on_id: target, type: 'related' }],
  })
  expect(check([to('bd-2'), to('bd-1')]).errors).toEqual([
    {
      issueId: 'bd-1',
      class: 'issue_graph.dependency.cycle',
      message: 'active issues depend on each other: bd-1 -> bd-2 -> bd-1',
    },
  ])
  expect(check([to('bd-2'), { ...to('bd-1'), status: 'closed' }]).errors).toEqual([])
})

const real = '../shared/vectors/issues/real-365.jsonl'

test.runIf(existsSync(real))('365 rows of a real project are accepted', () => {
  const memory = new IssueMemory()
  for (const line of readFileSync(real, 'utf8').trimEnd().split('\n')) {
    memory.put(readIssueLine(line) as Issue)
  }
  const { result, summary } = checkIssues(memory)
  expect({ result, ...summary }).toMatchObject({ result: 'accepted', issueCount: 365 })
})
