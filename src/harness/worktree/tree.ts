/**
 * Reads the tree of a project: the files that git tracks or would track, or all files without git.
 */
import { Fault } from '../../fault.ts'
import { isSameState, isSettled } from '../../kernel/proof/known-file.ts'
import {
  isInTree,
  type TreeDigest,
  type TreeEntry,
  treeDigest,
} from '../../kernel/proof/tree-digest.ts'
import { isBelow } from '../../kernel/sandbox/bubblewrap.ts'
import { type KnownEntry, KnownFiles } from '../../store/known-files.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, DiskEntry, FileStamp, Files } from '../../world/world.ts'
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
  const repository = await repositoryHere(place)
  const known = repository && (await knownIn(repository, place))
  const reading = new TreeReading(place, known)
  await eachEntry(place, repository, (path, state) => reading.take(path, state), onAsked)
  return {
    digest: await reading.digest(),
    entries: reading.count,
    get files() {
      return reading.files
    },
    head: () => headOf(place),
    isUnchanged: async () => {
      let same = 0
      let others = 0
      const again = await repositoryHere(place)
      await eachEntry(place, again, (path, state) => {
        if (reading.isAsTaken(path, state)) same += 1
        else others += 1
      })
      return others === 0 && same === reading.taken
    },
  }
}

/** Calls `act` once for each file and link, and for what is neither. */
async function eachEntry(
  place: TreePlace,
  repository: Repository | undefined,
  act: (path: string, state: DiskEntry) => Promise<void> | void,
  onAsked?: () => void,
): Promise<void> {
  // Git names a file of an open merge once for each side, and files in a folder that took the place
  // of a file too.
  const seen = new Set<string>()
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const whole = `${place.root}${folder}`
    const asked = folder === '' ? repository : repository && (await nestedAt(whole, place))
    const names = asked
      ? await namesOfGit(whole, asked, place, onAsked)
      : await namesInFolder(whole, place)
    for (const name of names) {
      const path = folder === '' ? name : `${folder.slice(1)}/${name}`
      if (!isInTree(path) || seen.has(path)) continue
      const state = await place.disk.entry(`${place.root}/${path}`)
      if (state?.kind === 'folder') folders.push(`/${path}`)
      else if (state !== undefined) {
        seen.add(path)
        // Most files are known, and waiting for each would take as long as looking at it.
        const acting = act(path, state)
        if (acting) await acting
      }
    }
  }
}

/** A file that was read, or a link. */
interface TakenEntry extends KnownEntry {
  /** False if the file could change without another time. */
  readonly isKept: boolean
}

/** The digests of the files that are known, and of the others by reading them. */
class TreeReading {
  readonly #place: TreePlace
  readonly #known: KnownFiles | undefined
  /** By path: the row of a file that is known, or what the disk said of any other. */
  readonly #states = new Map<string, number | DiskEntry>()
  /** An object for each file that is known would take as long as looking at the file. */
  readonly #entries: (number | TakenEntry)[] = []
  #reused = 0
  #now: Promise<FileStamp | undefined> | undefined

  constructor(place: TreePlace, known: KnownFiles | undefined) {
    this.#place = place
    this.#known = known
  }

  get taken(): number {
    return this.#states.size
  }

  get count(): number {
    return this.#entries.length
  }

  get files(): readonly TreeEntry[] {
    return this.#taken().map(({ entry }) => entry)
  }

  take(path: string, state: DiskEntry): Promise<void> | void {
    const row = state.kind === 'file' ? this.#known?.unchanged(path, state.stamp) : undefined
    this.#states.set(path, row ?? state)
    if (row !== undefined) {
      this.#entries.push(row)
      this.#reused += 1
    } else if (state.kind === 'link') this.#takeLink(path, state.target)
    else if (state.kind === 'file') return this.#read(path, state)
  }

  /** True if nothing was written to the path since it was taken. */
  isAsTaken(path: string, state: DiskEntry): boolean {
    const before = this.#states.get(path)
    if (typeof before !== 'number') return before !== undefined && isSameEntry(before, state)
    return state.kind === 'file' && this.#known?.isAt(before, state.stamp) === true
  }

  /** Keeps the digests of the files that are settled for the next reading. */
  async digest(): Promise<TreeDigest> {
    const known = this.#known
    const isAll = this.#reused === this.#entries.length
    if (known?.digest && isAll && this.#reused === known.count) return known.digest
    const taken = this.#taken()
    const digest = treeDigest(
      taken.map(({ entry }) => entry),
      this.#place.sha256,
    )
    const kept = taken.filter(({ isKept }) => isKept)
    const whole = kept.length === taken.length ? digest : null
    const isSame = this.#reused === kept.length && this.#reused === known?.count
    if (known && !(isSame && whole === known.digest)) await known.write(kept, whole)
    return digest
  }

  #taken(): readonly TakenEntry[] {
    return this.#entries.map(one =>
      typeof one === 'number' && this.#known
        ? { ...this.#known.at(one), isKept: true }
        : (one as TakenEntry),
    )
  }

  #takeLink(path: string, target: string): void {
    const entry = { path, mode: '120000', sha256: this.#place.sha256(target) } as const
    this.#entries.push({ entry, stamp: undefined, isKept: true })
    if (this.#known?.hasLink(entry)) this.#reused += 1
  }

  async #read(path: string, state: DiskEntry & { readonly kind: 'file' }): Promise<void> {
    const { root, disk } = this.#place
    // Before the content is read: what is written later has a later time.
    this.#now ??= this.#known?.now()
    const now = await this.#now
    const { sha256, stamp } = await disk.hashed(`${root}/${path}`)
    const entry = { path, mode: state.isExecutable ? '100755' : '100644', sha256 } as const
    const isWhole = isSameState(state.stamp, stamp)
    const isKept = now !== undefined && isWhole && isSettled(stamp, now)
    this.#entries.push({ entry, stamp, isKept })
  }
}

function isSameEntry(one: DiskEntry, other: DiskEntry): boolean {
  if (one.kind === 'file' && other.kind === 'file') return isSameState(one.stamp, other.stamp)
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target
  return one.kind === other.kind
}

/** One file for each project of a worktree. Git removes it with its record of the worktree. */
async function knownIn(
  { top, own }: Repository,
  { root, disk, sha256 }: TreePlace,
): Promise<KnownFiles> {
  const below = (await disk.realPath(root)).slice(top.length)
  const name = `files${below === '' ? '' : `-${sha256(below).slice(0, 16)}`}`
  return await KnownFiles.read(disk, `${own}/premath/digests`, name)
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
  // A folder has a slash at its end.
  const names = printed(answer, folder, args).split('\0').filter(Boolean)
  for (const name of names) {
    if (name.includes('\ufffd')) await mustBeThere(`${folder}/${name}`, place.disk)
  }
  return names.map(name => (name.endsWith('/') ? name.slice(0, -1) : name))
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
