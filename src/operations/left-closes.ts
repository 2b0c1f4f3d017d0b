/** Works off the closes that a server left, before a command claims an issue. */
import { closesFolder } from '../kernel/landing/closes-folder.ts'
import type { Project } from '../project/open.ts'

/**
 * The code is loaded for projects that have a queue. Over MCP the server works it off beside its
 * calls, because a verification outlasts the time that hosts wait for an answer.
 */
export async function workOffLeft(project: Project): Promise<void> {
  if (project.surface === 'mcp') return
  if ((await project.files.kindOf(project.at(closesFolder))) !== 'folder') return
  const { workOffCloses } = await import('./close-worker.ts')
  await workOffCloses(project)
}
