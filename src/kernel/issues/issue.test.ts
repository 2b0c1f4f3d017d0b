import { describe, expect, test } from 'vitest'
import { IssueRow } from '../../wire/issue/issue.ts'
import type { Members } from '../../wire/shape.ts'
import { BadRow, fenceOf, type Issue, printIssue, readIssueLine } from './issue.ts'

const read = (line: string) => readIssueLine(line) as Issue
const roundTrip = (line: string) => printIssue(read(line))

const least =
  '{"id":"bd-1","title":"T","status":"open","priority":2,"issue_type":"task","ephemeral":false}'

describe('a row', () => {
  test('gets default values, and its members in order', () => {
    expect(roundTrip('{"title":"T","id":"bd-1"}')).toBe(least)
    expect(roundTrip('{"title":"T","id":"bd-1","notes":"","labels":[],"lease":null}')).toBe(least)
  })

  test('with every member is read and printed byte for byte', () => {
    const line =
      '{"id":"bd-1","title":"T ä","description":"d","design":"e","acceptance_criteria":"c","notes":"n"' +
      ',"status":"odd","priority":-1,"issue_type":"epic","assignee":"a","owner":"o"' +
      ',"lease":{"lease_id":"l","owner":"a","acquired_at":"2026-01-01T00:00:00Z","expires_at":"2026-01-01T01:00:00.5001Z","renewed_at":"2026-01-01T00:10:00Z"}' +
      ',"created_at":"2026-01-01T00:00:00.123456789Z","updated_at":"2026-01-01T00:00:00Z","closed_at":"2026-01-01T00:00:00Z"' +
      ',"ephemeral":true,"mol_type":"m","labels":["x","y"]' +
      ',"dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-2","type":"blocks","created_by":"b"},{"issue_id":"bd-1","depends_on_id":"bd-0","type":"related"}]' +
      ',"metadata":{"a":1.0,"b":[12345678901234567890,-0,1e3],"premathFence":3},"custom":{"k":2.50},"__proto__":{"x":1}}'
    const canonical = line
      .replace('.5001Z', '.500100Z')
      .replace('-0,1e3', '-0.0,1000.0')
      .replace('2.50', '2.5')
    expect(roundTrip(line)).toBe(canonical)
    expect(fenceOf(read(line))).toBe(3)
  })

  test.each([
    ['" Epic\\t"', '"epic"'],
    ['"TASK"', '"task"'],
  ])('of the type %s is written %s', (given, written) => {
    expect(roundTrip(`{"id":"a","title":"","issue_type":${given}}`)).toContain(
      `"issue_type":${written}`,
    )
  })

  test('may say dep_type for the type of a dependency', () => {
    const edge = '{"issue_id":"a","depends_on_id":"b","dep_type":"waits-for"}'
    expect(read(`{"id":"a","title":"","dependencies":[${edge}]}`).dependencies).toEqual([
      { issue_id: 'a', depends_on_id: 'b', type: 'waits-for', created_by: '' },
    ])
  })

  test('keeps its times, and gets no new ones', () => {
    expect(read('{"id":"a","title":"T"}').created_at).toBeUndefined()
    expect(read('{"id":"a","title":"T","created_at":"2026-01-01T02:00:00+02:00"}').created_at).toBe(
      '2026-01-01T00:00:00Z',
    )
  })

  test.each([
    ['[]', 'must be an object'],
    ['{"title":"T"}', 'id must be text'],
    ['{"id":" ","title":"T"}', 'id must be text'],
    ['{"id":1,"title":"T"}', 'id must be text'],
    ['{"id":"a"}', 'title must be text'],
    ['{"id":"a","title":"T","status":null}', 'status must be text'],
    ['{"id":"a","title":"T","priority":1.5}', 'priority must be a whole number'],
    ['{"id":"a","title":"T","priority":2147483648}', 'priority must be a whole number'],
    ['{"id":"a","title":"T","issue_type":" "}', 'issue_type must be a word'],
    ['{"id":"a","title":"T","ephemeral":0}', 'ephemeral must be true or false'],
    ['{"id":"a","title":"T","labels":[1]}', 'labels must be a list of text'],
    ['{"id":"a","title":"T","lease":{}}', 'lease.lease_id must be text'],
    ['{"id":"a","title":"T","lease":1}', 'lease must be an object'],
    ['{"id":"a","title":"T","dependencies":{}}', 'dependencies must be a list'],
    ['{"id":"a","title":"T","dependencies":[1]}', 'dependencies: unknown type null'],
    ['{"id":"a","title":"T","updated_at":1}', 'updated_at must be an RFC 3339 time'],
  ])('%s is bad: %s', (line, why) => {
    expect(readIssueLine(line)).toEqual(new BadRow(why))
  })

  test('that is not JSON is bad, and the error names the place', () => {
    expect(readIssueLine('{"id":')).toBeInstanceOf(BadRow)
    expect(readIssueLine('')).toBeInstanceOf(BadRow)
  })
})

test('every member of the shape is read and printed, in the order of the shape', () => {
  const time = '2026-01-01T00:00:00Z'
  const given = {
    dependencies: [{ issue_id: 'a', depends_on_id: 'b', type: 'blocks', created_by: 'c' }],
    lease: { lease_id: 'l', owner: 'o', acquired_at: time, expires_at: time, renewed_at: time },
    labels: ['l'],
    metadata: { m: 1 },
    comments: [{ author: 'a', created_at: time, id: 1, issue_id: 'a', text: 't' }],
    priority: 1,
    issue_type: 'epic',
    ephemeral: true,
  }
  const members: Members = IssueRow.members
  const full = Object.keys(members)
    .toReversed()
    .map(name => {
      const member = members[name]
      const isTime = member?.is === 'text' && member.format === 'date-time'
      return [name, isTime ? time : name]
    })
  const row = JSON.parse(roundTrip(JSON.stringify({ ...Object.fromEntries(full), ...given })))
  expect(Object.keys(row)).toEqual(Object.keys(members))
  expect(row).toEqual({ ...Object.fromEntries(full), ...given })
  const { lease, dependencies } = IssueRow.members
  expect(Object.keys(row.lease)).toEqual(Object.keys(lease.members))
  expect(Object.keys(row.dependencies[0])).toEqual(Object.keys(dependencies.of.members))
})
