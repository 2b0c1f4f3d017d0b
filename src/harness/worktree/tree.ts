/**
 * Reads the tree of a project: the files that git tracks or would track, or all files without git.
 */
import { Fault } from '../../fault.ts'
import {
  isInTree,
  type TreeDigest,
  type TreeEntry,
  treeDigest,
} from '../../kernel/proof/tree-digest.ts'
import { isBelow } from '../../kernel/sandbox/bubblewrap.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, DiskEntry, Files } from '../../world/world.ts'
import { askGit, type GitPlace, listBytesMax, printed } from './git.ts'
import {
  foundRepository,
  gitFolderAt,
  type Repository,
  repositoryAround,
  repositoryOf,
} from './repository.ts'

export interface TreePlace extends GitPlace {
  readonly files: Files
  /** The project whose repository knows the worktree that `root` lies in; else `root` itself. */
  readonly project?: string
  sha256(text: string): string
}

export interface Tree {
  readonly digest: TreeDigest
  readonly entries: number
  readonly files: readonly TreeEntry[]
  /** The current commit, or `null` without one. It is not part of the digest. */
  head(): Promise<string | null>
  /** True if no file was added, removed or written since. */
  isUnchanged(): Promise<boolean>
}

/** Reads `place.root` only. Calls `onAsked` once git has started, if git is used. */
export async function readTree(place: TreePlace, onAsked?: () => void): Promise<Tree> {
  const before = await statesIn(place, onAsked)
  const entries: TreeEntry[] = []
  for (const [path, entry] of before) {
    const read = await readEntry(path, entry, place)
    if (read !== undefined) entries.push(read)
  }
  return {
    digest: treeDigest(entries, place.sha256),
    entries: entries.length,
    files: entries,
    head: () => headOf(place),
    isUnchanged: async () => marksOf(await statesIn(place)) === marksOf(before),
  }
}

type States = ReadonlyMap<string, DiskEntry>

async function statesIn(place: TreePlace, onAsked?: () => void): Promise<States> {
  const states = new Map<string, DiskEntry>()
  const repository = await repositoryHere(place)
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const whole = `${place.root}${folder}`
    const asked = folder === '' ? repository : repository && (await nestedAt(whole, place))
    const names = asked
      ? await namesOfGit(whole, asked, place, onAsked)
      : await namesInFolder(whole, place)
    for (const name of names) {
      const path = `${folder}/${name}`.slice(1)
      if (!isInTree(path)) continue
      const entry = await place.disk.entry(`${place.root}/${path}`)
      if (entry?.kind === 'folder') folders.push(`/${path}`)
      else if (entry !== undefined) states.set(path, entry)
    }
  }
  return states
}

function marksOf(states: States): string {
  const marks = [...states].map(([path, entry]) => `${path}\0${markOf(entry)}\0`)
  return marks.sort().join('')
}

function markOf(entry: DiskEntry): string {
  if (entry.kind === 'link') return `link ${entry.target}`
  if (entry.kind !== 'file') return entry.kind
  const { identity, size, modifiedNs, changedNs } = entry.stamp
  return `file ${identity} ${size} ${modifiedNs} ${changedNs}`
}

async function readEntry(
  path: string,
  entry: DiskEntry,
  { root, disk, sha256 }: TreePlace,
): Promise<TreeEntry | undefined> {
  if (entry.kind === 'link') return { path, mode: '120000', sha256: sha256(entry.target) }
  if (entry.kind !== 'file') return undefined
  const mode = entry.isExecutable ? '100755' : '100644'
  return { path, mode, sha256: await disk.sha256(`${root}/${path}`) }
}

/** Looks for `.git` without git, so that a missing git program cannot change the digest. */
async function repositoryHere({
  root,
  disk,
  project = root,
}: TreePlace): Promise<Repository | undefined> {
  const known = await repositoryOf({ root: project, disk }, root)
  if (known) return known
  // A folder elsewhere, such as a clone. Work could plant a repository in a folder of premath.
  const isOwn = isBelow(`${await disk.realPath(project)}/.premath`, await disk.realPath(root))
  return isOwn && root !== project ? undefined : await repositoryAround(disk, root)
}

/**
 * A submodule that is not checked out has no `.git`, and the outer git lists only the submodule
 * itself.
 */
async function nestedAt(folder: string, { disk }: TreePlace): Promise<Repository | undefined> {
  const own = await gitFolderAt(disk, `${folder}/.git`)
  return own === undefined ? undefined : { top: folder, own, common: own }
}

/** Lists the files of all subfolders. Submodules appear as folders and list their own files. */
async function namesOfGit(
  folder: string,
  repository: Repository,
  place: TreePlace,
  onStart: () => void = () => {},
): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const env = foundRepository(repository)
  const answer = await askGit(place, folder, args, { bytesMax: listBytesMax, onStart, env })
  const names = new Set(printed(answer, folder, args).split('\0'))
  names.delete('')
  for (const name of names) {
    if (name.includes('\ufffd')) await mustBeThere(`${folder}/${name}`, place.disk)
  }
  return [...names].map(name => name.replace(/\/$/, ''))
}

async function namesInFolder(folder: string, { files }: TreePlace): Promise<readonly string[]> {
  return (await files.list(folder)).map(({ name }) => name)
}

/**
 * A name that is not UTF-8 is changed when it is decoded. Without this check its file would be
 * skipped silently.
 */
async function mustBeThere(path: string, disk: Disk): Promise<void> {
  if ((await disk.entry(path)) !== undefined) return
  throw new Fault('invalid_input', `the name of ${shown(path)} is not UTF-8`, {
    hint: 'Rename the file. Its content cannot be included in the digest otherwise.',
    detail: { path },
  })
}

async function headOf(place: TreePlace): Promise<string | null> {
  const repository = await repositoryHere(place)
  if (repository === undefined) return null
  const env = foundRepository(repository)
  const asked = ['rev-parse', '--verify', 'HEAD']
  const { exitCode, stdout } = await askGit(place, place.root, asked, { env })
  return exitCode === 0 ? stdout.trim() : null
}
