/**
 * Repositories inside of a worktree. Git enters those that the index names, and runs the programs
 * that their configuration names, also outside of the sandbox.
 */
import { isBelow } from '../../kernel/sandbox/bubblewrap.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { askGit, listBytesMax } from '../worktree/git.ts'
import { type Repository, toldRepository } from '../worktree/repository.ts'
import type { PrivateGitPlace } from './private-git.ts'

/**
 * The `.git` of each repository that the index names, if git would enter it, and of those between the
 * top and the folder of the project, which git would take for the repository of the project.
 */
export async function nestedRepositories(
  place: PrivateGitPlace,
  repository: Repository,
  folder: string,
): Promise<readonly string[]> {
  return [
    ...(await repositoriesAbove(place, repository, folder)),
    ...(await namedRepositories(place, repository)),
  ]
}

async function repositoriesAbove(
  { disk }: PrivateGitPlace,
  { top }: Repository,
  folder: string,
): Promise<readonly string[]> {
  const found: string[] = []
  let path = folder
  while (path !== top && isBelow(top, path)) {
    if (await disk.entry(`${path}/.git`)) found.push(`${path}/.git`)
    path = path.slice(0, path.lastIndexOf('/'))
  }
  return found
}

async function namedRepositories(
  place: PrivateGitPlace,
  repository: Repository,
): Promise<readonly string[]> {
  const { disk } = place
  const { top, own } = repository
  if (!(await namesRepositories(place, `${own}/index`))) return []
  const args = ['ls-files', '--stage', '-z']
  const { stdout } = await askGit(place, top, args, {
    bytesMax: listBytesMax,
    env: toldRepository(repository),
  })
  const paths = stdout.split('\0').filter(line => line.startsWith('160000 '))
  const found: string[] = []
  for (const path of paths.map(line => line.slice(line.indexOf('\t') + 1))) {
    const folder = `${top}/${path}`
    // Git does not follow a link on the way either.
    if ((await disk.realPath(folder)) !== folder) continue
    if (await disk.entry(`${folder}/.git`)) found.push(`${folder}/.git`)
  }
  return found
}

/** The mode of such an entry, as an index has it. It may occur by chance too. */
const repositoryMode = [0x00, 0x00, 0xe0, 0x00]

async function namesRepositories({ files }: PrivateGitPlace, index: string): Promise<boolean> {
  const bytes = await files.readIfPresent(index)
  if (!bytes) return false
  for (let at = bytes.indexOf(0xe0); at > 0; at = bytes.indexOf(0xe0, at + 1)) {
    if (repositoryMode.every((byte, offset) => bytes[at - 2 + offset] === byte)) return true
  }
  return false
}

/**
 * Removes the `.git` of repositories that a command made. Those of submodules lead to the git
 * directory, which the command could not change.
 */
export async function removeMadeRepositories(
  place: PrivateGitPlace,
  paths: Repository,
  { folder: from, known }: { readonly folder: string; readonly known: readonly string[] },
): Promise<readonly string[]> {
  const { disk } = place
  const notes: string[] = []
  for (const path of new Set(await nestedRepositories(place, paths, from))) {
    if (known.includes(path) || (await leadsTo(place, path, paths.common))) continue
    if ((await disk.entry(path))?.kind === 'folder') await disk.removeFolder(path)
    else await disk.remove(path)
    const folder = path.slice(paths.top.length + 1, -'/.git'.length)
    notes.push(`the command made a repository in ${folder}: its .git is removed`)
  }
  return notes
}

/** Whether a `.git` file leads into the git directory of the repository. */
async function leadsTo({ disk }: PrivateGitPlace, path: string, common: string): Promise<boolean> {
  if ((await disk.entry(path))?.kind !== 'file') return false
  const target = /^gitdir: (.+)\n?$/.exec((await readTextIfPresent(disk, path)) ?? '')?.[1]
  if (target === undefined) return false
  const folder = path.slice(0, -'/.git'.length)
  const absolute = target.startsWith('/') ? target : `${folder}/${target}`
  return isBelow(await disk.realPath(common), await disk.realPath(absolute))
}
