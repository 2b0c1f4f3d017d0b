import { expect, test } from 'vitest'
import { type SimSetup, simWorld } from '../../testing/sim-world.ts'
import { openContext } from '../context.ts'
import { jjStatus } from './backend-status.ts'

const repository = { '/p/.jj/repo/store/type': 'git' }
const program = { '/opt/bin/jj': '' }

async function statusIn(folder: string, setup: SimSetup) {
  const env = { PATH: '/usr/bin:relative:/opt/bin' }
  return await jjStatus(folder, openContext(simWorld({ env, ...setup })))
}

test.each(['/p', '/p/sub/folder'])('from %s a repository above is found', async folder => {
  expect(await statusIn(folder, { files: { ...repository, ...program } })).toEqual({
    available: true,
    error: null,
    headChangeId: null,
    repoRoot: '/p',
    state: 'ready',
  })
})

test.each([
  ['is not installed', { files: repository }],
  ['is not on PATH', { files: { ...repository, ...program }, env: { PATH: '/usr/bin' } }],
  ['would come from the working folder', { files: { ...repository, 'relative/jj': '' } }],
  ['has no PATH to be on', { files: { ...repository, ...program }, env: {} }],
])('a repository whose jj %s is an error', async (_, setup) => {
  expect(await statusIn('/p', setup)).toMatchObject({
    available: false,
    error: 'there is no jj on PATH',
    repoRoot: '/p',
    state: 'error',
  })
})

test.each([
  ['nothing of jj', program],
  ['a file of that name', { ...program, '/p/.jj': '' }],
  ['a repository beside', { ...program, '/p/other/.jj/repo': '' }],
])('jj is unavailable with %s', async (_, files) => {
  expect(await statusIn('/p/sub', { files })).toMatchObject({
    available: false,
    error: null,
    repoRoot: null,
    state: 'unavailable',
  })
})
