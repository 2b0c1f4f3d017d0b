import { expect, test } from 'vitest'
import type { CommandSpec, StopSignal } from '../world/world.ts'
import { SimDisk } from './sim-disk.ts'
import { SimProcesses, type SimScript } from './sim-processes.ts'
import { simWorld } from './sim-world.ts'

const work: CommandSpec = {
  command: 'work',
  cwd: '/',
  env: {},
  timeoutMs: 1_000,
  outputBytesMax: 100,
}

const that = (script: SimScript) => new SimProcesses({ disk: new SimDisk(), script: () => script })

test('a world without scripts has no programs', async () => {
  const processes = await simWorld().processes()
  expect(await processes.run(work)).toMatchObject({ exitCode: 127 })
})

test('a command that exceeds its timeout is ended, and no real time passes', async () => {
  const passed: number[] = []
  const processes = new SimProcesses({
    disk: new SimDisk(),
    script: () => ({ takesMs: 60_000, ignoresTerm: true }),
    pass: ms => passed.push(ms),
  })
  expect(await processes.run(work)).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
  expect(passed).toEqual([1_000])
})

test('a command runs its script', async () => {
  const done: string[] = []
  const processes = that({
    effect: () => void done.push('work'),
    leavesBehind: true,
    exitCode: 3,
  })
  const end = await processes.run({ ...work, beforeRun: async () => void done.push('before') })
  expect(done).toEqual(['before', 'work'])
  expect(end).toMatchObject({ exitCode: 3, leftBehind: 'ended' })
  expect(processes.started.map(({ command }) => command)).toEqual(['work'])
})

test('a group outlives the world that began it', async () => {
  const processes = that({ until: new Promise(() => {}) })
  const before = await simWorld({ processes }).processes()
  const { group } = await before.start(work)
  const after = await simWorld({ processes }).processes()
  expect(group && (await after.groupAlive(group))).toBe(true)
  if (group) await after.endGroup(group)
  expect(group && (await after.groupAlive(group))).toBe(false)
})

test('a stop signal reaches a listener until it unsubscribes', () => {
  const processes = that({})
  const heard: StopSignal[] = []
  const listenNoMore = processes.onStopSignal(signal => heard.push(signal))
  processes.signal('SIGTERM')
  listenNoMore()
  processes.signal('SIGINT')
  expect(heard).toEqual(['SIGTERM'])
})
