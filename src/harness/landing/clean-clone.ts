/**
 * A clean checkout in a temporary folder, with a git folder of its own. It borrows the objects of the
 * repository and none of its settings, hooks or refs, so nothing that runs here changes the repository.
 */
import { askGit, printed } from '../worktree/git.ts'
import type { LandingPlace } from './landing-git.ts'
import { landingGit, landingLine, landingPaths } from './landing-git.ts'
import { forgetOtherAttributes } from './other-attributes.ts'

export class CleanClone {
  readonly #place: LandingPlace
  /** The top of the checkout. */
  readonly #top: string
  /** The objects of the repository. */
  readonly objects: string

  private constructor(place: LandingPlace, top: string, objects: string) {
    const gitFolder = `${top}/.git`
    this.#place = { ...place, top, gitFolder, commonFolder: gitFolder, isNeutral: true }
    this.#top = top
    this.objects = objects
  }

  static async make(place: LandingPlace): Promise<CleanClone> {
    const { disk, top: from } = place
    const format = await landingLine(place, from, ['rev-parse', '--show-object-format'])
    const asked = ['rev-parse', '--path-format=absolute', '--git-path', 'objects']
    const objects = await landingLine(place, from, asked)
    // Resolve links: on some systems the temporary folder is a link.
    const top = await disk.realPath(await disk.makeTemporaryFolder())
    const init = ['init', '--quiet', '--template=', `--object-format=${format}`]
    printed(await askGit(place, top, init), top, init)
    const alternates = new TextEncoder().encode(`${objects}\n`)
    await disk.makeFolderLoosely(`${top}/.git/objects/info`)
    await disk.replaceLoosely(`${top}/.git/objects/info/alternates`, alternates)
    return new CleanClone(place, top, objects)
  }

  /** The project's folder in the checkout. */
  get folder(): string {
    return `${this.#top}/${this.#place.prefix}`.replace(/\/$/, '')
  }

  /** Leaves exactly the files of the commit. */
  async checkOut(commit: string): Promise<void> {
    const { gitFolder } = this.#place
    await forgetOtherAttributes(this.#place, { top: this.#top, gitFolder, commit })
    const checkout = ['checkout', '--quiet', '--force', '--detach', commit]
    await landingGit(this.#place, this.#top, checkout)
    await landingGit(this.#place, this.#top, ['clean', '-ffdxq'])
  }

  /**
   * Replaces the spec documents of the checkout, and these documents, with those of a commit. `kept`
   * stay as they are.
   */
  async takeSpecs(
    commit: string,
    documents: readonly string[],
    kept: readonly string[],
  ): Promise<void> {
    const { prefix } = this.#place
    const listed = ['ls-tree', '-r', '-z', '--name-only', commit]
    const paths = await landingPaths(this.#place, this.#top, listed)
    const named = new Set(documents.map(path => `${prefix}${path}`))
    const own = new Set(kept.map(path => `${prefix}${path}`))
    const isTaken = (path: string) => path.endsWith('.spec.md') || named.has(path)
    const taken = paths.filter(path => isTaken(path) && !own.has(path))
    if (taken.length === 0) return
    const args = ['checkout', '--quiet', commit, '--pathspec-from-file=-', '--pathspec-file-nul']
    const stdin = taken.map(path => `:(literal,top)${path}\0`).join('')
    await landingGit(this.#place, this.#top, args, { stdin })
  }

  async remove(): Promise<void> {
    await this.#place.disk.removeFolder(this.#top)
  }
}
