/**
 * Knows a process of a step by its ancestors, whatever is in its environment: the journals beside
 * issue memory name the processes that the harness started. Work that leaves its ancestors, as a
 * daemon does, is not known without a sandbox.
 */
import { Fault } from '../../fault.ts'
import { stepOfAncestors } from '../../kernel/harness/step/step-ancestors.ts'
import type { OperationContext } from '../context.ts'
import { openProject, type Project } from '../open.ts'
import { issuesPlace } from '../open-issues.ts'
import { resolvePath } from '../paths.ts'

/** The context with the id of the step that the command runs in, if it runs in one. */
export async function inStepOf(
  context: OperationContext,
  { issues }: { readonly issues?: unknown },
): Promise<OperationContext> {
  if (context.env['PREMATH_STEP_ID']) return context
  const project = await projectHere(context)
  if (project === undefined) return context
  const { root, isFound, worktree, folderHere, isInRepository } = project
  const place = { root, isFound, worktree, folderHere, isInRepository }
  const known = { ...context, place }
  const journals = await journalsOf(project, typeof issues === 'string' ? issues : undefined)
  if (journals.length === 0) return known
  const stepId = stepOfAncestors(journals, await context.ancestors())
  if (stepId === undefined) return known
  return { ...known, env: { ...context.env, PREMATH_STEP_ID: stepId } }
}

/** The texts of the journals. There are none unless a step is under way, which is the usual case. */
async function journalsOf(
  project: Project,
  issues: string | undefined,
): Promise<readonly string[]> {
  const { files } = project
  const texts: string[] = []
  for (const folder of journalFolders(project, issues)) {
    if ((await files.kindOf(folder)) !== 'folder') continue
    for (const { name, isFolder } of await files.list(folder)) {
      if (isFolder || !name.endsWith('.jsonl')) continue
      const bytes = await files.readIfPresent(`${folder}/${name}`)
      if (bytes) texts.push(new TextDecoder().decode(bytes))
    }
  }
  return texts
}

/** Where the harness that holds this memory has its journals. */
function journalFolders(project: Project, issues: string | undefined): readonly string[] {
  const { folder, issuesPath } = issuesPlace(project, issues)
  const memory = resolvePath(folder, issuesPath)
  const beside = memory.slice(0, memory.lastIndexOf('/'))
  return [...new Set([project.at('.premath/steps'), `${beside}/steps`])]
}

/** A command that needs the project says why there is none. */
async function projectHere(context: OperationContext): Promise<Project | undefined> {
  try {
    return await openProject(context)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
