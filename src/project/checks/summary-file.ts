/** Writes a Markdown summary for CI: to the file of the job, and to one that the caller names. */
import type { OperationContext } from '../context.ts'
import { keptFiles } from '../harness-files.ts'
import type { Project } from '../open.ts'
import { safeOutput } from '../safe-output.ts'

/** GitHub shows this file on the page of the job. Each step of the job adds to it. */
const variable = 'GITHUB_STEP_SUMMARY'

/** The real path of the file that the caller names, checked before anything runs. */
export const summaryPlace = async (
  given: string | undefined,
  project: Project,
): Promise<string | undefined> =>
  given === undefined ? undefined : await safeOutput(given, keptFiles(project), project)

export async function writeSummary(
  text: string,
  path: string | undefined,
  context: OperationContext,
): Promise<void> {
  const disk = await context.disk()
  const bytes = new TextEncoder().encode(context.secrets.text(text))
  if (path !== undefined) {
    await disk.makeFolderLoosely(path.slice(0, path.lastIndexOf('/')) || '/')
    await disk.replaceLoosely(path, bytes)
  }
  const job = context.env[variable]
  if (job) await disk.appendLoosely(job, bytes)
}
