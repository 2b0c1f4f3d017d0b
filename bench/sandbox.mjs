import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { script } from './run.mjs'

const millisecondsMax = 40

/** What the sandbox adds to a command that does nothing: bubblewrap, and a git directory of its own. */
export async function sandbox(folder, progress) {
  const probe = ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', 'true']
  if (spawnSync('bwrap', probe).status !== 0) {
    progress('sandbox: not measured, bubblewrap does not work here')
    return []
  }
  const file = join(folder, 'sandboxed-command.mjs')
  await build({
    input: script('sandboxed-command.mjs'),
    platform: 'node',
    external: ['fs-native-extensions', 'jsonc-parser', 'ajv', /^ajv\//, 're2js'],
    logLevel: 'silent',
    transform: { define: { __PREMATH_VERSION__: '"bench"' } },
    output: { file, format: 'esm', codeSplitting: false },
  })
  if (!existsSync(join(folder, 'node_modules'))) {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  }
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
