/**
 * A night of work in some seconds: five issues and two workers. The first run is killed. In the second
 * one a conflict and a failing test are repaired from feedback, and everything lands on main.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aFolder, command, env, must, say, show } from './stage.mjs'

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url))
const commands = ['--work-cmd', `node '${agent}'`, '--verify-cmd', 'sh ./check.sh']

/** Every file of an issue must be in the list. */
const check = `for file in bd-*.txt; do
  [ -e "$file" ] || continue
  grep -q "^- \${file%.txt}: " CHANGES.md || { echo "CHANGES.md does not mention $file"; exit 1; }
done
`

const titles = [
  'Read the configuration',
  'Answer requests',
  'Log what was answered',
  'Write the manual',
  'Release it',
]
const edges = [
  ['bd-3', 'bd-2'],
  ['bd-5', 'bd-3'],
  ['bd-5', 'bd-4'],
]

export async function loop() {
  const root = aProject()
  await aKilledRun(root)
  say('\nThe next run settles what the killed one left, and works on everything that is ready.')
  show(root, ['run', '--workers', '2', ...commands], 0, { live: true })
  tellOfIt(root)
  return root
}

function aProject() {
  const root = join(aFolder(), 'project')
  git('.', 'init', '--quiet', '--initial-branch=main', root)
  git(root, 'config', 'user.name', 'demo')
  git(root, 'config', 'user.email', 'demo@localhost')
  writeFileSync(join(root, 'CHANGES.md'), '# Changes\n\n')
  writeFileSync(join(root, 'check.sh'), check)
  writeFileSync(join(root, '.gitignore'), 'artifacts/\n')
  say('\nA run. A project has a test, and five issues of which some depend on others.')
  show(root, ['init', '--yes'], 0)
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message=Begin')
  for (const title of titles) ask(root, 'issue', 'add', title)
  for (const [issue, blocker] of edges) ask(root, 'dep', 'add', issue, blocker)
  show(root, ['issue', 'list'], 0)
  return root
}

/** In the middle of the first issue. */
async function aKilledRun(root) {
  say('\nThe first run claims an issue and is killed while its agent thinks.')
  say(`\n$ premath run --workers 1 --work-cmd 'an agent' --verify-cmd 'sh ./check.sh' &`)
  const words = [command, 'run', '--workers', '1', ...commands]
  const hanging = { ...env, DEMO_HANG: 'yes' }
  const run = spawn(process.execPath, words, { cwd: root, env: hanging, stdio: 'ignore' })
  const ended = new Promise(settle => run.on('exit', settle))
  const output = join(root, 'artifacts/steps/worker.1.bd-1.1.1/work.stdout')
  await until(() => existsSync(output) && readFileSync(output, 'utf8').includes('thinking'))
  run.kill('SIGKILL')
  await ended
  say(`$ kill -9 ${run.pid}`)
}

function tellOfIt(root) {
  say('\nThe trajectory records every attempt, the failed ones too.')
  show(root, ['harness-trajectory', 'query'], 0)
  const closed = ask(root, 'issue', 'list', '--status', 'closed', '--json')
  const ids = JSON.parse(closed).items.map(({ id }) => id)
  must(ids.join(' ') === 'bd-1 bd-2 bd-3 bd-4 bd-5', 'five issues to be closed')
}

/** The last screen: every issue is one commit on main, and each has a proof. */
export function landed(root) {
  say('\nEvery closed issue is one verified commit on main, and anyone can verify its proof.')
  say('\n$ git log --graph --oneline')
  say(git(root, 'log', '--graph', '--oneline').trimEnd())
  must(readdirSync(root).filter(name => /^bd-\d\.txt$/.test(name)).length === 5, 'five files')
  show(root, ['witness', 'verify', '--all'], 0)
}

function git(cwd, ...args) {
  const options = { cwd, env: { ...env, GIT_CONFIG_GLOBAL: '/dev/null' }, encoding: 'utf8' }
  return execFileSync('git', args, options)
}

const ask = (cwd, ...args) =>
  execFileSync(process.execPath, [command, ...args], { cwd, env, encoding: 'utf8' })

async function until(holds) {
  for (let waited = 0; !holds(); waited++) {
    must(waited < 400, 'the worker to begin within 20 seconds')
    await new Promise(settle => setTimeout(settle, 50))
  }
}
