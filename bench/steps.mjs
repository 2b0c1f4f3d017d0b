import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { bundled } from './bundled.mjs'
import { projectOf } from './issues.mjs'

const sizes = [365, 50_000]
const millisecondsMax = 20

/** What a step costs beside its commands, and that it costs hardly more where there is more. */
export async function steps(folder) {
  const file = await bundled('harness-steps.mjs', folder)
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
