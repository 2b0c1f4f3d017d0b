/** Asks git which rows of issue memory the checked-out commit has, and which ones came before it. */
import { askGit, listBytesMax } from '../../harness/worktree/git.ts'
import { repositoryAround } from '../../harness/worktree/repository.ts'
import type { RowHistory } from '../../kernel/issues/forward/forward.ts'
import type { AskHistory } from '../../store/file/forward-issues.ts'
import type { Project } from '../open.ts'

/** Commits that are looked at. A row that came before them counts as written apart, and is merged. */
const commitsMax = 200

export async function rowHistory(
  path: string,
  { inFile, acknowledged }: Parameters<AskHistory>[0],
  project: Project,
): Promise<RowHistory> {
  const { ask, inside } = await repositoryWith(path, project)
  const committed = await ask('cat-file', 'blob', `HEAD:${inside}`)
  // A merge is compared with each of its parents, since a merge can write rows that neither has.
  const flags = ['--patch', '--unified=0', '--full-history', '-m', '--no-color', '--format=']
  const log = await ask('log', `--max-count=${commitsMax}`, ...flags, 'HEAD', '--', `:/${inside}`)
  return {
    committed: new Set(committed.filter(row => inFile.has(row))),
    past: new Set(log.map(line => line.slice(1)).filter(row => acknowledged.has(row))),
  }
}

/** The name of the file for git, in the repository around it. */
async function repositoryWith(path: string, { env, root, ...project }: Project) {
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const { top } = (await repositoryAround(disk, path.slice(0, path.lastIndexOf('/')))) ?? {
    top: root,
  }
  const place = { root, env, disk, processes }
  const ask = async (...args: readonly string[]) =>
    (await askGit(place, top, args, { bytesMax: listBytesMax })).stdout.split('\n')
  return { ask, inside: path.slice(top.length + 1) }
}

/** True if the checked-out commit has rows in the file. */
export async function isCommitted(path: string, project: Project): Promise<boolean> {
  const { ask, inside } = await repositoryWith(path, project)
  const [size = ''] = await ask('cat-file', '-s', `HEAD:${inside}`)
  return Number(size) > 0
}
