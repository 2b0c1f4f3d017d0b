/**
 * Paths in specs. `/` is the contract root, and no path leads out of it (SPEC-HARNESS-CONTRACT,
 * Path Safety). Links are resolved elsewhere, on disk.
 */

/** A path below the contract root: `/docs/a.md`, or `/` itself. */
export type ContractPath = `/${string}`

/** Why a path is refused, to follow the name of its key. */
export interface RefusedPath {
  readonly refused: string
}

export function contractPath(text: string): { readonly path: ContractPath } | RefusedPath {
  return pathFrom('/', text)
}

/** The same for a path relative to a folder below the root. */
export function pathFrom(
  folder: ContractPath,
  text: string,
): { readonly path: ContractPath } | RefusedPath {
  const trimmed = text.trim()
  if (trimmed === '') return { refused: 'must not be blank' }
  if (isExternal(trimmed)) {
    return { refused: 'must be a path, not an external reference' }
  }
  if (/^[a-z]:/i.test(trimmed) || /^(?:\\\\|\/\/)/.test(trimmed)) {
    return { refused: 'names a drive or a host, but must lie in the contract root' }
  }
  if (trimmed.includes('\0')) return { refused: 'contains a NUL character' }
  const slashed = trimmed.replaceAll('\\', '/')
  const kept = slashed.startsWith('/') ? [] : segmentsOf(folder)
  for (const segment of segmentsOf(slashed)) {
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return { refused: 'escapes contract root' }
  }
  return { path: `/${kept.join('/')}` }
}

const segmentsOf = (path: string) =>
  path
    .split('/')
    .map(segment => segment.trim())
    .filter(segment => segment !== '' && segment !== '.')

/** A path within the temporary folder, without a leading slash. */
export function temporaryPath(text: string): { readonly path: string } | RefusedPath {
  const isAbsolute = /^\s*[/\\~]/.test(text)
  if (isAbsolute) return { refused: 'must be relative' }
  const read = contractPath(text)
  if ('path' in read) {
    return read.path === '/' ? { refused: 'must name a file' } : { path: read.path.slice(1) }
  }
  return read.refused.startsWith('escapes') ? { refused: 'escapes tmp_path' } : read
}

/** The parent folder. */
export function folderOf(path: ContractPath): ContractPath {
  return (path.slice(0, path.lastIndexOf('/')) || '/') as ContractPath
}

/** True if it looks like an external reference, valid or not. */
export const isExternal = (text: string): boolean => /^\s*external:/i.test(text)
