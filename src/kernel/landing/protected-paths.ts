/**
 * Files that judge work: specs, tests and their configuration. Work that changes them could pass a
 * verification that it wrote itself.
 */
import picomatch from 'picomatch'

/** Patterns of paths, from the folder of the project or from the top of the repository. */
export interface Protection {
  /** Must stay as it is. `<pattern>#<member>` protects one member of a JSON or TOML file. */
  readonly frozen: readonly string[]
  /** May get new files. Those that exist must stay. */
  readonly append: readonly string[]
}

/** A difference between two trees, as `git diff-tree` names it. */
export interface TreeEdit {
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** False for a link or a submodule, which may lead to other files later. */
  readonly isFile: boolean
}

export interface ProtectedEdit {
  readonly path: string
  readonly why: string
  /** Set if only this member of the file is protected. The caller compares it. */
  readonly member?: string
}

interface Rules {
  readonly protection: Protection
  /** Patterns that the issue allows. */
  readonly mayChange: readonly string[]
  /** The folder of the project in its repository, with a slash at the end, or blank. */
  readonly prefix: string
}

/** The edits that break a protection. Those of a member may turn out to be none. */
export function protectedEdits(
  edits: readonly TreeEdit[],
  { protection: { frozen, append }, mayChange, prefix }: Rules,
): readonly ProtectedEdit[] {
  const isAllowed = matcherOf(mayChange, prefix)
  const whole = matcherOf(
    frozen.filter(pattern => !pattern.includes('#')),
    prefix,
  )
  const members = frozen.flatMap(pattern => {
    const [path, member] = pattern.split('#')
    return path && member ? [{ matches: matcherOf([path], prefix), member }] : []
  })
  const kept = matcherOf(append, prefix)
  return edits.flatMap(({ path, kind, isFile }): ProtectedEdit | readonly ProtectedEdit[] => {
    if (isAllowed(path)) return []
    if (whole(path)) return { path, why: 'must stay as it is' }
    if (kept(path) && (kind !== 'added' || !isFile)) {
      const why = isFile ? 'exists, and only new files may be added' : 'is a link or a submodule'
      return { path, why }
    }
    const found = members.filter(one => one.matches(path))
    return found.map(({ member }) => ({ path, why: `has other ${member}`, member }))
  })
}

/** A new path that differs from one that exists by its case alone is a change of that one. */
export function withVariants(
  edits: readonly TreeEdit[],
  existing: readonly string[],
): readonly TreeEdit[] {
  const names = new Set(existing.map(plain))
  return edits.map(edit =>
    edit.kind === 'added' && names.has(plain(edit.path)) ? { ...edit, kind: 'changed' } : edit,
  )
}

/** Case, composed letters and invisible characters make no other path: some file systems agree. */
export function matcherOf(patterns: readonly string[], prefix: string): (path: string) => boolean {
  if (patterns.length === 0) return () => false
  const matches = picomatch(patterns.map(plain), { dot: true })
  const own = plain(prefix)
  return path => {
    const name = plain(path)
    return matches(name) || (own !== '' && name.startsWith(own) && matches(name.slice(own.length)))
  }
}

const plain = (path: string) =>
  path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
