/** Reads `.premath/checks.json`: the command of each check. */

import { Fault } from '../../fault.ts'
import { type Checks, checksPath, readChecks } from '../../kernel/instruction/checks.ts'
import type { Json } from '../../kernel/json.ts'
import type { Project } from '../open.ts'
import { followLinks } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

/** Reads a document of the project: from its files, or from a commit. `undefined` if there is none. */
export type ReadsDocument = (path: string) => Promise<Json | Unreadable | undefined>

export const fromFiles =
  (project: Project): ReadsDocument =>
  async path => {
    const file = project.at(path)
    if ((await project.files.kindOf(file)) === undefined) return undefined
    const { leadsOut } = await followLinks(file, project.root, await project.disk())
    if (leadsOut) return new Unreadable('it leaves the project through a symbolic link')
    return await smallDocument(file, project)
  }

/** None without the file: then no check can run. */
export async function openChecks(
  project: Project,
  read: ReadsDocument = fromFiles(project),
): Promise<Checks> {
  const document = await read(checksPath)
  if (document === undefined) return new Map()
  const checks = document instanceof Unreadable ? document.why : readChecks(document)
  if (typeof checks !== 'string') return checks
  const path = project.at(checksPath)
  throw new Fault('invalid_input', `the checks ${path} cannot be used: ${checks}`, {
    hint: 'Nothing was run. Fix the file; premath schema premath.checks.v1 prints its schema.',
    detail: { path },
  })
}
