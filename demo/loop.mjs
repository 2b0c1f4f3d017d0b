/**
 * A night of work in half a minute: six issues, two worktrees, and a killed worker. One step fails and
 * is retried, one turn is rejected, one issue is taken over.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aFolder, command, env, must, say, show } from './stage.mjs'

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url))
const work = `node '${agent}'`
const verify = 'git log -1 --format=%s | grep -q "^$PREMATH_ISSUE_ID:"'
const commands = ['--work-cmd', work, '--verify-cmd', verify]

const titles = [
  'Read the configuration',
  'Answer requests',
  'Log what was answered',
  'Send the weekly mail',
  'Write the manual',
  'Release it',
]
const edges = [
  ['bd-3', 'bd-2'],
  ['bd-6', 'bd-3'],
  ['bd-6', 'bd-5'],
]

export async function loop() {
  const root = aProject()
  await aKilledWorker(root)
  say(
    '\nTwo workers continue, each in its own worktree. They take over the issue of the killed worker.',
  )
  const worktrees = ['one', 'two'].flatMap(name => ['--worktree', aWorktree(root, name)])
  const live = { live: true }
  show(root, ['harness-loop', 'coordinator', ...worktrees, ...commands], 1, live)
  tellOfIt(root)
}

function aProject() {
  const root = join(aFolder(), 'project')
  git('.', 'init', '--quiet', '--initial-branch=main', root)
  git(root, 'config', 'user.name', 'demo')
  git(root, 'config', 'user.email', 'demo@localhost')
  git(root, 'commit', '--quiet', '--allow-empty', '--message=begin')
  say('\nThe loop. A project has six issues, and some depend on others.')
  show(root, ['init'], 0)
  for (const title of titles) ask(root, 'issue', 'add', title)
  for (const [issue, blocker] of edges) ask(root, 'dep', 'add', issue, blocker)
  show(root, ['issue', 'list'], 0)
  return root
}

/** In a worktree of its own, in the middle of the first issue. */
async function aKilledWorker(root) {
  const worktree = aWorktree(root, 'first')
  writeFileSync(join(worktree, 'hang'), '')
  say('\nA worker claims the first issue and is killed while it works.')
  say(
    `\n$ premath harness-loop worker --worker first --work-cmd 'an agent' --verify-cmd 'a check' &`,
  )
  const words = [command, 'harness-loop', 'worker', '--worker', 'first', ...commands]
  const worker = spawn(process.execPath, words, { cwd: worktree, env, stdio: 'ignore' })
  const ended = new Promise(settle => worker.on('exit', settle))
  const output = join(root, 'artifacts/steps/first.bd-1.1.1/work.stdout')
  await until(() => existsSync(output) && readFileSync(output, 'utf8').includes('thinking'))
  worker.kill('SIGKILL')
  await ended
  say(`$ kill -9 ${worker.pid}`)
}

function tellOfIt(root) {
  say('\nThe trajectory records every step.')
  show(root, ['harness-trajectory', 'query'], 0)
  say('\nThe failed steps, grouped by class, and the KPI of the workers.')
  show(root, ['harness-trajectory', 'query', '--mode', 'failed', '--cluster'], 0)
  show(root, ['harness-kpi'], 0)
  const closed = ask(root, 'issue', 'list', '--status', 'closed', '--json')
  const ids = JSON.parse(closed).items.map(({ id }) => id)
  must(ids.join(' ') === 'bd-1 bd-2 bd-3 bd-5 bd-6', 'five issues to be closed, and not bd-4')
  say(
    '\nFive issues are closed. bd-4 is not: its agent left a tool call without a result. The loop',
  )
  say('reports it for a person:')
  const rows = readFileSync(join(root, '.premath/harness_attention.jsonl'), 'utf8')
  for (const row of rows.trim().split('\n')) {
    const { message, next } = JSON.parse(row)
    say(`  ${message}\n    → ${next}`)
  }
}

function aWorktree(root, name) {
  const path = join(root, '..', name)
  git(root, 'worktree', 'add', '--quiet', '-b', name, path)
  return path
}

function git(cwd, ...args) {
  execFileSync('git', args, { cwd, env: { ...env, GIT_CONFIG_GLOBAL: '/dev/null' } })
}

const ask = (cwd, ...args) =>
  execFileSync(process.execPath, [command, ...args], { cwd, env, encoding: 'utf8' })

async function until(holds) {
  for (let waited = 0; !holds(); waited++) {
    must(waited < 400, 'the worker to begin within 20 seconds')
    await new Promise(settle => setTimeout(settle, 50))
  }
}
