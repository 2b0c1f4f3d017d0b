/**
 * Runs the given commands for each issue, as many issues at a time as there are folders, and syncs
 * what a close must: a proof of three files in its own folder, and a row for claim and for close.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'

const [count, commands, ...folders] = process.argv.slice(2)
let left = Number(count)
let closed = 0

const run = (command, cwd) =>
  new Promise((settle, fail) => {
    spawn(command[0], command.slice(1), { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
      .on('error', fail)
      .on('close', settle)
  })

function syncRow() {
  const rows = openSync('bare-rows.jsonl', 'a')
  writeSync(rows, 'x'.repeat(400))
  fdatasyncSync(rows)
  closeSync(rows)
}

function syncFolder(path) {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function syncProof() {
  const folder = `bare-proof-${closed++}`
  mkdirSync(folder)
  const paths = ['join', 'verify', 'chain'].map(name => `${folder}/${name}`)
  for (const path of paths) {
    const file = openSync(`${path}.tmp`, 'w')
    writeSync(file, 'x'.repeat(700))
    fsyncSync(file)
    closeSync(file)
  }
  syncFolder('.')
  for (const path of paths) renameSync(`${path}.tmp`, path)
  syncFolder(folder)
}

async function work(folder) {
  while (left-- > 0) {
    syncRow()
    for (const command of JSON.parse(commands)) await run(command, folder)
    syncProof()
    syncRow()
  }
}

await Promise.all(folders.map(work))
