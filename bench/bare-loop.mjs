/** Runs some commands an issue, so many at a time as there are folders. Nothing else. */
import { spawn } from 'node:child_process'

const [count, commands, ...folders] = process.argv.slice(2)
let left = Number(count)

const run = (command, cwd) =>
  new Promise((settle, fail) => {
    spawn(command[0], command.slice(1), { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
      .on('error', fail)
      .on('close', settle)
  })

async function work(folder) {
  while (left-- > 0) {
    for (const command of JSON.parse(commands)) await run(command, folder)
  }
}

await Promise.all(folders.map(work))
