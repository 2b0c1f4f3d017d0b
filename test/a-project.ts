/** A project in a temporary folder, and the built command on its real files. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { main } from './built-command.ts'
import { type CommandLine, type LaterFrom, runInProcess } from './in-process.ts'
import { withoutSandbox } from './without-sandbox.ts'

export interface Setup {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Advances the clock without waiting. */
  readonly laterFrom?: LaterFrom
  /** Runs the command as a process, for tests about the process itself, such as a work command that kills it. */
  readonly isSpawned?: true
  /** Without a terminal, also where the command asks for a confirmation. */
  readonly isUnattended?: true
  readonly uid?: number
  readonly gid?: number
}

const inherited = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(PREMATH_|GITHUB_|NO_COLOR|FORCE_COLOR|COLUMNS)/.test(name),
  ),
)

/** Each test starts in an empty folder, on a path with spaces. */
export function aProject() {
  const folders = mkdtempSync(join(tmpdir(), 'premath issues '))
  const project = new Project(folders)
  beforeEach(() => project.begin())
  afterAll(() => rmSync(folders, { recursive: true }))
  return project
}

class Project {
  /** The parent of the folders of all tests. */
  readonly folders: string
  folder = ''

  constructor(folders: string) {
    this.folders = folders
  }

  begin(): void {
    this.folder = mkdtempSync(join(this.folders, 'a project '))
  }

  /** The user's folders lie in the test folder, so that they are removed with it. */
  get env(): NodeJS.ProcessEnv {
    const XDG_CACHE_HOME = join(this.folders, 'cache')
    return { ...inherited, XDG_CACHE_HOME, XDG_STATE_HOME: join(this.folders, 'state') }
  }

  /** From here on the project is like a copy on another machine: no row was acknowledged there. */
  forgetAcknowledged(): void {
    rmSync(join(this.folders, 'state'), { recursive: true, force: true })
    rmSync(join(this.folder, '.git/premath/memory'), { recursive: true, force: true })
  }

  get issues(): string {
    return join(this.folder, '.premath/issues.jsonl')
  }

  readonly premath = (args: readonly string[], setup: Setup = {}) => {
    const { input = '', env = {}, cwd = this.folder, isSpawned, laterFrom, ...rest } = setup
    const { isUnattended, ...user } = rest
    const command = {
      args: withoutSandbox(args),
      input,
      cwd,
      env: { ...this.env, ...env },
      laterFrom,
      ...(isUnattended && { isConfirmed: false }),
    }
    return isSpawned || needsProcess(setup) ? spawned(command, user) : runInProcess(command)
  }

  /** The JSON answer with its exit code. */
  readonly asked = (args: readonly string[], setup?: Setup) => {
    const { status, stdout, stderr } = this.premath([...args, '--json'], setup)
    return { status, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
  }

  /** The JSON answer of a command that must succeed. */
  readonly done = (...args: readonly string[]) => {
    const { status, stderr, json } = this.asked(args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return json
  }

  /** The JSON answer of a command that issue memory must refuse without a change. */
  readonly refused = (args: readonly string[], setup?: Setup) => {
    const content = () => (existsSync(this.issues) ? readFileSync(this.issues) : undefined)
    const before = content()
    const { status, stderr, json } = this.asked(args, setup)
    expect(content()).toEqual(before)
    expect(json).toEqual({
      action: expect.stringMatching(/^issue\./),
      diagnostic: expect.stringMatching(/\w/),
      error: { code: json.failureClasses[0], message: json.diagnostic, hint: json.remedy },
      exitCode: status,
      failureClasses: [expect.stringMatching(/^[a-z_]+$/)],
      issuesPath: '.premath/issues.jsonl',
      remedy: expect.stringMatching(/\.$/),
      result: 'rejected',
    })
    const [failureClass] = json.failureClasses
    expect(stderr).toBe(`error: ${json.diagnostic} (${failureClass})\n  ${json.remedy}\n`)
    return [failureClass, status]
  }

  /** Starts the command without waiting for its end. */
  readonly started = (...args: readonly string[]) =>
    new Promise<{ status: number | null; json: ReturnType<typeof JSON.parse> }>(settle => {
      const child = spawn(process.execPath, [main, ...withoutSandbox(args), '--json'], {
        cwd: this.folder,
        env: this.env,
      })
      let stdout = ''
      child.stdout.on('data', text => {
        stdout += text
      })
      child.on('close', status => settle({ status, json: JSON.parse(stdout) }))
    })

  readonly given = (...rows: readonly object[]) => {
    mkdirSync(dirname(this.issues), { recursive: true })
    writeFileSync(this.issues, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  }

  /** The last row of every id. A row that is being written has no line end yet, and does not count. */
  readonly rowsById = () =>
    Object.fromEntries(
      readFileSync(this.issues, 'utf8')
        .split('\n')
        .slice(0, -1)
        .filter(line => line !== '' && !line.startsWith('#'))
        .map(line => JSON.parse(line))
        .map(row => [row.id, row]),
    )
}

/** A thread shares the user and the temporary folder of its process. */
const needsProcess = ({ uid, env = {} }: Setup) => uid !== undefined || 'TMPDIR' in env

function spawned(
  { args, laterFrom: _, ...command }: CommandLine,
  user: Pick<Setup, 'uid' | 'gid'>,
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    ...command,
    ...user,
  })
  return { status, stdout, stderr }
}

export const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

export const open = (id: string, row: object = {}) => ({
  id,
  title: `Issue ${id}`,
  status: 'open',
  ...row,
})

/** A lease as an earlier tool wrote it, without a fence. */
export const leased = (id: string, owner: string, expiresIn: number, row: object = {}) => ({
  ...open(id),
  status: 'in_progress',
  assignee: owner,
  lease: {
    lease_id: `lease1_${id}_${owner}`,
    owner,
    acquired_at: at(-3600),
    expires_at: at(expiresIn),
  },
  ...row,
})
