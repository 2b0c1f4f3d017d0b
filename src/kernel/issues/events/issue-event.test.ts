import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../../test/a-landing.ts'
import { IssueEvent as Line } from '../../../wire/issue/issue-event.ts'
import { BadRow, type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { dumpEvents, eventsOf, type IssueEvent, snapshotEvent } from './issue-event.ts'
import { printEvent, readEventLine } from './issue-event-line.ts'
import {
  BadEvent,
  eventStreamRef,
  eventsBetween,
  missingEvents,
  replayEvents,
  replayOf,
} from './issue-replay.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function issue(id: string, more: Partial<Issue> = {}): Issue {
  const row = readIssue({ id, title: `Issue ${id.slice(3)}`, created_at: at(0), updated_at: at(0) })
  if (row instanceof BadRow) throw new Error(row.why)
  return { ...row, ...more }
}

const edge = (from: string, to: string, created_by = '') =>
  ({ issue_id: from, depends_on_id: to, type: 'blocks', created_by }) as const

const lease = (owner: string, second: number, more: object = {}) => ({
  lease_id: `lease1_bd-1_${owner}`,
  owner,
  acquired_at: at(second),
  expires_at: at(second + 30),
  ...more,
})

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of issues) memory.put(row)
  return memory
}

const logOf = (events: readonly IssueEvent[]) =>
  events.map((event, index) => ({ event, line: index + 1 }))

/** The log as it is read back from its lines. */
function reread(events: readonly IssueEvent[]): readonly IssueEvent[] {
  return events.map(printEvent).map(text => {
    const event = readEventLine(text)
    if (event instanceof BadRow) throw new Error(event.why)
    return event
  })
}

function replayed(events: readonly IssueEvent[]): IssueMemory {
  const memory = replayEvents(logOf(reread(events)))
  if (memory instanceof BadEvent) throw new Error(memory.why)
  return memory
}

describe('a dump', () => {
  test('has the refs of the earlier implementation', () => {
    const memory = memoryOf(issue('bd-1'))
    expect(memory.snapshotRef(sha256)).toBe(
      'iss1_6fc8e972da36de0bad1f4ed36c3c58dae41fee452ece6e289907c422f5985150',
    )
    const events = dumpEvents(memory.all(), id => memory.has(id))
    expect(eventStreamRef(events, sha256)).toBe(
      'ev1_4f984a83670c806431d19dc06f675a085e0bcc24d7a9f27f99ea7a1cad6bcc98',
    )
    expect(events.map(printEvent)).toEqual([
      '{"schema":"issue.event.v1","event_id":"issue.upsert:bd-1","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"upsert_issue","issue":{"id":"bd-1","title":"Issue 1","status":"open","priority":2,"issue_type":"task","created_at":"2026-02-22T00:00:00Z","updated_at":"2026-02-22T00:00:00Z","ephemeral":false}}',
    ])
  })

  test('of an empty memory is empty', () => {
    const memory = new IssueMemory()
    expect(memory.snapshotRef(sha256)).toMatch(/^iss1_e3b0c442/)
    expect(
      eventStreamRef(
        dumpEvents([], () => false),
        sha256,
      ),
    ).toMatch(/^ev1_e3b0c442/)
  })

  test('names each issue and then its edges in order, without a time in the ids', () => {
    const memory = memoryOf(
      issue('bd-2', { dependencies: [edge('bd-2', 'bd-3', 'ann'), edge('bd-2', 'bd-1')] }),
      issue('bd-1'),
      issue('bd-3'),
    )
    const events = dumpEvents(memory.all(), id => memory.has(id))
    expect(events.map(event => event.event_id)).toEqual([
      'issue.upsert:bd-1',
      'issue.upsert:bd-2',
      'issue.add_dependency:bd-2:bd-1:blocks',
      'issue.add_dependency:bd-2:bd-3:blocks',
      'issue.upsert:bd-3',
    ])
    expect(printEvent(events[3] as IssueEvent)).toBe(
      '{"schema":"issue.event.v1","event_id":"issue.add_dependency:bd-2:bd-3:blocks","issue_id":"bd-2","occurred_at":"2026-02-22T00:00:00Z","action":"add_dependency","depends_on_id":"bd-3","type":"blocks","created_by":"ann"}',
    )
    expect(replayed(events).snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
  })
})

describe('a change is an event', () => {
  const actions = (before: Issue | undefined, after: Issue) =>
    eventsOf(before, after).map(({ action }) => action)

  test.each<[string, Issue | undefined, Issue, string[]]>([
    ['as an upsert when a row is new', undefined, issue('bd-1'), ['upsert_issue']],
    [
      'with its edges when the new row has some',
      undefined,
      issue('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
      ['add_dependency', 'upsert_issue'],
    ],
    [
      'as an edge that comes',
      issue('bd-1'),
      issue('bd-1', { dependencies: [edge('bd-1', 'bd-2')], updated_at: at(1) }),
      ['add_dependency', 'upsert_issue'],
    ],
    [
      'as an edge that goes',
      issue('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
      issue('bd-1', { updated_at: at(1) }),
      ['remove_dependency', 'upsert_issue'],
    ],
    [
      'as an edge that goes and comes when somebody else made it',
      issue('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'ann')] }),
      issue('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'bob')], updated_at: at(1) }),
      ['remove_dependency', 'add_dependency', 'upsert_issue'],
    ],
    [
      'as a claim',
      issue('bd-1'),
      issue('bd-1', {
        status: 'in_progress',
        lease: lease('ann', 1),
        updated_at: at(1),
        metadata: { premathFence: 1 },
      }),
      ['set_status', 'claim_issue', 'upsert_issue'],
    ],
    [
      'as a renewal',
      issue('bd-1', { status: 'in_progress', lease: lease('ann', 1) }),
      issue('bd-1', {
        status: 'in_progress',
        lease: lease('ann', 1, { expires_at: at(50), renewed_at: at(9) }),
        updated_at: at(9),
      }),
      ['renew_lease', 'upsert_issue'],
    ],
    [
      'as a claim again when another acquisition took over',
      issue('bd-1', { lease: lease('ann', 1), metadata: { premathFence: 1 } }),
      issue('bd-1', { lease: lease('ann', 9), metadata: { premathFence: 2 }, updated_at: at(9) }),
      ['claim_issue', 'upsert_issue'],
    ],
    [
      'as a release, with the status it left',
      issue('bd-1', { status: 'in_progress', lease: lease('ann', 1) }),
      issue('bd-1', { updated_at: at(2) }),
      ['set_status', 'release_lease', 'upsert_issue'],
    ],
    [
      'as a row when a landing begins or is undone',
      issue('bd-1', { status: 'in_progress', lease: lease('ann', 1) }),
      issue('bd-1', {
        status: 'in_progress',
        lease: lease('ann', 1),
        updated_at: at(2),
        metadata: { premathLanding: aLanding },
      }),
      ['upsert_issue'],
    ],
    [
      'as a close and a release when a landing ends',
      issue('bd-1', {
        status: 'in_progress',
        lease: lease('ann', 1),
        metadata: { premathLanding: aLanding },
      }),
      issue('bd-1', {
        status: 'closed',
        closed_at: at(1),
        updated_at: at(2),
        metadata: { premathClose: aLanding.close },
      }),
      ['set_status', 'release_lease', 'upsert_issue'],
    ],
    ['not at all when nothing changed', issue('bd-1'), issue('bd-1'), []],
  ])('%s', (_, before, after, expected) => {
    expect(actions(before, after)).toEqual(expected)
  })

  test('with its author, its time, and an id that ends in the time', () => {
    const [event] = eventsOf(issue('bd-1'), issue('bd-1', { title: 'New', updated_at: at(1) }), {
      actor: 'ann',
    })
    expect(event).toMatchObject({
      event_id: 'issue.upsert:bd-1@2026-02-22T00:00:01Z',
      occurred_at: at(1),
      actor: 'ann',
    })
    expect(printEvent(event as IssueEvent)).toContain(
      '"occurred_at":"2026-02-22T00:00:01Z","actor":"ann","action":"upsert_issue"',
    )
  })

  test('without a time if the row has none', () => {
    const [event] = eventsOf(undefined, issue('bd-1', { updated_at: undefined }))
    expect(event?.occurred_at).toBe('1970-01-01T00:00:00Z')
    expect(replayed([event as IssueEvent]).get('bd-1')?.updated_at).toBeUndefined()
  })
})

test('a line lists the members in the order of the shape', () => {
  const before = issue('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'ann')] })
  const after = issue('bd-1', {
    status: 'in_progress',
    dependencies: [edge('bd-1', 'bd-3', 'ann')],
    lease: lease('ann', 1),
    metadata: { premathFence: 1 },
  })
  const events = eventsOf(before, after, { actor: 'ann', reason: 'why' })
  const shapes = new Map(Line.of.map(({ members }) => [members.action.value, members]))
  expect(events.map(event => Object.keys(JSON.parse(printEvent(event))))).toEqual(
    events.map(({ action }) => Object.keys(shapes.get(action) ?? {})),
  )
  expect(events.map(({ action }) => action)).toEqual([
    'remove_dependency',
    'add_dependency',
    'set_status',
    'claim_issue',
    'upsert_issue',
  ])
  expect(printEvent(events[3] as IssueEvent)).toBe(
    '{"schema":"issue.event.v1","event_id":"issue.claim_issue:bd-1@2026-02-22T00:00:00Z","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","actor":"ann","reason":"why","action":"claim_issue","lease_id":"lease1_bd-1_ann","owner":"ann","fence":1,"expires_at":"2026-02-22T00:00:31Z"}',
  )
})

describe('an event that reads back', () => {
  test('is the same', () => {
    const events = [
      ...eventsOf(
        issue('bd-1', { dependencies: [edge('bd-1', 'bd-2')], lease: lease('ann', 1) }),
        issue('bd-1', { status: 'closed', dependencies: [edge('bd-1', 'bd-3')] }),
        { actor: 'ann' },
      ),
      ...eventsBetween(memoryOf(issue('bd-1')), memoryOf()),
      snapshotEvent(issue('bd-1')),
    ]
    expect(new Set(events.map(({ action }) => action)).size).toBe(6)
    expect(reread(events)).toEqual(events)
  })

  test.each([
    ['{"schema":"issue.event.v2"}', 'the schema is "issue.event.v2", not issue.event.v1'],
    ['{"event_id":1}', 'event_id must be text'],
    ['{"event_id":"e","issue_id":null}', 'issue_id must be text'],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"now"}',
      'occurred_at must be an RFC 3339 time',
    ],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"close"}',
      'unknown action "close"',
    ],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"upsert_issue","issue":{"id":"bd-2","title":""}}',
      'the event is about "bd-1", its issue is "bd-2"',
    ],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"upsert_issue","issue":{"id":"bd-1"}}',
      'issue: title must be text',
    ],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"add_dependency","depends_on_id":"bd-2","type":"likes"}',
      'unknown dependency type "likes"',
    ],
    [
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T00:00:00Z","action":"claim_issue","lease_id":"l","owner":"o","expires_at":"e"}',
      'fence must be a number',
    ],
    ['[]', 'must be an object'],
  ])('is none when it is %s', (text, why) => {
    expect(readEventLine(text)).toEqual(new BadRow(why))
  })

  test('may spell the type as earlier tools did', () => {
    const text =
      '{"event_id":"e","issue_id":"bd-1","occurred_at":"2026-02-22T01:00:00+01:00","action":"add_dependency","depends_on_id":"bd-2","dep_type":"blocks"}'
    expect(readEventLine(text)).toMatchObject({
      type: 'blocks',
      created_by: '',
      occurred_at: at(0),
    })
  })
})

describe('replay', () => {
  const upsert = (id: string, more?: Partial<Issue>) => eventsOf(undefined, issue(id, more))

  test('accepts an edge before its issues, and the first of two equal ones', () => {
    const [first] = upsert('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'ann')] })
    const [second] = upsert('bd-1', { dependencies: [edge('bd-1', 'bd-2', 'bob')] })
    const memory = replayed([first, second, ...upsert('bd-1'), ...upsert('bd-2')] as IssueEvent[])
    expect(memory.get('bd-1')?.dependencies).toEqual([edge('bd-1', 'bd-2', 'ann')])
  })

  test('names the line of an edge whose issue never appears', () => {
    const log = logOf([
      ...upsert('bd-2'),
      ...upsert('bd-1', { dependencies: [edge('bd-1', 'bd-9')] }),
    ])
    expect(replayEvents(log)).toEqual(new BadEvent(2, 'unresolved dependency: bd-1 blocks bd-9'))
  })

  test('drops an edge that was removed before its target appears', () => {
    const before = issue('bd-1', { dependencies: [edge('bd-1', 'bd-9')] })
    const events = [...eventsOf(undefined, before), ...eventsOf(before, issue('bd-1'))]
    expect(replayed(events).get('bd-1')?.dependencies).toEqual([])
  })
})

describe('a log with a hole', () => {
  test('is filled from the rows, which take precedence', () => {
    const [claimed] = eventsOf(undefined, issue('bd-1', { dependencies: [edge('bd-1', 'bd-9')] }))
    const log = logOf([claimed as IssueEvent, ...eventsOf(undefined, issue('bd-1'))])
    expect(replayEvents(log)).toBeInstanceOf(BadEvent)
    for (const dependencies of [[], [edge('bd-1', 'bd-9')]]) {
      const memory = memoryOf(issue('bd-1', { dependencies }))
      const whole = [...log.map(({ event }) => event), ...replayOf(log).missing(memory)]
      expect(replayed(whole).snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
    }
  })
})

describe('a log that lacks its end', () => {
  const first = issue('bd-1')
  const second = issue('bd-1', { title: 'Later', updated_at: at(1) })
  const third = issue('bd-2', { dependencies: [edge('bd-2', 'bd-1')], updated_at: at(2) })
  const log = [first, second, third].flatMap((row, index) =>
    eventsOf(index === 1 ? first : undefined, row),
  )

  test.each([
    ['nothing', 4, 0],
    ['the row whose edge alone was written', 3, 1],
    ['the last row', 2, 1],
    ['the last two rows', 1, 2],
  ])('lacks %s', (_, written, rows) => {
    const missing = missingEvents(log.slice(0, written), [first, second, third])
    expect(missing).toHaveLength(rows)
    const completed = [...log.slice(0, written), ...(missing ?? [])]
    expect(replayed(completed).snapshotRef(sha256)).toBe(
      memoryOf(second, third).snapshotRef(sha256),
    )
    expect(new Set(completed.map(event => event.event_id)).size).toBe(completed.length)
  })

  test.each<[string, readonly IssueEvent[], readonly Issue[]]>([
    ['there is no log', [], [first]],
    ['the row is not among the last ones', log, [second]],
  ])('cannot be completed from the ends if %s', (_, tail, rows) => {
    expect(missingEvents(tail, rows)).toBeUndefined()
  })

  test('gets an event for a row that lost its edges', () => {
    const bare = issue('bd-2', { updated_at: at(3) })
    const events = [...log, snapshotEvent(bare)]
    expect(replayed(events).get('bd-2')?.dependencies).toEqual([])
  })
})

const ids = ['bd-1', 'bd-2', 'bd-3', 'bd-4'] as const

/** Any row: edges that lead nowhere, twice or under another issue's name included. */
const anyIssue = (id: string, second: number): fc.Arbitrary<Issue> =>
  fc
    .record({
      title: fc.constantFrom('', 'A', 'B', '"\n\u2028'),
      status: fc.constantFrom('open', 'in_progress', 'closed', 'odd'),
      lease: fc.option(fc.constantFrom(lease('ann', 1), lease('bob', 2)), { nil: undefined }),
      metadata: fc.option(
        fc.constantFrom(
          { premathFence: 1 },
          { premathFence: 2 },
          { premathLanding: aLanding },
          'text',
        ),
        {
          nil: undefined,
        },
      ),
      labels: fc.subarray(['x', 'y']),
      dependencies: fc.array(
        fc.record({
          issue_id: fc.constantFrom(id, id, id, 'bd-other'),
          depends_on_id: fc.constantFrom(...ids, 'bd-nowhere'),
          type: fc.constantFrom('blocks', 'related'),
          created_by: fc.constantFrom('', 'ann'),
        }),
        { maxLength: 3 },
      ),
      updated_at: fc.constantFrom(at(second), at(0), undefined),
    })
    .map(more => issue(id, more))

const anyChanges = fc
  .array(fc.tuple(fc.constantFrom(...ids), fc.nat(59)), { maxLength: 12 })
  .chain(changes => fc.tuple(...changes.map(([id, second]) => anyIssue(id, second))))

describe('after any changes of memory', () => {
  test('replaying its events gives the same snapshot', () => {
    fc.assert(
      fc.property(anyChanges, changes => {
        const memory = new IssueMemory()
        const log: IssueEvent[] = []
        for (const row of changes) {
          const before = memory.get(row.id)
          memory.put(row)
          log.push(...eventsOf(before, row, { has: id => memory.has(id) }))
        }
        expect(replayed(log).snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
      }),
    )
  })

  test('a dump of it replays to the same snapshot', () => {
    fc.assert(
      fc.property(anyChanges, changes => {
        const memory = memoryOf(...changes)
        const dump = dumpEvents(memory.all(), id => memory.has(id))
        expect(replayed(dump).snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
      }),
    )
  })

  test('the events between two memories complete the log', () => {
    fc.assert(
      fc.property(anyChanges, anyChanges, (logged, rows) => {
        const [from, to] = [memoryOf(...logged), memoryOf(...rows)]
        const log = [...dumpEvents(from.all(), id => from.has(id)), ...eventsBetween(from, to)]
        expect(replayed(log).snapshotRef(sha256)).toBe(to.snapshotRef(sha256))
        expect(eventsBetween(replayed(log), to)).toEqual([])
      }),
    )
  })
})
