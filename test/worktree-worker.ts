/** A process that makes and removes a worktree of a run on a signal, and prints what it found. */
import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { openLanding } from '../src/harness/landing/landing-git.ts'
import { openRunWorktree, removeRunWorktree } from '../src/harness/landing/run-worktrees.ts'
import { uncommittedWork } from '../src/harness/worktree/uncommitted-work.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'

const [root = '', name = '', commit = '', rounds = '1'] = process.argv.slice(2)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const clock = { now: () => 0n, steady: () => 0n, sleep: async () => {} }
const world = { processes: nodeProcesses, disk: nodeDisk, env: process.env, sha256, clock }
const place = await openLanding({ root, ...world }, { hooks: false })

writeSync(1, 'ready\n')
readSync(0, new Uint8Array(1))
for (let round = 0; round < Number(rounds); round++) {
  const { worktree, files } = await openRunWorktree(place, { name, commit, copyFiles: [] })
  // An incomplete worktree differs from its commit.
  const work = (await uncommittedWork(place, worktree.path)) ?? 'complete'
  writeSync(1, `${JSON.stringify(work)}\n`)
  if (round > 0) await removeRunWorktree(place, files)
}
