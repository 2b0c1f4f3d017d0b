import { expect, test } from 'vitest'
import { repeatedAttention } from '../../kernel/harness/run/run-attention.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { LineLog } from '../../store/line-log.ts'
import { SimDisk, type SimDiskSetup } from '../../testing/sim-disk.ts'
import { Attention } from './attention.ts'

const path = '/p/.premath/harness_attention.jsonl'
const clock = {
  now: () => 1_800_000_000_000_000_000n,
  steady: () => 1_800_000_000_000_000_000n,
  sleep: async () => {},
}

function attentionOn(setup: SimDiskSetup = {}) {
  const disk = new SimDisk(setup)
  const events: RunEvent[] = []
  const attention = new Attention(new LineLog(disk, path), clock, 'run1_0', event =>
    events.push(event),
  )
  const rows = () =>
    new TextDecoder()
      .decode(disk.contents().get(path))
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  return { attention, events, rows }
}

const matter = (issueId: string) => repeatedAttention('w', issueId, 'check_failed')

test('the same matter is one event and one row, however often it comes', async () => {
  const { attention, events, rows } = attentionOn()
  for (const issueId of ['bd-1', 'bd-1', 'bd-2', 'bd-1']) attention.call(matter(issueId))
  await attention.settle()
  expect(attention.count).toBe(2)
  expect(events).toEqual([
    { event: 'attention', ...matter('bd-1') },
    { event: 'attention', ...matter('bd-2') },
  ])
  expect(rows()).toEqual([
    {
      schema: 1,
      attentionKind: 'premath.harness.attention.v1',
      at: '2027-01-15T08:00:00Z',
      runId: 'run1_0',
      ...matter('bd-1'),
    },
    expect.objectContaining({ issueId: 'bd-2' }),
  ])
})

test('a failed row is reported at the end, and the other rows are written', async () => {
  let failures = 1
  const { attention, events, rows } = attentionOn({
    chance: () => 0,
    fault: (_call, what) => (what === 'write' && failures-- > 0 ? 'ENOSPC' : undefined),
  })
  attention.call(matter('bd-1'))
  attention.call(matter('bd-2'))
  expect(events).toHaveLength(2)
  await expect(attention.settle()).rejects.toMatchObject({ code: 'unavailable' })
  expect(rows()).toEqual([expect.objectContaining({ issueId: 'bd-2' })])
})
