/** Real processes that make and remove worktrees of one repository at once, as a run and a revert do. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitEnv } from './a-repository.ts'

describeWithGit('concurrent processes that need worktrees', () => {
  const repository = aRepository()
  let folder = ''
  let program = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'premath-worktree-race-'))
    program = join(folder, 'worker.mjs')
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    await build({
      input: resolve('test/worktree-worker.ts'),
      platform: 'node',
      external: ['fs-native-extensions'],
      logLevel: 'silent',
      output: { file: program, format: 'esm', codeSplitting: false },
    })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function start(...args: readonly string[]) {
    const child = spawn(process.execPath, [program, ...args], {
      env: gitEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let text = ''
    const ready = new Promise<void>(done => child.stdout.once('data', () => done()))
    child.stdout.on('data', chunk => {
      text += chunk
    })
    const ended = new Promise<{ code: number | null; answers: unknown[] }>(done => {
      child.once('close', code => {
        const lines = text.split('\n').slice(1, -1)
        done({ code, answers: lines.map(line => JSON.parse(line)) })
      })
    })
    return { ready: Promise.race([ready, ended]), ended, go: () => child.stdin.end('!') }
  }

  /** All of them meet: none begins before every one can. */
  async function meet(all: readonly ReturnType<typeof start>[]) {
    await Promise.all(all.map(({ ready }) => ready))
    for (const { go } of all) go()
    const ends = await Promise.all(all.map(({ ended }) => ended))
    expect(ends.map(({ code }) => code)).toEqual(all.map(() => 0))
    repository().git('fsck', '--strict')
    return ends.map(({ answers }) => answers)
  }

  function fill(): void {
    mkdirSync(`${repository().root}/many`)
    for (let number = 0; number < 300; number++) {
      writeFileSync(`${repository().root}/many/${number}`, `${number}`)
    }
    commit(repository().root, 'b.txt')
  }

  test('get complete worktrees, and leave nothing behind if they remove them', async () => {
    fill()
    const { root, git } = repository()
    const names = ['worker.1', 'worker.2', 'verify.1', 'revert.1']
    const head = git('rev-parse', 'HEAD')
    const once = await meet(names.map(name => start(root, name, head)))
    expect(once.flat()).toEqual(names.map(() => 'complete'))
    expect(git('worktree', 'list').split('\n')).toHaveLength(5)
    const often = await meet(names.map(name => start(root, name, head, '5')))
    expect(often.flat()).toEqual(Array.from({ length: 20 }, () => 'complete'))
    expect(git('worktree', 'list').split('\n')).toHaveLength(1)
  })
})
