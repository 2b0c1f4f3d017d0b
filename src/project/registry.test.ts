import { describe, expect, test } from 'vitest'
import { type SimSetup, simWorld } from '../testing/sim-world.ts'
import { openContext } from './context.ts'
import { openProject } from './open.ts'

const registry = '/home/ada/repo/.premath/capability-registry.json'
const claiming = (...profileOverlayClaims: string[]) => JSON.stringify({ profileOverlayClaims })

async function claims(setup: SimSetup, cwd = '/home/ada/repo/src/deep') {
  const project = await openProject(openContext(simWorld({ ...setup, cwd })))
  return await project.claims()
}

describe('the registry', () => {
  test('is found in this folder or the nearest above', async () => {
    const files = {
      [registry]: claiming('near'),
      '/.premath/capability-registry.json': claiming('far'),
    }
    expect(await claims({ files })).toEqual(['near'])
    expect(await claims({ files }, '/home/ada/repo')).toEqual(['near'])
    expect(await claims({ files }, '/home')).toEqual(['far'])
    expect(await claims({ files }, '/')).toEqual(['far'])
  })

  test('is that of PREMATH_ROOT alone if it is set', async () => {
    const files = {
      [registry]: claiming('near'),
      '/other/.premath/capability-registry.json': claiming('other'),
    }
    expect(await claims({ files, env: { PREMATH_ROOT: '/other' } })).toEqual(['other'])
    await expect(claims({ files, env: { PREMATH_ROOT: '/none' } })).rejects.toThrow('/none')
    expect(await claims({ files, env: { PREMATH_ROOT: '' } })).toEqual(['near'])
  })

  test('that is absent or names no profiles claims none', async () => {
    expect(await claims({})).toEqual([])
    expect(await claims({ files: { [registry]: '{"capabilities":[]}' } })).toEqual([])
    expect(await claims({ files: { [registry]: '{"profileOverlayClaims":null}' } })).toEqual([])
    expect(await claims({ files: { [registry]: claiming() } })).toEqual([])
  })

  test.each([
    ['is not JSON', '{', 'not readable as JSON'],
    ['is not UTF-8', Uint8Array.from([0xff]), 'is not valid UTF-8'],
    ['is a list', '[]', 'must be an object'],
    ['is empty', '', 'not readable as JSON'],
    [
      'claims in text',
      '{"profileOverlayClaims":"all"}',
      'profileOverlayClaims must be a list of text',
    ],
    [
      'claims numbers',
      '{"profileOverlayClaims":[1]}',
      'profileOverlayClaims must be a list of text',
    ],
    [
      'claims twice',
      '{"profileOverlayClaims":[],"profileOverlayClaims":["x"]}',
      'not readable as JSON: the key "profileOverlayClaims" is given twice',
    ],
  ])('that %s is corrupt, since it may claim anything', async (_, content, why) => {
    await expect(claims({ files: { [registry]: content } })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(
        new RegExp(`^the capability registry ${registry} cannot be trusted: ${why}`),
      ),
      detail: { path: registry },
    })
  })
})
