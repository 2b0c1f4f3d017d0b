/** The demo: its real script in a copy of the package, for a person without any settings. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { describeWithGit } from './a-repository.ts'
import './built-command.ts'

/** Where its folders are. */
const folder = mkdtempSync(join(tmpdir(), 'premath-of-demo-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Of what the package has, that which the command and the demo read. */
function aCopy(): string {
  const copy = join(folder, 'copy')
  for (const name of ['package.json', 'demo', 'dist/cli', 'dist/chunks', 'policies', 'schemas']) {
    cpSync(name, join(copy, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

describeWithGit('the demo', () => {
  test('ends with every issue landed and verified', async () => {
    const copy = aCopy()
    const [home, temporary] = [join(folder, 'home'), join(folder, 'temporary')]
    for (const path of [home, temporary]) mkdirSync(path)
    const { PATH } = process.env
    const demo = spawn(process.execPath, ['demo/demo.mjs'], {
      cwd: copy,
      env: { PATH, HOME: home, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A run takes ten seconds. This ends one that waits for something.
      timeout: 120_000,
    })
    const [stdout, stderr, [status]] = await Promise.all([
      text(demo.stdout),
      text(demo.stderr),
      once(demo, 'exit'),
    ])
    const end = stdout.split('\nEvery closed issue is one verified commit on main')[1] ?? stdout
    expect([status, stderr, end]).toEqual([0, '', expect.any(String)])
    for (const title of ['Release it (bd-5)', 'Read the configuration (bd-1)']) {
      expect(end).toContain(title)
    }
    expect(end).toMatch(
      /\$ premath witness verify --all\n(\d+) of \1 items verified\n\(exit 0\)\n$/,
    )
    expect(readdirSync(temporary)).toEqual([])
  })
})
