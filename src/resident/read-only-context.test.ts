import { expect, test } from 'vitest'
import { openContext } from '../project/context.ts'
import { simWorld } from '../testing/sim-world.ts'
import { questionContext } from './read-only-context.ts'

const reads = ['entry', 'folderId', 'hashed', 'names', 'open', 'openPlain', 'realPath']
reads.push('sha256', 'stamp')

test('[resident.2.reads-only] a question gets a disk that it can only read, and no programs', async () => {
  const own = openContext(simWorld({ files: { '/p/a': 'text' } }))
  const asked = { command: 'issue ready', args: {}, names: {}, env: {}, surface: 'cli' } as const
  const context = await questionContext({ ...asked, cwd: '/p' }, own, new Map())
  const disk = await context.disk()
  for (const [name, act] of Object.entries(disk)) {
    const call = async () => await act('/p/a', '/p/b')
    if (reads.includes(name)) await call()
    else await expect(call(), name).rejects.toThrow('only reads')
  }
  await expect(context.processes()).rejects.toThrow('only reads')
  await expect(context.http()).rejects.toThrow('only reads')
  expect(context.cwd()).toBe('/p')
})
