/** Git, run as a program: no shell, no repository but the one we stand in, and never for ever. */
import { Fault } from '../../fault.ts'
import { scarcityHints, shown } from '../../world/system-error.ts'
import type { Clock, Disk, Processes, ProcessGroup } from '../../world/world.ts'
import { endInWords } from '../step/command.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface GitPlace {
  /** The project's folder. */
  readonly root: string
  readonly processes: Processes
  readonly disk: Disk
  readonly env: Environment
  /** For what git may be about to finish; without it nobody waits. */
  readonly clock?: Pick<Clock, 'sleep'>
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  /** Whether `stdout` is all that came. */
  readonly isWhole: boolean
  /** Why it failed, in git's last line about that. */
  readonly complaint: string
}

const timeoutMs = 60_000
/** Thousands of worktrees, or of changed files. */
const answerBytesMax = 1024 * 1024
/** Of all files: a million paths of sixty characters. */
export const listBytesMax = 64 * 1024 * 1024

/** Who hides new files from themselves must not lose them: git looks here before it removes. */
const settings = ['-c', 'status.showUntrackedFiles=normal']

const startHints: Readonly<Record<string, string>> = {
  ...scarcityHints,
  ENOENT: 'Install git, and see that it is on the PATH.',
  ENOTDIR: 'It may have been removed meanwhile: bring it back, and run again.',
  EACCES: 'See that the git on the PATH is one that you may run.',
}

interface AskOptions {
  readonly bytesMax?: number
  /** Awaited before git runs, so that what is left of it can be found whatever happens to us. */
  beforeRun?(group: ProcessGroup): Promise<void>
  /** Called when git runs, and there is nothing to do but to wait. */
  onStart?(): void
}

/** For questions whose answer may be an exit code. A git that gives none is a fault. */
export async function askGit(
  { processes, env }: Pick<GitPlace, 'processes' | 'env'>,
  cwd: string,
  args: readonly string[],
  { bytesMax = answerBytesMax, beforeRun, onStart }: AskOptions = {},
): Promise<GitAnswer> {
  const running = await processes.start({
    command: ['git', ...settings, ...args],
    cwd,
    env: { ...withoutRepository(env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
    timeoutMs,
    outputBytesMax: bytesMax,
    tailBytesMax: bytesMax,
    ...(beforeRun && { beforeRun }),
  })
  onStart?.()
  const end = await running.end
  if (end.exitCode === null) {
    throw new Fault('unavailable', `${called(args)} ${endInWords(end)}`, {
      hint: end.spawnFailed
        ? (startHints[end.spawnFailed.code] ?? 'Put that right, and run again.')
        : 'Run the same by hand to see what it waits for; then run again.',
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

/** What git prints, where anything but a yes is a fault. */
export async function git(place: GitPlace, cwd: string, args: readonly string[]): Promise<string> {
  return printed(await askGit(place, cwd, args), cwd, args)
}

export function printed(answer: GitAnswer, cwd: string, args: readonly string[]): string {
  if (answer.exitCode !== 0) throw gitFault(answer, cwd, args)
  if (answer.isWhole) return answer.stdout
  throw new Fault('unavailable', `${called(args)} answers with more than ${answerBytesMax} bytes`, {
    hint: 'Remove worktrees that nobody needs: git worktree list names them.',
    detail: { args, cwd },
  })
}

function gitFault({ exitCode, complaint }: GitAnswer, cwd: string, args: readonly string[]): Fault {
  const detail = { args, cwd, exitCode }
  if (complaint.startsWith('not a git repository (')) {
    return new Fault('invalid_input', `${shown(cwd)} is in no git repository: ${complaint}`, {
      hint: 'Worktrees are git’s: run git init, and commit what there is.',
      detail,
    })
  }
  return new Fault('unavailable', `${called(args)} failed in ${shown(cwd)}: ${complaint}`, {
    hint: 'Put that right, and run again.',
    detail,
  })
}

const called = (args: readonly string[]) => ['git', ...args.slice(0, 2)].join(' ')

/** Advice may come after it, and what a hook has to say. */
function complaintIn(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter(line => line.trim() !== '')
  const last = lines.findLast(line => /^(fatal|error): /.test(line)) ?? lines.at(-1)
  return last?.replace(/^(fatal|error): /, '').trim() ?? 'it did not say why'
}

/** By which git tells a hook, and all that a hook starts, which repository it is about. */
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

/** For whoever works in another worktree than the one a hook of git was started for. */
export const withoutRepository = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !repositoryVariables.has(name)))
