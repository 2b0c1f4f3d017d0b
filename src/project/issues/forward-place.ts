/** Finds the place of the high-water mark of an issue memory: outside of the work tree. */
import type { Repository } from '../../harness/worktree/repository.ts'
import type { ForwardPlace } from '../../store/file/forward-issues.ts'
import type { Project } from '../open.ts'
import { isWithin } from '../paths.ts'

/**
 * In git's folder, which all worktrees share, or in the state folder of the user. `undefined` where neither
 * is outside of the work tree.
 */
export async function forwardPlace(
  path: string,
  repository: Repository | undefined,
  project: Project,
  isReadOnly: boolean,
): Promise<ForwardPlace | undefined> {
  const { sha256 } = project
  const disk = await project.disk()
  if (repository) {
    const { top, own, common } = repository
    // The copy of a linked worktree is another memory.
    const place = `${own === common ? '' : own}${path.slice(top.length)}`
    const folder = `${common}/premath/memory/${nameOf(place, sha256)}`
    return {
      folder,
      sha256,
      isReadOnly,
      askHistory: asked => askGitAbout(path, asked, project),
      isCommitted: async () => (await import('./row-history.ts')).isCommitted(path, project),
    }
  }
  const states = stateFolder(project.env)
  const root = isWithin(path, project.root) ? project.root : folderOf(path)
  // In a folder of the project, the mark would be a file of its tree.
  if (states === undefined || isWithin(states, root)) return undefined
  const id = await disk.folderId(root)
  if (id === undefined) return undefined
  const name = `${id}-${nameOf(path.slice(root.length), sha256)}`
  return { folder: `${states}/premath/memory/${name}`, sha256, isReadOnly }
}

/** Node takes several milliseconds to load the code that hashes. */
const nameOf = (place: string, sha256: Project['sha256']) =>
  place === '/.premath/issues.jsonl' ? 'issues' : sha256(place).slice(0, nameLetters)

const nameLetters = 24

function stateFolder(env: Project['env']): string | undefined {
  const { XDG_STATE_HOME: given, HOME: home } = env
  // The specification of these folders ignores relative paths.
  if (given?.startsWith('/')) return given
  return home?.startsWith('/') ? `${home}/.local/state` : undefined
}

/** Loaded where a row was changed by somebody else. */
const askGitAbout: (
  path: string,
  ...rest: readonly [Parameters<NonNullable<ForwardPlace['askHistory']>>[0], Project]
) => ReturnType<NonNullable<ForwardPlace['askHistory']>> = async (path, asked, project) =>
  (await import('./row-history.ts')).rowHistory(path, asked, project)

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
