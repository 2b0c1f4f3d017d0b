import { expect, test } from 'vitest'
import { SimDisk } from '../../testing/sim-disk.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { openContext } from '../context.ts'
import { projectAt } from '../open.ts'
import { documentDrafts } from './drafts.ts'

const draft = '/p/.premath/harness_session.json.tmp.7120.0'
const lock = '/p/.premath/harness_session.json.lock'

test('a draft is left as soon as nobody holds the lock of its document, and not before', async () => {
  const disk = new SimDisk({ files: { [draft]: 'half', [lock]: '' } })
  const project = projectAt('/p', openContext(simWorld({ disk })))
  const look = () => documentDrafts({ project, disk, now: 0n })
  const held = await disk.lock(lock, 0)
  expect(await look()).toEqual([])
  if (held.held) await held.release()
  expect(await look()).toEqual([draft])
})
