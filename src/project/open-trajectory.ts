/** The trajectory, as the operations that need it open it. */

import type { Fields } from '../field.ts'
import { trajectoryPathDefault } from '../kernel/harness/step/step-row.ts'
import { TrajectoryLog, type TrajectoryState } from '../store/trajectory/trajectory-log.ts'
import type { OperationContext } from './context.ts'
import { insideProject, resolvePath } from './paths.ts'
import { projectRoot } from './root.ts'

export const trajectoryField = {
  path: {
    type: 'text',
    describe:
      'The trajectory to use; without it, .premath/harness_trajectory.jsonl of the project.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export interface OpenTrajectory {
  readonly log: TrajectoryLog
  /** As the person gave it, or where it is by default. */
  readonly path: string
  /** Where it lies, links followed. */
  readonly real: string
  readonly root: string
}

/** A path that is given is one from here; the default is the project's. */
export async function openTrajectory(
  context: OperationContext,
  given: string | undefined,
  flag = '--path',
): Promise<OpenTrajectory> {
  const root = await projectRoot(context)
  const path = given || trajectoryPathDefault
  const named = resolvePath(given ? context.cwd() : root, path)
  const disk = await context.disk()
  const real = await insideProject(named, { root, disk, flag })
  const cache = await cacheOf(real, root, context)
  return { log: new TrajectoryLog({ disk, path: real, cache }), path, real, root }
}

/** In the project's own cache, wherever the file is; without a project nothing is kept. */
async function cacheOf(path: string, root: string, { files, sha256 }: OperationContext) {
  const own = `${root.replace(/\/$/, '')}/.premath`
  if ((await files.kindOf(own)) !== 'folder') return undefined
  const isOwn = path === resolvePath(root, trajectoryPathDefault)
  const name = isOwn ? 'trajectory' : `trajectory-${sha256(path).slice(0, 16)}`
  return { folder: `${own}/cache`, name }
}

/** Members that an answer has only where there is something to report. */
export const reported = ({ bad, torn }: TrajectoryState) => ({
  ...(bad.count > 0 && { badLineCount: bad.count, badLines: bad.first }),
  ...(torn && { tornTail: torn }),
})

/** The same for the person. */
export function talkOf(path: string, { bad, torn }: TrajectoryState): { readonly talk?: string } {
  const lines: string[] = []
  if (bad.count > 0) {
    lines.push(`error: ${path} has ${bad.count} bad line${bad.count === 1 ? '' : 's'}, passed over`)
    lines.push(...bad.first.map(({ line, why }) => `  line ${line}: ${why}`))
    if (bad.count > bad.first.length) lines.push(`  and ${bad.count - bad.first.length} more`)
  }
  if (torn) {
    lines.push(`note: line ${torn.line} of ${path} was never finished, so it is not counted`)
  }
  return lines.length > 0 ? { talk: lines.join('\n') } : {}
}
