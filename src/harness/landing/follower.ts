import {
  type CheckedOut,
  parentsOf,
  pathsInTheWay,
  type TreeChange,
} from '../../kernel/landing/in-the-way.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { DiskEntry, ProcessGroup } from '../../world/world.ts'
import { filterComplaint, filteredPaths } from './filtered-paths.ts'
import { askLanding, type LandingPlace, landingPaths } from './landing-git.ts'
import type { Target } from './target.ts'

export interface Move {
  readonly target: Target
  readonly base: string
  readonly commit: string
  /**
   * The commit was made from the files on disk, which may be newer by now. Only the index follows,
   * and no file is written or in the way.
   */
  readonly isFromDisk?: boolean | undefined
  /** The work that the commit holds, if somebody works on in the worktree that it was taken from. */
  readonly work?: TakenWork | undefined
}

/** Work that was taken from the files of a worktree into a commit. */
export interface TakenWork {
  readonly commit: string
  /** The top of the worktree. */
  readonly top: string
}

export interface Holder {
  readonly path: string
  readonly gitFolder: string
  /** Paths whose files stay as they are, because the landed work came from them. */
  readonly kept?: readonly string[] | undefined
}

/** Why a worktree cannot follow the target. */
interface NotFollowed {
  readonly why: string
  /** The files in the way. */
  readonly paths: readonly string[]
}

const notUpdated = (path: string, complaint: string): NotFollowed => ({
  why: `git could not update ${path}: ${complaint}`,
  paths: [],
})

/** How long a git command of the person is waited for. */
const lockWaitMs = 10_000
const lockPollMs = 100

export class Follower {
  readonly #place: LandingPlace
  readonly #holder: Holder
  readonly #move: Move
  readonly #lockPath: string
  /** The next index, beside the one in use. */
  readonly #index: string
  /** Records the process group of a git command that changes files. */
  readonly #record: (group: ProcessGroup) => Promise<void>
  #isLocked = false
  #hasMoved = false
  #kept: readonly string[]

  constructor(
    place: LandingPlace,
    holder: Holder,
    move: Move,
    record: (group: ProcessGroup) => Promise<void> = async () => {},
  ) {
    this.#place = place
    this.#holder = holder
    this.#move = move
    this.#record = record
    this.#kept = holder.kept ?? []
    this.#lockPath = `${holder.gitFolder}/index.lock`
    this.#index = `${holder.gitFolder}/premath-index`
  }

  /** The worktree, with what a start after a crash must leave alone. */
  get holder(): Holder {
    return { ...this.#holder, kept: this.#kept }
  }

  /** Returns false if another git command keeps the lock. */
  async lock(): Promise<boolean> {
    const { disk, clock } = this.#place
    const mark = new TextEncoder().encode(lockMark(this.#move))
    for (let waited = 0; ; waited += lockPollMs) {
      this.#isLocked = await disk.makePrivate(this.#lockPath, mark)
      if (this.#isLocked || waited >= lockWaitMs) return this.#isLocked
      await clock.sleep(lockPollMs)
    }
  }

  /** Writes the files of the commit and the next index. Returns why it cannot. */
  async follow(): Promise<NotFollowed | undefined> {
    const { base, commit, isFromDisk } = this.#move
    await this.#copyIndex()
    if (isFromDisk) return await this.#followIndex()
    await this.#git(['update-index', '-q', '--refresh'])
    const changes = await this.#landing()
    const { path } = this.#holder
    const filtered = await filteredPaths(this.#place, path, async () =>
      changes.filter(({ status }) => status !== 'deleted').map(change => change.path),
    )
    const refused = filterComplaint(filtered)
    if (refused !== undefined) return notUpdated(path, refused)
    const inTheWay = pathsInTheWay(changes, await this.#checkedOut(changes))
    this.#kept = await this.#ofTheWork(inTheWay, changes)
    const kept = new Set(this.#kept)
    const paths = inTheWay.filter(one => !kept.has(one))
    if (paths.length > 0) return { why: `files in ${path} would be overwritten:`, paths }
    if (kept.size > 0) await this.#setEntries(changes.filter(one => kept.has(one.path)))
    // Git compares all files before it writes the first, also those that it is told not to look at.
    const dry = await this.#git(['read-tree', '-n', '-m', '-u', base, commit])
    if (dry.exitCode !== 0) return notUpdated(path, dry.complaint)
    const { exitCode, complaint } = await this.#git(['read-tree', '-m', '-u', base, commit])
    this.#hasMoved = exitCode === 0
    if (exitCode === 0) return undefined
    // Git stopped in the middle, as on a full disk.
    await this.#restore()
    return notUpdated(path, complaint)
  }

  async #followIndex(): Promise<NotFollowed | undefined> {
    const { exitCode, complaint } = await this.#setEntries(await this.#landing())
    return exitCode === 0 ? undefined : notUpdated(this.#holder.path, complaint)
  }

  /** The files that differ between the base and the commit. */
  async #landing(): Promise<readonly EntryChange[]> {
    const { base, commit } = this.#move
    return await this.#changes([...treeDiff, base, commit])
  }

  async #changes(args: readonly string[]): Promise<readonly EntryChange[]> {
    const env = { GIT_INDEX_FILE: this.#index }
    const words = await landingPaths(this.#place, this.#holder.path, args, { env })
    const changes: EntryChange[] = []
    for (let at = 0; at + 1 < words.length; at += 2) {
      // `:100644 100755 <old> <new> M`, then the path.
      const [oldMode = '', mode, old, oid, status = ''] = (words[at] ?? '').split(' ')
      changes.push({
        status: statuses[status] ?? 'changed',
        path: words[at + 1] ?? '',
        before: `${oldMode.slice(1)} ${old}`,
        entry: `${mode} ${oid}`,
      })
    }
    return changes
  }

  /** The target has moved: the next index is put in place. */
  async install(): Promise<void> {
    await this.#place.disk.copy(this.#index, `${this.#holder.gitFolder}/index`)
    await this.#release()
  }

  /** The target did not move. Edits of the person survive. */
  async undo(): Promise<void> {
    const { base, commit } = this.#move
    if (this.#hasMoved) {
      const kept = new Set(this.#kept)
      const ours = (await this.#landing()).filter(({ path }) => kept.has(path))
      await this.#setEntries(ours.map(({ path, before }) => ({ path, entry: before })))
      await this.#git(['read-tree', '-m', '-u', commit, base])
    }
    await this.#release()
  }

  /**
   * The paths whose files the work was taken from, in the form that lands. Whoever works there may
   * have gone on since: then the file is newer, and git shows the difference. A version that is staged
   * and is neither the base nor what lands would be lost.
   */
  async #ofTheWork(
    paths: readonly string[],
    changes: readonly EntryChange[],
  ): Promise<readonly string[]> {
    const { work, base, commit } = this.#move
    if (paths.length === 0 || work?.top !== this.#holder.path) return []
    const landing = new Map(changes.map(({ path, entry }) => [path, entry]))
    const [merged, staged] = await Promise.all([
      this.#changes([...treeDiff, work.commit, commit]),
      this.#changes(['diff-index', '--cached', '-z', '--no-renames', base]),
    ])
    const differ = new Set(merged.map(({ path }) => path))
    const inIndex = new Map(staged.map(({ path, entry }) => [path, entry]))
    return paths.filter(path => {
      const own = inIndex.get(path)
      const isKnown = own === undefined || isAbsent(own) || own === landing.get(path)
      return landing.has(path) && !differ.has(path) && isKnown
    })
  }

  /** Puts entries into the next index. No file is looked at. */
  async #setEntries(entries: readonly Pick<EntryChange, 'path' | 'entry'>[]) {
    const info = entries.map(({ entry, path }) => `${entry}\t${path}\0`).join('')
    return await this.#git(['update-index', '-z', '--index-info'], info)
  }

  /**
   * Settles a landing that crashed, if its lock is still here. After the target moved, only the index
   * is missing. Before that, files that were written get their old content back.
   */
  async settle(isLanded: boolean): Promise<void> {
    if ((await readTextIfPresent(this.#place.disk, this.#lockPath)) !== lockMark(this.#move)) return
    this.#isLocked = true
    await this.#copyIndex()
    const { base, commit, isFromDisk } = this.#move
    if (!isLanded && !isFromDisk) await this.#restore()
    // Without a look at the files: the person may have edited them since, and git shows that.
    const isRebuilt =
      isLanded && (await this.#git(['read-tree', '-i', '-m', base, commit])).exitCode === 0
    if (isRebuilt) await this.install()
    else await this.#release()
  }

  async #restore(): Promise<void> {
    const { base, commit } = this.#move
    const kept = new Set(this.#kept)
    for (const { path } of await this.#landing()) {
      if (kept.has(path)) continue
      const entry = await this.#place.disk.entry(this.#onDisk(path))
      if (!(await this.#isWritten(path, entry, await this.#blobIn(commit, path)))) continue
      if ((await this.#blobIn(base, path)) === undefined) {
        await this.#place.disk.remove(this.#onDisk(path))
      } else await this.#git(['checkout-index', '--force', '--', path])
    }
  }

  /** True if the file is as the interrupted landing left it: complete, or created and still empty. */
  async #isWritten(
    path: string,
    entry: DiskEntry | undefined,
    blob: string | undefined,
  ): Promise<boolean> {
    if (entry === undefined || blob === undefined) return entry === undefined && blob === undefined
    if (entry.kind === 'link') {
      const { stdout } = await this.#git(['hash-object', '--stdin'], entry.target)
      return stdout.trim() === blob
    }
    if (entry.kind !== 'file') return false
    if (entry.stamp.size === 0) return true
    const { stdout } = await this.#git(['hash-object', `--path=${path}`, '--', this.#onDisk(path)])
    return stdout.trim() === blob
  }

  async #blobIn(commit: string, path: string): Promise<string | undefined> {
    const asked = ['rev-parse', '--verify', '--quiet', `${commit}:${path}`]
    const { exitCode, stdout } = await this.#git(asked)
    return exitCode === 0 ? stdout.trim() : undefined
  }

  #onDisk(path: string): string {
    return `${this.#holder.path}/${path}`
  }

  async #release(): Promise<void> {
    const { disk } = this.#place
    await disk.remove(this.#index)
    if (this.#isLocked) await disk.remove(this.#lockPath)
    this.#isLocked = false
  }

  /**
   * With its time: git reads a file again if it changed in the second of the index or later. A newer
   * index would hide an edit of the same size, and the landing would overwrite it.
   */
  async #copyIndex(): Promise<void> {
    const { disk } = this.#place
    await disk.remove(`${this.#index}.lock`)
    await disk.copy(`${this.#holder.gitFolder}/index`, this.#index)
  }

  async #checkedOut(changes: readonly TreeChange[]): Promise<CheckedOut> {
    const [unstaged, staged] = await Promise.all([
      this.#paths(['diff-files', '--name-only', '-z']),
      this.#paths(['diff-index', '--cached', '--name-only', '-z', this.#move.base]),
    ])
    const added = changes.filter(({ status }) => status === 'added').map(({ path }) => path)
    const asked = [...new Set(added.flatMap(path => [path, ...parentsOf(path)]))]
    const onDisk = new Map<string, 'file' | 'folder'>()
    for (const path of asked) {
      const entry = await this.#place.disk.entry(this.#onDisk(path))
      if (entry) onDisk.set(path, entry.kind === 'folder' ? 'folder' : 'file')
    }
    const heldFolders = new Set<string>()
    for (const path of added.filter(one => onDisk.get(one) === 'folder')) {
      const held = await this.#paths(['ls-files', '-z', '--others', '--', literal(path)])
      if (held.length > 0) heldFolders.add(path)
    }
    for (const { path } of changes.filter(({ status }) => status === 'retyped')) {
      if (await this.#place.disk.stamp(`${this.#onDisk(path)}/.git`)) heldFolders.add(path)
    }
    return {
      indexed: new Set(onDisk.size === 0 ? [] : await this.#indexed([...onDisk.keys()])),
      changed: new Set([...unstaged, ...staged]),
      onDisk,
      heldFolders,
    }
  }

  #indexed(paths: readonly string[]): Promise<readonly string[]> {
    return this.#paths(['ls-files', '-z', '--', ...paths.map(literal)])
  }

  async #paths(args: readonly string[]): Promise<readonly string[]> {
    const { stdout } = await this.#git(args)
    return stdout.split('\0').filter(path => path !== '')
  }

  async #git(args: readonly string[], stdin?: string) {
    // A dry run changes nothing, so a recovery need not find it.
    const changesFiles = args.includes('-u') && !args.includes('-n')
    return await askLanding(this.#place, this.#holder.path, args, {
      env: { GIT_INDEX_FILE: this.#index },
      ...(stdin !== undefined && { stdin }),
      ...(changesFiles && { beforeRun: this.#record }),
    })
  }
}

const literal = (path: string) => `:(top,literal)${path}`

const treeDiff = ['diff-tree', '-r', '-z', '--no-renames']

/** A change with the entries of the file in the index: mode and object. */
interface EntryChange extends TreeChange {
  readonly before: string
  readonly entry: string
}

const isAbsent = (entry: string) => entry.startsWith('000000 ')

/** Git does not read a lock. The content tells a later start whose lock it is. */
const lockMark = ({ commit }: Move) => `premath lands ${commit}\n`

const statuses: Readonly<Record<string, TreeChange['status']>> = {
  A: 'added',
  D: 'deleted',
  T: 'retyped',
}
