import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, medians, premath, time } from './run.mjs'

const rows = 200_000
const manyRows = 1_000_000
const rowsAtOnce = 10_000
const runs = 21
const coldRuns = 5
const name = `trajectory: the last 20 of ${rows.toLocaleString('en')} rows`

/** What the last steps cost to ask for, however many there are. */
export async function trajectory(folder) {
  const root = join(folder, 'trajectory')
  const path = trajectoryIn(root, rows)
  const figures = [await lastRows(root, path), await withoutIndex(root, path)]
  return [...figures, await clusters(join(folder, 'long-trajectory'))]
}

/** The failures of all steps by class, whose answer names the newest of each. */
async function clusters(root) {
  trajectoryIn(root, manyRows)
  const ask = [...query, '--cluster']
  // The first one makes the index.
  const spent = await medians({ bare: ['-e', '0'], ask }, runs, [0], { cwd: root })
  rmSync(root, { recursive: true })
  return {
    name: `trajectory: --cluster at ${manyRows.toLocaleString('en')} rows, one-shot`,
    ours: spent.ask,
    unit: 'ms',
    beside: { 'node -e 0': spent.bare },
    ratio: spent.ask / spent.bare,
    most: 4,
  }
}

const query = [premath, 'harness-trajectory', 'query', '--limit', '20', '--json']

async function lastRows(root, path) {
  const spent = await medians({ bare: ['-e', '0'], query }, runs, [0], { cwd: root })
  return {
    name: `${name}, one-shot`,
    ours: spent.query,
    unit: 'ms',
    beside: { 'node -e 0': spent.bare, 'tail -n 20': tailOf(path) },
    ratio: spent.query / spent.bare,
    most: 3,
  }
}

function tailOf(path) {
  const times = Array.from({ length: runs }, () => {
    const began = process.hrtime.bigint()
    execFileSync('tail', ['-n', '20', path])
    return Number(process.hrtime.bigint() - began) / 1e6
  })
  return median(times)
}

/** The first question after the index is gone, which also makes it anew. */
async function withoutIndex(root, path) {
  const readAndParse = `require('fs').readFileSync(${JSON.stringify(path)},'utf8').split('\\n').filter(Boolean).map(row => JSON.parse(row))`
  const [ours, bare] = [[], []]
  for (let run = 0; run < coldRuns; run++) {
    rmSync(join(root, '.premath/cache'), { recursive: true, force: true })
    ours.push(await time(query, [0], { cwd: root }))
    bare.push(await time(['-e', readAndParse], [0], { cwd: root }))
  }
  return {
    name: `${name}, no cache`,
    ours: median(ours),
    unit: 'ms',
    beside: { 'read and parse': median(bare) },
    ratio: median(ours) / median(bare),
    most: 2.5,
  }
}

function trajectoryIn(folder, count) {
  const path = join(folder, '.premath/harness_trajectory.jsonl')
  mkdirSync(join(folder, '.premath'), { recursive: true })
  for (let from = 0; from < count; from += rowsAtOnce) {
    const text = Array.from(
      { length: rowsAtOnce },
      (_, at) => `${JSON.stringify(rowOf(from + at))}\n`,
    )
    appendFileSync(path, text.join(''))
  }
  return path
}

/** About half a kilobyte, as a worker leaves them; one in ten failed. */
function rowOf(at) {
  const issueId = `bd-${at % 5_000}`
  const digest = at.toString(16).padStart(64, '0')
  return {
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `worker.${at % 8}.${issueId}.${at}`,
    issueId,
    action: 'worker.loop',
    resultClass: at % 10 ? 'completed' : 'failed_verify',
    witnessRefs: [`lease://handoff/${issueId}/released/${digest}`],
    lineageRefs: [`cover://worker-loop/${issueId}/${digest}`, `ctx://issue/${issueId}/${digest}`],
    finishedAt: new Date(Date.UTC(2026, 0, 1) + at * 5_000).toISOString(),
  }
}
