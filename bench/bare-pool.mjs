/** Spawns a command so often, so many at a time. Nothing else. */
import { spawn } from 'node:child_process'

const [count, jobs, command, ...args] = process.argv.slice(2)
let left = Number(count)

const run = () =>
  new Promise((settle, fail) => {
    spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      .on('error', fail)
      .on('close', settle)
  })

async function work() {
  while (left-- > 0) await run()
}

await Promise.all(Array.from({ length: Number(jobs) }, work))
