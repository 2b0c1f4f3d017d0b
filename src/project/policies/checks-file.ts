/** Which command each check is, as the project says. */

import { Fault } from '../../fault.ts'
import { type Checks, checksPath, readChecks } from '../../kernel/instruction/checks.ts'
import type { OperationContext } from '../context.ts'
import { followLinks, resolvePath } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

/** None where the project says nothing: then no check can be run. */
export async function openChecks(root: string, context: OperationContext): Promise<Checks> {
  const path = resolvePath(root, checksPath)
  if ((await context.files.kindOf(path)) === undefined) return new Map()
  const { leadsOut } = await followLinks(path, root, await context.disk())
  const document = leadsOut
    ? new Unreadable('it leaves the project through a symbolic link')
    : await smallDocument(path, context)
  const checks = document instanceof Unreadable ? document.why : readChecks(document)
  if (typeof checks !== 'string') return checks
  throw new Fault('invalid_input', `the checks ${path} cannot be used: ${checks}`, {
    hint: 'Nothing was run. Mend the file; premath schema premath.checks.v1 prints its schema.',
    detail: { path },
  })
}
