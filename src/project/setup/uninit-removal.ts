/** Removes what `uninit` planned. Each part is looked at again, and stays if it changed. */
import { askGit, type GitPlace } from '../../harness/worktree/git.ts'
import { removeWorktree } from '../../harness/worktree/remove-worktree.ts'
import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import type { Project } from '../open.ts'
import { mustStayInside, resolvePath } from '../paths.ts'
import { worktreesPath } from './added-files.ts'
import type { UninitRepository } from './uninit-git.ts'
import { attributesWithout, type Removable, type Staying, worktreeFolders } from './uninit-plan.ts'

export interface Uninit {
  readonly removed: readonly Removable[]
  /** Planned, but changed since. */
  readonly stays: readonly Staying[]
}

export async function removePlanned(
  project: Project,
  planned: readonly Removable[],
  repository: UninitRepository | undefined,
): Promise<Uninit> {
  const removed: Removable[] = []
  const stays: Staying[] = []
  for (const one of planned) {
    const why = await whyNotRemoved(one, project, repository)
    if (why === undefined) removed.push(one)
    else stays.push({ name: one.name, why })
  }
  if (removed.some(({ kind }) => kind === 'worktree')) await removeWorktreesFolder(project)
  if (removed.some(({ name }) => name.startsWith('artifacts/'))) {
    await removeIfEmpty('artifacts', project)
  }
  await removeIfEmpty('.premath', project)
  return { removed, stays }
}

/** Removes it, or returns why it stays. */
async function whyNotRemoved(
  { kind, name, commit }: Removable,
  project: Project,
  repository: UninitRepository | undefined,
): Promise<string | undefined> {
  const disk = await project.disk()
  const path = resolvePath(project.root, name)
  switch (kind) {
    case 'folder':
      if (name === worktreesPath && (await worktreeFolders(project, disk)).length > 0) {
        return 'a worktree in it stays'
      }
      await disk.removeFolder(path)
      return undefined
    case 'lines':
      await removeLines(project, repository)
      return undefined
    case 'file':
      await disk.remove(path)
      return undefined
    case 'settings':
      return await refusalOf(repository, ({ gitFolder }) => [
        ...['config', '--file', `${gitFolder}/config`],
        ...['--remove-section', 'merge.premath'],
      ])
    case 'worktree':
      return repository && (await removeOwnWorktree(name, repository.place))
    case 'branch':
    case 'ref':
      return await refusalOf(repository, () => [
        ...['update-ref', '-d', kind === 'branch' ? `refs/heads/${name}` : name],
        ...(commit === undefined ? [] : [commit]),
      ])
  }
}

/** Branches are removed by themselves, since the person was told about each. */
async function removeOwnWorktree(name: string, place: GitPlace): Promise<string | undefined> {
  const path = `${await worktreesFolder(place)}${name.slice(worktreesPath.length)}`
  return await removeWorktree(place, path)
}

async function refusalOf(
  repository: UninitRepository | undefined,
  args: (repository: UninitRepository) => readonly string[],
): Promise<string | undefined> {
  if (!repository) return undefined
  const { place } = repository
  const { exitCode, complaint } = await askGit(place, place.root, args(repository))
  return exitCode === 0 ? undefined : `git refused: ${complaint}`
}

async function removeLines(
  project: Project,
  repository: UninitRepository | undefined,
): Promise<void> {
  if (!repository) return
  const disk = await project.disk()
  const { path, after, isBlank } = await attributesWithout(project, repository.top)
  await mustStayInside(path, repository.top, disk)
  if (isBlank) await disk.remove(path)
  else await disk.replace(await disk.realPath(path), new TextEncoder().encode(after))
}

/** The removal of a worktree makes the folder again for its lock. */
async function removeWorktreesFolder(project: Project): Promise<void> {
  const disk = await project.disk()
  if ((await worktreeFolders(project, disk)).length > 0) return
  await disk.removeFolder(project.at(worktreesPath))
}

async function removeIfEmpty(name: string, project: Project): Promise<void> {
  const [path, disk] = [project.at(name), await project.disk()]
  if ((await disk.entry(path))?.kind !== 'folder') return
  if ((await project.files.list(path)).length === 0) await disk.removeFolder(path)
}
