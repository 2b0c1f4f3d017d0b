/** The texts of a git directory that a command in the sandbox has for itself. */

/** Files of a worktree’s git directory that describe an operation under way. */
export const stateFiles: readonly string[] = [
  'AUTO_MERGE',
  'BISECT_LOG',
  'CHERRY_PICK_HEAD',
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'MERGE_RR',
  'ORIG_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
]

export const stateFolders: readonly string[] = ['rebase-apply', 'rebase-merge', 'sequencer']

/** Git repacks nothing here: the objects go to the repository and the rest is removed. */
const added = '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'

/** The configuration of the repository without passwords. */
export function privateConfig(config: string): string {
  let section = ''
  const kept = config.split('\n').filter(line => {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    return section !== 'credential' && !/^\s*extraheader\b/i.test(line)
  })
  const text = kept.join('\n').replace(/(:\/\/)[^/@\s]+@/g, '$1')
  return `${text.replace(/\n*$/, '\n')}${added}`
}

/** What git needs to read objects and refs, and nothing that a command could have changed. */
export function plainConfig(config: string): string {
  const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config)
  const format = isSha256 ? 1 : 0
  const extension = isSha256 ? '[extensions]\n\tobjectFormat = sha256\n' : ''
  return `[core]\n\trepositoryformatversion = ${format}\n\tbare = false\n${extension}`
}

/** Refs are copied as one file, which only the file format of refs has. */
export const usesOtherRefs = (config: string): boolean =>
  /^\s*refstorage\s*=\s*(?!files\s*$)\S/im.test(config)

/** `refs` has lines of an id and a name, as `git for-each-ref` prints them in order. */
export const packedRefs = (refs: string): string => `# pack-refs with: sorted \n${refs}`

/** The branch that a `HEAD` file names; `undefined` if it names a commit. */
export const branchIn = (head: string): string | undefined =>
  /^ref: (refs\/heads\/\S+)\n?$/.exec(head)?.[1]

/** The ids of commits in the files of an operation. */
export const idsIn = (text: string): readonly string[] => [
  ...new Set(text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g) ?? []),
]

/** The commit that a `HEAD` file stands for; `undefined` for a branch without one. */
export function commitOf(head: string, refs: string): string | undefined {
  const branch = branchIn(head)
  if (branch === undefined) return idsIn(head)[0]
  const line = refs.split('\n').find(one => one.endsWith(` ${branch}`))
  return line?.slice(0, line.indexOf(' '))
}
