/** Real processes that append to one trajectory at once, with no lock between them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TrajectoryLog } from '../src/store/trajectory/trajectory-log.ts'
import { nodeDisk } from '../src/world/node-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'premath-trajectory-'))
const worker = join(folder, 'worker.mjs')
const path = join(folder, '.premath/harness_trajectory.jsonl')
const cache = { folder: join(folder, '.premath/cache'), name: 'trajectory' }
const running = new Set<ChildProcess>()

const workers = 32
const steps = 3_000

beforeAll(async () => {
  mkdirSync(join(folder, '.premath'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  await build({
    input: resolve('test/trajectory-worker.ts'),
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

function start(number: number) {
  const args = [worker, path, cache.folder, number, workers, steps].map(String)
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  running.add(child)
  const ended = new Promise<number | null>(done => {
    child.once('close', code => {
      running.delete(child)
      done(code)
    })
  })
  const ready = new Promise<void>(done => child.stdout.once('data', () => done()))
  return { child, ended, ready: Promise.race([ready, ended]) }
}

test(`${workers} processes append ${steps} rows, and all are there [tusk.12.one-row-a-step]`, async () => {
  const all = Array.from({ length: workers }, (_, number) => start(number))
  await Promise.all(all.map(({ ready }) => ready))
  // At once, so that they meet.
  for (const { child } of all) child.stdin.end('!')
  const log = new TrajectoryLog({ disk: nodeDisk, path, cache })
  const ended = Promise.all(all.map(({ ended }) => ended))
  // A concurrent query gets whole rows, and makes the index while others append.
  for (let isOver = false; !isOver; ) {
    expect(await log.query({ mode: 'failed', limit: 5 })).toMatchObject({ bad: { count: 0 } })
    isOver = await Promise.race([
      ended.then(() => true),
      new Promise<false>(go => setTimeout(go, 20, false)),
    ])
  }
  expect([...new Set(await ended)]).toEqual([0])
  const plain = new TrajectoryLog({ disk: nodeDisk, path })
  for (const reader of [log, plain]) {
    expect(await reader.query({ mode: 'latest', limit: 0 })).toEqual({
      rows: [],
      totalCount: steps,
      failedCount: steps / 3,
      retryNeededCount: 0,
      bad: { count: 0, first: [] },
      torn: undefined,
    })
  }
  const ids = readFileSync(path, 'utf8').match(/"stepId":"[^"]*"/g)
  expect(new Set(ids).size).toBe(steps)
})
