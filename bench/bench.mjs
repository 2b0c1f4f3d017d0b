/**
 * Every speed and memory figure we hold ourselves to, each a ratio measured in this run. Exits 1
 * when one is over its limit. `npm run bench -- --json` prints one JSON document.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { issues } from './issues.mjs'
import { loop } from './loop.mjs'
import { memory } from './memory.mjs'
import { specs } from './specs.mjs'
import { startup } from './startup.mjs'
import { steps } from './steps.mjs'
import { throughput } from './throughput.mjs'
import { trajectory } from './trajectory.mjs'

const folder = mkdtempSync(join(tmpdir(), 'premath-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const progress = text => process.stderr.write(`${text}\n`)

progress('start-up …')
const figures = await startup(folder, progress)
progress('gate over files of turns …')
figures.push(...(await throughput(folder)))
progress('issue memory of 365, 5,000 and 50,000 issues …')
figures.push(...(await issues(folder)))
progress('steps at 365 and 50,000 issues …')
figures.push(...(await steps(folder)))
progress('whole runs of the loop …')
figures.push(...(await loop(folder)))
progress('documents of specs …')
figures.push(...(await specs(folder)))
progress('trajectory of 200,000 rows …')
figures.push(...(await trajectory(folder)))
if (existsSync('/proc/self/status')) {
  progress('memory over 200,000 turns …')
  figures.push(await memory())
} else {
  progress('memory: not measured, this system has no /proc')
}

const isHeld = ({ ratio, most }) => most === undefined || ratio <= most
const held = figures.every(isHeld)
const number = value => value.toFixed(value < 10 ? 2 : 1)

function table() {
  const rows = figures.map(figure => {
    const { name, ours, unit, beside, ratio, most } = figure
    return [
      name,
      `${number(ours)} ${unit}`,
      Object.entries(beside)
        .map(([what, value]) => `${what} ${number(value)}`)
        .join(', '),
      most === undefined ? ratio.toFixed(2) : `${ratio.toFixed(2)} of at most ${most}`,
      most === undefined ? 'shown' : isHeld(figure) ? 'held' : 'OVER',
    ]
  })
  const all = [['figure', 'ours', 'beside', 'ratio', ''], ...rows]
  const widths = all[0].map((_, column) => Math.max(...all.map(row => row[column].length)))
  return all
    .map(row =>
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' }
process.stdout.write(
  process.argv.includes('--json')
    ? `${JSON.stringify({ machine, held, figures }, null, 2)}\n`
    : `${table()}\n`,
)
process.exitCode = held ? 0 : 1
