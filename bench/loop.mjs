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

/** By which a step knows the files that its verification passed on. */
const listing = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']

/**
 * A whole run of issues that need nothing done, beside a loop that only spawns what it spawns: work,
 * verification and one git. And beside work and verification alone, which is the stricter of the two
 * and has the same limit.
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
  const spent = { ours: [], same: [], without: [] }
  const twice = [command, command].map(text => ['sh', '-c', text])
  for (let run = 0; run < runs; run++) {
    const { root, worktrees } = project(folder, count)
    const words = worktrees.flatMap(worktree => ['--worktree', worktree])
    const options = ['--work-cmd', command, '--verify-cmd', command]
    const bare = async commands => {
      const args = [String(issues), JSON.stringify(commands), ...worktrees]
      return await time([script('bare-loop.mjs'), ...args], [0], { cwd: root })
    }
    const args = [premath, 'harness-loop', 'coordinator', ...words, ...options]
    spent.ours.push(await time(args, [0], { cwd: root }))
    spent.same.push(await bare([...twice, listing]))
    spent.without.push(await bare(twice))
  }
  const name = `loop: ${issues} issues of \`${command}\`, ${count} worker${count === 1 ? '' : 's'}`
  const ours = median(spent.ours)
  const beside = (what, bare) => ({ [what]: median(bare) })
  // Of runs that came one after the other: what the machine does meanwhile meets both.
  const ratio = bare => median(spent.ours.map((own, run) => own / bare[run]))
  return [
    {
      name,
      ours,
      unit: 'ms',
      beside: beside('spawning the same', spent.same),
      ratio: ratio(spent.same),
      most,
    },
    {
      name: `${name}, git apart`,
      ours,
      unit: 'ms',
      beside: beside('work and verification alone', spent.without),
      ratio: ratio(spent.without),
      most,
    },
  ]
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
