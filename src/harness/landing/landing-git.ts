/**
 * Git for landing. Signing and the helpers of the user have no say in it, and a call may take as long
 * as a checkout of a large tree.
 */
import { Fault } from '../../fault.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { shown } from '../../world/system-error.ts'
import type { Clock } from '../../world/world.ts'
import {
  type AskOptions,
  askGit,
  type GitAnswer,
  type GitPlace,
  listBytesMax,
  printed,
  withoutRepository,
} from '../worktree/git.ts'
import { repositoryAt } from './worktree-git-folder.ts'

export interface LandingPlace extends RunPlace {
  /** The git folder that all worktrees share. */
  readonly commonFolder: string
  /** The git folder of the worktree at `top`. */
  readonly gitFolder: string
  /** The top folder of the worktree that contains the project. */
  readonly top: string
  /** The path of the project in its repository, with a slash at its end; blank at the top. */
  readonly prefix: string
  /** Name and e-mail for commits, if git knows none. */
  readonly identity: Readonly<Record<string, string>>
  /** The repository's hooks may refuse a change of the target. */
  readonly hooks: boolean
  /** Git checks out the bytes of the commit: settings about line ends and attributes are off. */
  readonly isNeutral?: true
}

interface RunPlace extends GitPlace {
  readonly sha256: Sha256
  readonly clock: Clock
}

const timeoutMs = 15 * 60_000

const settings = [
  'commit.gpgSign=false',
  'core.safecrlf=false',
  'advice.updateSparsePath=false',
  'advice.detachedHead=false',
  'rerere.enabled=false',
  'submodule.recurse=false',
]

/** A person whose git changes line ends would otherwise prove other bytes than a clone has. */
const neutralSettings = ['core.autocrlf=false', 'core.eol=lf', 'core.attributesFile=/dev/null']

interface LandingOptions extends Pick<AskOptions, 'env' | 'stdin' | 'beforeRun'> {
  /** Runs the repository's hooks, if the place allows them. */
  readonly withHooks?: boolean
}

/**
 * `cwd` is the top of a worktree. Git does not look above it, since around the worktree of a worker
 * is the repository of the person.
 */
export async function askLanding(
  place: LandingPlace,
  cwd: string,
  args: readonly string[],
  { withHooks = false, env, ...options }: LandingOptions = {},
): Promise<GitAnswer> {
  return await askGit(place, cwd, args, {
    ...options,
    env: {
      ...place.identity,
      GIT_CEILING_DIRECTORIES: `${cwd}/..`,
      ...(await repositoryAt(place, cwd)),
      ...env,
    },
    settings: place.isNeutral ? [...settings, ...neutralSettings] : settings,
    checksOut: true,
    runsHooks: withHooks && place.hooks,
    bytesMax: listBytesMax,
    timeoutMs,
  })
}

/** Returns stdout. Throws if the exit code is not 0. */
export async function landingGit(
  place: LandingPlace,
  cwd: string,
  args: readonly string[],
  options?: LandingOptions,
): Promise<string> {
  return printed(await askLanding(place, cwd, args, options), cwd, args)
}

/** One value, without the newline that git prints after it. */
export const landingLine = async (...asked: Parameters<typeof landingGit>): Promise<string> =>
  (await landingGit(...asked)).replace(/\n$/, '')

/** Paths that git prints with NUL after each. */
export const landingPaths = async (
  ...asked: Parameters<typeof landingGit>
): Promise<readonly string[]> =>
  (await landingGit(...asked)).split('\0').filter(path => path !== '')

/** The commit of a name, or `undefined`. */
export async function commitOf(place: LandingPlace, name: string): Promise<string | undefined> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  const { exitCode, stdout } = await askLanding(place, place.top, asked)
  return exitCode === 0 ? stdout.trim() : undefined
}

/**
 * The commits of several names by one call; `undefined` where there is none. `HEAD` is the one of the
 * worktree at `cwd`.
 */
export async function commitsOf(
  place: LandingPlace,
  cwd: string,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const stdin = names.map(name => `${name}^{commit}\n`).join('')
  const asked = ['cat-file', '--batch-check=%(objectname)']
  const { stdout } = await askLanding(place, cwd, asked, { stdin })
  // Git answers `<name> missing` for a name without a commit.
  const answers = stdout.split('\n').map(line => (/^[0-9a-f]+$/.test(line) ? line : undefined))
  return names.map((_, at) => answers[at])
}

/** True if the target contains the commit. */
export async function isIn(place: LandingPlace, commit: string, target: string): Promise<boolean> {
  const asked = ['merge-base', '--is-ancestor', commit, target]
  return (await askLanding(place, place.top, asked)).exitCode === 0
}

/** Opens the repository around the project. */
export async function openLanding(
  place: RunPlace,
  { hooks }: { readonly hooks: boolean },
): Promise<LandingPlace> {
  await mustMergeTrees(place)
  const known = await askGit(place, place.root, ['var', 'GIT_COMMITTER_IDENT'])
  const author = await askGit(place, place.root, ['var', 'GIT_AUTHOR_IDENT'])
  const isKnown = known.exitCode === 0 && author.exitCode === 0
  const open = await openRepository(place)
  return { ...open, hooks, identity: isKnown ? {} : ownIdentity }
}

/** The same for commits that no branch gets: the identity of the user is not asked for. */
export async function openRepository(place: RunPlace): Promise<LandingPlace> {
  const cwd = place.root
  const folders = ['--git-common-dir', '--absolute-git-dir']
  const asked = ['--show-toplevel', '--path-format=absolute', ...folders, '--show-prefix']
  const args = ['rev-parse', ...asked]
  const text = printed(await askGit(place, cwd, args), cwd, args)
  const [top = '', common = '', gitFolder = '', prefix = ''] = text.split('\n')
  return {
    ...place,
    // A copy: the environment of the process is slow to read, and each call of git reads all of it.
    env: withoutRepository(place.env),
    top: await place.disk.realPath(top),
    commonFolder: await place.disk.realPath(common),
    gitFolder,
    prefix,
    hooks: false,
    identity: ownIdentity,
  }
}

const ownIdentity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap(role => [
    [`GIT_${role}_NAME`, 'premath'],
    [`GIT_${role}_EMAIL`, 'premath@localhost'],
  ]),
)

/** `git merge-tree --write-tree` came with 2.38. */
async function mustMergeTrees(place: GitPlace): Promise<void> {
  const { stdout } = await askGit(place, place.root, ['version'])
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number)
  if (major > 2 || (major === 2 && minor >= 38)) return
  throw new Fault('unavailable', `${stdout.trim()} cannot merge without a worktree`, {
    hint: 'Install git 2.38 or later.',
    detail: { version: stdout.trim(), root: shown(place.root) },
  })
}
