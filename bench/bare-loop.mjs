/** Runs a command twice an issue, so many at a time as there are folders. Nothing else. */
import { spawn } from 'node:child_process'

const [count, command, ...folders] = process.argv.slice(2)
let left = Number(count)

const run = cwd =>
  new Promise((settle, fail) => {
    spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
      .on('error', fail)
      .on('close', settle)
  })

async function work(folder) {
  while (left-- > 0) {
    await run(folder)
    await run(folder)
  }
}

await Promise.all(folders.map(work))
