import { describe, expect, test } from 'vitest'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { handoffPacket, type PacketFacts } from './handoff-packet.ts'
import { failureClassesIn } from './step/step-row.ts'

const row = (more: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: 'ann.bd-1.1.1',
  action: 'harness.step',
  resultClass: 'check_failed',
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt: '2026-02-22T12:00:00Z',
  failureClasses: ['check_failed'],
  summary: 'the work exited with exit code 1',
  ...more,
})

const facts = (more: Partial<PacketFacts> = {}): PacketFacts => ({
  issueId: 'bd-1',
  stepId: 'w.bd-1.2.1',
  tried: [],
  takenOverFrom: undefined,
  unfinished: undefined,
  feedback: undefined,
  comments: [],
  attention: [],
  ...more,
})

const tried = { row: row({ workerId: 'ann', attempt: 1 }), output: ['a/work.stderr'] }

describe('a packet', () => {
  test('names the attempt, its result and the path of its output', () => {
    expect(handoffPacket(facts({ tried: [tried] }))).toEqual({
      schema: 1,
      packetKind: 'premath.harness.handoff_packet.v1',
      issueId: 'bd-1',
      stepId: 'w.bd-1.2.1',
      takenOverFrom: null,
      unfinished: null,
      tried: [
        {
          stepId: 'ann.bd-1.1.1',
          workerId: 'ann',
          attempt: 1,
          startedAt: null,
          finishedAt: '2026-02-22T12:00:00Z',
          resultClass: 'check_failed',
          failureClasses: ['check_failed'],
          summary: 'the work exited with exit code 1',
          output: ['a/work.stderr'],
        },
      ],
      next: 'The last attempt ended as check_failed, and its output is in a/work.stderr. Find the cause before you try the same again.',
    })
  })

  test('names the worker that stopped answering, and its step', () => {
    const unfinished = {
      stepId: 'bob.bd-1.1.1',
      workerId: 'bob',
      startedAt: '2026-02-22T11:00:00Z',
      output: ['a/work.stdout'],
    }
    const packet = handoffPacket(facts({ takenOverFrom: 'bob', unfinished }))
    expect(packet).toMatchObject({ takenOverFrom: 'bob', unfinished })
    expect(packet['next']).toBe(
      'The lease of bob expired, and its work may be half done: check the tree before you continue. Start with premath issue show bd-1.',
    )
  })

  test('does not grow with the name of the worker', () => {
    const takenOverFrom = 'x'.repeat(10_000)
    expect(String(handoffPacket(facts({ takenOverFrom }))['next']).length).toBeLessThan(300)
  })

  test('names the last attempt, and not the handoff after it', () => {
    const stop = row({ stepId: 'ann.stop.1', action: 'harness.stop', resultClass: 'ok' })
    const packet = handoffPacket(facts({ tried: [{ row: stop, output: [] }, tried] }))
    expect(packet['next']).toContain('The last attempt ended as check_failed')
    expect(packet['tried']).toHaveLength(2)
  })

  test('has the last comments on the issue, and no more of each than an agent can read', () => {
    const comments = Array.from({ length: 7 }, (_, at) => ({
      author: 'ana',
      createdAt: at === 6 ? undefined : '2026-02-22T12:00:00Z',
      text: `${at} ${'x'.repeat(5_000)}`,
      id: at,
    }))
    const said = handoffPacket(facts({ tried: [tried], comments })).comments
    expect(said?.map(({ text }) => text.slice(0, 1))).toEqual(['2', '3', '4', '5', '6'])
    expect(said?.map(({ text }) => text.length)).toEqual(Array(5).fill(2_001))
    expect(said?.at(-1)).toMatchObject({ author: 'ana', createdAt: null })
  })

  test('of an attempt without output names no output file', () => {
    expect(handoffPacket(facts({ tried: [{ row: row(), output: [] }] }))['next']).toBe(
      'The last attempt ended as check_failed. Find the cause before you try the same again.',
    )
  })
})

describe('the classes of a row', () => {
  test.each([
    [{ failureClasses: undefined }, []],
    [{ failureClasses: 'check_failed' }, []],
    [{ failureClasses: ['a', 1, null, 'b'] }, ['a', 'b']],
  ])('of %j are %j', (names, classes) => {
    expect(failureClassesIn(row(names))).toEqual(classes)
  })
})
