/** Opens the trajectory. */

import { type Fields, textField } from '../field.ts'
import { trajectoryPathDefault } from '../kernel/harness/step/step-row.ts'
import { TrajectoryLog, type TrajectoryState } from '../store/trajectory/trajectory-log.ts'
import type { Project } from './open.ts'
import { insideProject, resolvePath } from './paths.ts'

export const trajectoryField = {
  path: textField(
    'file',
    'The trajectory to use; without it, .premath/harness_trajectory.jsonl of the project.',
    { path: true, also: ['trajectory', 'trajectory-path'] },
  ),
} as const satisfies Fields

interface OpenTrajectory {
  readonly log: TrajectoryLog
  /** As the person gave it, or the default. */
  readonly path: string
  /** The real path. */
  readonly real: string
}

/** A flag names the file from the working folder; the default is the project's. */
export async function openTrajectory(
  project: Project,
  given: string | undefined,
  flag = '--path',
): Promise<OpenTrajectory> {
  const { root } = project
  const path = given || trajectoryPathDefault
  const named = resolvePath(given ? project.cwd() : root, path)
  const disk = await project.disk()
  const real = await insideProject(named, { root, disk, flag })
  const cache = await cacheOf(real, project)
  return { log: new TrajectoryLog({ disk, path: real, cache }), path, real }
}

/** In the project's cache, wherever the file is; without a project nothing is cached. */
async function cacheOf(path: string, { at, files, sha256 }: Project) {
  const own = at('.premath')
  if ((await files.kindOf(own)) !== 'folder') return undefined
  const isOwn = path === at(trajectoryPathDefault)
  const name = isOwn ? 'trajectory' : `trajectory-${sha256(path).slice(0, 16)}`
  return { folder: `${own}/cache`, name }
}

/** Members of an answer about bad lines, where there are some. */
export const reported = ({ bad, torn }: TrajectoryState) => ({
  ...(bad.count > 0 && { badLineCount: bad.count, badLines: bad.first }),
  ...(torn && { tornTail: torn }),
})

/** The same as text. */
export function messageOf(
  path: string,
  { bad, torn }: TrajectoryState,
): { readonly message?: string } {
  const lines: string[] = []
  if (bad.count > 0) {
    lines.push(`error: ${path} has ${bad.count} bad line${bad.count === 1 ? '' : 's'}, passed over`)
    lines.push(...bad.first.map(({ line, why }) => `  line ${line}: ${why}`))
    if (bad.count > bad.first.length) lines.push(`  and ${bad.count - bad.first.length} more`)
  }
  if (torn) {
    lines.push(`note: line ${torn.line} of ${path} was never finished, so it is not counted`)
  }
  return lines.length > 0 ? { message: lines.join('\n') } : {}
}
