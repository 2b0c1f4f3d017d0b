/**
 * Runs git without a shell, with a timeout, and only in the repository of `cwd`. Git runs no program
 * that the repository or its configuration names.
 */
import { Fault } from '../../fault.ts'
import {
  type GitPrograms,
  programKeys,
  programsIn,
  programsOff,
} from '../../kernel/landing/git-programs.ts'
import { scarcityHints, shown } from '../../world/system-error.ts'
import type { Disk, Processes, ProcessGroup } from '../../world/world.ts'
import { describeEnd } from '../step/command.ts'
import {
  isContentFree,
  noHooks,
  noTransport,
  plainEnvironment,
  plainSettings,
  withConfiguration,
  withoutDiffPrograms,
} from './git-settings.ts'
import { foundRepository, repositoryOf } from './repository.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface GitPlace {
  /** The project folder. */
  readonly root: string
  readonly processes: Processes
  readonly disk: Disk
  readonly env: Environment
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  /** False if `stdout` was truncated. */
  readonly isWhole: boolean
  /** The last error line of git. */
  readonly complaint: string
}

const timeoutMsDefault = 60_000
/** Enough for thousands of worktrees or changed files. */
const answerBytesMax = 1024 * 1024
/** Enough for a million paths of sixty characters. */
export const listBytesMax = 64 * 1024 * 1024

const startHints: Readonly<Record<string, string>> = {
  ...scarcityHints,
  ENOENT: 'Install git and put it on the PATH.',
  ENOTDIR: 'The folder may have been removed. Restore it and run the command again.',
  EACCES: 'Check that you may execute the git on the PATH.',
}

export interface AskOptions {
  readonly bytesMax?: number
  /** Added to the environment of git. */
  readonly env?: Environment
  /** More settings: `name=value`. */
  readonly settings?: readonly string[]
  readonly timeoutMs?: number
  readonly stdin?: string
  /** For a command that writes files: git may run git-lfs and fetch missing objects. */
  readonly checksOut?: boolean
  /** Runs the repository's hooks. */
  readonly runsHooks?: boolean
  /** Awaited before git runs, so that a recovery can find its process group after a crash. */
  beforeRun?(group: ProcessGroup): Promise<void>
  /** Called once git has started. */
  onStart?(): void
}

/** With a project, git is told the folders that the repository of the project has for `cwd`. */
type AskPlace = GitPlace | (Pick<GitPlace, 'processes' | 'env'> & { readonly root?: undefined })

/** For commands whose exit code is the answer. Throws if git did not exit by itself. */
export async function askGit(
  place: AskPlace,
  cwd: string,
  args: readonly string[],
  options: AskOptions = {},
): Promise<GitAnswer> {
  const { bytesMax = answerBytesMax, timeoutMs = timeoutMsDefault, beforeRun, onStart } = options
  const { checksOut = false, runsHooks = false, settings = [] } = options
  const all = [...plainSettings, ...(runsHooks ? [] : [noHooks]), ...settings]
  const env = { ...(await toldFolders(place, cwd, options.env)), ...options.env }
  const off = isContentFree(args)
    ? []
    : programsOff(await gitPrograms(place, cwd, env), { allowsLfs: checksOut })
  const running = await place.processes.start({
    command: ['git', ...all.flatMap(setting => ['-c', setting]), ...withoutDiffPrograms(args)],
    cwd,
    env: {
      ...withConfiguration(withoutRepository(place.env), off),
      ...plainEnvironment,
      ...(!checksOut && noTransport),
      ...env,
    },
    timeoutMs,
    outputBytesMax: bytesMax,
    tailBytesMax: bytesMax,
    ...(options.stdin !== undefined && { stdin: options.stdin }),
    ...(beforeRun && { beforeRun }),
  })
  onStart?.()
  const end = await running.end
  if (end.exitCode === null) {
    throw new Fault('unavailable', `${commandName(args)} ${describeEnd(end)}`, {
      hint: end.spawnFailed
        ? (startHints[end.spawnFailed.code] ?? 'Fix the cause and run the command again.')
        : 'Run the same git command by hand to see why it does not end.',
      detail: { args, cwd },
    })
  }
  return {
    exitCode: end.exitCode,
    stdout: end.stdout.tail,
    isWhole: end.stdout.bytes <= bytesMax,
    complaint: complaintIn(end.stderr.tail),
  }
}

/** Callers that pinned the folders before the work ran name them. */
async function toldFolders(
  place: AskPlace,
  cwd: string,
  given: Environment = {},
): Promise<Environment> {
  if (place.root === undefined || 'GIT_DIR' in given || 'GIT_WORK_TREE' in given) return {}
  const repository = await repositoryOf(place, cwd)
  return repository ? foundRepository(repository) : {}
}

/**
 * The filters and merge drivers of all configuration files of git. Their names run nothing. `env`
 * names the folders of git as for the command that is to run without them.
 */
export async function gitPrograms(
  place: AskPlace,
  cwd: string,
  env: Environment = {},
): Promise<GitPrograms> {
  const asked = ['config', '-z', '--get-regexp', programKeys]
  return programsIn((await askGit(place, cwd, asked, { env })).stdout)
}

/** Returns stdout. Throws if the exit code is not 0. */
export async function git(place: GitPlace, cwd: string, args: readonly string[]): Promise<string> {
  return printed(await askGit(place, cwd, args), cwd, args)
}

export function printed(answer: GitAnswer, cwd: string, args: readonly string[]): string {
  if (answer.exitCode !== 0) throw gitFault(answer, cwd, args)
  if (answer.isWhole) return answer.stdout
  throw new Fault('unavailable', `${commandName(args)} printed more than premath reads`, {
    hint:
      args[0] === 'worktree'
        ? 'Remove unused worktrees. List them with git worktree list.'
        : 'Run the same git command by hand to see what it prints.',
    detail: { args, cwd },
  })
}

function gitFault({ exitCode, complaint }: GitAnswer, cwd: string, args: readonly string[]): Fault {
  const detail = { args, cwd, exitCode }
  if (complaint.startsWith('not a git repository (')) {
    return new Fault('invalid_input', `${shown(cwd)} is not in a git repository: ${complaint}`, {
      hint: 'Workers need git worktrees. Run git init there, and commit the files.',
      detail,
    })
  }
  return new Fault('unavailable', `${commandName(args)} failed in ${shown(cwd)}: ${complaint}`, {
    hint: 'Fix the cause and run the command again.',
    detail,
  })
}

const commandName = (args: readonly string[]) => ['git', ...args.slice(0, 2)].join(' ')

/** Advice and hook output may follow the error line. */
function complaintIn(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter(line => line.trim() !== '')
  const last = lines.findLast(line => /^(fatal|error): /.test(line)) ?? lines.at(-1)
  return last?.replace(/^(fatal|error): /, '').trim() ?? 'git printed no reason'
}

/** Git sets these for hooks to name their repository. Programs started by a hook inherit them. */
const repositoryVariables: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
])

/** For commands in another worktree than the one of the calling hook. */
export const withoutRepository = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !repositoryVariables.has(name)))
