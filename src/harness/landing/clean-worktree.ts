/**
 * A worktree of a run, of a worker or of the verification. It is clean for every issue: exactly the
 * files of one commit, what the start-up command made, and the copied files.
 */
import { Fault } from '../../fault.ts'
import type { CopiedFile } from '../../kernel/landing/verified-run.ts'
import { readStatus } from '../../kernel/landing/worktree-status.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, DiskEntry } from '../../world/world.ts'
import { askLanding, type LandingPlace, landingGit, landingPaths } from './landing-git.ts'
import { forgetOtherAttributes } from './other-attributes.ts'
import { gitFolderOf } from './worktree-git-folder.ts'

export class CleanWorktree {
  readonly path: string
  readonly #place: LandingPlace
  readonly #copies: Copies
  /** Ignored paths that the start-up command made. They stay. */
  #kept: readonly string[] = []
  #begunAt: string | undefined
  /** Nothing was written to it yet. */
  #isEmpty: boolean

  /** `isEmpty` for one that was made just now, without files. */
  constructor(place: LandingPlace, path: string, copies: Copies, { isEmpty = false } = {}) {
    this.path = path
    this.#isEmpty = isEmpty
    this.#place = place
    this.#copies = copies
  }

  /**
   * The git folder of the worktree. The work may have removed or replaced `.git`. Git would then find
   * the repository around it, and change files and branch of the person, so the link is made again.
   */
  async gitFolder(): Promise<string> {
    return await gitFolderOf(this.#place, this.path)
  }

  /** The commit that was checked out last by `checkOut`. */
  get begunAt(): string | undefined {
    return this.#begunAt
  }

  /** Removes everything else, also what git ignores and an operation that is under way. */
  async checkOut(commit: string, branch?: string): Promise<void> {
    await this.#endOperation()
    const gitFolder = await this.gitFolder()
    if (!this.#isEmpty)
      await forgetOtherAttributes(this.#place, { top: this.path, gitFolder, commit })
    const where = branch === undefined ? ['--detach', commit] : ['-B', branch, '--no-track', commit]
    const args = ['checkout', '--quiet', '--force', ...where]
    if ((await askLanding(this.#place, this.path, args)).exitCode !== 0) {
      // The index may be broken. Without one, every file is written again.
      await this.#place.disk.remove(`${gitFolder}/index`)
      await landingGit(this.#place, this.path, args)
    }
    if (!this.#isEmpty) await this.#clean(['-x'])
    await this.takeFresh(commit)
  }

  /** Git made the worktree just now with the files of the commit, or has checked it out. */
  async takeFresh(commit: string): Promise<void> {
    this.#isEmpty = false
    this.#begunAt = commit
    await this.#fillSubmodules()
    await this.#copy()
  }

  /** Checks out a branch as it is, without what the work left. */
  async returnTo(branch: string): Promise<void> {
    await this.#endOperation()
    await landingGit(this.#place, this.path, ['checkout', '--quiet', '--force', branch])
    await this.#clean(['-x'])
  }

  /** Remembers what the start-up command made, so that it is not removed. */
  async keepOutputs(): Promise<void> {
    const asked = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
    const ignored = await landingPaths(this.#place, this.path, asked)
    this.#kept = ignored.filter(path => !path.startsWith('.premath/'))
  }

  /** Removes what the start-up command made, so that it makes everything again. */
  async removeOutputs(): Promise<void> {
    this.#kept = []
    await this.#clean(['-x'])
    await this.#copy()
  }

  /**
   * Size and time of each file that the start-up command made, by path. Of very many files the later
   * ones have a name only. Not seen: a change that restores the time, a change of mode, an empty
   * folder, and files in a repository of their own.
   */
  async outputs(): Promise<ReadonlyMap<string, string>> {
    if (this.#kept.length === 0) return new Map()
    const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard']
    const asked = ['--literal-pathspecs', ...list, '--', ...this.#kept]
    const paths = await landingPaths(this.#place, this.path, asked)
    // Each checkout copies these again.
    const copied = new Set(this.#copies.paths)
    const marks = new Map<string, string>()
    for (const path of paths.filter(one => !copied.has(one))) {
      const isRead = marks.size < outputsReadMax
      marks.set(path, isRead ? markOf(await this.#place.disk.entry(`${this.path}/${path}`)) : '')
    }
    return marks
  }

  /**
   * Returns the tracked files whose content differs from the commit. Removes files that git neither
   * tracks nor ignores.
   */
  async changedFiles(): Promise<readonly string[]> {
    await this.gitFolder()
    const asked = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']
    const lines = await landingPaths(this.#place, this.path, [...asked, '--no-renames'])
    const { commit, changed, hasUntracked } = readStatus(lines)
    // A command that commits its changes leaves a clean status.
    const committed = commit === this.#begunAt ? [] : await this.#committedFiles()
    if (committed.length > 0) return committed
    if (hasUntracked) await this.#clean([])
    return changed
  }

  async #committedFiles(): Promise<readonly string[]> {
    const args = ['diff', '--name-only', '-z', '--no-renames', this.#begunAt ?? 'HEAD', 'HEAD']
    return await landingPaths(this.#place, this.path, args)
  }

  /** The copied files as they are in this worktree. */
  async copiedFiles(): Promise<readonly CopiedFile[]> {
    const { disk } = this.#place
    const found: CopiedFile[] = []
    for (const path of this.#copies.paths) {
      const copy = `${this.path}/${path}`
      if (await disk.stamp(copy)) found.push({ path, sha256: await disk.sha256(copy) })
    }
    return found
  }

  async #clean(more: readonly string[]): Promise<void> {
    const kept = [workerDocuments, ...this.#kept].flatMap(path => ['-e', `/${literal(path)}`])
    await landingGit(this.#place, this.path, ['clean', '-ffdq', ...more, ...kept])
  }

  /** A killed git leaves its lock. No command runs here any more, so nobody else holds it. */
  async #endOperation(): Promise<void> {
    const { disk } = this.#place
    const folder = await this.gitFolder()
    await disk.remove(`${folder}/index.lock`)
    await disk.remove(`${folder}/HEAD.lock`)
    for (const [mark, args] of operations) {
      if ((await disk.stamp(`${folder}/${mark}`)) === undefined) continue
      await askLanding(this.#place, this.path, args)
    }
  }

  async #fillSubmodules(): Promise<void> {
    if ((await this.#place.disk.entry(`${this.path}/.gitmodules`))?.kind !== 'file') return
    // A configuration may name a program for the update of a submodule. `--checkout` overrides it.
    const how = ['--init', '--recursive', '--force', '--checkout']
    const args = ['submodule', '--quiet', 'update', ...how]
    const { exitCode, complaint } = await askLanding(this.#place, this.path, args)
    if (exitCode === 0) return
    throw new Fault(
      'unavailable',
      `the submodules of ${shown(this.path)} are missing: ${complaint}`,
      {
        hint: 'Run git submodule update --init in the main worktree to see why.',
        detail: { path: this.path },
      },
    )
  }

  /** Copies files that git ignores and the commands need, such as `.env`. */
  async #copy(): Promise<void> {
    await copyFiles(this.#place.disk, this.#copies, this.path)
  }
}

/** Untracked files that a worktree gets, and the folder that they come from. */
export interface Copies {
  readonly folder: string
  readonly paths: readonly string[]
}

/** For a worktree in which nothing runs. */
export const nothingCopied: Copies = { folder: '', paths: [] }

/** Files that are gone are left out. */
export async function copyFiles(disk: Disk, { folder, paths }: Copies, to: string): Promise<void> {
  for (const path of paths) {
    const file = await disk.open(`${folder}/${path}`)
    if (!file) continue
    try {
      const content = await file.read(0, (await file.stamp()).size)
      const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
      if (parent !== '') await disk.makeFolderLoosely(`${to}/${parent}`)
      await disk.replaceLoosely(`${to}/${path}`, content)
    } finally {
      await file.close()
    }
  }
}

/** Reading takes a second for 100,000 files. */
const outputsReadMax = 100_000

/** Package managers share files by hard links, so the time of the last change says nothing. */
function markOf(entry: DiskEntry | undefined): string {
  if (entry?.kind === 'link') return entry.target
  return entry?.kind === 'file' ? `${entry.stamp.size} ${entry.stamp.modifiedNs}` : ''
}

/** The session and the ledger of the worker. */
const workerDocuments = '.premath/worker'

/** Files that git keeps during an operation, and the command that forgets it. */
const operations = [
  ['rebase-merge', ['rebase', '--quit']],
  ['rebase-apply', ['rebase', '--quit']],
  ['sequencer', ['cherry-pick', '--quit']],
  ['BISECT_LOG', ['bisect', 'reset', 'HEAD']],
] as const

/** `git clean -e` reads patterns. */
const literal = (path: string) => path.replace(/[\\*?[\]!#]/g, character => `\\${character}`)
