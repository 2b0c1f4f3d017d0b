/** The worktrees of the project's repository, as git knows them. */
import { Fault } from '../../fault.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { shown } from '../../world/system-error.ts'
import { askGit, type GitPlace, git, printed } from './git.ts'

export interface Worktree {
  readonly path: string
  /** `undefined` when it is on none, as in the middle of a rebase. */
  readonly branch: string | undefined
  /** The commit it is at; `undefined` before the first one. */
  readonly head: string | undefined
  /** The first one, which the others are linked to. */
  readonly isMain: boolean
  /** Listed and gone: its folder, or the file in it that says whose it is. */
  readonly isPrunable: boolean
  /** Somebody said that it must stay, or git is just making it. */
  readonly isLocked: boolean
  readonly lockReason: string
}

/** By path. A bare repository is listed by git, but is no worktree. */
export async function listWorktrees(place: GitPlace): Promise<readonly Worktree[]> {
  const root = await place.disk.realPath(place.root)
  const all = (await attributesOfAll(place, root)).map(worktreeOf)
  const worktrees = all.filter(one => one !== undefined)
  const isRootThere = worktrees.some(one => contains(one.path, root))
  const corrected = isRootThere ? worktrees : await withMainAt(worktrees, place, root)
  return corrected.toSorted((a, b) => byCodePoint(a.path, b.path))
}

/** Git says so until it has filled it, and for ever where it was killed before. */
export const isHalfMade = ({ lockReason }: Worktree) => lockReason === 'initializing'

export const contains = (top: string, folder: string) =>
  folder === top || folder.startsWith(top === '/' ? '/' : `${top}/`)

const list = ['worktree', 'list', '--porcelain']
/** How git says that it does not know an option. */
const usageExit = 129

async function attributesOfAll(place: GitPlace, root: string): Promise<readonly string[][]> {
  const asked = [...list, '-z']
  const answer = await askWhileChanging(place, root, asked)
  if (answer.exitCode !== usageExit) return attributesIn(printed(answer, root, asked), '\0')
  // Before 2.36, where a line break in a path cannot be told from its end.
  await mustTellOfPrunable(place, root)
  return attributesIn(await git(place, root, list), '\n')
}

/** Git gives up where a worktree is just being made or removed, so it is asked again. */
async function askWhileChanging(place: GitPlace, root: string, asked: readonly string[]) {
  for (let again = 0; ; again++) {
    const answer = await askGit(place, root, asked)
    const isChanging = answer.exitCode !== 0 && halfThere.test(answer.complaint)
    if (!isChanging || again === againMax) return answer
  }
}

const halfThere = /^failed to read .*\/worktrees\/[^/]+\/commondir/
/** Each takes some milliseconds, and what is being changed is half there for less than one. */
const againMax = 20

const attributesIn = (text: string, end: '\0' | '\n') =>
  text
    .split(end + end)
    .filter(record => record !== '')
    .map(record => record.split(end))

/** An older git does not say which worktrees are gone or locked. */
async function mustTellOfPrunable(place: GitPlace, root: string): Promise<void> {
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

/** Of a submodule, and where the repository was put elsewhere, git lists the repository. */
async function withMainAt(worktrees: readonly Worktree[], place: GitPlace, root: string) {
  const { exitCode, stdout } = await askGit(place, root, ['rev-parse', '--show-toplevel'])
  if (exitCode !== 0) return worktrees
  const path = withoutEnd(stdout)
  return worktrees.map(one => (one.isMain ? { ...one, path } : one))
}

const withoutEnd = (line: string) => line.replace(/\n$/, '')

/** The worktree whose top an absolute path names, whatever links are on the way. */
export async function namedWorktree(
  place: GitPlace,
  path: string,
  known?: readonly Worktree[],
): Promise<Worktree> {
  const real = await place.disk.realPath(path)
  // A file holds no folder, not even itself.
  if (!(await place.disk.stamp(`${real}/.`))) {
    throw new Fault('usage', `${shown(path)} is no folder`, {
      hint: 'Name the top folder of a worktree; git worktree list shows them.',
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
    return fault('has lost its file .git', 'Make it again: git worktree repair')
  }
  const answer = await askGit(place, real, ['rev-parse', '--show-toplevel'])
  if (answer.exitCode !== 0) {
    return fault(`is no worktree: ${answer.complaint}`, 'Make one with git worktree add.')
  }
  const top = withoutEnd(answer.stdout)
  if (worktrees.some(one => one.path === top)) {
    return fault('lies inside a worktree, and is not its top', `Name the top: ${shown(top)}`)
  }
  return (await commonFolder(place, real)) === (await commonFolder(place, place.root))
    ? fault(
        'was moved, and git does not know where to',
        `Tell it: git worktree repair ${shown(top)}`,
      )
    : fault(
        'belongs to another repository',
        `Name a worktree of ${shown(place.root)}; git worktree list shows them.`,
      )
}

const commonFolder = async (place: GitPlace, folder: string) =>
  withoutEnd(await git(place, folder, ['rev-parse', '--path-format=absolute', '--git-common-dir']))
