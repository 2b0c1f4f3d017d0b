/** Where the resident process of a project listens, and the lock that keeps it the only one. */
import type { Project } from '../project/open.ts'
import type { LocalServices } from '../world/world.ts'

export interface ResidentPlace {
  readonly services: LocalServices
  readonly socket: string
  readonly lock: string
}

const digestDigits = 24

/** `undefined` where the system has no folder that only this user can enter. */
export async function residentPlace(project: Project): Promise<ResidentPlace | undefined> {
  const services = await project.services()
  const folder = services.folder(project.env)
  if (folder === undefined) return undefined
  const root = await (await project.disk()).realPath(project.root)
  const name = project.sha256(root).slice(0, digestDigits)
  return { services, socket: `${folder}/${name}.sock`, lock: `${folder}/${name}.lock` }
}
