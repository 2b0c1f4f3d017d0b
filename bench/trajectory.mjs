import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, medians, premath, time } from './run.mjs'

const rows = 200_000
const runs = 21
const coldRuns = 5
const name = `trajectory: the last 20 of ${rows.toLocaleString('en')} rows`

/** What the last steps cost to ask for, however many there are. */
export async function trajectory(folder) {
  const root = join(folder, 'trajectory')
  const path = trajectoryIn(root)
  return [await lastRows(root, path), await withoutIndex(root, path)]
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

function trajectoryIn(folder) {
  const path = join(folder, '.premath/harness_trajectory.jsonl')
  mkdirSync(join(folder, '.premath'), { recursive: true })
  const text = Array.from({ length: rows }, (_, at) => `${JSON.stringify(rowOf(at))}\n`)
  writeFileSync(path, text.join(''))
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
