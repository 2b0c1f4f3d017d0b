import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectOf } from './issues.mjs'
import { medians, premath } from './run.mjs'
import { turnText } from './turns.mjs'

const runs = 31

const limits = { '--version': 1.3, 'harness-join-check': 2, 'issue ready': 2.2 }
/** Node 24 keeps the code that it compiled; it is measured when it has done so. */
const limits24 = { '--version': 1.3, 'harness-join-check': 1.7, 'issue ready': 1.7 }

/** The time that a person or a hook waits before a command does anything. */
export async function startup(folder, progress) {
  const here = await startsOf(process.execPath, folder)
  if (isNode24(process.execPath)) return here
  const node24 = process.env['NODE24'] ?? 'node24'
  if (isNode24(node24)) return [...here, ...(await startsOf(node24, folder))]
  progress('Node 24 is not measured: NODE24 names no binary, and the path has no node24')
  return here
}

const versionOf = node => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim()
const isNode24 = node => versionOf(node)?.startsWith('v24.') ?? false

async function startsOf(node, folder) {
  const input = join(folder, 'turn.json')
  writeFileSync(input, turnText(1, 1))
  // The first run of each command is not counted, and fills the compile cache.
  const options = { node, cwd: projectOf(folder, 365).root, cache: join(folder, 'cache') }
  const spent = await medians(
    {
      bare: ['-e', '0'],
      '--version': [premath, '--version'],
      'harness-join-check': [premath, 'harness-join-check', '--input', input],
      'issue ready': [premath, 'issue', 'ready'],
    },
    runs,
    [0],
    options,
  )
  const most = isNode24(node) ? limits24 : limits
  return Object.keys(most).map(command => ({
    name: `start-up on Node ${versionOf(node)}: premath ${command}`,
    ours: spent[command],
    unit: 'ms',
    beside: { 'node -e 0': spent.bare },
    ratio: spent[command] / spent.bare,
    most: most[command],
  }))
}
