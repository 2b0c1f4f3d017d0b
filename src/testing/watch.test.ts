import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { nodeDisk } from '../world/node-disk.ts'
import { nodeWorld } from '../world/node-world.ts'
import { SimDisk } from './sim-disk.ts'
import { simWorld } from './sim-world.ts'
import { describeWatch } from './watch.contract.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'premath-watch-')))
afterAll(() => rmSync(root, { recursive: true }))

describeWatch('the machine', { watch: nodeWorld().watch, disk: nodeDisk, root })

const disk = new SimDisk({ files: { '/r/x': '' } })
describeWatch('the simulated world', { watch: simWorld({ disk }).watch, disk, root: '/r' })
