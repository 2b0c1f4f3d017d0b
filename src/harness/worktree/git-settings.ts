/**
 * The settings with which git runs no program that a repository or its configuration names: the one
 * place for them. `git.ts` adds them to each call.
 */

/** Set on the command line, where they override every configuration file. */
export const plainSettings = [
  // A user's setting must not hide untracked files, because git checks for them before it removes
  // a worktree.
  'status.showUntrackedFiles=normal',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  // Verifies commits with the program of `gpg.program`.
  'log.showSignature=false',
  'core.pager=cat',
  'gc.auto=0',
  'maintenance.auto=false',
]

export const noHooks = 'core.hooksPath=/dev/null'

export const plainEnvironment = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // Grafts replace the parents of commits.
  GIT_GRAFT_FILE: '/dev/null',
  // Git asks nobody.
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
}

/** No transport: a missing object is not fetched, with the helpers that a fetch runs. */
export const noTransport = { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' }

/** Commands of git that print differences, and could run `diff.external` or a `textconv`. */
const diffCommands = new Set(['diff', 'diff-files', 'diff-index', 'diff-tree', 'log', 'show'])

export function withoutDiffPrograms(args: readonly string[]): readonly string[] {
  const at = args.indexOf(subcommandOf(args))
  if (!diffCommands.has(args[at] ?? '')) return args
  return [...args.slice(0, at + 1), '--no-ext-diff', '--no-textconv', ...args.slice(at + 1)]
}

/**
 * Commands of git that neither read nor write a file of a worktree through its attributes, and
 * merge none. Every other command runs with filters and merge drivers off.
 */
const contentFree = new Set([
  'cat-file',
  'check-attr',
  'check-ignore',
  'check-ref-format',
  'clean',
  'commit-tree',
  'config',
  'diff-tree',
  'for-each-ref',
  'log',
  'ls-tree',
  'merge-base',
  'patch-id',
  'rev-list',
  'rev-parse',
  'show-ref',
  'symbolic-ref',
  'update-ref',
  'var',
  'version',
])

export function isContentFree(args: readonly string[]): boolean {
  const subcommand = subcommandOf(args)
  if (subcommand === 'worktree') return args.includes('list') || args.includes('--no-checkout')
  // It forgets the old index. All others that write one read the files that changed just before.
  if (subcommand === 'read-tree') return !args.some(arg => /^-(?!-empty$)/.test(arg))
  // `--modified` compares files with the index.
  if (subcommand === 'ls-files') return !args.some(arg => /^(-[a-z]*m|--modified)/.test(arg))
  return contentFree.has(subcommand)
}

const subcommandOf = (args: readonly string[]): string =>
  args.find(arg => !arg.startsWith('-')) ?? ''

/** The environment in which git has these settings. In a key, unlike after `-c`, `=` is plain. */
export function withConfiguration(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly (readonly [key: string, value: string])[],
): Readonly<Record<string, string | undefined>> {
  if (settings.length === 0) return env
  const given = Number(env['GIT_CONFIG_COUNT'] || 0)
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${given + at}`, key],
    [`GIT_CONFIG_VALUE_${given + at}`, value],
  ])
  return {
    ...env,
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(given + settings.length),
  }
}
