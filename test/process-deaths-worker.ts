/** A process that runs a command, says which group that is, and ends in one way or another. */
import { writeSync } from 'node:fs'
import { nodeProcesses } from '../src/world/node-processes.ts'
import type { CommandSpec, ProcessGroup } from '../src/world/world.ts'

const [task = '', cwd = '', command = ''] = process.argv.slice(2)

const spec: CommandSpec = {
  command,
  cwd,
  env: { PATH: process.env['PATH'] },
  timeoutMs: 100_000,
  outputBytesMax: 0,
}
const tell = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`)

/** Runs the command until its first line, which is when it has done what it does. */
async function runsFrom(beforeRun: (group: ProcessGroup) => Promise<void>) {
  let isReady = () => {}
  const ready = new Promise<void>(resolve => {
    isReady = resolve
  })
  const running = await nodeProcesses.start({ ...spec, onOutput: () => isReady(), beforeRun })
  await ready
  tell(running.group)
  return running
}

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  run: async () => (await runsFrom(async () => {})).end,
  wait: () =>
    runsFrom(group => {
      tell(group)
      return new Promise(resolve => setTimeout(resolve, 100_000))
    }),
  exit: async () => {
    await runsFrom(async () => {})
    process.exit(0)
  },
  listen: async () => {
    nodeProcesses.onStopSignal(signal => tell(signal))
    return await tasks['run']?.()
  },
}
await tasks[task]?.()
