import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundled } from './bundled.mjs'

const millisecondsMax = 40

/** What the sandbox adds to a command that does nothing: bubblewrap, and a git directory of its own. */
export async function sandbox(folder, progress) {
  const probe = ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', 'true']
  if (spawnSync('bwrap', probe).status !== 0) {
    progress('sandbox: not measured, bubblewrap does not work here')
    return []
  }
  const file = await bundled('sandboxed-command.mjs', folder)
  const root = join(folder, 'sandboxed')
  mkdirSync(join(root, '.premath'), { recursive: true })
  writeFileSync(join(root, '.premath/issues.jsonl'), '')
  writeFileSync(join(root, 'a.txt'), 'a\n')
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' })
  git('init', '--quiet')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@example.org')
  git('add', 'a.txt')
  git('commit', '--quiet', '--message', 'Begin')
  const { bare, contained } = JSON.parse(
    execFileSync(process.execPath, [file, resolve('.'), root], { encoding: 'utf8' }),
  )
  return [
    {
      name: 'sandbox: a command beside a bare one',
      ours: contained - bare,
      unit: 'ms',
      beside: { bare, sandboxed: contained, 'the limit': millisecondsMax },
      ratio: (contained - bare) / millisecondsMax,
      most: 1,
    },
  ]
}
