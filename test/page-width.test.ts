/** The text output of the built command, on pages from the narrowest to the usual width. */
import { describe, expect, test } from 'vitest'
import { widthOf } from '../src/kernel/text/text-width.ts'
import { aProject, leased, open } from './a-project.ts'

const project = aProject()
const { given, premath } = project

const longId = 'premath-issue-with-a-long-id'
const mail = 'somebody.with.a.name@example.org'
const needs = (from: string, ...ids: readonly string[]) => ({
  dependencies: ids.map(id => ({ issue_id: from, depends_on_id: id, type: 'discovered-from' })),
})
const rows = [
  leased(longId, mail, 3600, { status: 'waiting_for_review', title: '日本語の題名 '.repeat(9) }),
  open('b', {
    ...needs('b', longId, 'c'),
    title: 'A title that goes on for a while, and then some',
  }),
  open('c', { dependencies: [{ issue_id: 'c', depends_on_id: longId, type: 'blocks' }] }),
  leased('d', 'me', -60),
]

const write = (...args: string[]) => expect(premath(args).status).toBe(0)

function steps(): void {
  for (const [at, resultClass] of ['completed', 'a_rather_long_failure_class'].entries()) {
    write(
      ...['harness-trajectory', 'append', '--step-id', `worker-1.${longId}.${at}`],
      ...['--action', 'worker.loop', '--result-class', resultClass],
      ...['--finished-at', '2026-02-22T00:01:00Z'],
    )
  }
}

function features(): void {
  const [id, summary] = ['feature-of-some-length', 'What it is for, in a sentence or so']
  write(
    ...['harness-feature', 'write', '--feature-id', id, '--status', 'in_progress'],
    ...['--summary', summary, '--issue-id', longId],
  )
}

const commands = [
  'status',
  'log',
  'issue list',
  'issue list --limit 1',
  'issue ready',
  'issue blocked',
  'issue lease-projection',
  'dep project',
  'dep tree',
  `dep tree ${longId} --reverse`,
  'harness-feature read',
  'harness-trajectory query --cluster',
  'harness-trajectory query',
  'harness-kpi',
  'conformance run',
  'doctor',
]

const sentences = /^(harness-trajectory|harness-kpi|doctor)/

describe.each([20, 30, 40, 80])('a page of %i columns holds', columns => {
  test.each(commands)('premath %s', command => {
    given(...rows)
    features()
    steps()
    const { stdout } = premath(command.split(' '), { env: { COLUMNS: String(columns) } })
    expect(stdout).not.toBe('')
    // In sentences a word such as a path or a time stays whole, on a line of its own.
    const isWord = (line: string) => sentences.test(command) && /^ {2,}\S+$/.test(line)
    // A remedy is one line, because its commands are copied.
    const isRemedy = (line: string) => command === 'doctor' && line.includes('→')
    const lines = stdout.split('\n').filter(line => !isWord(line) && !isRemedy(line))
    expect(lines.filter(line => widthOf(line) > columns)).toEqual([])
  })
})

describe('a pipe without COLUMNS holds whole rows', () => {
  const tables = commands.filter(command => !sentences.test(command))
  test.each([...tables, 'harness-trajectory query'])('premath %s', command => {
    given(...rows)
    features()
    steps()
    const { stdout } = premath(command.split(' '))
    expect(stdout).not.toBe('')
    expect(stdout).not.toContain('…')
  })

  test('with every title and id', () => {
    given(...rows)
    const { stdout } = premath(['issue', 'list'])
    for (const { id, title } of rows) {
      expect(stdout).toMatch(new RegExp(`^${id} .* ${title.trim()}$`, 'm'))
    }
  })
})
