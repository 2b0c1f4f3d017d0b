/** The event log under every disk fault. It may lack events, and the next change adds them. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closing } from '../../../test/a-close.ts'
import { callStep } from '../../../test/sim/seeded.ts'
import { Fault } from '../../fault.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { BadEvent, replayEvents } from '../../kernel/issues/events/issue-replay.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { SimCrash, SimDisk, type SimFault, simFaults } from '../../testing/sim-disk.ts'
import { readEventLines } from './event-lines.ts'
import { FileIssueStore } from './file-issue-store.ts'

const path = '/p/.premath/issues.jsonl'
const logPath = '/p/.premath/memory/events.jsonl'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })

/** Stands still now and then, as clocks do. */
function clockFrom(start: number) {
  let reading = start
  return { now: () => BigInt(1_800_000_000 + (reading++ >> 1)) * 1_000_000_000n }
}

const storeOn = (disk: SimDisk, clock = clockFrom(0)) =>
  new FileIssueStore({ path, disk, clock, lockWaitMs: 5 })

const add = (id: string): IssueChange => ({ action: 'issue.add', issue: { id, title: id } })
const blocks = (issueId: string, dependsOnId: string) =>
  ({ issueId, dependsOnId, type: 'blocks' }) as const

const changes: readonly IssueChange[] = [
  add('bd-1'),
  add('bd-2'),
  { action: 'dep.add', edge: { ...blocks('bd-2', 'bd-1'), createdBy: 'ada' }, proof: {} },
  { action: 'issue.claim', id: 'bd-1', claim: { assignee: 'ada' } },
  { action: 'dep.remove', edge: blocks('bd-2', 'bd-1'), proof: {} },
  closing('bd-2'),
]

function replayedRef(disk: SimDisk): string {
  const log = readEventLines(disk.contents().get(logPath) ?? new Uint8Array(), logPath)
  const memory = replayEvents(log.lines)
  if (memory instanceof BadEvent) throw new Error(memory.why)
  return memory.snapshotRef(sha256)
}

const eventsIn = (disk: SimDisk) =>
  readEventLines(disk.contents().get(logPath) ?? new Uint8Array(), logPath).lines.map(
    ({ event }) => event,
  )

/** Makes changes until one fails. Returns the number of acknowledged changes and the notices. */
async function work(disk: SimDisk) {
  const store = storeOn(disk)
  let acknowledged = 0
  try {
    for (const change of changes) {
      await store.mutate(authority, change)
      acknowledged++
      if (acknowledged === 4) await store.compact()
    }
  } catch (error) {
    if (!(error instanceof Fault || error instanceof SimCrash)) throw error
  }
  return { acknowledged, notices: store.notices }
}

async function callsOfWork(): Promise<number> {
  const disk = new SimDisk({ fault: () => undefined })
  await disk.makeFolder('/p/.premath')
  expect(await work(disk)).toEqual({ acknowledged: changes.length, notices: [] })
  expect(disk.calls).toBeGreaterThan(100)
  return disk.calls
}

function onlyFaults(error: unknown) {
  if (!(error instanceof Fault)) throw error
}

const chances = [0, 0.4, 0.6, 0.99]

describe('a log whose disk fails', () => {
  test.each(simFaults)('with %s at any call is complete after the next change', async what => {
    const calls = await callsOfWork()
    for (let at = 2; at <= calls; at += callStep) {
      for (const chance of chances) {
        const disk = new SimDisk({
          fault: (call): SimFault | undefined => (call === at ? what : undefined),
          chance: () => chance,
        })
        await disk.makeFolder('/p/.premath')
        await work(disk)
        const found = what.includes('crash') ? disk.afterCrash() : disk
        const store = storeOn(found, clockFrom(100))
        await store.mutate(authority, add('bd-after'))
        const memory = await store.read()
        expect({ at, chance, ref: replayedRef(found) }).toEqual({
          at,
          chance,
          ref: memory.snapshotRef(sha256),
        })
      }
    }
  })

  test('again, while it catches up, is complete in the end', async () => {
    const disk = new SimDisk({ fault: () => undefined })
    await disk.makeFolder('/p/.premath')
    await work(disk)
    const text = (at: string) => new TextDecoder().decode(disk.contents().get(at))
    for (const lost of [1, 300, 900, text(logPath).length]) {
      for (let at = 1; at <= 30; at++) {
        for (const what of ['EIO', 'torn'] as const) {
          const short = new SimDisk({
            files: { [path]: text(path), [logPath]: text(logPath).slice(0, -lost) },
            fault: call => (call === at ? what : undefined),
          })
          for (const id of ['bd-7', 'bd-8', 'bd-9']) {
            // A new process for each change, which knows nothing but the files.
            await storeOn(short, clockFrom(100)).mutate(authority, add(id)).catch(onlyFaults)
          }
          const ref = (await storeOn(short).read()).snapshotRef(sha256)
          expect({ lost, at, what, ref: replayedRef(short) }).toEqual({ lost, at, what, ref })
        }
      }
    }
  })

  test('still lets changes through, and says that it is behind', async () => {
    const disk = new SimDisk({
      fault: (_, what, at) => (at === logPath && what === 'write' ? 'ENOSPC' : undefined),
    })
    await disk.makeFolder('/p/.premath')
    const { acknowledged, notices } = await work(disk)
    expect(acknowledged).toBe(changes.length)
    expect(notices[0]).toMatch(/^the event log is behind: /)
  })
})

describe('a log', () => {
  test('does not follow a link out of the folder of the rows', async () => {
    const disk = new SimDisk({ links: { '/p/.premath/memory': '/elsewhere' } })
    await disk.makeFolder('/p/.premath')
    const { acknowledged, notices } = await work(disk)
    expect(acknowledged).toBe(changes.length)
    expect(notices[0]).toMatch(/leaves its folder through a symbolic link$/m)
    expect([...disk.contents().keys()].filter(at => at.includes('events'))).toEqual([])
  })

  test('gives each event an id of its own, whatever the clock does', async () => {
    const disk = new SimDisk()
    await disk.makeFolder('/p/.premath')
    await work(disk)
    const ids = eventsIn(disk).map(event => event.event_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('of two processes that take turns has every change once', async () => {
    const disk = new SimDisk()
    await disk.makeFolder('/p/.premath')
    const clock = clockFrom(0)
    const [one, two] = [storeOn(disk, clock), storeOn(disk, clock)]
    for (const [at, change] of changes.entries()) {
      await (at % 2 === 0 ? one : two).mutate(authority, change)
    }
    const ids = eventsIn(disk).map(event => event.event_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(eventsIn(disk).filter(event => event.action === 'upsert_issue')).toHaveLength(6)
    expect(replayedRef(disk)).toBe((await one.read()).snapshotRef(sha256))
  })

  test('that is complete is not read again by its writer', async () => {
    let reads = 0
    const disk = new SimDisk({
      fault: (_, what, at) => {
        if (at === logPath && what === 'read') reads++
        return undefined
      },
    })
    await disk.makeFolder('/p/.premath')
    const store = storeOn(disk)
    for (const change of changes) await store.mutate(authority, change)
    expect(reads).toBe(0)
  })
})
