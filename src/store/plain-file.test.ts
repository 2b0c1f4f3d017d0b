import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeDisk as disk } from '../world/node-disk.ts'
import { leadsOutside } from './plain-file.ts'

describe('a path', () => {
  let home = ''
  const root = () => `${home}/root`

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'premath-plain-')))
    mkdirSync(`${root()}/below`, { recursive: true })
    mkdirSync(`${home}/root-beside`)
    for (const folder of [`${root()}/below`, `${home}/root-beside`]) {
      writeFileSync(`${folder}/file`, '')
    }
    symlinkSync(root(), `${home}/link`)
    symlinkSync('below', `${root()}/inner`)
    symlinkSync(`${home}/root-beside`, `${root()}/outer`)
  })
  afterEach(() => rmSync(home, { recursive: true }))

  test.each<[string, (root: string) => readonly [path: string, root: string], boolean]>([
    ['in the root stays there', root => [`${root}/below/file`, root], false],
    ['that is not there yet stays there', root => [`${root}/new/file`, root], false],
    ['in a root that is named by a link stays there', () => at('link', 'below/file'), false],
    ['through a link in the root leads away', root => [`${root}/inner/file`, root], true],
    ['through a link out of the root leads away', root => [`${root}/outer/file`, root], true],
    ['up and out of the root leads away', root => [`${root}/../root-beside/file`, root], true],
    ['that is the root stays there', root => [root, root], false],
    ['beside the root leads away', root => [`${root}-beside/file`, root], true],
    ['somewhere else leads away', root => ['/etc/passwd', root], true],
    ['below the root of all stays there', root => [`${root}/below/file`, '/'], false],
  ])('%s', async (_, given, leads) => {
    const [path, from] = given(root())
    expect(await leadsOutside(path, from, disk)).toBe(leads)
  })

  const at = (name: string, below: string) =>
    [`${home}/${name}/${below}`, `${home}/${name}`] as const
})
