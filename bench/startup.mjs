import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { medians, premath } from './run.mjs'
import { turnText } from './turns.mjs'

const runs = 31

/** How long a person or a hook waits before anything is done. */
export async function startup(folder) {
  const input = join(folder, 'turn.json')
  writeFileSync(input, turnText(1, 1))
  const spent = await medians(
    {
      bare: ['-e', '0'],
      version: [premath, '--version'],
      check: [premath, 'harness-join-check', '--input', input],
    },
    runs,
  )
  const figure = (name, what, most) => ({
    name: `start-up: ${what}`,
    ours: spent[name],
    unit: 'ms',
    beside: { 'node -e 0': spent.bare },
    ratio: spent[name] / spent.bare,
    most,
  })
  return [
    figure('version', 'premath --version', 1.3),
    figure('check', 'premath harness-join-check', 1.5),
  ]
}
