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
 * Nothing at all, as a shell does it. Shown without a limit, which a step does not keep here: beside
 * a shell that ends at once, what it writes down and syncs is most of it.
 */
const nothing = 'true'

/** By which a step knows the files that its verification passed on. */
const listing = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']

/**
 * A whole run of issues that need nothing done, beside a loop that only spawns what it spawns: work,
 * verification and one git. And beside work and verification alone, which is the stricter of the two
 * and has the same limit. One that also syncs what a close has to is there for comparison.
 */
export async function loop(folder) {
  const figures = []
  for (const [command, most] of [
    [program, 1.5],
    [nothing, undefined],
  ]) {
    for (const count of workers) figures.push(...(await figuresOf(folder, command, count, most)))
  }
  return figures
}

async function figuresOf(folder, command, count, most) {
  const twice = [command, command].map(text => ['sh', '-c', text])
  const bare = {
    'spawning the same': { commands: [...twice, listing], most },
    'spawning it without git': { commands: twice, most },
    'spawning and syncing the same': { commands: [...twice, listing], isSyncing: true },
  }
  const names = Object.keys(bare)
  const spent = { ours: [], ...Object.fromEntries(names.map(name => [name, []])) }
  for (let run = 0; run < runs; run++) {
    const { root, worktrees } = project(folder, count)
    const words = worktrees.flatMap(worktree => ['--worktree', worktree])
    const options = ['--work-cmd', command, '--verify-cmd', command]
    const args = [premath, 'harness-loop', 'coordinator', ...words, ...options]
    spent.ours.push(await time(args, [0], { cwd: root }))
    for (const [name, { commands, isSyncing = false }] of Object.entries(bare)) {
      const given = [String(issues), JSON.stringify(commands), String(isSyncing), ...worktrees]
      spent[name].push(await time([script('bare-loop.mjs'), ...given], [0], { cwd: root }))
    }
  }
  return names.map(name => ({
    name: `loop: ${issues} issues of \`${command}\`, ${count} worker${count === 1 ? '' : 's'}`,
    ours: median(spent.ours),
    unit: 'ms',
    beside: { [name]: median(spent[name]) },
    // Of runs that came one after the other: what the machine does meanwhile meets both.
    ratio: median(spent.ours.map((own, run) => own / spent[name][run])),
    most: bare[name].most,
  }))
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
