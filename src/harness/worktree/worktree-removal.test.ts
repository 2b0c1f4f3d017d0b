import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { ensureWorktree } from './ensure-worktree.ts'
import { removeWorktree } from './remove-worktree.ts'

describeWithGit('a removal that was cut off', () => {
  const repository = aRepository()
  const ensure = () => ensureWorktree(repository().place(), 'w')
  const notes = (path: string) => readdirSync(dirname(path)).filter(name => /removing/.test(name))

  /** The state that git leaves when its parent is killed part-way. */
  async function cutOff(path: string, soFar: () => void): Promise<() => Promise<boolean>> {
    const note = join(dirname(path), `.removing-${basename(path)}.json`)
    const { processes, root, env } = repository().place()
    let isAlive = async () => true
    await processes.start({
      command: 'while :; do rm -f "$NEW"; sleep 0.01; done',
      cwd: root,
      env: { ...env, NEW: `${path}/new.txt` },
      timeoutMs: 60_000,
      outputBytesMax: 0,
      async beforeRun(group) {
        isAlive = () => processes.groupAlive(group)
        writeFileSync(note, `${JSON.stringify(group)}\n`)
      },
    })
    soFar()
    return isAlive
  }

  async function made() {
    commit(repository().root, 'b.txt')
    return (await ensure()).worktree.path
  }

  test.each([
    ['some files', (path: string) => rmSync(`${path}/a.txt`)],
    ['that it is a worktree', (path: string) => rmSync(`${path}/.git`)],
    ['all of it', (path: string) => rmSync(path, { recursive: true })],
  ])('and took %s is ended before a new one is handed out', async (_, take) => {
    const path = await made()
    const isAlive = await cutOff(path, () => take(path))
    const { worktree, made: isNew } = await ensure()
    expect([worktree.path, isNew]).toEqual([path, true])
    expect(await isAlive()).toBe(false)
    expect(gitIn(path, 'status', '--porcelain')).toBe('')
    expect(notes(path)).toEqual([])
    writeFileSync(`${path}/new.txt`, 'kept')
    expect(existsSync(`${path}/new.txt`)).toBe(true)
  })

  test('before it took anything, or where somebody has worked since, takes nothing', async () => {
    const path = await made()
    await cutOff(path, () => {})
    expect((await ensure()).made).toBe(false)
    await cutOff(path, () => rmSync(`${path}/a.txt`))
    writeFileSync(`${path}/work.txt`, 'mine')
    expect((await ensure()).made).toBe(false)
    expect(existsSync(`${path}/work.txt`)).toBe(true)
    expect(notes(path)).toEqual([])
  })

  test.each(['', '{"id": 4'])(
    'before it was written down leaves a note that says nothing: %j',
    async text => {
      const path = await made()
      writeFileSync(join(dirname(path), `.removing-${basename(path)}.json`), text)
      expect((await ensure()).made).toBe(false)
      expect(notes(path)).toEqual([])
    },
  )

  test('is finished by whoever removes it', async () => {
    const path = await made()
    const { worktree } = await ensure()
    const isAlive = await cutOff(path, () => rmSync(`${path}/a.txt`))
    expect(await removeWorktree(repository().place(), worktree)).toMatchObject({
      result: 'removed',
    })
    expect(await isAlive()).toBe(false)
    expect([existsSync(path), notes(path)]).toEqual([false, []])
  })
})
