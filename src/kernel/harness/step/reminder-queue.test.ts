import { expect, test } from 'vitest'
import type { HandoffPacket } from '../../../wire/harness/handoff-packet.ts'
import { reminderQueue } from './reminder-queue.ts'

const packet: HandoffPacket = {
  schema: 1,
  packetKind: 'premath.harness.handoff_packet.v1',
  issueId: 'bd-1',
  stepId: 'w.bd-1.1.2',
  takenOverFrom: null,
  unfinished: null,
  tried: [
    {
      stepId: 'w.bd-1.1.1',
      workerId: 'w',
      attempt: 1,
      startedAt: null,
      finishedAt: '2026-02-22T12:00:00Z',
      resultClass: 'check_failed',
      failureClasses: ['check_failed'],
      summary: 'exit code 1',
      output: [],
    },
  ],
  comments: [{ author: 'Ana', createdAt: null, text: 'Mind the cache.\nMind the cache.' }],
  attention: ['w failed 3 times in a row. Fix the common cause.'],
  next: 'Find the cause.',
}

const linesOf = (queue: ReturnType<typeof reminderQueue>) =>
  queue.lines.map(({ source, text }) => `${source}: ${text}`)

test('[gate.3.reminder-queue] holds each line once: advice first, then output', () => {
  const queue = reminderQueue({ packet, feedback: 'It failed.\n\nno\nno\nFind the cause.\n' }, 200)
  expect(linesOf(queue)).toEqual([
    'handoff: Find the cause.',
    'attention: w failed 3 times in a row. Fix the common cause.',
    'handoff: Ana: Mind the cache.',
    'handoff: Mind the cache.',
    'handoff: w.bd-1.1.1: check_failed: exit code 1',
    'feedback: It failed.',
    'feedback: no',
  ])
  expect(queue).toMatchObject({ linesMax: 200, dropped: 0 })
})

test('[gate.3.reminder-queue] is capped, and says how many lines it dropped', () => {
  const queue = reminderQueue({ packet, feedback: 'one\ntwo\none' }, 2)
  expect(linesOf(queue)).toEqual([
    'handoff: Find the cause.',
    'attention: w failed 3 times in a row. Fix the common cause.',
  ])
  expect(queue.dropped).toBe(5)
})

test('is empty for an attempt that was given nothing', () => {
  expect(reminderQueue({}, 200)).toMatchObject({ lines: [], dropped: 0 })
})
