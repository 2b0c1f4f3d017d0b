import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { medians, premath } from './run.mjs'

const sizes = [1_000, 10_000]
const runs = 5

/** The issues for which the dependencies of one wait in their turn. */
const shapes = {
  'none of which waits': () => [],
  'each of which waits for the one before': at => (at > 1 ? [at - 1] : []),
}

/** The cost of a check of the graph where one issue waits for many. */
export async function graph(folder) {
  const figures = []
  for (const [shape, waitsFor] of Object.entries(shapes)) {
    const spent = []
    for (const size of sizes) spent.push(await checkOf(projectOf(folder, size, waitsFor)))
    const [few, many] = spent
    figures.push({
      name: `graph: one-shot issue-graph-check, ${sizes[1]} dependencies, ${shape}`,
      ours: many,
      unit: 'ms',
      beside: { [`${sizes[0]} dependencies`]: few },
      ratio: many / few,
      most: 12,
    })
  }
  return figures
}

/** Redundant edges are a finding, with exit code 1. */
async function checkOf(root) {
  const check = [premath, 'issue-graph-check', '--json']
  return (await medians({ check }, runs, [0, 1], { cwd: root })).check
}

let made = 0

function projectOf(folder, size, waitsFor) {
  const root = join(folder, `graph-${made++}`)
  mkdirSync(join(root, '.premath'), { recursive: true })
  const rows = [
    rowOf(
      0,
      Array.from({ length: size }, (_, at) => at + 1),
    ),
  ]
  for (let at = 1; at <= size; at++) rows.push(rowOf(at, waitsFor(at)))
  writeFileSync(join(root, '.premath/issues.jsonl'), rows.map(row => `${row}\n`).join(''))
  return root
}

function rowOf(at, targets) {
  const id = `bd-${at + 1}`
  return JSON.stringify({
    id,
    title: `Issue ${at + 1}`,
    status: 'open',
    priority: 1,
    issue_type: 'task',
    created_at: '2026-02-21T21:41:39.724462Z',
    updated_at: '2026-02-22T00:22:51.923596Z',
    ephemeral: false,
    dependencies: targets.map(target => ({
      issue_id: id,
      depends_on_id: `bd-${target + 1}`,
      type: 'blocks',
    })),
  })
}
