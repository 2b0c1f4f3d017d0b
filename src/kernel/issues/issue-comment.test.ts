import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closing } from '../../../test/a-close.ts'
import { instantOf, seconds } from '../timestamp.ts'
import { eventsOf } from './events/issue-event.ts'
import { printEvent, readEventLine } from './events/issue-event-line.ts'
import { replayEvents } from './events/issue-replay.ts'
import { BadRow, type Issue, printIssue, readIssueLine } from './issue.ts'
import { decideChange, type IssueChange } from './issue-change.ts'
import { commentsOf, newCommentId, withoutComments } from './issue-comment.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const start = instantOf('2026-02-22T00:00:00Z') ?? 0n

/** A memory with one row, and the events of its changes. */
function memoryWith(line: string) {
  const memory = new IssueMemory()
  const first = readIssueLine(line) as Issue
  memory.put(first)
  const log = [...eventsOf(undefined, first)]
  let now = start
  const change = (asked: IssueChange) => {
    now += seconds(1)
    const outcome = decideChange(memory, asked, { now, newId: () => 'x' })
    if (isRefusal(outcome)) return outcome.failureClass
    for (const row of outcome.rows) {
      expect(readIssueLine(printIssue(row))).toEqual(row)
      log.push(...eventsOf(memory.get(row.id), row))
      memory.put(row)
    }
    return outcome.issue as Issue
  }
  return { memory, log, change, row: () => memory.get('bd-1') as Issue }
}

const comment = (text: string, more: { author?: string; id?: number } = {}): IssueChange => ({
  action: 'issue.comment',
  id: 'bd-1',
  comment: { id: 7, author: 'ana', text, ...more },
})

const plain = '{"id":"bd-1","title":"T","status":"open"}'

describe('a comment', () => {
  test('is kept in the shape of beads, at the end of the row', () => {
    const { change, row } = memoryWith(plain)
    change(comment('It is the cookie.\n'))
    expect(printIssue(row())).toBe(
      '{"id":"bd-1","title":"T","status":"open","priority":2,"issue_type":"task"' +
        ',"created_at":"2026-02-22T00:00:01Z","updated_at":"2026-02-22T00:00:01Z","ephemeral":false' +
        ',"comments":[{"author":"ana","created_at":"2026-02-22T00:00:01Z","id":7,"issue_id":"bd-1","text":"It is the cookie."}]}',
    )
  })

  test('leaves comments and members of other tools as they are', () => {
    const others =
      '"close_reason":"moot","comments":[{"author":"bob","created_at":"2026-01-01T00:00:00+01:00","id":12345678901234567890,"text":"Old","z":1.0}],"due":2.50'
    const { change, row } = memoryWith(plain.replace('}', `,${others}}`))
    change(comment('New'))
    expect(printIssue(row())).toContain(
      others
        .replace('2.50', '2.5')
        .replace(
          '1.0}]',
          '1.0},{"author":"ana","created_at":"2026-02-22T00:00:01Z","id":7,"issue_id":"bd-1","text":"New"}]',
        ),
    )
    expect(commentsOf(row()).map(({ text }) => text)).toEqual(['Old', 'New'])
  })

  test('gets an id that no other comment of the issue has', () => {
    const { change, row } = memoryWith(plain)
    for (const text of ['a', 'b', 'c']) change(comment(text))
    expect(commentsOf(row()).map(({ id }) => id)).toEqual([7, 8, 9])
  })

  test('of blank text or author is refused', () => {
    const { change } = memoryWith(plain)
    expect(change(comment(' \n'))).toBe('issue_comment_blank')
    expect(change(comment('x', { author: ' ' }))).toBe('issue_comment_blank')
  })

  test('on a missing issue is refused', () => {
    const { change } = memoryWith(plain)
    expect(change({ ...comment('x'), id: 'bd-9' } as IssueChange)).toBe('issue_not_found')
  })

  test('is refused where it would replace something that is no list', () => {
    const { change, row } = memoryWith(plain.replace('}', ',"comments":{"a":1}}'))
    expect(change(comment('x'))).toBe('issue_comments_invalid')
    expect(commentsOf(row())).toEqual([])
    expect(withoutComments(row().others)).toEqual({ comments: { a: 1 } })
  })

  test('needs no lease, and leaves the lease and its fence as they are', () => {
    const { change, row } = memoryWith(plain)
    change({ action: 'issue.claim', id: 'bd-1', claim: { assignee: 'worker' } })
    const { lease, metadata, status, assignee } = row()
    change(comment('How is it going?'))
    expect(row()).toMatchObject({ lease, metadata, status, assignee })
    expect(commentsOf(row())).toHaveLength(1)
  })

  test('on a closed issue leaves it closed, with its proof', () => {
    const { change, row } = memoryWith(plain)
    change(closing('bd-1'))
    const { status, closed_at, metadata } = row()
    change(comment('Thank you'))
    expect(row()).toMatchObject({ status, closed_at, metadata })
    expect(status).toBe('closed')
  })

  test('is in the event log, from which replay makes the same rows', () => {
    const { change, log, memory } = memoryWith(plain)
    change(comment('One'))
    change({ action: 'issue.update', id: 'bd-1', fields: { notes: 'n' }, proof: {} })
    change(comment('Two', { id: 3 }))
    const lines = log.map((event, at) => {
      const read = readEventLine(printEvent(event))
      if (read instanceof BadRow) throw new Error(read.why)
      return { event: read, line: at + 1 }
    })
    const replayed = replayEvents(lines) as IssueMemory
    expect(replayed.snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
    expect(commentsOf(replayed.get('bd-1') as Issue)).toHaveLength(2)
  })
})

test('comments are read whatever another tool put there', () => {
  const read = (comments: string) =>
    commentsOf(readIssueLine(plain.replace('}', `,"comments":${comments}}`)) as Issue)
  expect(read('null')).toEqual([])
  expect(read('"x"')).toEqual([])
  expect(read('[1,{"id":1},{"text":"a","author":5,"created_at":"soon","id":"u"}]')).toEqual([
    { author: '', createdAt: undefined, text: 'a', id: 'u' },
  ])
})

test('a row with comments and other unknown members keeps its bytes, and so its digest', () => {
  const line =
    '{"id":"bd-1","title":"T","status":"open","priority":2,"issue_type":"task","ephemeral":false' +
    ',"close_reason":"x","comments":[{"text":"b"},{"id":1,"text":"a"}],"after":[]}'
  expect(printIssue(readIssueLine(line) as Issue)).toBe(line)
})

test('a new id is a whole number that every JSON reader keeps exactly', () => {
  expect(newCommentId('0000000000000000')).toBe(1)
  expect(newCommentId('ffffffffffffffff')).toBe(2 ** 48)
  expect(String(2 ** 48).length).toBeLessThan(16)
})
