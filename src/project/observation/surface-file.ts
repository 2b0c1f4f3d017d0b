/** The written surface: `artifacts/observation/latest.json`. */
import { Fault } from '../../fault.ts'
import { parseJson } from '../../kernel/json.ts'
import { readSurface, type WrittenSurface } from '../../kernel/observation/read-surface.ts'
import { namingSource, readDocument } from '../named-document.ts'
import type { Project } from '../open.ts'
import { insideProject, resolvePath } from '../paths.ts'

export const surfacePathDefault = 'artifacts/observation/latest.json'
export const eventsPathDefault = 'artifacts/observation/events.jsonl'

/** Faults where there is no surface, or a file that is none. */
export async function readSurfaceFile(
  given: string | undefined,
  project: Project,
): Promise<WrittenSurface> {
  const { root, files } = project
  const named = given ? resolvePath(project.cwd(), given) : project.at(surfacePathDefault)
  const disk = await project.disk()
  const path = await insideProject(named, { root, disk, flag: '--surface' })
  if ((await files.kindOf(path)) !== 'file') throw missing(given ?? surfacePathDefault)
  const name = given ?? surfacePathDefault
  const surface = readSurface(
    await namingSource(name, async () => parseJson(await readDocument(path, project))),
  )
  if ('why' in surface) throw notSurface(name, surface.why)
  return surface
}

const again = 'Build it again: premath observe-build.'

const missing = (path: string) =>
  new Fault('invalid_input', `there is no observation surface at ${path}`, {
    hint: 'Build it first: premath observe-build.',
    detail: { path },
  })

const notSurface = (path: string, why: string) =>
  new Fault('invalid_input', `${path} is not an observation surface: ${why}`, {
    hint: again,
    detail: { path },
  })
