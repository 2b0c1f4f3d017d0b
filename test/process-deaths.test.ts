/** The end of a command whose parent process ends first. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeProcesses } from '../src/world/node-processes.ts'
import type { ProcessGroup } from '../src/world/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'premath-deaths-'))
const worker = join(folder, 'worker.mjs')
const running = new Set<ChildProcess>()

beforeAll(async () => {
  await build({
    input: resolve('test/process-deaths-worker.ts'),
    platform: 'node',
    logLevel: 'silent',
    output: { file: worker, format: 'esm', codeSplitting: false },
  })
})
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function startWorker(task: string, command: string) {
  const child = spawn(process.execPath, [worker, task, folder, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const exit = once(child, 'exit').finally(() => running.delete(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null')
  return { child, exit, next }
}

/** A worker that was killed in the middle, and the process group that it reported. */
async function killedWorker(task: string, command: string): Promise<ProcessGroup> {
  const { child, exit, next } = startWorker(task, command)
  const group: ProcessGroup = await next()
  child.kill('SIGKILL')
  await exit
  return group
}

const groupRuns = ({ id }: ProcessGroup) =>
  execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .some(line => new RegExp(`^\\s*${id}\\s+[^ZX\\s]`).test(line))

/** The end of what nobody waits for comes when it comes. */
async function untilGone(group: ProcessGroup): Promise<void> {
  while (groupRuns(group)) await pause(20)
}

test('a command that outlives its parent is ended by the next run', async () => {
  const group = await killedWorker('run', 'echo ready; sleep 1000')
  expect(await nodeProcesses.groupAlive(group)).toBe(true)
  await nodeProcesses.endGroup(group)
  expect(await nodeProcesses.groupAlive(group)).toBe(false)
  expect(groupRuns(group)).toBe(false)
})

test('a command that ignores SIGTERM is killed', async () => {
  const group = await killedWorker('run', 'trap "" TERM; echo ready; sleep 1000')
  await nodeProcesses.endGroup(group)
  expect(groupRuns(group)).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'children whose first process is gone are ended if they carry the mark',
  async () => {
    const group = await killedWorker('run', 'sleep 1000 & env -i sleep 1000 & echo ready; wait')
    process.kill(group.id, 'SIGKILL')
    while (existsSync(`/proc/${group.id}`)) await pause(20)
    const other = { ...group, mark: 'another' }
    expect(await nodeProcesses.groupAlive(other)).toBe(false)
    await nodeProcesses.endGroup(other)
    expect(groupRuns(group)).toBe(true)
    await nodeProcesses.endGroup(group)
    expect(groupRuns(group)).toBe(false)
  },
)

test('a command whose group is not recorded yet has not run', async () => {
  const made = join(folder, 'made')
  const group = await killedWorker('wait', 'echo > made; sleep 1000')
  await untilGone(group)
  expect(existsSync(made)).toBe(false)
})

test('a process that exits ends its commands', async () => {
  const { exit, next } = startWorker('exit', 'echo ready; sleep 1000')
  const group: ProcessGroup = await next()
  expect(await exit).toEqual([0, null])
  await untilGone(group)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'the first %s is reported, and a later one ends everything at once',
  async signal => {
    const { child, exit, next } = startWorker('listen', 'trap "" TERM; echo ready; sleep 1000')
    const group: ProcessGroup = await next()
    child.kill(signal)
    expect(await next()).toBe(signal)
    expect(groupRuns(group)).toBe(true)
    while (running.has(child)) {
      child.kill(signal)
      await pause(50)
    }
    expect(await exit).toEqual([null, signal])
    expect(await next()).toBeNull()
    await untilGone(group)
  },
)

test('a process killed by a signal that it does not handle ends its commands', async () => {
  const { child, exit, next } = startWorker('run', 'trap "" TERM; echo ready; sleep 1000')
  const group: ProcessGroup = await next()
  child.kill('SIGTERM')
  expect(await exit).toEqual([null, 'SIGTERM'])
  await untilGone(group)
})
