/** Prints the tree digest of the folder on the command line. */
import { readTree } from '../src/harness/worktree/tree.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const { files, sha256 } = nodeWorld()
const [, , root] = process.argv
const place = { root, files, sha256, disk: nodeDisk, processes: nodeProcesses, env: process.env }
process.stdout.write(`${(await readTree(place)).digest}\n`)
