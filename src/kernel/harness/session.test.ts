import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Session, sessionStates } from '../../wire/harness/session.ts'
import { documentOf } from '../artifact/print.ts'
import { parseJson } from '../json.ts'
import { instantOf } from '../timestamp.ts'
import {
  newSessionId,
  printSession,
  readSession,
  type SessionWrite,
  writeSession,
} from './session.ts'

const at = (time: string) => instantOf(time) ?? 0n
const now = at('2026-02-22T00:00:00Z')
const later = at('2026-02-22T01:02:03.9Z')

const stopped: SessionWrite = {
  state: 'stopped',
  issuesPath: '.premath/issues.jsonl',
  issuesSnapshotRef: undefined,
}
const write = (change: Partial<SessionWrite> = {}): SessionWrite => ({ ...stopped, ...change })

const read = (text: string) => readSession(parseJson(text), 's.json')

describe('a new session is named by its second and its issue', () => {
  test.each([
    [undefined, 'hs1_20260222T000000Z'],
    ['bd-1', 'hs1_20260222T000000Z_bd-1'],
    ['BD 1/é', 'hs1_20260222T000000Z_bd_1'],
    ['a/😀/b', 'hs1_20260222T000000Z_a___b'],
    ['İ_x-Y_', 'hs1_20260222T000000Z_x-y'],
    ['__', 'hs1_20260222T000000Z_session'],
  ])('%j: %s', (issueId, id) => {
    expect(newSessionId(issueId, now)).toBe(id)
  })

  test('without the fraction of the second', () => {
    expect(newSessionId(undefined, now + 999_999_999n)).toBe('hs1_20260222T000000Z')
  })
})

test('[runtime.4.session-fields] a session has its kind, its id, its state and its times', () => {
  expect(documentOf(Session, writeSession(undefined, write(), now))).toEqual({
    schema: 1,
    sessionKind: 'premath.harness.session.v1',
    sessionId: 'hs1_20260222T000000Z',
    state: 'stopped',
    startedAt: '2026-02-22T00:00:00Z',
    updatedAt: '2026-02-22T00:00:00Z',
    stoppedAt: '2026-02-22T00:00:00Z',
    issuesPath: '.premath/issues.jsonl',
  })
})

test('[runtime.4.optional-fields] optional members stand in one order, and empty ones are left out', () => {
  const full = write({
    issueId: 'bd-1',
    summary: 's',
    nextStep: 'n',
    instructionRefs: ['i'],
    witnessRefs: ['w'],
    lineageRefs: ['l'],
    issuesSnapshotRef: 'iss1_x',
  })
  expect(Object.keys(documentOf(Session, writeSession(undefined, full, now)))).toEqual([
    'schema',
    'sessionKind',
    'sessionId',
    'state',
    'issueId',
    'summary',
    'nextStep',
    'instructionRefs',
    'witnessRefs',
    'lineageRefs',
    'startedAt',
    'updatedAt',
    'stoppedAt',
    'issuesPath',
    'issuesSnapshotRef',
  ])
  expect(printSession(writeSession(undefined, write({ issuesPath: ' ' }), now))).toContain(
    '"issuesPath": ""\n}\n',
  )
})

describe('a session that is changed in place', () => {
  const before = writeSession(undefined, write({ issueId: 'bd-1', summary: 'began' }), now)

  test('[runtime.4.keeps-id] keeps its id, unless another one is given', () => {
    expect(writeSession(before, write({ issueId: 'bd-2' }), later).sessionId).toBe(before.sessionId)
    expect(writeSession(before, write({ sessionId: '  ' }), later).sessionId).toBe(before.sessionId)
    expect(writeSession(before, write({ sessionId: ' mine ' }), later).sessionId).toBe('mine')
  })

  test('[runtime.4.keeps-start] keeps its start and renews its update, to the second', () => {
    const after = writeSession(before, write(), later)
    expect([after.startedAt, after.updatedAt, after.stoppedAt]).toEqual([
      '2026-02-22T00:00:00Z',
      '2026-02-22T01:02:03Z',
      '2026-02-22T01:02:03Z',
    ])
  })

  test('[tusk.11.stopped-at] has a stop time exactly when it is stopped', () => {
    expect(writeSession(before, write({ state: 'active' }), later).stoppedAt).toBeUndefined()
    expect(writeSession(before, write(), later).stoppedAt).toBe('2026-02-22T01:02:03Z')
  })

  test('keeps members that are not named, and clears blank ones', () => {
    expect(writeSession(before, write(), later).summary).toBe('began')
    expect(writeSession(before, write({ summary: ' \u3000' }), later).summary).toBeUndefined()
    expect(writeSession(before, write({ issueId: '' }), later).issueId).toBeUndefined()
  })

  test('keeps members it does not know, to the digit', () => {
    const text = printSession(before).replace('\n}', ',\n  "theirs": {\n    "n": 1.0\n  }\n}')
    const after = writeSession(read(text), write(), later)
    expect(printSession(after)).toMatch(/,\n {2}"theirs": {\n {4}"n": 1\.0\n {2}}\n}\n$/)
  })
})

describe('refs', () => {
  const given = write({
    issueId: 'bd-1',
    instructionRefs: ['b', ' a ', 'a', ''],
    witnessRefs: ['w'],
    lineageRefs: ['ctx://issue/bd-1/x'],
  })
  const before = writeSession(undefined, given, now)

  test('[runtime.4.refs-normal] are trimmed, sorted and unique', () => {
    expect(before.instructionRefs).toEqual(['a', 'b'])
  })

  test('stay when they are not named', () => {
    expect(writeSession(before, write(), later)).toMatchObject({
      instructionRefs: ['a', 'b'],
      witnessRefs: ['w'],
      lineageRefs: ['ctx://issue/bd-1/x'],
    })
  })

  test('are cleared by a blank one', () => {
    expect(writeSession(before, write({ witnessRefs: [''] }), later).witnessRefs).toEqual([])
  })

  test('are not carried to another issue, nor past the end of one', () => {
    for (const issueId of ['bd-2', '']) {
      const after = writeSession(before, write({ issueId, witnessRefs: ['new'] }), later)
      expect([after.instructionRefs, after.witnessRefs, after.lineageRefs]).toEqual([
        [],
        ['new'],
        [],
      ])
    }
  })

  test('from before any issue are kept for the first one', () => {
    const none = writeSession(undefined, write({ witnessRefs: ['w'] }), now)
    expect(writeSession(none, write({ issueId: 'bd-1' }), later).witnessRefs).toEqual(['w'])
  })
})

describe('a session of another tool', () => {
  const head =
    '"schema":1,"sessionKind":"premath.harness.session.v1","sessionId":" x ","state":"active"'
  const times = '"startedAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T01:00:00.5+01:00"'

  test('[runtime.4.blank-absent] is read with blanks and nulls as absent, and its refs in normal form', () => {
    const session = read(
      `{${head},${times},"issueId":null,"summary":" ","witnessRefs":["b","a"," a"]}`,
    )
    expect([session.issueId, session.summary]).toEqual([undefined, undefined])
    expect(session).toMatchObject({
      sessionId: 'x',
      witnessRefs: ['a', 'b'],
      updatedAt: '2026-01-01T01:00:00.5+01:00',
    })
  })

  test.each([
    ['startedAt is missing', `{${head},"updatedAt":"2026-01-01T00:00:00Z"}`],
    ['updatedAt must be an RFC 3339 time', `{${head},${times.replace('01:00"', '01"')}}`],
    [
      'stoppedAt must be an RFC 3339 time, not "yesterday"',
      `{${head},${times},"stoppedAt":"yesterday"}`,
    ],
    ['summary must be text', `{${head},${times},"summary":1}`],
    ['lineageRefs must be a list of text', `{${head},${times},"lineageRefs":["a",null]}`],
  ])('[runtime.4.session-fields] is refused when %s', (why, text) => {
    expect(() => read(text)).toThrow(`the harness session s.json is not valid: ${why}`)
  })
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  // Truncated program output contains half surrogate pairs.
  fc.string({ unit: fc.constantFrom(' ', 'a', '\u0085', '\ud83d', '\ude00', '\u0000', 'é') }),
)
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined })
const anyWrite: fc.Arbitrary<SessionWrite> = fc.record({
  sessionId: maybe(text),
  state: fc.constantFrom(...sessionStates),
  issueId: maybe(fc.oneof(text, fc.constantFrom('bd-1', 'bd-2'))),
  summary: maybe(text),
  nextStep: maybe(text),
  instructionRefs: maybe(fc.array(text)),
  witnessRefs: maybe(fc.array(text)),
  lineageRefs: maybe(fc.array(text)),
  issuesPath: text,
  issuesSnapshotRef: maybe(fc.constant('iss1_x')),
})

test('any written session is read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(anyWrite, { minLength: 1, maxLength: 4 }), writes => {
      let session = writeSession(undefined, write(), now)
      for (const one of writes) session = writeSession(session, one, later)
      expect(read(printSession(session))).toEqual(session)
    }),
  )
})

test('writing the same again changes nothing', () => {
  fc.assert(
    fc.property(anyWrite, anyWrite, (first, second) => {
      const once = writeSession(writeSession(undefined, first, now), second, later)
      expect(writeSession(once, second, later)).toEqual(once)
    }),
  )
})
