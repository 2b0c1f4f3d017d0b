/**
 * Every speed and memory figure we hold ourselves to, each a ratio measured in this run. Exits 1
 * when one is over its limit. `npm run bench -- --json` prints one JSON document, and
 * `npm run bench -- loop specs` measures only these sections.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ancestry } from './ancestry.mjs'
import { digests } from './digests.mjs'
import { golden } from './golden.mjs'
import { graph } from './graph.mjs'
import { http } from './http.mjs'
import { issues } from './issues.mjs'
import { landing } from './landing.mjs'
import { loop } from './loop.mjs'
import { mcp } from './mcp.mjs'
import { memory } from './memory.mjs'
import { peaks } from './peaks.mjs'
import { resident } from './resident.mjs'
import { sandbox } from './sandbox.mjs'
import { scheme } from './scheme.mjs'
import { specs } from './specs.mjs'
import { startup } from './startup.mjs'
import { steps } from './steps.mjs'
import { throughput } from './throughput.mjs'
import { trajectory } from './trajectory.mjs'

const folder = mkdtempSync(join(tmpdir(), 'premath-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const progress = text => process.stderr.write(`${text}\n`)

const sections = {
  startup: ['start-up', startup],
  gate: ['gate over files of turns', throughput],
  issues: ['issue memory of 365 to 200,000 issues', issues],
  graph: ['dependencies of one issue', graph],
  peaks: ['memory of replays and compactions', peaks],
  resident: ['questions to the resident process', resident],
  steps: ['steps at 365 and 50,000 issues', steps],
  sandbox: ['commands in the sandbox', sandbox],
  ancestry: ['ancestors of a command', ancestry],
  loop: ['whole runs of the loop', loop],
  landing: ['landing on a branch', landing],
  digests: ['digests of 100,000 files', digests],
  specs: ['documents of specs', specs],
  golden: ['golden output', golden],
  http: ['live requests', http],
  trajectory: ['trajectory of 200,000 and 1,000,000 rows', trajectory],
  mcp: ['round trips over MCP', mcp],
  scheme: ['a loop of a program', scheme],
  memory: ['memory over 200,000 turns', memory],
}
const named = process.argv.slice(2).filter(word => word !== '--json')
const unknown = named.find(name => !(name in sections))
if (unknown !== undefined) {
  progress(`error: no section ${unknown}; there are ${Object.keys(sections).join(', ')}`)
  process.exit(2)
}
const figures = []
for (const name of named.length === 0 ? Object.keys(sections) : named) {
  if (name === 'memory' && !existsSync('/proc/self/status')) {
    progress('memory: not measured, this system has no /proc')
    continue
  }
  const [title, measure] = sections[name]
  progress(`${title} …`)
  figures.push(...(await measure(folder, progress)))
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
