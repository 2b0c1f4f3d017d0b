/** The commands whose file calls are broken, each with the project that it starts from. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main } from '../built-command.ts'
import { runInProcess } from '../in-process.ts'
import { issuesPath, recordsIn, rowsIn } from './oracle.ts'

/** A project in a folder that also has the user's folders, which no command may fill. */
export class Place {
  readonly folder: string
  readonly root: string
  readonly tmp: string
  readonly cache: string

  constructor(folder: string) {
    this.folder = folder
    this.root = join(folder, 'project')
    this.tmp = join(folder, 'tmp')
    this.cache = join(folder, 'home/cache')
  }

  get env(): NodeJS.ProcessEnv {
    const home = join(this.folder, 'home')
    return {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CACHE_HOME: this.cache,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_RUNTIME_DIR: join(home, 'run'),
      TMPDIR: this.tmp,
      GIT_CONFIG_NOSYSTEM: '1',
    }
  }

  premath(...args: readonly string[]) {
    return runInProcess({ args, cwd: this.root, env: this.env, input: '' })
  }

  /** A command that must succeed. */
  do(...args: readonly string[]): string {
    const { status, stdout, stderr } = this.premath(...args)
    if (status !== 0) throw new Error(`premath ${args.join(' ')}: exit ${status}: ${stderr}`)
    return stdout
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text)
  }
}

export interface Scenario {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  /** Makes the project from the common one. */
  prepare?(place: Place): void
  /** Runs in every copy, unbroken. Without it the copy is a new file to the high-water mark. */
  readonly first?: readonly string[]
  /** The exit code where nothing is broken. Defaults to 0; another one is that of a refusal. */
  readonly exit?: number
  /** Exit codes of the same command again, whether the broken one made its change or not. */
  readonly again: readonly number[]
  /** In the end, with the same command again, issues are as without a break. */
  readonly isRepeatable?: true
  /** Only the first call of each site that only reads is broken: there are thousands. */
  readonly isLong?: true
  /** What else must hold in the end, in words where it does not. */
  finally?(place: Place): readonly string[]
}

const premath = (...args: readonly string[]): Scenario['argv'] => [process.execPath, main, ...args]

/** Brings the high-water mark to the file of this copy. */
const first = ['issue', 'comment', 'b', 'hello']

const verify = 'test -e work.txt'

/** An open issue that was claimed before, another one, and one that somebody holds. */
export function makeProject(place: Place): void {
  for (const name of ['project', 'home', 'tmp']) mkdirSync(join(place.folder, name))
  place.git('init', '--quiet', '--template=', '--initial-branch=main')
  appendFileSync(
    join(place.root, '.git/config'),
    '[user]\n\tname = Test\n\temail = test@example.com\n[gc]\n\tauto = 0\n',
  )
  place.do('init', '--merge-driver')
  for (const id of ['a', 'b', 'held']) place.do('add', `Issue ${id}`, '--id', id)
  // All calls of a landing take longer than an hour.
  place.do('claim', 'held', '--assignee', 'ada', '--lease-ttl-seconds', '86400')
  place.do('claim', 'a', '--assignee', 'bo')
  place.do('issue', 'lease-release', 'a', '--lease-id', 'lease1_a_bo', '--fence', '1')
  place.write('work.txt', 'done\n')
  commit(place, 'The project begins')
}

function commit(place: Place, message: string): void {
  place.git('add', '--all')
  place.git('commit', '--quiet', '--message', message)
}

/** Only one issue is left to work on. */
function closeOther(place: Place): void {
  place.do('close', 'b', '--force', '--reason', 'not needed')
  commit(place, 'Close b')
}

const closedOnce = ({ root }: Place): readonly string[] => {
  const states = rowsIn(issuesPath(root)).filter(({ id }) => id === 'a')
  const closings = states.filter(
    ({ status }, at) => status === 'closed' && states[at - 1]?.status !== 'closed',
  )
  return closings.length === 1 ? [] : [`a was closed ${closings.length} times`]
}

function stepsOnce({ root }: Place): readonly string[] {
  const steps = recordsIn(join(root, '.premath/harness_trajectory.jsonl'))
  const ids = steps.map(({ stepId }) => stepId)
  const completed = steps.filter(({ resultClass }) => resultClass === 'completed')
  return [
    ...(new Set(ids).size === ids.length ? [] : [`steps ${ids} have one id`]),
    ...(completed.length === 1 ? [] : [`${completed.length} steps were completed`]),
  ]
}

function landedOnce(place: Place): readonly string[] {
  const format = '%(trailers:key=Premath-Issue,valueonly,separator=%x2C)'
  const landed = place.git('log', `--format=${format}`, 'main').split('\n')
  const count = landed.filter(id => id === 'a').length
  const refs = place.git('for-each-ref', '--format=%(refname)').split('\n')
  const left = refs.filter(ref => /^refs\/(premath|heads\/premath)\//.test(ref))
  return [
    ...(count === 1 ? [] : [`a landed ${count} times`]),
    ...(left.length === 0 ? [] : [`refs are left: ${left}`]),
  ]
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'add',
    argv: premath('add', 'New', '--id', 'new'),
    first,
    again: [0, 1],
    isRepeatable: true,
  },
  { name: 'claim', argv: premath('claim', 'a', '--assignee', 'me'), first, again: [0, 4] },
  {
    name: 'update',
    argv: premath('issue', 'update', 'a', '--title', 'New'),
    first,
    again: [0],
    isRepeatable: true,
  },
  {
    name: 'an update after the file went back',
    argv: premath('issue', 'update', 'a', '--title', 'New'),
    prepare(place) {
      const before = readFileSync(issuesPath(place.root))
      place.do('issue', 'update', 'b', '--title', 'Acknowledged')
      place.do('add', 'Acknowledged too', '--id', 'c')
      writeFileSync(issuesPath(place.root), before)
    },
    again: [0],
  },
  {
    name: 'close with proof',
    argv: premath('close', 'a', '--verify', '--verify-cmd', verify),
    first,
    again: [0, 1],
    finally: closedOnce,
  },
  { name: 'compact', argv: premath('issue', 'compact'), first, again: [0] },
  {
    name: 'an update without the lease',
    argv: premath('issue', 'update', 'held', '--title', 'Stolen'),
    first,
    exit: 4,
    again: [4],
  },
  {
    name: 'an update against the policy',
    argv: premath('issue', 'update', 'a', '--title', 'Forbidden'),
    prepare(place) {
      const policy = readFileSync(join(place.root, '.premath/policy.json'), 'utf8')
      place.write('.premath/policy.json', policy.replace('"open"', '"human-override"'))
    },
    exit: 1,
    again: [1],
  },
  {
    name: 'merge',
    argv: ['git', 'merge', '--quiet', '--no-edit', 'other'],
    prepare(place) {
      place.git('branch', 'other')
      place.do('issue', 'update', 'a', '--title', 'Ours')
      place.do('add', 'From ours', '--id', 'ours')
      commit(place, 'Ours')
      place.git('checkout', '--quiet', 'other')
      // A branch stands for a clone here, in which the other rows were not acknowledged.
      forgetAcknowledged(place)
      place.do('issue', 'comment', 'a', 'theirs')
      place.do('add', 'From theirs', '--id', 'theirs')
      commit(place, 'Theirs')
      place.git('checkout', '--quiet', 'main')
      forgetAcknowledged(place)
    },
    again: [0],
  },
  {
    name: 'step',
    argv: premath(
      ...['harness-step', '--sandbox', 'off'],
      ...['--work-cmd', 'echo more >> work.txt', '--verify-cmd', verify],
    ),
    prepare: closeOther,
    first,
    again: [0],
    isLong: true,
    finally: place => [...closedOnce(place), ...stepsOnce(place)],
  },
  {
    name: 'landing',
    argv: premath(
      ...['run', '--sandbox', 'off', '--workers', '1', '--no-baseline'],
      ...['--work-cmd', 'echo more >> work.txt', '--verify-cmd', verify],
    ),
    prepare: closeOther,
    again: [0],
    isLong: true,
    finally: place => [...closedOnce(place), ...landedOnce(place)],
  },
]

function forgetAcknowledged(place: Place): void {
  rmSync(join(place.root, '.git/premath/memory'), { recursive: true })
}
