/**
 * The sandbox of the commands of a step: bubblewrap on Linux. A command writes to its worktree and
 * to private folders. The project, the repository and the home folder are read-only.
 */
import { Fault } from '../../fault.ts'
import { agentInSandbox } from '../../kernel/harness/step/terminal-command.ts'
import { bubblewrapArguments, isBelow, type Mount } from '../../kernel/sandbox/bubblewrap.ts'
import { type SandboxRole, sandboxEnvironment } from '../../kernel/sandbox/home.ts'
import { printMark, stepMarkPath } from '../../kernel/sandbox/step-mark.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, Files } from '../../world/world.ts'
import type { Harness } from '../harness.ts'
import type { StepFolder } from '../step/step-folder.ts'
import type { Repository } from '../worktree/repository.ts'
import { homeMounts } from './home-mounts.ts'
import { nestedRepositories, removeMadeRepositories } from './nested-repositories.ts'
import { gitPathsOf, PrivateGit, type PrivateGitPlace, privateGitObstacle } from './private-git.ts'
import { takeWitnesses } from './take-witnesses.ts'

/** What the commands of a run have. */
export type SandboxState =
  | { readonly mode: 'bubblewrap'; readonly sandbox: Sandbox }
  | { readonly mode: 'off'; readonly why: string }

export interface SandboxParts {
  readonly files: Files
  /** The path of bubblewrap. */
  readonly program: string
  readonly network: 'on' | 'off'
  /** Folders that the user lets commands write to. */
  readonly writable: readonly string[]
  /** Read-only places that the commands need: this program, and the Node that runs it. */
  readonly needed: readonly string[]
  /** The key with which the harness signs. Its folder is hidden. */
  readonly signingKey?: string | undefined
}

/** The project, and the folder in which the commands run. */
export type SandboxPlace = Pick<
  Harness,
  | 'root'
  | 'worktree'
  | 'recordsFolder'
  | 'disk'
  | 'processes'
  | 'env'
  | 'sha256'
  | 'proofs'
  | 'signer'
>

export interface SandboxedCommand {
  readonly role: SandboxRole
  /** The name of its private folder. */
  readonly name: string
  readonly text: string
  readonly folder: StepFolder
  readonly env: Readonly<Record<string, string | undefined>>
  /** A folder that it may write to, beside the worktree. */
  readonly mailbox?: string | undefined
  /** A read-only file that a verification needs. */
  readonly input?: string | undefined
  /** It has a pseudo-terminal. */
  readonly hasTerminal?: boolean | undefined
  /** It leaves witnesses of specs. */
  readonly leavesWitnesses?: boolean | undefined
}

/** A command that is ready to run. */
export interface Contained {
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string | undefined>>
  /** For people. */
  readonly writable: readonly string[]
  /**
   * Takes over commits or witnesses, if the command may make some. `tidy` removes the rest.
   * Returns what could not be taken over, for people.
   */
  end(): Promise<readonly string[]>
  /** The witnesses that were taken over, by the paths that the command gave them. */
  taken(): ReadonlyMap<string, string>
}

/** Empty in the sandbox: sockets of services, and files of other programs. */
const covered = ['/dev/shm', '/run', '/tmp', '/var/tmp']

export class Sandbox {
  readonly #parts: SandboxParts
  /** The repositories of the worktrees, by folder, with the `.git` that led to them. */
  readonly #repositories = new Map<string, { readonly link: string; readonly paths: Repository }>()

  /** Private folders of commands that have ended. */
  readonly #left = new Set<string>()

  constructor(parts: SandboxParts) {
    this.#parts = parts
  }

  async contain(harness: SandboxPlace, command: SandboxedCommand): Promise<Contained> {
    const { disk } = harness
    const { role, text } = command
    const own = command.folder.file(`sandbox-${command.name}`)
    await this.tidy(disk)
    await disk.removeFolder(own)
    await disk.makeFolderLoosely(`${own}/tmp`)
    if (command.leavesWitnesses) await disk.makeFolderLoosely(`${own}/witnesses`)
    const place = { ...harness, files: this.#parts.files }
    const paths = await this.#repositoryOf(place, harness.worktree)
    const git = paths && (await PrivateGit.make(place, paths, `${own}/git`))
    const top = paths?.top ?? topWithoutGit(harness)
    // A worktree of a run has none but those that commands made.
    const isOfRun = isBelow(`${harness.root}/.premath`, top)
    const nested = paths && !isOfRun ? await nestedRepositories(place, paths, harness.worktree) : []
    const home = await homeMounts({ ...place, env: command.env }, role, own)
    const mounts: Mount[] = [
      ...(await this.#system(harness, top, own, command)),
      ...home.mounts,
      ...(await this.#project(harness, top, own, command)),
      ...((await git?.mounts()) ?? []),
      ...nested.map(path => ({ kind: 'readable', path }) as const),
      ...(await this.#named(harness)),
    ]
    mounts.push(...(await this.#hiddenKey(harness, mounts)))
    const { network } = this.#parts
    const { hasTerminal } = command
    const shell = hasTerminal ? agentInSandbox(text) : ['/bin/sh', '-c', text]
    const args = bubblewrapArguments({ cwd: harness.worktree, network, hasTerminal, mounts })
    const env = { ...sandboxEnvironment(command.env, role), ...home.env }
    const mailbox = command.mailbox === undefined ? [] : [command.mailbox]
    let taken: ReadonlyMap<string, string> = new Map()
    return {
      command: [this.#parts.program, ...args, ...shell],
      env,
      writable: [top, '/tmp', ...mailbox, ...this.#parts.writable],
      end: async () => {
        if (command.leavesWitnesses) {
          taken = await takeWitnesses(harness, `${own}/witnesses`, this.#parts.files)
        }
        const notes = role === 'work' ? ((await git?.adopt()) ?? []) : []
        const removed = paths
          ? await removeMadeRepositories(place, paths, { folder: harness.worktree, known: nested })
          : []
        this.#left.add(own)
        return [...notes, ...removed]
      },
      taken: () => taken,
    }
  }

  /**
   * Removes what commands left. For some milliseconds after a command the system takes its mounts
   * apart, and a removal would wait for that, so it comes later.
   */
  async tidy(disk: Disk): Promise<void> {
    const left = [...this.#left]
    this.#left.clear()
    for (const folder of left) await disk.removeFolder(folder)
  }

  async #repositoryOf(place: PrivateGitPlace, folder: string): Promise<Repository | undefined> {
    const known = this.#repositories.get(folder)
    if (known && (await linkAt(place, known.paths)) === known.link) return known.paths
    const paths = await gitPathsOf(place, folder)
    const link = paths && (await linkAt(place, paths))
    if (paths && link !== undefined) this.#repositories.set(folder, { paths, link })
    return paths
  }

  /** Folders of the system, and the places below them that the command needs. */
  async #system(
    { disk, root, worktree }: SandboxPlace,
    top: string,
    own: string,
    { folder, env, text }: SandboxedCommand,
  ): Promise<readonly Mount[]> {
    const mark = `${own}/step.json`
    const stepId = env['PREMATH_STEP_ID'] ?? folder.path.slice(folder.path.lastIndexOf('/') + 1)
    const marked = printMark({ stepId, root, worktree })
    await disk.replaceLoosely(mark, new TextEncoder().encode(marked))
    const programs = [...(env['PATH'] ?? '').split(':'), ...absolutePaths(text)]
    const needed = ['/etc/resolv.conf', env['HOME'] ?? '', ...this.#parts.needed, ...programs]
    const others = [root, top, folder.path]
    const mounts: Mount[] = [
      { kind: 'empty', path: '/run' },
      { kind: 'empty', path: '/var/tmp' },
      { kind: 'writable', path: '/tmp', from: `${own}/tmp` },
      { kind: 'readable', path: stepMarkPath, from: mark },
    ]
    const found = new Set<string>()
    for (const path of new Set(needed)) {
      if (!path.startsWith('/')) continue
      const real = await reachable(disk, path)
      if (real !== undefined) for (const one of [path, real]) found.add(one)
    }
    const isCovered = (path: string) => covered.some(one => isBelow(one, path) && one !== path)
    const isElsewhere = (path: string) => !others.some(one => isBelow(one, path))
    const wanted = [...found].filter(path => isCovered(path) && isElsewhere(path))
    for (const path of wanted) {
      // A folder above it brings the links on the way too.
      const isWithin = wanted.some(one => one !== path && isBelow(one, path))
      if (!isWithin) mounts.push({ kind: 'readable', path })
    }
    return mounts
  }

  /** The project read-only, the worktree writable. A verification sees no memory and no artifacts. */
  async #project(
    harness: SandboxPlace,
    top: string,
    own: string,
    { role, mailbox, input, leavesWitnesses }: SandboxedCommand,
  ): Promise<readonly Mount[]> {
    const { root, disk, recordsFolder } = harness
    const base = root === '/' ? '' : root
    const mounts: Mount[] = []
    if (!isBelow(top, root)) mounts.push({ kind: 'readable', path: root })
    mounts.push({ kind: 'writable', path: top })
    const kept = [`${base}/.premath`, `${base}/artifacts`, recordsFolder]
    for (const path of new Set(kept)) {
      const isThere = (await disk.entry(path))?.kind === 'folder'
      if (!isThere || isBelow(path, root)) continue
      mounts.push({ kind: role === 'work' ? 'readable' : 'empty', path })
    }
    const memory = `${top}/.premath`
    if (memory !== `${base}/.premath` && (await disk.entry(memory))?.kind === 'folder') {
      // As a mount it cannot be replaced by a link. The harness writes the session below it.
      mounts.push({ kind: 'writable', path: memory })
      const documents = `${memory}/worker`
      if ((await disk.entry(documents))?.kind === 'folder') {
        mounts.push({ kind: 'readable', path: documents })
      }
    }
    if (mailbox !== undefined) mounts.push({ kind: 'writable', path: mailbox })
    if (role === 'work') return mounts
    const witnesses = `${base}/artifacts/ciwitness`
    if (leavesWitnesses) {
      mounts.push({ kind: 'writable', path: witnesses, from: `${own}/witnesses` })
    }
    if (input !== undefined) mounts.push({ kind: 'readable', path: input })
    return mounts
  }

  /** Its folder, or the key alone if the command needs something in that folder. */
  async #hiddenKey(
    { disk, root }: SandboxPlace,
    others: readonly Mount[],
  ): Promise<readonly Mount[]> {
    const { signingKey } = this.#parts
    if (signingKey === undefined) return []
    const path = await reachable(disk, signingKey)
    const isHidden = (mount: Mount) => mount.kind === 'empty' && isBelow(mount.path, path ?? '')
    if (path === undefined || others.some(isHidden)) return []
    const folder = path.slice(0, path.lastIndexOf('/')) || '/'
    const isNeeded =
      isBelow(root, folder) ||
      [root, ...others.map(one => one.path)].some(one => isBelow(folder, one))
    return [isNeeded ? { kind: 'blank', path } : { kind: 'empty', path: folder }]
  }

  /** Folders that the user names, unless they hold the project. */
  async #named({ disk, root, env }: SandboxPlace): Promise<readonly Mount[]> {
    const mounts: Mount[] = []
    for (const given of this.#parts.writable) {
      const path = await disk.realPath(given.replace(/^~(?=\/|$)/, env['HOME'] ?? '~'))
      if (isBelow(path, root) || !(await disk.entry(path))) continue
      mounts.push({ kind: 'writable', path })
    }
    return mounts
  }

  /** Runs a command that does nothing, with the arguments of real work. Returns why it failed. */
  async failure(harness: SandboxPlace, folder: StepFolder): Promise<string | undefined> {
    const place: PrivateGitPlace = { ...harness, files: this.#parts.files }
    const paths = await this.#repositoryOf(place, harness.worktree)
    const obstacle = paths && (await privateGitObstacle(place, paths))
    if (obstacle !== undefined) return obstacle
    await folder.make()
    const probe = { role: 'verify', name: 'probe', text: ':', folder, env: harness.env } as const
    const contained = await this.contain(harness, probe)
    const end = await harness.processes.run({
      command: contained.command,
      cwd: harness.worktree,
      env: contained.env,
      timeoutMs: 20_000,
      outputBytesMax: 0,
      tailBytesMax: 4096,
      isContained: true,
    })
    await contained.end()
    if (end.exitCode === 0) return undefined
    return end.spawnFailed?.reason ?? (lastLine(end.stderr.tail) || 'bubblewrap failed')
  }
}

/** The real path of what is there; `undefined` for nothing, and where the user may not look. */
export async function reachable(disk: Disk, path: string): Promise<string | undefined> {
  try {
    const real = await disk.realPath(path)
    return (await disk.entry(real)) ? real : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** The text of a `.git` file; blank for a folder. */
async function linkAt({ disk }: PrivateGitPlace, { top }: Repository): Promise<string | undefined> {
  const kind = (await disk.entry(`${top}/.git`))?.kind
  if (kind === 'folder') return ''
  return kind === 'file' ? await readTextIfPresent(disk, `${top}/.git`) : undefined
}

const lastLine = (text: string) =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^bwrap: /, '') ?? ''

/** Without git, work may change the whole project, as long as it runs in it. */
const topWithoutGit = ({ root, worktree }: SandboxPlace) =>
  isBelow(root, worktree) && !isBelow(`${root}/.premath`, worktree) ? root : worktree

/** Programs and scripts that the command names by their paths, without those that it writes. */
const absolutePaths = (text: string): readonly string[] => [
  ...(text.match(/(?<![\w.~$}-]|>\s*)\/[\w./+@%:,-]+/g) ?? []),
  ...[...text.matchAll(/(?<!>\s*)(?:'(\/[^']+)'|"(\/[^"$`]+)")/g)].map(
    ([, one, two]) => one ?? two ?? '',
  ),
]

/** Faults as the mode asks: `require` needs a sandbox that works. */
export function sandboxMissing(why: string): Fault {
  return new Fault('unavailable', `the sandbox does not work here: ${why}`, {
    hint: `Install bubblewrap and let users make namespaces, or pass --sandbox off. No command ran.`,
    detail: { why: shown(why) },
  })
}
