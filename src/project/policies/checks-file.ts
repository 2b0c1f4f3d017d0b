/** Reads `.premath/checks.json`: the command of each check. */

import { Fault } from '../../fault.ts'
import { type Checks, checksPath, readChecks } from '../../kernel/instruction/checks.ts'
import type { Project } from '../open.ts'
import { followLinks } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

/** None without the file: then no check can run. */
export async function openChecks(project: Project): Promise<Checks> {
  const path = project.at(checksPath)
  if ((await project.files.kindOf(path)) === undefined) return new Map()
  const { leadsOut } = await followLinks(path, project.root, await project.disk())
  const document = leadsOut
    ? new Unreadable('it leaves the project through a symbolic link')
    : await smallDocument(path, project)
  const checks = document instanceof Unreadable ? document.why : readChecks(document)
  if (typeof checks !== 'string') return checks
  throw new Fault('invalid_input', `the checks ${path} cannot be used: ${checks}`, {
    hint: 'Nothing was run. Fix the file; premath schema premath.checks.v1 prints its schema.',
    detail: { path },
  })
}
