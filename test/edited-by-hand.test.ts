/** One file of a project, edited by hand or damaged: doctor reports it, and goes on to do so. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done } = project

const log = () => join(project.folder, '.premath/memory/events.jsonl')

function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8')
  const edited = text.replace(from, to)
  expect(edited).not.toBe(text)
  writeFileSync(path, edited)
}

const contradicts = {
  status: 5,
  json: { findings: [{ check: 'events', what: expect.stringContaining('to another memory') }] },
}

test.each([
  ['the last row', () => edit(project.issues, '"title":"two"', '"title":"TWO"')],
  ['another row', () => edit(project.issues, '"title":"one"', '"title":"ONE"')],
  ['the last event', () => edit(log(), /"title":"two"/g, '"title":"TWO"')],
])('[memory.8.log] %s and the log disagree before and after the next change', (_, damage) => {
  for (const title of ['one', 'two']) done('issue', 'add', title)
  damage()
  expect(asked(['doctor'])).toMatchObject(contradicts)
  const added = asked(['issue', 'add', 'three'])
  expect(added.status).toBe(0)
  expect(asked(['doctor'])).toMatchObject(contradicts)
  expect(asked(['issue', 'add', 'four']).status).toBe(0)
  // As doctor says: the rows are right.
  expect(asked(['issue', 'migrate-events']).status).toBe(0)
  expect(done('doctor').findings).toEqual([])
  done('issue', 'add', 'five')
  expect(done('doctor').findings).toEqual([])
})

test('[memory.8.mark] a mark whose rows are in another order takes no change back', () => {
  done('issue', 'add', 'one')
  done('issue', 'update', 'bd-1', '--title', 'ONE')
  const folder = join(project.folders, 'state/premath/memory')
  const marks = readdirSync(folder).map(name => join(folder, name, 'rows.jsonl'))
  const mark = marks.find(path => readFileSync(path, 'utf8').includes('ONE')) ?? ''
  const lines = readFileSync(mark, 'utf8').trimEnd().split('\n')
  writeFileSync(mark, `${lines.reverse().join('\n')}\n`)
  // Another file at this path, so that all rows are compared.
  const rows = readFileSync(project.issues)
  rmSync(project.issues)
  writeFileSync(project.issues, rows)
  const titles = () => done('issue', 'list').items.map(({ title }: { title: string }) => title)
  expect(titles()).toEqual(['ONE'])
  done('issue', 'add', 'two')
  expect(titles()).toEqual(['ONE', 'two'])
  expect(done('doctor').findings).toEqual([])
})

test('[memory.8.log] a row that another tool wrote later is taken over by the log', () => {
  done('issue', 'add', 'one')
  const row = JSON.parse(readFileSync(project.issues, 'utf8'))
  const later = { ...row, title: 'ONE', updated_at: new Date(Date.now() + 1000).toISOString() }
  writeFileSync(project.issues, `${JSON.stringify(later)}\n`)
  done('issue', 'add', 'two')
  expect(done('doctor').findings).toEqual([])
})

test('[memory.8.witnesses] a damaged witness is reported until it is gone', () => {
  done('issue', 'add', 'one')
  const step = ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -d .premath']
  expect(asked(step).status).toBe(0)
  const folder = join(project.folder, 'artifacts/ciwitness/join')
  const [name = ''] = readdirSync(folder).filter(one => one.endsWith('.json'))
  expect(done('doctor').findings).toEqual([])
  edit(join(folder, name), '1', '2')
  const found = {
    status: 5,
    json: { findings: [{ check: 'witnesses', what: expect.stringContaining(name) }] },
  }
  expect(asked(['doctor'])).toMatchObject(found)
  done('issue', 'add', 'two')
  expect(asked(['doctor'])).toMatchObject(found)
})
