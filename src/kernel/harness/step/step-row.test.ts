import { describe, expect, test } from 'vitest'
import { BadStepRow, printStepRow, readStepLine, readStepRow } from './step-row.ts'

const least = {
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: 's1',
  action: 'worker.loop',
  resultClass: 'completed',
  finishedAt: '2026-02-22T00:01:00Z',
} as const

const turn = {
  callSpecDigest: 'sha256:a',
  useSetDigest: 'sha256:b',
  joinSetDigest: 'sha256:c',
  joinClosed: false,
  mutationReady: false,
  failureClasses: ['tool.result_missing'],
}
const command = {
  role: 'work',
  commandDigest: 'sha256:a',
  exitCode: null,
  signal: 'SIGKILL',
  durationMs: 12,
  outputDigest: 'sha256:b',
} as const

const printed = (raw: object) => {
  const row = readStepRow(raw as never)
  if (row instanceof BadStepRow) throw new Error(row.why)
  return printStepRow(row)
}

describe('a row', () => {
  test('is printed in the order of earlier tools, without empty members', () => {
    const { finishedAt, ...rest } = least
    const row = { ...rest, issueId: 'bd-child', witnessRefs: ['b', 'a'], lineageRefs: ['ctx://x'] }
    expect(printed({ finishedAt, startedAt: '2026-02-22T00:00:30Z', nextStep: ' ', ...row })).toBe(
      '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"s1","issueId":"bd-child","action":"worker.loop","resultClass":"completed","witnessRefs":["a","b"],"lineageRefs":["ctx://x"],"startedAt":"2026-02-22T00:00:30Z","finishedAt":"2026-02-22T00:01:00Z"}',
    )
  })

  test('has its refs trimmed, sorted and each once, and empty values dropped [tusk.12.normal-form]', () => {
    const refs = [' b ', 'a', '', 'b', '\u{1f600}', '\uffff']
    const row = {
      ...least,
      issueId: ' ',
      stepId: ' s1 ',
      witnessRefs: refs,
      instructionRefs: [' '],
    }
    expect(readStepRow(row)).toEqual({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: 's1',
      action: 'worker.loop',
      resultClass: 'completed',
      instructionRefs: [],
      witnessRefs: ['a', 'b', '\uffff', '\u{1f600}'],
      lineageRefs: [],
      finishedAt: '2026-02-22T00:01:00Z',
    })
  })

  test('keeps the members of a step and of newer tools [tusk.6.typed-metadata]', () => {
    const row = {
      ...least,
      workerId: 'w.1',
      attempt: 2,
      durationMs: 40,
      nextStep: 'retry',
      commands: [command],
      turn,
      newer: { deep: [1] },
    }
    expect(JSON.parse(printed(row))).toEqual(row)
  })
})

describe('a row is refused for its first flaw', () => {
  test.each([
    ['it must be an object', []],
    [
      'schema is 2, written by a newer premath; this one reads 1',
      { ...least, schema: 2, stepId: '' },
    ],
    ['schema is missing', {}],
    [
      'stepKind must be "premath.harness.step.v1", not "x"',
      { ...least, stepKind: 'x', stepId: '' },
    ],
    ['stepId must not be blank', { ...least, stepId: ' ', action: '' }],
    ['stepId must be text', { ...least, stepId: 5 }],
    ['action must not be blank', { ...least, action: '', resultClass: '' }],
    ['resultClass is missing', { ...least, resultClass: undefined }],
    ['witnessRefs must be a list of text', { ...least, witnessRefs: [1] }],
    ['finishedAt is missing', { ...least, finishedAt: null }],
    ['attempt must be a whole number from 1', { ...least, attempt: 0 }],
    ['durationMs must be a whole number from 0', { ...least, durationMs: 0.5 }],
    ['turn.failureClasses must be a list', { ...least, turn: { ...turn, failureClasses: 'x' } }],
    [
      'commands[0].role must be one of startup, before, work, verify, transport, land, not "x"',
      { ...least, commands: [{ ...command, role: 'x' }] },
    ],
  ])('%s [runtime.6.row-members]', (why, raw) => {
    expect(readStepRow(raw as never)).toEqual(new BadStepRow(why))
  })

  test.each([
    ['finishedAt must be an RFC 3339 time, not "yesterday"', { ...least, finishedAt: 'yesterday' }],
    [
      'finishedAt must be an RFC 3339 time, not "2026-02-30T00:00:00Z"',
      { ...least, finishedAt: '2026-02-30T00:00:00Z' },
    ],
    ['startedAt must be an RFC 3339 time, not "12:00"', { ...least, startedAt: '12:00' }],
  ])('%s [tusk.12.bad-times]', (why, raw) => {
    expect(readStepRow(raw as never)).toEqual(new BadStepRow(why))
  })

  test('the reason stays short, however long the quoted value', () => {
    const row = readStepRow({ ...least, finishedAt: 'x'.repeat(100_000) })
    expect(row instanceof BadStepRow && row.why.length).toBeLessThan(300)
  })

  test('a line that nests too deeply is not a row', () => {
    const deep = `${JSON.stringify(least).slice(0, -1)},"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    expect(readStepLine(deep, 1)).toEqual(new BadStepRow('nested deeper than 127'))
  })

  test('a line that is not JSON is reported with its place', () => {
    expect(readStepLine('{"schema":1,"stepI', 7)).toMatchObject({
      why: expect.stringMatching(/^not readable as JSON: .* line 7, column \d+$/),
    })
  })
})
