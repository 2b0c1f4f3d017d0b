import { describe, expect, test } from 'vitest'
import { writeFeature } from '../kernel/harness/feature-ledger.ts'
import { writeSession } from '../kernel/harness/session.ts'
import { SimCrash, SimDisk } from '../testing/sim-disk.ts'
import type { FeatureLedger } from '../wire/harness/feature-ledger.ts'
import type { Session } from '../wire/harness/session.ts'
import { cellBytesMax } from './cell.ts'
import { LedgerCell, SessionCell } from './harness-cells.ts'

const path = '/p/.premath/harness_session.json'
const now = 1_771_718_400_000_000_000n

const begun = (before: Session | undefined): Session =>
  writeSession(before, { state: 'active', issuesPath: 'i', issuesSnapshotRef: undefined }, now)

const withFeature = (featureId: string) => (before: FeatureLedger | undefined) =>
  writeFeature(before, { featureId, status: 'pending' }, now)

const textAt = (disk: SimDisk, at = path) => new TextDecoder().decode(disk.contents().get(at))

test('a cell is empty before the first write, which also makes the folder', async () => {
  const disk = new SimDisk()
  const cell = new SessionCell({ disk, path })
  expect(await cell.read()).toBeUndefined()
  const session = await cell.update(begun)
  expect(session.sessionId).toBe('hs1_20260222T000000Z')
  expect(await cell.read()).toEqual(session)
})

test('a cell does not read its own write again until another process writes', async () => {
  const disk = new SimDisk()
  const cell = new SessionCell({ disk, path })
  const written = await cell.update(begun)
  expect(await cell.read()).toBe(written)
  const other = await new SessionCell({ disk, path }).update(before => ({
    ...begun(before),
    summary: 'another one',
  }))
  const seen: unknown[] = []
  await cell.update(before => {
    seen.push(before)
    return begun(before)
  })
  expect(seen).toEqual([other])
})

test('concurrent writers each see the document of the one before', async () => {
  const disk = new SimDisk({ turn: () => new Promise(done => setImmediate(done)) })
  const ids = Array.from({ length: 10 }, (_, at) => `f-${at}`)
  const cells = ids.map(() => new LedgerCell({ disk, path }))
  await Promise.all(ids.map((id, at) => cells[at]?.update(withFeature(id))))
  const ledger = await new LedgerCell({ disk, path }).read()
  expect(ledger?.features.map(row => row.featureId)).toEqual(ids)
})

describe('an invalid document is refused by name and left unchanged', () => {
  const kind = '"sessionKind":"premath.harness.session.v1"'
  test.each([
    ['{"schema":1', /^the harness session \/p\/.* is not valid: .*line 1, column 12/],
    ['', /is not valid: .*line 1, column 1/],
    ['[]', /: it must be an object$/],
    [`{"schema":1,"schema":1,${kind}}`, /the key "schema" is given twice/],
    [`{"schema":2,${kind}}`, /: its schema is 2, and this version of premath supports 1$/],
    [`{"schema":2.0,${kind}}`, /: its schema is 2, and this version of premath supports 1$/],
    [`{"schema":"1",${kind}}`, /: schema must be 1, not "1"$/],
    [
      '{"schema":1,"sessionKind":"x"}',
      /: sessionKind must be "premath\.harness\.session\.v1", not "x"$/,
    ],
    [
      `{"schema":1,${kind},"sessionId":"s","state":"paused"}`,
      /: state must be one of active, stopped, not "paused"$/,
    ],
    [`{"schema":1,${kind},"state":"active","sessionId":" "}`, /: sessionId must not be blank$/],
  ])('%s', async (content, message) => {
    const disk = new SimDisk({ files: { [path]: content } })
    const cell = new SessionCell({ disk, path })
    const fault = { code: 'invalid_input', message: expect.stringMatching(message) }
    await expect(cell.read()).rejects.toMatchObject({ ...fault, detail: { path } })
    await expect(cell.update(begun)).rejects.toMatchObject(fault)
    expect(textAt(disk)).toBe(content)
  })

  test('bytes that are not text', async () => {
    const disk = new SimDisk({ files: { [path]: Uint8Array.from([0x7b, 0xff]) } })
    await expect(new LedgerCell({ disk, path }).read()).rejects.toMatchObject({
      message: `the feature ledger ${path} is not valid: is not valid UTF-8, at line 1, byte 2 of it`,
    })
  })

  test('a document over the size limit', async () => {
    const room = new Uint8Array(cellBytesMax + 1).fill(0x20)
    const disk = new SimDisk({ files: { [path]: room } })
    const cell = new SessionCell({ disk, path })
    await expect(cell.update(begun)).rejects.toMatchObject({ detail: { bytes: cellBytesMax + 1 } })
    expect(disk.contents().get(path)).toBe(room)
  })
})

test('a document that is too large to be read is not written', async () => {
  const disk = new SimDisk()
  const cell = new SessionCell({ disk, path })
  const before = await cell.update(begun)
  const summary = 'x'.repeat(cellBytesMax)
  await expect(cell.update(() => ({ ...before, summary }))).rejects.toMatchObject({
    code: 'invalid_input',
  })
  expect(await cell.read()).toEqual(before)
})

test('a crash at any call leaves the old document or the new one, and no lock', async () => {
  const counting = new SimDisk()
  await new SessionCell({ disk: counting, path }).update(begun)
  const calls = counting.calls
  let crashes = 0
  const stopped = (before: Session | undefined) => ({ ...begun(before), summary: 'new' })
  for (let call = 1; call <= calls; call++) {
    for (const fault of ['crash', 'torn crash', 'crash after'] as const) {
      const first = new SimDisk()
      const old = await new SessionCell({ disk: first, path }).update(begun)
      const disk = first.afterCrash({
        fault: number => (number === call ? fault : undefined),
        chance: () => call / calls,
      })
      const crashed = await new SessionCell({ disk, path }).update(stopped).catch(error => error)
      if (!(crashed instanceof SimCrash)) continue
      crashes++
      const found = new SessionCell({ disk: disk.afterCrash(), path })
      expect([old.summary, 'new']).toContain((await found.read())?.summary)
      await found.update(stopped)
    }
  }
  expect(crashes).toBeGreaterThan(calls)
})
