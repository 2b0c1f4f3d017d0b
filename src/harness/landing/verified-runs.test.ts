import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, describeWithGit } from '../../../test/a-repository.ts'
import { seconds } from '../../kernel/timestamp.ts'
import { openLanding } from './landing-git.ts'
import { entriesWithoutMemory, VerifiedRuns } from './verified-runs.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const day = seconds(24 * 3600)

describeWithGit('verifications that passed', () => {
  const repository = aRepository()
  let now = seconds(1_800_000_000)
  const clock = { now: () => now, steady: () => now, sleep: async () => {} }
  const open = async (folder = '') => {
    const root = join(repository().root, folder)
    mkdirSync(root, { recursive: true })
    return await openLanding({ ...repository().place(), root, sha256, clock }, { hooks: false })
  }
  const run = (key: string) => ({
    key,
    stepId: 'w.a.1.1',
    commit: 'c'.repeat(40),
    commandDigest: 'sha256:11',
    outputDigest: 'sha256:22',
  })

  test('are found by another process, for a week', async () => {
    const place = await open()
    const runs = new VerifiedRuns(place)
    expect(await runs.find('a')).toBeUndefined()
    await Promise.all([runs.add(run('a')), runs.add(run('b'))])
    const others = new VerifiedRuns(place)
    expect(await others.find('a')).toMatchObject(run('a'))
    expect(await others.find('b')).toMatchObject(run('b'))
    now += 8n * day
    expect(await others.find('a')).toBeUndefined()
    await others.add(run('c'))
    const kept = readFileSync(`${place.commonFolder}/premath/verified.jsonl`, 'utf8')
    expect(kept.match(/"key":"\w"/g)).toEqual(['"key":"c"'])
  })

  test('are found and added after a line that a crash tore', async () => {
    const place = await open()
    const runs = new VerifiedRuns(place)
    await runs.add(run('a'))
    appendFileSync(`${place.commonFolder}/premath/verified.jsonl`, '{"key":"b","at":"20')
    expect(await runs.find('b')).toBeUndefined()
    await runs.add(run('c'))
    expect(await runs.find('a')).toMatchObject(run('a'))
    expect(await runs.find('c')).toMatchObject(run('c'))
  })

  test.each(['', 'apps/one'])('do not depend on issue memory in "%s"', async folder => {
    const place = await open(folder)
    const { git, root } = repository()
    const treeWith = (path: string, text: string) => {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), text)
      git('add', '--all')
      return git('write-tree')
    }
    const seenWith = async (path: string, text: string) =>
      await entriesWithoutMemory(place, treeWith(path, text))
    const seen = await seenWith(join(folder, 'own.txt'), 'one')
    const memory = join(folder, '.premath/issues.jsonl')
    expect(await seenWith(memory, 'one')).toEqual(seen)
    expect(await seenWith(memory, 'two')).toEqual(seen)
    const others = ['a.txt', 'lib/b', join(folder, 'own.txt'), join(folder, '.premath2/c')]
    for (const path of others) {
      const before = await entriesWithoutMemory(place, git('write-tree'))
      expect(await seenWith(path, 'changed')).not.toEqual(before)
    }
  })
})
