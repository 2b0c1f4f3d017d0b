/** The arguments of bubblewrap, from a plan of what a command may see and change. */

/** A place in the file system as the command sees it. Everything else is readable only. */
export type Mount =
  /** `from` is another place outside of the sandbox. */
  | { readonly kind: 'readable' | 'writable'; readonly path: string; readonly from?: string }
  /** An empty folder in memory. */
  | { readonly kind: 'empty'; readonly path: string }
  /** An empty file that cannot be written. */
  | { readonly kind: 'blank'; readonly path: string }

export interface SandboxPlan {
  /** The folder in which the command runs. */
  readonly cwd: string
  readonly network: 'on' | 'off'
  /** The command has a pseudo-terminal, which began a session of its own for it. */
  readonly hasTerminal?: boolean | undefined
  /** In any order. Of several for one path the last counts. */
  readonly mounts: readonly Mount[]
}

/** For the process: no rights beyond those of the user, and no processes of others in sight. */
const process = [
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  // Some systems do not let users make these two.
  '--unshare-user-try',
  '--unshare-cgroup-try',
]

const root = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']

/** The arguments before the program that runs in the sandbox. */
export function bubblewrapArguments({
  cwd,
  network,
  hasTerminal,
  mounts,
}: SandboxPlan): readonly string[] {
  return [
    ...process,
    // In the session of the user, a command could type into the terminal.
    ...(hasTerminal ? [] : ['--new-session']),
    ...(network === 'off' ? ['--unshare-net'] : []),
    ...root,
    ...inOrder(mounts).flatMap(argumentsOf),
    '--chdir',
    cwd,
    '--',
  ]
}

function argumentsOf(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'readable':
      return ['--ro-bind', mount.from ?? mount.path, mount.path]
    case 'writable':
      return ['--bind', mount.from ?? mount.path, mount.path]
    case 'empty':
      return ['--tmpfs', mount.path]
    case 'blank':
      return ['--ro-bind', '/dev/null', mount.path]
  }
}

/** A mount covers everything below its path, so folders come before what lies in them. */
export function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const last = new Map(mounts.map(mount => [mount.path, mount]))
  return [...last.values()].sort((a, b) => depthOf(a) - depthOf(b))
}

const depthOf = ({ path }: Mount) => path.split('/').filter(part => part !== '').length

export const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
