/**
 * Real processes, killed at any moment and racing each other for work. A short form runs with every
 * test; `npm run torture` kills two thousand times. `SEED=…` draws the same moments again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OperatorGrant } from '../src/kernel/authority/operator-grant.ts'
import { fenceOf } from '../src/kernel/issues/issue.ts'
import { FileIssueStore } from '../src/store/file/file-issue-store.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { main } from './built-command.ts'
import { seeded, seedOf } from './sim/seeded.ts'

const kills = Number(process.env['TORTURE_KILLS'] ?? 20)
const race = process.env['TORTURE_KILLS']
  ? { issues: 1_000, longLived: 16, oneShot: 64 }
  : { issues: 150, longLived: 4, oneShot: 6 }

const seed = seedOf(process.env)
const chance = seeded(seed)
const folder = mkdtempSync(join(tmpdir(), 'premath-torture-'))
const worker = join(folder, 'worker.mjs')
const running = new Set<ChildProcess>()

beforeAll(async () => {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  await build({
    input: resolve('test/torture-worker.ts'),
    platform: 'node',
    external: ['fs-native-extensions'],
    logLevel: 'silent',
    output: { file: worker, format: 'esm', codeSplitting: false },
  })
})
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const authority = OperatorGrant.grant({ operator: 'test', surface: 'cli', mode: 'open' })

const storeAt = (path: string) =>
  new FileIssueStore({ path, disk: nodeDisk, clock: nodeWorld().clock, lockWaitMs: 2_000 })

function projectIn(name: string) {
  const root = join(folder, name)
  mkdirSync(join(root, '.premath'), { recursive: true })
  const path = join(root, '.premath/issues.jsonl')
  writeFileSync(path, '')
  return { root, path, cache: join(root, '.premath/cache') }
}

interface Ended {
  readonly lines: readonly string[]
  readonly errors: string
  readonly code: number | null
}

/** Everything a child printed until it ended. */
function start(args: readonly string[], options: { cwd?: string } = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let [output, errors] = ['', '']
  const spoke = new Promise<void>(done => child.stdout.once('data', () => done()))
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<Ended>(done => {
    child.once('close', code => {
      running.delete(child)
      done({ lines: output.split('\n').slice(0, -1), errors, code })
    })
  })
  return { child, ended, spoke: Promise.race([spoke, ended]) }
}

const wait = (ms: number) => new Promise(done => setTimeout(done, ms))

describe(`killed at any moment (SEED=${seed})`, () => {
  const { path, cache } = projectIn('killed')
  const acknowledged = new Map<string, number>()
  let killed = 0

  async function killOne(): Promise<void> {
    const name = `w${killed++}`
    const { child, ended, spoke } = start([worker, 'edit', path, name, cache])
    // Some die before they say anything: starting, or waiting for the lock.
    if (chance() < 0.2) await wait(chance() * 150)
    else await spoke.then(() => wait(chance() * 60))
    child.kill('SIGKILL')
    const { lines, errors } = await ended
    expect(errors).toBe('')
    for (const line of lines) {
      const [id = '', version] = line.split(' ')
      acknowledged.set(id, Number(version))
    }
  }

  async function mustHold(): Promise<void> {
    const memory = await storeAt(path).read()
    for (const [id, version] of acknowledged) {
      expect(Number(memory.get(id)?.title.slice(1) ?? -1), id).toBeGreaterThanOrEqual(version)
    }
  }

  test(`${kills} kills lose no acknowledged change and leave no lock`, async () => {
    while (killed < kills) {
      await Promise.all([killOne(), killOne(), killOne(), killOne()])
      await mustHold()
      // At once: a lock that outlived its holder would keep this waiting.
      await storeAt(path).mutate(authority, { action: 'issue.add', issue: { title: 'free' } })
    }
    expect(acknowledged.size).toBeGreaterThan(killed)
    await storeAt(path).compact()
    await mustHold()
  })
})

test('a lock names its holder, and is free as soon as its holder is killed', async () => {
  const { path, cache } = projectIn('a path with spaces')
  const { child, ended, spoke } = start([worker, 'hold', path, 'holder', cache])
  await spoke
  const add = { action: 'issue.add', issue: { title: 'x' } } as const
  const impatient = new FileIssueStore({
    path,
    disk: nodeDisk,
    clock: nodeWorld().clock,
    lockWaitMs: 50,
  })
  await expect(impatient.mutate(authority, add)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(
      `^issue-memory lock busy: .*a path with spaces.*\\.lock, held by pid ${child.pid} on .* \\(worker.mjs hold .*\\) since 2`,
    ),
  })
  // Readers do not care.
  expect((await impatient.read()).size).toBe(0)
  child.kill('SIGKILL')
  await ended
  await storeAt(path).mutate(authority, add)
})

test(`${race.longLived} long-lived and ${race.oneShot} one-shot processes share ${race.issues} issues, each claimed once`, async () => {
  const { root, path, cache } = projectIn('race')
  const rows = Array.from({ length: race.issues }, (_, at) => ({
    id: `bd-${at + 1}`,
    title: `Issue ${at + 1}`,
    description: 'x'.repeat(1_000),
  }))
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const busy = 4
  const oneShots = Array.from({ length: race.oneShot }, async (_, at) => {
    const args = [main, 'issue', 'claim-next', '--assignee', `one-${at}`, '--json']
    for (;;) {
      const ended = await start(args, { cwd: root }).ended
      // A loaded machine may not get to it in time; whoever called it would try again.
      if (ended.code !== busy) return ended
    }
  })
  const longLived = Array.from(
    { length: race.longLived },
    (_, at) => start([worker, 'claim', path, `long-${at}`, cache]).ended,
  )
  const claims: [id: string, owner: string][] = []
  for (const { lines, errors, code } of await Promise.all(oneShots)) {
    expect([errors, code]).toEqual(['', 0])
    const { claimed, issue } = JSON.parse(lines.join('\n'))
    if (claimed) claims.push([issue.id, issue.assignee])
  }
  for (const { lines, errors, code } of await Promise.all(longLived)) {
    expect([errors, code]).toEqual(['', 0])
    claims.push(...lines.map(line => line.split(' ') as [string, string]))
  }
  expect(claims).toHaveLength(race.issues)
  expect(new Set(claims.map(([id]) => id)).size).toBe(race.issues)
  const memory = await storeAt(path).read()
  for (const [id, owner] of claims) {
    const issue = memory.get(id)
    expect([issue?.lease?.owner, issue && fenceOf(issue)]).toEqual([owner, 1])
  }
})
