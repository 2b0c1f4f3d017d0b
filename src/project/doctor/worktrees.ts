/** Finds worktrees of workers that git and the disk do not agree on. */

import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import type { Project } from '../open.ts'
import { type DoctorFinding, type Examined, finding, noting } from './finding.ts'

/** Runs git only where there is a folder of worktrees. */
export async function examineWorktrees(project: Project): Promise<Examined> {
  const isUsed = (await project.files.kindOf(project.at('.premath/worktrees'))) === 'folder'
  if (!isUsed) return { checks: ['worktrees'], findings: [] }
  const why = 'Workers cannot get their own worktrees.'
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
    `${path} is not a worktree of this repository`,
    'A worker of that name cannot start, and its files are on no branch.',
    'If the project was moved, run git worktree repair with that path; otherwise save the files you need and remove it.',
  )

const vanished = (path: string) =>
  finding(
    'worktrees',
    `${path} is missing, but git still lists it`,
    'No other worktree can use its branch meanwhile.',
    'git worktree prune removes the entry and keeps the branch.',
  )
