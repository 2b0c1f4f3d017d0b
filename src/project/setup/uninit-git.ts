/** What premath leaves in a git repository: worktrees, branches, refs, a folder and settings. */
import { Fault } from '../../fault.ts'
import { fromRoot } from '../../harness/harness.ts'
import { askGit, type GitPlace, git } from '../../harness/worktree/git.ts'
import { whyKept } from '../../harness/worktree/remove-worktree.ts'
import { repositoryOf } from '../../harness/worktree/repository.ts'
import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { branchFolder } from '../../kernel/landing/landing-refs.ts'
import { counted } from '../../kernel/text/counted.ts'
import { forwardPlace } from '../issues/forward-place.ts'
import type { Project } from '../open.ts'
import { defaultIssuesPath } from '../open-issues.ts'
import { worktreesPath } from './added-files.ts'
import { driverName, repositoryAround, sharedGitFolder } from './merge-driver.ts'
import type { Removable, Staying } from './uninit-plan.ts'

export interface UninitRepository {
  readonly place: GitPlace
  /** The folder that holds `.git`. */
  readonly top: string
  /** Git's folder, which all worktrees share. */
  readonly gitFolder: string
  /** Whose settings of a merge driver called premath are in the configuration. */
  readonly driver: 'ours' | 'foreign' | 'none'
  /** The branch on which work lands; `undefined` where none is checked out. */
  readonly target: string | undefined
}

/** `undefined` outside of a git repository. */
export async function openUninitRepository(
  project: Project,
): Promise<UninitRepository | undefined> {
  const { root, env, files } = project
  const top = await repositoryAround(root, files)
  if (top === undefined) return undefined
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const place = { root, env, disk, processes }
  const gitFolder = await sharedGitFolder(top, files)
  return {
    place,
    top,
    gitFolder,
    driver: await driverIn(place, gitFolder),
    target: await targetOf(place, project),
  }
}

async function driverIn(place: GitPlace, gitFolder: string): Promise<UninitRepository['driver']> {
  const file = ['config', '--file', `${gitFolder}/config`]
  const asked = [...file, '--get-regexp', '^merge\\.premath\\.']
  const { stdout } = await askGit(place, place.root, asked)
  if (stdout === '') return 'none'
  const names = await askGit(place, place.root, [...file, '--get-all', 'merge.premath.name'])
  const isOurs = (name: string) => name === driverName
  const all = names.stdout.split('\n').slice(0, -1)
  return all.length > 0 && all.every(isOurs) ? 'ours' : 'foreign'
}

async function targetOf(place: GitPlace, project: Project): Promise<string | undefined> {
  const { onto } = (await project.config()).config
  const head = await askGit(place, place.root, ['symbolic-ref', '--quiet', 'HEAD'])
  const branch = onto ?? head.stdout.trim().replace(/^refs\/heads\//, '')
  const asked = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]
  return (await askGit(place, place.root, asked)).exitCode === 0 ? branch : undefined
}

export interface GitTraces {
  readonly removes: readonly Removable[]
  readonly stays: readonly Staying[]
}

export async function gitTraces(
  project: Project,
  repository: UninitRepository,
  all: boolean,
): Promise<GitTraces> {
  const worktrees = await worktreeTraces(project, repository)
  const refs = await refTraces(repository, worktrees.goingPaths, all)
  const folder = await folderTraces(project, repository)
  return {
    removes: [...worktrees.removes, ...refs.removes, ...folder.removes],
    stays: [...worktrees.stays, ...refs.stays, ...folder.stays],
  }
}

/** The folder `premath` in git's. Another project of the repository keeps its acknowledged rows there. */
async function folderTraces(
  project: Project,
  { gitFolder, place }: UninitRepository,
): Promise<GitTraces> {
  const folder = `${gitFolder}/premath`
  const name = fromRoot(project, folder)
  if ((await place.disk.entry(folder))?.kind !== 'folder') return { removes: [], stays: [] }
  const own = await memoryFolders(project, place)
  const memories = (await place.disk.names(`${folder}/memory`)).map(
    one => `${folder}/memory/${one}`,
  )
  if (memories.every(one => own.has(one))) {
    const holds = 'acknowledged rows, lock and cache'
    return { removes: [{ kind: 'folder', name, holds }], stays: [] }
  }
  const removes = memories
    .filter(one => own.has(one))
    .map(
      one =>
        ({ kind: 'folder', name: fromRoot(project, one), holds: 'acknowledged rows' }) as const,
    )
  const why = 'another issue memory of this repository has its acknowledged rows there'
  return { removes, stays: [{ name, why }] }
}

/** The records of the project's memory, and of its copies in linked worktrees. */
async function memoryFolders(project: Project, place: GitPlace): Promise<ReadonlySet<string>> {
  const { disk, root } = place
  const main = await repositoryOf({ root, disk }, root)
  const below = main && (await disk.realPath(root)).slice(main.top.length)
  const folders = new Set<string>()
  for (const { path } of await listWorktrees(place)) {
    const copy = await repositoryOf({ root, disk }, path)
    const memory = `${path}${below}/${defaultIssuesPath}`
    const mark = copy && (await forwardPlace(memory, copy, project, true))
    if (mark) folders.add(mark.folder)
  }
  return folders
}

async function worktreeTraces(project: Project, { place }: UninitRepository) {
  const paths = await worktreePaths(project, place)
  const removes: Removable[] = []
  const stays: Staying[] = []
  for (const path of paths) {
    const name = `${worktreesPath}/${path.slice(path.lastIndexOf('/') + 1)}`
    const why = await whyKept(place, path)
    if (why === undefined) removes.push({ kind: 'worktree', name, holds: 'worktree' })
    else stays.push({ name, why })
  }
  const kept = new Set(stays.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)))
  const goingPaths = paths.filter(path => !kept.has(path.slice(path.lastIndexOf('/') + 1)))
  return { removes, stays, goingPaths }
}

/** The folders in `.premath/worktrees`, and those that git still lists there. */
async function worktreePaths(project: Project, place: GitPlace): Promise<readonly string[]> {
  const folder = await worktreesFolder(place)
  const isThere = (await place.disk.entry(folder))?.kind === 'folder'
  const present = isThere ? await project.files.list(folder) : []
  const folders = present.filter(({ isFolder }) => isFolder).map(({ name }) => `${folder}/${name}`)
  const listed = (await listWorktrees(place)).map(({ path }) => path)
  const inside = listed.filter(path => path.slice(0, path.lastIndexOf('/')) === folder)
  return [...new Set([...folders, ...inside])].sort()
}

interface Tip {
  readonly ref: string
  readonly commit: string
}

/** Branches and refs of issues. One with work that is nowhere else stays. */
async function refTraces(
  { place, target }: UninitRepository,
  goingPaths: readonly string[],
  all: boolean,
): Promise<GitTraces> {
  const removes: Removable[] = []
  const stays: Staying[] = []
  const others = (await listWorktrees(place)).filter(({ path }) => !goingPaths.includes(path))
  for (const { ref, commit } of await tipsIn(place, `refs/heads/${branchFolder}/`)) {
    const name = ref.slice('refs/heads/'.length)
    const holder = others.find(({ branch }) => branch === name)
    const why = holder
      ? `checked out at ${fromRoot(place, holder.path)}`
      : name === target
        ? 'work lands on it'
        : all
          ? await ownWork(place, commit)
          : await lackedWork(place, commit, target)
    if (why === undefined) removes.push({ kind: 'branch', name, holds: 'merged branch', commit })
    else stays.push({ name, why })
  }
  for (const { ref: name, commit } of await tipsIn(place, 'refs/premath/')) {
    const why = await lackedWork(place, commit, target)
    if (why === undefined || all) {
      removes.push({ kind: 'ref', name, holds: why ?? 'merged work', commit })
    } else stays.push({ name, why })
  }
  return { removes, stays }
}

async function tipsIn(place: GitPlace, prefix: string): Promise<readonly Tip[]> {
  const format = '--format=%(refname)%09%(objectname)'
  const text = await git(place, place.root, ['for-each-ref', format, prefix])
  const lines = text.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const [ref = '', commit = ''] = line.split('\t')
    return { ref, commit }
  })
}

async function lackedWork(
  place: GitPlace,
  commit: string,
  target: string | undefined,
): Promise<string | undefined> {
  if (target === undefined) return 'no target branch is checked out to compare it with'
  const count = await countOf(place, [commit, '--not', `refs/heads/${target}`])
  return count === 0 ? undefined : `${counted(count, 'commit')} that ${target} lacks`
}

/** Branches of issues do not vouch for each other, because all of them may go. */
async function ownWork(place: GitPlace, commit: string): Promise<string | undefined> {
  const elsewhere = [`--exclude=${branchFolder}/*`, '--branches', '--remotes', '--tags']
  const count = await countOf(place, [commit, '--not', ...elsewhere])
  return count === 0 ? undefined : `${counted(count, 'commit')} that no other branch has`
}

const countOf = async (place: GitPlace, commits: readonly string[]): Promise<number> =>
  Number(await git(place, place.root, ['rev-list', '--count', ...commits]))

/** A landing that was cut off left files of worktrees half written. */
export async function mustHaveNoCutOffLanding({ gitFolder, place }: UninitRepository) {
  const path = `${gitFolder}/premath/landing.json`
  if ((await place.disk.stamp(path)) === undefined) return
  throw new Fault('conflict', `${path} is the note of a landing that was cut off`, {
    hint: 'Run premath run, which finishes it. Then run premath uninit again.',
    detail: { path },
  })
}
