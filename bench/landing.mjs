import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, premath, script, time } from './run.mjs'

const issues = 40
const workers = 4
const runs = 3

/** Landing beside the bare git commands, and a stack of slow verifications beside the ideal. */
export async function landing(folder) {
  return [await plain(folder), await stacked(folder)]
}

async function plain(folder) {
  const spent = { ours: [], floor: [] }
  const work = 'echo "$PREMATH_ISSUE_ID" > "$PREMATH_ISSUE_ID.txt"'
  for (let run = 0; run < runs; run++) {
    const args = ['run', '--sandbox', 'off', '--workers', String(workers), '--no-baseline']
    const commands = ['--work-cmd', work, '--verify-cmd', 'true']
    const cwd = project(folder, issues)
    spent.ours.push(await time([premath, ...args, ...commands], [0], { cwd }))
    const bare = [script('bare-landing.mjs'), String(issues), String(workers)]
    spent.floor.push(await time(bare, [0], { cwd: project(folder, 0) }))
  }
  return {
    name: `landing: ${issues} issues, ${workers} workers`,
    ours: median(spent.ours),
    unit: 'ms',
    beside: { 'the same git commands': median(spent.floor) },
    ratio: median(spent.ours.map((own, run) => own / spent.floor[run])),
    most: 1.5,
  }
}

const candidates = 8
const verifiers = 4
const seconds = 2

async function stacked(folder) {
  const spent = []
  for (let run = 0; run < runs; run++) {
    const counts = ['--workers', String(candidates), '--verifiers', String(verifiers)]
    const args = ['run', '--sandbox', 'off', ...counts]
    const work = 'echo "$PREMATH_ISSUE_ID" > "$PREMATH_ISSUE_ID.txt"'
    const commands = ['--no-baseline', '--work-cmd', work, '--verify-cmd', `sleep ${seconds}`]
    const cwd = project(folder, candidates)
    spent.push(await time([premath, ...args, ...commands], [0], { cwd }))
  }
  const ideal = (candidates / verifiers) * seconds * 1000
  return {
    name: `landing: ${candidates} candidates of ${seconds} s, ${verifiers} verifiers`,
    ours: median(spent),
    unit: 'ms',
    beside: { ideal },
    ratio: median(spent) / ideal,
    most: 1.5,
  }
}

function project(folder, count) {
  const root = join(mkdtempSync(join(folder, 'landing-')), 'project')
  mkdirSync(root)
  const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@localhost')
  writeFileSync(join(root, '.gitignore'), '.premath/\nartifacts/\nbare/\n')
  for (let at = 0; at < 50; at++) writeFileSync(join(root, `file-${at}.txt`), `${at}\n`)
  git('add', '--all')
  git('commit', '--message=begin')
  mkdirSync(join(root, '.premath'))
  const rows = Array.from({ length: count }, (_, at) => ({ id: `bd-${at + 1}`, title: `No ${at}` }))
  const text = rows.map(row => `${JSON.stringify(row)}\n`).join('')
  writeFileSync(join(root, '.premath/issues.jsonl'), text)
  return root
}
