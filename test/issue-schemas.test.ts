/** What the commands write is what the published schemas say. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { IssueRow } from '../src/wire/issue/issue.ts'
import { IssueEvent } from '../src/wire/issue/issue-event.ts'
import { MutationPolicy } from '../src/wire/policy/mutation-policy.ts'
import { aProject } from './a-project.ts'

const project = aProject()

const lines = (path: string) =>
  readFileSync(join(project.folder, path), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

test('rows, events and policy comply with their schemas', () => {
  for (const args of [
    ['init'],
    ['issue', 'add', 'First', '--label', 'a', '--spec', 's.md', '--notes', 'n', '--type', 'epic'],
    ['issue', 'add', 'Second'],
    ['dep', 'add', 'bd-2', 'bd-1', '--created-by', 'me'],
    ['issue', 'claim', 'bd-1', '--assignee', 'me'],
    [
      'issue',
      'lease-renew',
      'bd-1',
      '--assignee',
      'me',
      '--lease-id',
      'lease1_bd-1_me',
      '--fence',
      '1',
    ],
    ['issue', 'lease-release', 'bd-1', '--lease-id', 'lease1_bd-1_me', '--fence', '1'],
    ['issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'done'],
    ['dep', 'remove', 'bd-2', 'bd-1'],
  ]) {
    expect({ args, ...project.premath(args) }).toMatchObject({ status: 0 })
  }
  const rows = lines('.premath/issues.jsonl')
  const events = lines('.premath/memory/events.jsonl')
  expect(rows.length).toBeGreaterThan(7)
  for (const row of rows) mustMatchShape(IssueRow, row)
  for (const event of events) mustMatchShape(IssueEvent, event)
  expect([...new Set(events.map(({ action }) => action))].toSorted()).toEqual([
    'add_dependency',
    'claim_issue',
    'release_lease',
    'remove_dependency',
    'renew_lease',
    'set_status',
    'upsert_issue',
  ])
  mustMatchShape(
    MutationPolicy,
    JSON.parse(readFileSync(join(project.folder, '.premath/policy.json'), 'utf8')),
  )
})
