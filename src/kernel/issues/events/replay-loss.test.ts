import { describe, expect, test } from 'vitest'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { decideReplay, replayLoss } from './replay-loss.ts'

const early = '2026-02-22T00:00:00Z'
const late = '2026-02-22T00:00:00.000000001Z'

function memoryOf(rows: Readonly<Record<string, object>>): IssueMemory {
  const memory = new IssueMemory()
  for (const [id, row] of Object.entries(rows)) {
    memory.put(readIssue({ id, title: id, updated_at: early, ...row }) as Issue)
  }
  return memory
}

const ids = (issues: readonly Issue[]) => issues.map(({ id }) => id)

describe('a row is lost', () => {
  test('that the log does not know', () => {
    const { gone, older } = replayLoss(memoryOf({ a: {}, b: {} }), memoryOf({ b: {}, c: {} }))
    expect([ids(gone), ids(older)]).toEqual([['a'], []])
  })

  const fenced = (fence: number) => ({ metadata: { premathFence: fence } })
  test.each([
    ['unless it is the same', {}, {}, false],
    ['unless the log has a later one', { title: 'x' }, { updated_at: late }, false],
    ['whose log is earlier', { updated_at: late }, { title: 'x' }, true],
    ['of which nobody can say what is later', { title: 'x' }, { title: 'y' }, true],
    ['without a time', { updated_at: undefined, title: 'x' }, { updated_at: late }, true],
    ['whose fence would shrink', fenced(2), { updated_at: late, ...fenced(1) }, true],
  ])('%s', (_, mine, logged, isLost) => {
    const { gone, older } = replayLoss(memoryOf({ a: mine }), memoryOf({ a: logged }))
    expect([ids(gone), ids(older)]).toEqual([[], isLost ? ['a'] : []])
  })
})

test('only --force discards the rows', () => {
  const [memory, log] = [memoryOf({ a: {}, b: {} }), memoryOf({ b: {} })]
  const decide = (force: boolean) => decideReplay(memory, log, { force, now: 0n })
  expect(decide(false)).toMatchObject({ failureClass: 'replay_loses_rows' })
  expect(decide(true)).toEqual(log.all())
})
