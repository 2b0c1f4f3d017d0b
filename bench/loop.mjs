import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, premath, script, time } from './run.mjs'

const issues = 40
const workers = [1, 2, 4]
const runs = 5

/** The least that an agent or a test runner is: a program that starts, and ends. */
const program = 'node -e 0'
/**
 * Nothing at all, as a shell does it. Shown without a limit: beside a shell that ends at once, most
 * of a step is what it records and syncs.
 */
const nothing = 'true'

/**
 * Workers beside each other, on issues that need nothing done. Section landing measures runs that
 * land. The floor is a loop that spawns the same commands, those of git for a clean checkout
 * included, and syncs what a close must.
 */
export async function loop(folder) {
  const figures = []
  for (const [command, most] of [
    [program, 1.5],
    [nothing, undefined],
  ]) {
    for (const count of workers) figures.push(await figureOf(folder, command, count, most))
  }
  return figures
}

async function figureOf(folder, command, count, most) {
  const spent = { ours: [], floor: [] }
  for (let run = 0; run < runs; run++) {
    const { root, worktrees } = project(folder, count)
    const options = ['--work-cmd', command, '--verify-cmd', command]
    const args = [premath, 'harness-loop', 'worker', '--sandbox', 'off', ...options]
    const began = performance.now()
    await Promise.all(worktrees.map(cwd => time(args, [0], { cwd })))
    spent.ours.push(performance.now() - began)
    const given = [String(issues), command, ...worktrees]
    spent.floor.push(await time([script('bare-loop.mjs'), ...given], [0], { cwd: root }))
  }
  return {
    name: `loop: ${issues} issues of \`${command}\`, ${count} worker${count === 1 ? '' : 's'}`,
    ours: median(spent.ours),
    unit: 'ms',
    beside: { 'spawning and syncing the same': median(spent.floor) },
    // The ratio of runs that came one after the other: both meet the same load of the machine.
    ratio: median(spent.ours.map((own, run) => own / spent.floor[run])),
    most,
  }
}

function project(folder, count) {
  const root = mkdtempSync(join(folder, 'loop-'))
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message=begin')
  mkdirSync(join(root, '.premath'))
  const rows = Array.from({ length: issues }, (_, at) => ({
    id: `bd-${at + 1}`,
    title: `No ${at}`,
  }))
  writeFileSync(
    join(root, '.premath/issues.jsonl'),
    rows.map(row => `${JSON.stringify(row)}\n`).join(''),
  )
  const worktrees = Array.from({ length: count }, (_, at) => `${root}-w${at + 1}`)
  for (const worktree of worktrees) git('worktree', 'add', '--detach', worktree)
  return { root, worktrees }
}
