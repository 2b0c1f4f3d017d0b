/**
 * A git directory for one command in the sandbox, at the path of the repository's own. It has copies
 * of HEAD, index and refs, and reads the objects of the repository. The repository takes the commits
 * over afterwards, and nothing else.
 */
import { isBelow, type Mount } from '../../kernel/sandbox/bubblewrap.ts'
import {
  branchIn,
  commitOf,
  idsIn,
  packedRefs,
  plainConfig,
  privateConfig,
  stateFiles,
  stateFolders,
  usesOtherRefs,
} from '../../kernel/sandbox/private-git.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { Files } from '../../world/world.ts'
import { type AskOptions, askGit, type GitPlace, listBytesMax } from '../worktree/git.ts'
import {
  gitFolderAt,
  type Repository,
  repositoryAround,
  repositoryOf,
  toldRepository,
} from '../worktree/repository.ts'

export interface PrivateGitPlace extends GitPlace {
  readonly files: Files
}

/** `undefined` if the folder is not in a repository, or its `.git` no longer leads there. */
export async function gitPathsOf(
  place: PrivateGitPlace,
  folder: string,
): Promise<Repository | undefined> {
  const { disk } = place
  const found = await repositoryOf(place, folder)
  if (found) return (await gitFolderAt(disk, `${found.top}/.git`)) === found.own ? found : undefined
  const memory = `${place.root === '/' ? '' : place.root}/.premath`
  // Work could plant a repository in a folder of premath.
  return isBelow(memory, folder) ? undefined : await repositoryAround(disk, folder)
}

/** Why the repository cannot have such a git directory. */
export async function privateGitObstacle(
  { disk }: PrivateGitPlace,
  { common }: Repository,
): Promise<string | undefined> {
  const config = (await readTextIfPresent(disk, `${common}/config`)) ?? ''
  return usesOtherRefs(config) ? 'the repository does not keep its refs in files' : undefined
}

/** Where the objects of the repository are in the sandbox. */
const objectsName = 'objects-of-the-repository'

/** Ids of commits in the files of an operation: more than that is not by git. */
const idsMax = 1_000

export class PrivateGit {
  readonly #place: PrivateGitPlace
  readonly #paths: Repository
  /** The private directory that stands for the common one. */
  readonly #folder: string
  /** The git directory of the worktree in it. */
  readonly #own: string
  readonly #config: string
  readonly #headBefore: string
  readonly #refsBefore: string
  readonly #commitBefore: string | undefined

  private constructor(
    place: PrivateGitPlace,
    paths: Repository,
    made: {
      readonly folder: string
      readonly own: string
      readonly config: string
      readonly head: string
      readonly refs: string
    },
  ) {
    this.#place = place
    this.#paths = paths
    this.#folder = made.folder
    this.#own = made.own
    this.#config = made.config
    this.#headBefore = made.head
    this.#refsBefore = made.refs
    this.#commitBefore = commitOf(made.head, made.refs)
  }

  static async make(
    place: PrivateGitPlace,
    paths: Repository,
    folder: string,
  ): Promise<PrivateGit> {
    const { disk } = place
    const { own: realOwn, common, top } = paths
    const own = `${folder}${realOwn.slice(common.length)}`
    const config = (await readTextIfPresent(disk, `${common}/config`)) ?? ''
    const head = (await readTextIfPresent(disk, `${realOwn}/HEAD`)) ?? ''
    const write = async (path: string, text: string) =>
      await disk.replaceLoosely(path, new TextEncoder().encode(text))
    for (const name of [
      'objects/info',
      'refs',
      ...(await missingOf(place, common, shownFolders)),
    ]) {
      await disk.makeFolderLoosely(`${folder}/${name}`)
    }
    await disk.makeFolderLoosely(own)
    await write(`${folder}/config`, privateConfig(config))
    await write(`${folder}/objects/info/alternates`, `${common}/${objectsName}\n`)
    const asked = ['for-each-ref', '--format=%(objectname) %(refname)']
    const env = toldRepository(paths)
    const refs = await askGit(place, top, asked, { bytesMax: listBytesMax, env })
    await write(`${folder}/packed-refs`, packedRefs(refs.stdout))
    const names = ['shallow', ...(own === folder ? [] : ['HEAD'])]
    for (const name of names) await copyPlain(place, `${common}/${name}`, `${folder}/${name}`)
    await write(`${own}/HEAD`, head)
    await write(`${own}/config.worktree`, '')
    await copyIndex(place, realOwn, own)
    const more = ['commondir', 'config.worktree', 'gitdir', ...stateFiles]
    for (const name of [...more, ...(await sharedIndexes(place, realOwn))]) {
      await copyPlain(place, `${realOwn}/${name}`, `${own}/${name}`)
    }
    for (const name of stateFolders) await copyFolder(place, `${realOwn}/${name}`, `${own}/${name}`)
    const refsText = packedRefs(refs.stdout)
    return new PrivateGit(place, paths, { folder, own, config, head, refs: refsText })
  }

  async mounts(): Promise<readonly Mount[]> {
    const { top, own, common } = this.#paths
    const { disk } = this.#place
    const folder = this.#folder
    const real = async (name: string): Promise<readonly Mount[]> =>
      (await disk.entry(`${common}/${name}`))?.kind === 'folder'
        ? [{ kind: 'readable', path: `${common}/${name}` }]
        : []
    const fixed = (path: string): Mount => ({
      kind: 'readable',
      path,
      from: `${folder}${path.slice(common.length)}`,
    })
    const isLinked = own !== common
    const worktree: readonly Mount[] = isLinked
      ? [
          // Nobody can move a folder that is a mount, so nobody can put another in its place.
          fixed(own.slice(0, own.lastIndexOf('/'))),
          { kind: 'writable', path: own, from: this.#own },
          fixed(`${own}/commondir`),
          fixed(`${own}/gitdir`),
          { kind: 'readable', path: `${top}/.git` },
        ]
      : []
    const modules = `${own}/modules`
    const hasModules = isLinked && (await disk.entry(modules))?.kind === 'folder'
    return [
      { kind: 'writable', path: common, from: folder },
      fixed(`${common}/config`),
      ...shownFolders.map(name => fixed(`${common}/${name}`)),
      ...(await real('hooks')),
      ...(await real('info')),
      ...(await real('lfs')),
      ...(await real('modules')),
      { kind: 'writable', path: `${common}/objects`, from: `${folder}/objects` },
      fixed(`${common}/objects/info`),
      { kind: 'readable', path: `${common}/${objectsName}`, from: `${common}/objects` },
      ...worktree,
      fixed(`${own}/config.worktree`),
      ...(hasModules ? [{ kind: 'readable', path: modules } as const] : []),
    ]
  }

  /**
   * Takes over what the command did: the commit that is checked out, the index, and an operation
   * under way. Returns what was not taken over, for people. No process of the command runs any more.
   */
  async adopt(): Promise<readonly string[]> {
    const { disk } = this.#place
    const { common } = this.#paths
    const encoder = new TextEncoder()
    // From here on git reads these again, outside of the sandbox.
    await disk.replaceLoosely(`${this.#folder}/config`, encoder.encode(plainConfig(this.#config)))
    const alternates = encoder.encode(`${common}/objects\n`)
    await disk.replaceLoosely(`${this.#folder}/objects/info/alternates`, alternates)
    const operation = await this.#operationIds()
    const isIndexSame = await this.#isIndexSame()
    // Most commands leave the commits to the harness.
    if (operation.length === 0 && isIndexSame && (await this.#isHeadSame())) {
      await this.#takeOperation()
      return []
    }
    const head = await this.#commitAt('HEAD')
    const ids = [...(head === undefined ? [] : [head]), ...operation]
    const why = await this.#importObjects(ids)
    if (why !== undefined) {
      return [`the commits of the command were not taken over, but its files were: ${why}`]
    }
    const notes = head === undefined ? [] : await this.#moveHead(head)
    if (!isIndexSame) await this.#takeIndex()
    await this.#takeOperation()
    return notes
  }

  /** Asks git about the private directory, without its files that say where others are. */
  async #ask(args: readonly string[], options: AskOptions = {}) {
    const env = { GIT_DIR: this.#own, GIT_COMMON_DIR: this.#folder, ...options.env }
    const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'gc.auto=0']
    return await askGit(this.#place, this.#folder, args, { ...options, env, settings, timeoutMs })
  }

  /** Asks git about the repository. */
  async #askReal(args: readonly string[], options: AskOptions = {}) {
    const env = { GIT_DIR: this.#paths.own, GIT_COMMON_DIR: this.#paths.common, ...options.env }
    const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'gc.auto=0']
    const { common } = this.#paths
    return await askGit(this.#place, common, args, { ...options, env, settings, timeoutMs })
  }

  async #commitAt(name: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const { exitCode, stdout } = await this.#ask(args)
    return exitCode === 0 ? stdout.trim() : undefined
  }

  /** The commits that a merge or a rebase under way needs. */
  async #operationIds(): Promise<readonly string[]> {
    const texts: string[] = []
    for (const name of stateFiles) texts.push(await this.#textOf(`${this.#own}/${name}`))
    for (const folder of stateFolders) {
      for (const name of await plainNames(this.#place, `${this.#own}/${folder}`)) {
        texts.push(await this.#textOf(`${this.#own}/${folder}/${name}`))
      }
    }
    const ids = idsIn(texts.join('\n')).slice(0, idsMax)
    if (ids.length === 0) return []
    const stdin = ids.map(id => `${id}\n`).join('')
    const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)']
    const { stdout } = await this.#ask(args, { stdin })
    return stdout.split('\n').flatMap(line => {
      const [id = '', type] = line.split(' ')
      return type === 'commit' ? [id] : []
    })
  }

  async #textOf(path: string, bytesMax = stateBytesMax): Promise<string> {
    const entry = await this.#place.disk.entry(path)
    if (entry?.kind !== 'file' || entry.stamp.size > bytesMax) return ''
    return (await readTextIfPresent(this.#place.disk, path)) ?? ''
  }

  /** Copies the objects that the commits and the index need. Returns why it could not. */
  async #importObjects(ids: readonly string[]): Promise<string | undefined> {
    const base = `${this.#folder}/import`
    const known = this.#commitBefore === undefined ? [] : ['--not', this.#commitBefore]
    const stdin = [...ids, ...known, ''].join('\n')
    const args = ['pack-objects', '--quiet', '--revs', '--indexed-objects', '--local', base]
    const packed = await this.#ask(args, { stdin })
    if (packed.exitCode !== 0) return packed.complaint
    const name = packed.stdout.trim()
    if (name !== '') {
      const taken = await this.#place.processes.run({
        command: 'exec git index-pack --strict --stdin < "$PACK_FILE"',
        cwd: this.#paths.common,
        env: {
          ...this.#place.env,
          LC_ALL: 'C',
          GIT_DIR: this.#paths.own,
          GIT_COMMON_DIR: this.#paths.common,
          PACK_FILE: `${base}-${name}.pack`,
        },
        timeoutMs,
        outputBytesMax: 0,
        tailBytesMax: 4096,
      })
      if (taken.exitCode !== 0) return taken.stderr.tail.trim().split('\n').at(-1) ?? ''
    }
    if (ids.length === 0) return undefined
    const walk = ['rev-list', '--objects', '--quiet', '--stdin', '--not', '--all']
    const walked = await this.#askReal(walk, { stdin: ids.map(id => `${id}\n`).join('') })
    return walked.exitCode === 0 ? undefined : walked.complaint
  }

  /** Moves the branch of the worktree, if it is the one that the command worked on. */
  async #moveHead(head: string): Promise<readonly string[]> {
    const before = branchIn(this.#headBefore)
    const after = branchIn(await this.#textOf(`${this.#own}/HEAD`))
    if (after === before && head === this.#commitBefore) return []
    if (after === before && before !== undefined) {
      const expected = this.#commitBefore ?? '0'.repeat(head.length)
      const moved = await this.#askReal(['update-ref', before, head, expected])
      if (moved.exitCode === 0) return []
    }
    const detached = await this.#askReal(['update-ref', '--no-deref', 'HEAD', head])
    if (detached.exitCode !== 0)
      return [`HEAD could not be moved to ${head}: ${detached.complaint}`]
    if (before === undefined) return []
    const names = [before, after].map(name => name?.replace(/^refs\/heads\//, ''))
    const instead = after === undefined ? 'no branch' : `the branch ${names[1]}`
    const short = head.slice(0, 12)
    return [`the work left the branch ${names[0]} for ${instead}: its commit is taken as ${short}`]
  }

  /** Whether HEAD, its branch and the packed refs are as they were. */
  async #isHeadSame(): Promise<boolean> {
    const head = await this.#textOf(`${this.#own}/HEAD`)
    const branch = branchIn(head)
    const isLoose =
      branch !== undefined &&
      (await this.#place.disk.entry(`${this.#folder}/${branch}`)) !== undefined
    const refs = isLoose ? '' : await this.#textOf(`${this.#folder}/packed-refs`, listBytesMax)
    return !isLoose && head === this.#headBefore && refs === this.#refsBefore
  }

  async #isIndexSame(): Promise<boolean> {
    const { disk } = this.#place
    const [mine, real] = [`${this.#own}/index`, `${this.#paths.own}/index`]
    const kinds = [(await disk.entry(mine))?.kind, (await disk.entry(real))?.kind]
    if (!kinds.every(kind => kind === 'file')) return kinds[0] === kinds[1]
    return (await disk.sha256(mine)) === (await disk.sha256(real))
  }

  async #takeIndex(): Promise<void> {
    for (const name of await sharedIndexes(this.#place, this.#own)) {
      await copyPlain(this.#place, `${this.#own}/${name}`, `${this.#paths.own}/${name}`)
    }
    await copyIndex(this.#place, this.#own, this.#paths.own)
  }

  async #takeOperation(): Promise<void> {
    const { disk } = this.#place
    for (const name of stateFiles) {
      const to = `${this.#paths.own}/${name}`
      if (!(await copyPlain(this.#place, `${this.#own}/${name}`, to))) await disk.remove(to)
    }
    for (const name of stateFolders) {
      const to = `${this.#paths.own}/${name}`
      if ((await disk.entry(to))?.kind === 'folder') await disk.removeFolder(to)
      await copyFolder(this.#place, `${this.#own}/${name}`, to)
    }
  }
}

/** Commands see those of the repository, or empty ones, and cannot write there. */
const shownFolders = ['hooks', 'info']

async function missingOf({ disk }: PrivateGitPlace, folder: string, names: readonly string[]) {
  const missing: string[] = []
  for (const name of names) {
    if ((await disk.entry(`${folder}/${name}`))?.kind !== 'folder') missing.push(name)
  }
  return missing
}

const timeoutMs = 15 * 60_000

/** A list of commits of a long rebase. */
const stateBytesMax = 1024 * 1024

/** The parts of an index that git splits. */
const sharedIndexes = async (place: PrivateGitPlace, folder: string): Promise<readonly string[]> =>
  (await plainNames(place, folder)).filter(name => name.startsWith('sharedindex.'))

/** The names of the plain files in a folder; none if it is something else. */
async function plainNames({ disk, files }: PrivateGitPlace, folder: string) {
  if ((await disk.entry(folder))?.kind !== 'folder') return []
  const found = (await files.list(folder)).filter(({ isFolder }) => !isFolder)
  return found.map(({ name }) => name)
}

/** With its time, by which git tells whether a file may have changed after the index was written. */
async function copyIndex({ disk }: PrivateGitPlace, from: string, to: string): Promise<void> {
  if ((await disk.entry(`${from}/index`))?.kind === 'file') {
    await disk.copyLoosely(`${from}/index`, `${to}/index`)
  }
}

/** `false` if there is no plain file to copy. */
async function copyPlain({ disk }: PrivateGitPlace, from: string, to: string): Promise<boolean> {
  if ((await disk.entry(from))?.kind !== 'file') return false
  const file = await disk.open(from)
  if (!file) return false
  try {
    await disk.replaceLoosely(to, await file.read(0, (await file.stamp()).size))
  } finally {
    await file.close()
  }
  return true
}

async function copyFolder(place: PrivateGitPlace, from: string, to: string): Promise<void> {
  if ((await place.disk.entry(from))?.kind !== 'folder') return
  await place.disk.makeFolderLoosely(to)
  for (const name of await plainNames(place, from)) {
    await copyPlain(place, `${from}/${name}`, `${to}/${name}`)
  }
}
