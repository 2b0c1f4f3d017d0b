import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { projectOf } from './issues.mjs'
import { script } from './run.mjs'

const sizes = [365, 50_000]
const millisecondsMax = 20

/** What a step costs beside its commands, and that it costs hardly more where there is more. */
export async function steps(folder) {
  const file = join(folder, 'harness-steps.mjs')
  await build({
    input: script('harness-steps.mjs'),
    platform: 'node',
    external: ['fs-native-extensions', 'ajv', /^ajv\//, 're2js'],
    logLevel: 'silent',
    transform: { define: { __PREMATH_VERSION__: '"bench"' } },
    output: { file, format: 'esm', codeSplitting: false },
  })
  if (!existsSync(join(folder, 'node_modules'))) {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  }
  const roots = sizes.map(size => projectOf(join(folder, 'steps'), size).root)
  const [small, large] = JSON.parse(
    execFileSync(process.execPath, [file, resolve('.'), ...roots], { encoding: 'utf8' }),
  )
  return [
    {
      name: 'steps: all but the commands at 50000',
      ours: large,
      unit: 'ms',
      beside: { 'at 365': small },
      ratio: large / small,
      most: 2,
    },
    {
      name: 'steps: the same beside its limit',
      ours: large,
      unit: 'ms',
      beside: { 'the limit': millisecondsMax },
      ratio: large / millisecondsMax,
      most: 1,
    },
  ]
}
