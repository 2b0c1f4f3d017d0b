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
 * Nothing at all, as a shell does it. Shown without a limit: a step syncs twice, names the tree and
 * keeps its journal, which takes longer than starting a shell that ends at once.
 */
const nothing = 'true'

/** A whole run of issues that need nothing done, beside a loop that only spawns the commands. */
export async function loop(folder) {
  const figures = []
  for (const [command, most] of [
    [program, 1.5],
    [nothing, undefined],
  ]) {
    for (const count of workers) figures.push(await figure(folder, command, count, most))
  }
  return figures
}

async function figure(folder, command, count, most) {
  const spent = { ours: [], bare: [] }
  for (let run = 0; run < runs; run++) {
    const { root, worktrees } = project(folder, count)
    const words = worktrees.flatMap(worktree => ['--worktree', worktree])
    const commands = ['--work-cmd', command, '--verify-cmd', command]
    const args = [premath, 'harness-loop', 'coordinator', ...words, ...commands]
    spent.ours.push(await time(args, [0], { cwd: root }))
    const bare = [script('bare-loop.mjs'), String(issues), command, ...worktrees]
    spent.bare.push(await time(bare, [0], { cwd: root }))
  }
  const [ours, bare] = [median(spent.ours), median(spent.bare)]
  // Of runs that came one after the other: what the machine does meanwhile meets both.
  const ratio = median(spent.ours.map((own, run) => own / spent.bare[run]))
  return {
    name: `loop: ${issues} issues of \`${command}\`, ${count} worker${count === 1 ? '' : 's'}`,
    ours,
    unit: 'ms',
    beside: { 'spawning alone': bare },
    ratio,
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
