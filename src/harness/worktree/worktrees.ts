import { Fault } from '../../fault.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { shown } from '../../world/system-error.ts'
import { askGit, type GitPlace, git, printed } from './git.ts'

export interface Worktree {
  readonly path: string
  /** `undefined` without a branch, as during a rebase. */
  readonly branch: string | undefined
  /** The current commit. `undefined` before the first commit. */
  readonly head: string | undefined
  /** True for the main worktree, to which the others are linked. */
  readonly isMain: boolean
  /** True if git lists it but its folder, or the `.git` file in it, is gone. */
  readonly isPrunable: boolean
  /** True if a user locked it or git is still creating it. */
  readonly isLocked: boolean
  readonly lockReason: string
}

/** Sorted by path. Git also lists a bare repository, which is not a worktree. */
export async function listWorktrees(place: GitPlace): Promise<readonly Worktree[]> {
  const root = await place.disk.realPath(place.root)
  const all = (await attributesOfAll(place, root)).map(worktreeOf)
  const worktrees = all.filter(one => one !== undefined)
  const isRootThere = worktrees.some(one => contains(one.path, root))
  const corrected = isRootThere ? worktrees : await withMainAt(worktrees, place, root)
  return corrected.toSorted((a, b) => byCodePoint(a.path, b.path))
}

/** Git sets this reason until the worktree is filled. It stays if git is killed. */
export const isInitializing = ({ lockReason }: Worktree) => lockReason === 'initializing'

export const contains = (top: string, folder: string) =>
  folder === top || folder.startsWith(top === '/' ? '/' : `${top}/`)

const list = ['worktree', 'list', '--porcelain']
/** The exit code of git for an unknown option. */
const usageExit = 129

async function attributesOfAll(place: GitPlace, root: string): Promise<readonly string[][]> {
  const asked = [...list, '-z']
  const answer = await retryWhileChanging(place, root, asked)
  if (answer.exitCode !== usageExit) return attributesIn(printed(answer, root, asked), '\0')
  // Git before 2.36 has no `-z`. A line break in a path then looks like the end of the path.
  await mustReportPrunable(place, root)
  return attributesIn(await git(place, root, list), '\n')
}

/** Git fails while another process creates or removes a worktree, so it runs again. */
async function retryWhileChanging(place: GitPlace, root: string, asked: readonly string[]) {
  for (let again = 0; ; again++) {
    const answer = await askGit(place, root, asked)
    const isChanging = answer.exitCode !== 0 && incompleteWorktree.test(answer.complaint)
    if (!isChanging || again === retriesMax) return answer
  }
}

const incompleteWorktree =
  /^failed to read .*\/worktrees\/[^/]+\/commondir|^Invalid path '.*\/worktrees\/[^/]+'/
/** Each run takes milliseconds, and an incomplete worktree exists for less than one. */
const retriesMax = 20

const attributesIn = (text: string, end: '\0' | '\n') =>
  text
    .split(end + end)
    .filter(record => record !== '')
    .map(record => record.split(end))

/** An older git does not report which worktrees are gone or locked. */
async function mustReportPrunable(place: GitPlace, root: string): Promise<void> {
  const version = (await git(place, root, ['version'])).trim()
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  if (major > 2 || (major === 2 && minor >= 31)) return
  throw new Fault('unavailable', `${version} is too old for worktrees`, {
    hint: 'Install git 2.31 or later.',
    detail: { version },
  })
}

const branchPrefix = /^refs\/heads\//

function worktreeOf(attributes: readonly string[], place: number): Worktree | undefined {
  const named = (name: string) => {
    const found = attributes.find(one => one === name || one.startsWith(`${name} `))
    return found?.slice(name.length + 1)
  }
  if (named('bare') !== undefined) return undefined
  const head = named('HEAD')
  const lockReason = named('locked')
  return {
    path: named('worktree') ?? '',
    branch: named('branch')?.replace(branchPrefix, ''),
    head: head === undefined || /^0+$/.test(head) ? undefined : head,
    isMain: place === 0,
    isPrunable: named('prunable') !== undefined,
    isLocked: lockReason !== undefined,
    lockReason: lockReason ?? '',
  }
}

/**
 * For a submodule or a separate git folder, git lists the repository instead of the main worktree.
 */
async function withMainAt(worktrees: readonly Worktree[], place: GitPlace, root: string) {
  const { exitCode, stdout } = await askGit(place, root, ['rev-parse', '--show-toplevel'])
  if (exitCode !== 0) return worktrees
  const path = withoutEnd(stdout)
  return worktrees.map(one => (one.isMain ? { ...one, path } : one))
}

const withoutEnd = (line: string) => line.replace(/\n$/, '')

/** Finds the worktree with this top folder. Symbolic links are resolved. */
export async function namedWorktree(
  place: GitPlace,
  path: string,
  known?: readonly Worktree[],
): Promise<Worktree> {
  const real = await place.disk.realPath(path)
  // `/.` fails for a file.
  if (!(await place.disk.stamp(`${real}/.`))) {
    throw new Fault('usage', `${shown(path)} is not a folder`, {
      hint: 'Pass the top folder of a worktree. List them with git worktree list.',
      detail: { path },
    })
  }
  const worktrees = known ?? (await listWorktrees(place))
  const found = worktrees.find(one => one.path === real)
  if (found && !found.isPrunable) return found
  throw await notNamed(place, path, real, worktrees)
}

async function notNamed(
  place: GitPlace,
  path: string,
  real: string,
  worktrees: readonly Worktree[],
): Promise<Fault> {
  const fault = (what: string, hint: string) =>
    new Fault('usage', `${shown(path)} ${what}`, { hint, detail: { path } })
  if (worktrees.some(one => one.path === real)) {
    return fault('has no .git file', 'Restore it: git worktree repair')
  }
  // Asks which repository it belongs to, so the one of the project is not told.
  const here = { processes: place.processes, env: place.env, root: undefined }
  const answer = await askGit(here, real, ['rev-parse', '--show-toplevel'])
  if (answer.exitCode !== 0) {
    return fault(`is not a worktree: ${answer.complaint}`, 'Create one with git worktree add.')
  }
  const top = withoutEnd(answer.stdout)
  if (worktrees.some(one => one.path === top)) {
    return fault(
      'is inside a worktree but is not its top folder',
      `Pass the top folder: ${shown(top)}`,
    )
  }
  return (await commonFolder(here, real)) === (await commonFolder(here, place.root))
    ? fault(
        'was moved, and git does not know its new path',
        `Update git: git worktree repair ${shellWord(top)}`,
      )
    : fault(
        'belongs to another repository',
        `Pass a worktree of ${shown(place.root)}. List them with git worktree list.`,
      )
}

const commonFolder = async (here: Parameters<typeof askGit>[0], folder: string) => {
  const asked = ['rev-parse', '--path-format=absolute', '--git-common-dir']
  return withoutEnd(printed(await askGit(here, folder, asked), folder, asked))
}
