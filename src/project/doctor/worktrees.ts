/** Finds worktrees of workers that git and the disk do not agree on. */

import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import type { Project } from '../open.ts'
import { type DoctorFinding, type Examined, finding, noting } from './finding.ts'

/** Runs git only where there is a folder of worktrees. */
export async function examineWorktrees(project: Project): Promise<Examined> {
  const isUsed = (await project.files.kindOf(project.at('.premath/worktrees'))) === 'folder'
  if (!isUsed) return { checks: ['worktrees'], findings: [] }
  const why = 'No worker can be given a worktree of its own.'
  const looked = await noting('worktrees', () => findingsIn(project), why)
  return 'found' in looked ? looked.found : { checks: ['worktrees'], findings: looked.value }
}

async function findingsIn(project: Project): Promise<DoctorFinding[]> {
  const { root, env, files } = project
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const place = { root, disk, processes, env }
  const folder = await worktreesFolder(place)
  const listed = await listWorktrees(place)
  const entries = (await files.list(folder)).filter(({ isFolder }) => isFolder)
  const present = entries.map(({ name }) => `${folder}/${name}`)
  const known = new Set(listed.filter(one => !one.isPrunable).map(({ path }) => path))
  const gone = listed.filter(
    ({ path, isPrunable }) =>
      isPrunable && path.startsWith(`${folder}/`) && !present.includes(path),
  )
  return [
    ...present.filter(path => !known.has(path)).map(unknown),
    ...gone.map(({ path }) => vanished(path)),
  ]
}

const unknown = (path: string) =>
  finding(
    'worktrees',
    `${path} is no worktree that git knows`,
    'A worker of that name cannot start, and what is in it is on no branch.',
    'If the project was moved, run git worktree repair with that path; otherwise save what you need of it, and remove it.',
  )

const vanished = (path: string) =>
  finding(
    'worktrees',
    `${path} is gone, and git still lists it`,
    'Until its worker starts again, nobody else can have its branch.',
    'git worktree prune forgets it; the branch stays.',
  )
