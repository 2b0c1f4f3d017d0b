/** A project in a git repository of its own, worked on by the built command. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from './built-command.ts'
import { runInProcess } from './in-process.ts'
import { withoutSandbox } from './without-sandbox.ts'

/** The environment variable that marks every process of a repository and its children. */
const mark = 'TEST_REPOSITORY'

const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PREMATH_|GIT_)/.test(name)),
)

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const settings = `[user]
  name = Test
  email = test@example.com
[commit]
  gpgsign = false
[gc]
  auto = 0
`

export class Repository {
  /** Holds the project, its worktrees and the other files of a test. */
  readonly folder: string
  readonly root: string
  readonly #env: NodeJS.ProcessEnv
  readonly #running = new Set<ChildProcess>()

  constructor(name: string, files: Readonly<Record<string, string>> = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `premath-${name}-`)))
    this.root = join(this.folder, 'project')
    // Files of a killed process are removed with the folder.
    const own = { TMPDIR: join(this.folder, 'tmp'), XDG_CACHE_HOME: join(this.folder, 'cache') }
    this.#env = { ...inherited, ...own, [mark]: this.folder }
    mkdirSync(join(this.folder, 'tmp'))
    this.git('init', '--quiet', '--template=', '--initial-branch=main', this.root)
    appendFileSync(join(this.root, '.git/config'), settings)
    const ignored = { '.gitignore': '.premath/\nartifacts/\n' }
    for (const [path, text] of Object.entries({ ...ignored, ...files })) {
      writeFileSync(join(this.root, path), text)
    }
    this.git('-C', this.root, 'add', '--all')
    this.git('-C', this.root, 'commit', '--quiet', '--message', 'The project begins.')
  }

  readonly git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: this.folder,
      env: this.#env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.trimEnd()
  }

  /** A linked worktree beside the project, on a branch of the same name. */
  worktree(name: string): string {
    const path = join(this.folder, name)
    this.git('-C', this.root, 'worktree', 'add', '--quiet', '-b', name, path)
    return path
  }

  /** By path, the project's own first. */
  get worktrees(): readonly string[] {
    return this.git('-C', this.root, 'worktree', 'list', '--porcelain')
      .split('\n')
      .filter(line => line.startsWith('worktree '))
      .map(line => line.slice('worktree '.length))
  }

  get branches(): readonly string[] {
    return this.git('-C', this.root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')
      .split('\n')
      .filter(name => name !== '')
  }

  given(rows: readonly object[]): void {
    mkdirSync(join(this.root, '.premath'), { recursive: true })
    // The state after premath init.
    writeFileSync(join(this.root, '.premath/.gitattributes'), '* -text\n')
    const text = rows.map(row => `${JSON.stringify(row)}\n`).join('')
    writeFileSync(join(this.root, '.premath/issues.jsonl'), text)
  }

  rows(path: string) {
    return readFileSync(join(this.root, '.premath', path), 'utf8')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => JSON.parse(line))
  }

  start(args: readonly string[], { cwd = this.root, env = {} } = {}): Running {
    const child = spawn(process.execPath, [main, ...withoutSandbox(args)], {
      cwd,
      env: { ...this.#env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', text => {
      stdout += text
    })
    child.stderr.on('data', text => {
      stderr += text
    })
    const ended = new Promise<Ended>(settle => {
      child.on('close', (status, signal) => {
        this.#running.delete(child)
        settle({ status, signal, stdout, stderr })
      })
    })
    return { child, ended }
  }

  async run(args: readonly string[], setup?: { cwd?: string }) {
    return await this.start(args, setup).ended
  }

  /** Runs in the test process, for tests that are not about processes. */
  premath(
    args: readonly string[],
    { cwd = this.root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
  ) {
    return runInProcess({
      args: withoutSandbox(args),
      cwd,
      env: { ...this.#env, ...env },
      input: '',
    })
  }

  asked(...args: readonly string[]) {
    const { status, stdout, stderr } = this.premath([...args, '--json'])
    return { status, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
  }

  /** The environment of its processes, for those that a test starts itself. */
  get marks(): NodeJS.ProcessEnv {
    return this.#env
  }

  /** Processes with the mark of this repository; none if the system cannot list them. */
  get processes(): readonly string[] {
    if (!existsSync('/proc/self/environ')) return []
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .filter(pid => ofProcess(pid, 'environ').split('\0').includes(`${mark}=${this.folder}`))
      .map(pid => `${pid} ${ofProcess(pid, 'cmdline').replaceAll('\0', ' ')}`)
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true })
  }
}

/** Blank if the process has ended or belongs to another user. */
function ofProcess(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
