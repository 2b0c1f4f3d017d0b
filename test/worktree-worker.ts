/** A process that makes and removes a worktree on a signal, and prints the result. */
import { readSync, writeSync } from 'node:fs'
import { ensureWorktree } from '../src/harness/worktree/ensure-worktree.ts'
import { removeWorktree } from '../src/harness/worktree/remove-worktree.ts'
import { uncommittedWork } from '../src/harness/worktree/uncommitted-work.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'

const [task = '', root = '', worker = '', rounds = '1'] = process.argv.slice(2)
const place = { root, processes: nodeProcesses, disk: nodeDisk, env: process.env }

writeSync(1, 'ready\n')
readSync(0, new Uint8Array(1))
for (let round = 0; round < Number(rounds); round++) {
  const { worktree, made } = await ensureWorktree(place, worker)
  // An incomplete worktree differs from its commit. A shared one may already be removed.
  if (task === 'ensure') tell({ made, work: await uncommittedWork(place, worktree.path) })
  else tell(await removeWorktree(place, worktree))
}

function tell(what: object): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}
