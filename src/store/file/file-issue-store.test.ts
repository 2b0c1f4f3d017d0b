import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Fault } from '../../fault.ts'
import { type GrantRefusal, OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { stepTurn } from '../../kernel/harness/step/step-turn.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { MutationReady } from '../../kernel/turn/mutation-ready.ts'
import { SimDisk, type SimDiskSetup } from '../../testing/sim-disk.ts'
import { rowBytesMax } from '../issue-rows.ts'
import { FileIssueStore } from './file-issue-store.ts'

const path = '/p/.premath/issues.jsonl'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })

const row = (id: string, more: object = {}) => JSON.stringify({ id, title: id, ...more })
const lines = (...rows: string[]) => rows.map(line => `${line}\n`).join('')

function diskWith(content: string | Uint8Array | undefined, setup: SimDiskSetup = {}) {
  return new SimDisk({ ...setup, files: content === undefined ? {} : { [path]: content } })
}

let second = 0
const clock = { now: () => BigInt(1_800_000_000 + second++) * 1_000_000_000n }

const storeOn = (disk: SimDisk, more: object = {}) =>
  new FileIssueStore({ path, disk, clock, lockWaitMs: 5, ...more })

const textAt = (disk: SimDisk, at = path) => new TextDecoder().decode(disk.contents().get(at))

const add = (title: string): IssueChange => ({ action: 'issue.add', issue: { title } })
const retitle = (id: string, title: string): IssueChange => ({
  action: 'issue.update',
  id,
  proof: {},
  fields: { title },
})

async function titlesIn(store: FileIssueStore) {
  return Object.fromEntries((await store.read()).all().map(({ id, title }) => [id, title]))
}

test('[memory.1.record] a record of acknowledged rows that cannot be written is told with each change', async () => {
  const disk = diskWith(lines(row('bd-1')))
  const full = new Proxy(disk, {
    get: (target, name) =>
      name === 'appendLoosely'
        ? async () => {
            throw new Fault('unavailable', 'the disk is full')
          }
        : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
  })
  const forward = { folder: '/state', sha256 }
  const store = storeOn(full, { forward })
  await store.mutate(authority, add('two'))
  expect(await titlesIn(store)).toEqual({ 'bd-1': 'bd-1', 'bd-2': 'two' })
  expect(store.notices).toContainEqual(expect.stringContaining('could not note it beside git'))
})

test('[memory.1.contradiction] a claim between the rows and the log that a reader reads is no contradiction', async () => {
  const events = '/p/.premath/memory/events.jsonl'
  const disk = diskWith(lines(row('bd-1')))
  const claim = { action: 'issue.claim', id: 'bd-1', claim: { assignee: 'ann' } } as const
  let claims = 0
  const meanwhile = new Proxy(disk, {
    get: (target, name) =>
      name === 'open'
        ? async (asked: string) => {
            // The record of the other process is elsewhere, as it would be before its first write.
            if (asked === events && claims++ === 0) await storeOn(disk).mutate(authority, claim)
            return await target.open(asked)
          }
        : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
  })
  const memory = await storeOn(meanwhile, { forward: { folder: '/state', sha256 } }).read()
  expect(claims).toBeGreaterThan(0)
  expect(memory.get('bd-1')?.lease?.owner).toBe('ann')
  await disk.replace(path, new TextEncoder().encode(lines(row('bd-1'))))
  const stale = storeOn(disk, { forward: { folder: '/state', sha256 } }).read()
  await expect(stale).rejects.toThrow('goes back')
})

describe('a file of rows', () => {
  test('is memory: the last row of an id wins; blank lines and comments are skipped', async () => {
    const disk = diskWith(
      lines(row('bd-1'), '', '# a note', row('bd-2'), row('bd-1', { title: 'b' })),
    )
    expect(await titlesIn(storeOn(disk))).toEqual({ 'bd-1': 'b', 'bd-2': 'bd-2' })
  })

  test('that is missing is an error for a reader, with the command to create it', async () => {
    const store = storeOn(diskWith(undefined))
    expect(await store.exists()).toBe(false)
    const noMemory = {
      code: 'invalid_input',
      message: `no issue memory at ${path}`,
      hint: expect.stringContaining('premath init'),
    }
    await expect(store.read()).rejects.toMatchObject(noMemory)
    await expect(store.compact()).rejects.toMatchObject(noMemory)
    await expect(store.mutate(authority, retitle('bd-1', 'x'))).rejects.toMatchObject(noMemory)
    expect(await store.exists()).toBe(false)
  })

  test('that is missing is made by the first issue, but not by one that is refused', async () => {
    const disk = diskWith(undefined)
    const store = storeOn(disk)
    expect(await store.mutate(authority, add(' '))).toMatchObject({
      failureClass: 'issue_title_missing',
    })
    expect([disk.contents().size, disk.isFolder('/p/.premath')]).toEqual([0, false])
    await store.mutate(authority, add('first'))
    expect(await titlesIn(store)).toEqual({ 'bd-1': 'first' })
  })

  test('without its last line feed is complete, and the next row starts a new line', async () => {
    const disk = diskWith(`${row('bd-1')}\n${row('bd-2')}`)
    const store = storeOn(disk)
    expect(Object.keys(await titlesIn(store))).toEqual(['bd-1', 'bd-2'])
    await store.mutate(authority, add('third'))
    await store.mutate(authority, add('fourth'))
    expect(store.notices).toEqual([])
    expect(Object.keys(await titlesIn(storeOn(disk)))).toEqual(['bd-1', 'bd-2', 'bd-3', 'bd-4'])
  })
})

describe('a row that cannot be trusted', () => {
  test.each([
    ['is not JSON', lines(row('bd-1'), 'nonsense', row('bd-2')), 2, 'line 2: not readable as JSON'],
    ['breaks off in the middle', lines(row('bd-1'), '{"id":"bd', row('bd-2')), 2, 'line 2'],
    ['lacks its title', lines('{"id":"bd-1"}'), 1, 'line 1: title must be text'],
    [
      'has a dependency of an unknown type',
      lines(
        row('a'),
        row('b', { dependencies: [{ issue_id: 'b', depends_on_id: 'a', type: 'x' }] }),
      ),
      2,
      'line 2: dependencies: unknown type "x"',
    ],
    ['is of no type', lines(row('a', { issue_type: 1 })), 1, 'issue_type must be'],
    ['has no real time', lines(row('a', { created_at: '2026-02-30T00:00:00Z' })), 1, 'created_at'],
    [
      'holds a NUL byte',
      lines(row('a'), `${row('b')}\0`),
      2,
      'corrupted substrate: a NUL byte in line 2',
    ],
    [
      'is a NUL byte at the end',
      `${lines(row('a'))}\0`,
      2,
      'corrupted substrate: a NUL byte in line 2',
    ],
    [
      'is not UTF-8',
      Uint8Array.from([...Buffer.from(lines(row('a'), row('b'))), 0x7b, 0xff, 0x0a]),
      3,
      'corrupted substrate: bytes that are not UTF-8 in line 3',
    ],
    ['is text that ends without a line feed', 'hello', 1, 'line 1'],
  ])(
    'because it %s faults with its line, and no byte changes',
    async (_, content, line, message) => {
      const disk = diskWith(content)
      const before = textAt(disk)
      const fault = {
        code: 'corrupt',
        message: expect.stringContaining(message),
        detail: { path, line },
        hint: expect.stringContaining('Nothing was changed'),
      }
      await expect(storeOn(disk).read()).rejects.toMatchObject(fault)
      await expect(storeOn(disk).mutate(authority, add('x'))).rejects.toMatchObject(fault)
      await expect(storeOn(disk).compact()).rejects.toMatchObject(fault)
      expect(textAt(disk)).toBe(before)
    },
  )
})

describe('a torn tail', () => {
  const whole = lines(row('bd-1'), row('bd-2', { description: 'ä€😀' }))
  const next = new TextEncoder().encode(row('bd-3', { title: 'ä€😀' }))

  test('at any byte is skipped by readers and set aside by the next writer', async () => {
    for (let kept = 1; kept < next.length; kept++) {
      const torn = next.slice(0, kept)
      const disk = diskWith(Uint8Array.from([...Buffer.from(whole), ...torn]))
      expect(Object.keys(await titlesIn(storeOn(disk)))).toEqual(['bd-1', 'bd-2'])
      const store = storeOn(disk)
      await store.mutate(authority, retitle('bd-1', 'new'))
      expect(await titlesIn(storeOn(disk))).toEqual({ 'bd-1': 'new', 'bd-2': 'bd-2' })
      const [aside, ...more] = [...disk.contents().keys()].filter(name => name.includes('.torn-'))
      expect(more).toEqual([])
      expect(disk.contents().get(aside ?? '')).toEqual(torn)
      expect(store.notices).toEqual([expect.stringContaining(`it is kept in ${aside}`)])
    }
  })

  test('with a line feed after half a row is handled alike', async () => {
    const disk = diskWith(`${whole}{"id":"bd-3","ti\n`)
    expect(Object.keys(await titlesIn(storeOn(disk)))).toEqual(['bd-1', 'bd-2'])
    const store = storeOn(disk)
    await store.mutate(authority, add('third'))
    expect(Object.keys(await titlesIn(storeOn(disk)))).toEqual(['bd-1', 'bd-2', 'bd-3'])
    expect(store.notices).toHaveLength(1)
  })
})

describe('a change', () => {
  test('is one write and one sync of the rows that changed', async () => {
    const calls: string[] = []
    const disk = diskWith(lines(row('bd-1'), row('bd-2')), {
      fault(_, what, at) {
        if (at === path) calls.push(what)
        return undefined
      },
    })
    const store = storeOn(disk)
    await store.mutate(authority, retitle('bd-2', 'new'))
    expect(calls.filter(call => /write|sync|rename|cut/.test(call))).toEqual(['write', 'sync'])
    expect(textAt(disk).split('\n')).toHaveLength(4)
  })

  test('that is refused changes no byte', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const before = textAt(disk)
    const refusal = await storeOn(disk).mutate(authority, retitle('bd-9', 'x'))
    expect(refusal).toMatchObject({ failureClass: 'issue_not_found' })
    expect(textAt(disk)).toBe(before)
  })

  test('needs an authorized caller', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const before = textAt(disk)
    const refused: GrantRefusal = { granted: false, message: 'no', remedy: 'Ask.' }
    expect(await storeOn(disk).mutate(refused, add('x'))).toEqual({
      failureClass: 'mutation_not_granted',
      diagnostic: 'no',
      remedy: 'Ask.',
    })
    const forged = { ...authority } as unknown as OperatorGrant
    for (const act of [
      storeOn(disk).mutate(forged, add('x')),
      storeOn(disk).replaceRows(forged, () => []),
    ]) {
      expect(await act).toMatchObject({ failureClass: 'mutation_not_granted' })
    }
    expect(textAt(disk)).toBe(before)
  })

  test('under a turn must have the action and the issue of the turn', async () => {
    const digest = `sha256:${sha256('')}`
    const work = { stepId: 'w.bd-1.1.1', issueId: 'bd-1', command: 'x', workdir: '/p' }
    const ended = { exitCode: 0, signal: null, timedOut: false, stdoutDigest: digest }
    const refs = {
      stderrDigest: digest,
      viewDigest: digest,
      queueDigest: digest,
      witnessRef: 'witness://x',
      sessionRef: 's',
      mutationPolicyDigest: digest,
      isGoverned: false,
      sandbox: 'off' as const,
    }
    const turn = stepTurn({ ...work, ...ended, ...refs }, 'issue_update', sha256)
    const proof = MutationReady.gate(turn, { sha256 })
    if (!proof.ready) throw new Error('the turn is closed')
    const store = storeOn(diskWith(lines(row('bd-1'), row('bd-2'))))
    expect(await store.mutate(proof, retitle('bd-2', 'x'))).toMatchObject({
      failureClass: 'mutation_not_granted',
      diagnostic: 'the turn admits issue_update of bd-1, not issue_update of bd-2',
    })
    expect(await store.mutate(proof, add('x'))).toMatchObject({
      failureClass: 'mutation_not_granted',
    })
    expect(await store.mutate(proof, retitle('bd-1', 'x'))).toMatchObject({ issue: { title: 'x' } })
  })

  test('under an override records the person and the reason in row and log', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const grant = OperatorGrant.grant({
      operator: 'ada',
      surface: 'cli',
      mode: 'human-override',
      reason: 'the agent is stuck',
    })
    const changed = await storeOn(disk).mutate(grant, retitle('bd-1', 'x'))
    const override = { operator: 'ada', reason: 'the agent is stuck', at: expect.any(String) }
    expect(changed).toMatchObject({ issue: { metadata: { premathOverride: override } } })
    const read = (await storeOn(disk).read()).get('bd-1')
    expect(read).toMatchObject({ title: 'x', metadata: { premathOverride: override } })
    expect(textAt(disk, '/p/.premath/memory/events.jsonl')).toContain(
      '"actor":"ada","reason":"the agent is stuck"',
    )
  })

  test('by another process is seen without reading the rest again', async () => {
    const disk = diskWith(lines(row('bd-1'), row('bd-2')))
    const [one, other] = [storeOn(disk), storeOn(disk)]
    const memory = await one.read()
    await other.mutate(authority, retitle('bd-2', 'new'))
    expect(await one.read()).toBe(memory)
    expect(memory.get('bd-2')?.title).toBe('new')
    await other.compact()
    expect(await titlesIn(one)).toEqual({ 'bd-1': 'bd-1', 'bd-2': 'new' })
    expect(await one.read()).not.toBe(memory)
  })

  test('waits for the lock for a bounded time, and then names its holder', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const lock = await disk.lock(`${path}.lock`, 0)
    await expect(storeOn(disk).mutate(authority, add('x'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        `^issue-memory lock busy: ${path}.lock, held by pid \\d+ .* since`,
      ),
    })
    expect(Object.keys(await titlesIn(storeOn(disk)))).toEqual(['bd-1'])
    if (lock.held) await lock.release()
    await storeOn(disk).mutate(authority, add('x'))
  })

  test('of several rows is applied as a whole or not at all', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const made = await storeOn(disk).replaceRows(authority, memory => memory.all())
    expect(made).toMatchObject({ issues: 1 })
    const batch = lines(row('bd-2'), row('bd-3'))
    const content = `${lines(row('bd-1'))}# premath:batch ${batch.length}\n${batch}`
    for (let kept = lines(row('bd-1')).length; kept < content.length - 1; kept++) {
      const cut = diskWith(content.slice(0, kept))
      expect(Object.keys(await titlesIn(storeOn(cut)))).toEqual(['bd-1'])
    }
    expect(Object.keys(await titlesIn(storeOn(diskWith(content))))).toHaveLength(3)
  })
})

describe('a row', () => {
  const filled = (bytes: number) => {
    const empty = row('bd-1', { description: '' })
    return row('bd-1', { description: 'x'.repeat(bytes - empty.length) })
  }

  test('of the most bytes loads; one byte more cannot be trusted', async () => {
    const most = diskWith(`${filled(rowBytesMax - 1)}\n`)
    expect((await storeOn(most).read()).size).toBe(1)
    const content = `${filled(rowBytesMax)}\n`
    const disk = diskWith(content)
    await expect(storeOn(disk).read()).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`line 1 has ${rowBytesMax + 1} bytes`),
    })
    expect(textAt(disk)).toBe(content)
  })

  test('that could not be read back is not written', async () => {
    const disk = diskWith(lines(row('bd-1')))
    const change = retitle('bd-1', 'ä'.repeat(rowBytesMax / 2))
    await expect(storeOn(disk).mutate(authority, change)).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining(`At most ${rowBytesMax}`),
    })
    expect(textAt(disk)).toBe(lines(row('bd-1')))
  })

  test('with git conflict markers is refused with a remedy', async () => {
    const sides = lines(row('bd-1'), '<<<<<<< HEAD', row('bd-2'), '=======', '>>>>>>> other')
    await expect(storeOn(diskWith(sides)).read()).rejects.toMatchObject({
      code: 'corrupt',
      hint: expect.stringContaining('premath doctor names the commands'),
    })
  })
})

describe('a lock that is removed under its holder', () => {
  /** At the nth disk call, someone removes the lock file and another process adds a row. */
  async function meddled(at: number, act: (store: FileIssueStore) => Promise<unknown>) {
    const disk: SimDisk = diskWith(lines(row('bd-1'), row('bd-2'), row('bd-1', { title: 'b' })), {
      turn: async () => {
        if (disk.calls !== at || done) return
        done = true
        await disk.remove(`${path}.lock`)
        await storeOn(disk).mutate(authority, {
          action: 'issue.add',
          issue: { id: 'late', title: 'late' },
        })
      },
    })
    let done = false
    const fault = await act(storeOn(disk)).then(
      () => undefined,
      (error: unknown) => error,
    )
    return { done, fault, titles: await titlesIn(storeOn(disk)) }
  }

  test.each([
    ['a change', (store: FileIssueStore) => store.mutate(authority, retitle('bd-2', 'x'))],
    ['compaction', (store: FileIssueStore) => store.compact()],
  ])('loses no acknowledged row of another process: %s', async (_, act) => {
    let conflicts = 0
    for (let at = 1; ; at++) {
      const { done, fault, titles } = await meddled(at, act)
      if (!done) break
      expect(titles).toMatchObject({ late: 'late', 'bd-1': 'b' })
      if (fault === undefined) continue
      expect(fault).toMatchObject({ code: 'conflict' })
      conflicts++
    }
    expect(conflicts).toBeGreaterThan(3)
  })
})

describe('compaction', () => {
  test('leaves one row an issue, by id in code-point order, in canonical form', async () => {
    const disk = diskWith(
      lines('{"title":"b", "id":"bd-2","x":1.0}', row('bd-10'), row('bd-2', { x: 1 }), '# gone'),
    )
    const before = (await storeOn(disk).read()).snapshotRef(sha256)
    const store = storeOn(disk)
    expect(await store.compact()).toMatchObject({ issues: 2 })
    expect(textAt(disk)).toBe(
      lines(
        '{"id":"bd-10","title":"bd-10","status":"open","priority":2,"issue_type":"task","ephemeral":false}',
        '{"id":"bd-2","title":"bd-2","status":"open","priority":2,"issue_type":"task","ephemeral":false,"x":1}',
      ),
    )
    expect((await storeOn(disk).read()).snapshotRef(sha256)).toBe(before)
  })

  test('comes by itself when garbage outweighs data', async () => {
    const disk = diskWith(lines(row('bd-1', { description: 'x'.repeat(400_000) }), row('bd-2')))
    const store = storeOn(disk)
    const sizes: number[] = []
    for (let turn = 0; turn < 6; turn++) {
      await store.mutate(authority, retitle('bd-1', `turn ${turn}`))
      sizes.push(textAt(disk).length)
    }
    expect(Math.max(...sizes)).toBeLessThan(1_700_000)
    expect(await titlesIn(storeOn(disk))).toEqual({ 'bd-1': 'turn 5', 'bd-2': 'bd-2' })
    expect(store.notices).toEqual([])
  })

  const real = '../shared/vectors/issues/real-365.jsonl'
  test.skipIf(!existsSync(real))('of a real memory gives the same bytes', async () => {
    const content = readFileSync(real)
    const disk = diskWith(content)
    const store = storeOn(disk)
    expect((await store.read()).snapshotRef(sha256)).toBe(
      'iss1_ab58fa567510f0b088415e9e59b1c82da8b89c2b1c1f6261730c42a4824676a8',
    )
    await store.compact()
    expect(Buffer.from(disk.contents().get(path) ?? []).equals(content)).toBe(true)
  })
})
