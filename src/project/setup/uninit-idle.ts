/** Makes sure that nobody works in the project before `uninit` removes parts of it. */
import { Fault } from '../../fault.ts'
import { journalFolder } from '../../harness/harness.ts'
import { fenceOf } from '../../kernel/issues/issue.ts'
import { leaseStateAt } from '../../kernel/issues/lease-state.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import { withOffset } from '../../kernel/timestamp.ts'
import { worktreeDocuments } from '../harness-files.ts'
import type { Project } from '../open.ts'
import { journalsIn } from '../open-harness.ts'
import type { OpenIssues } from '../open-issues.ts'
import { worktreesPath } from './added-files.ts'
import { mustHaveNoCutOffLanding, type UninitRepository } from './uninit-git.ts'
import { worktreeFolders } from './uninit-plan.ts'

/** Returns the number of issues. `ownLock` is a lock that this process holds itself. */
export async function mustBeIdle(
  open: OpenIssues,
  repository: UninitRepository | undefined,
  ownLock?: string,
): Promise<number> {
  const { project, store } = open
  const issues = (await store.exists()) ? [...(await store.read()).all()] : []
  const now = project.clock.now()
  for (const issue of issues) {
    const { id, lease } = issue
    if (!lease || leaseStateAt(lease, now) !== 'active') continue
    const until = withOffset(lease.expires_at)
    const { lease_id, owner, expires_at } = lease
    throw new Fault('conflict', `${owner} holds a lease on ${id} until ${expires_at}`, {
      hint: `Wait until the work has ended, or release it: premath issue lease-release ${id} --lease-id ${lease_id} --fence ${fenceOf(issue)}.`,
      detail: { issueId: id, leaseId: lease_id, owner, expiresAt: until },
    })
  }
  for (const path of await lockFiles(open, repository)) {
    if (path !== ownLock) await mustBeFree(path, project)
  }
  const [journal] = await journalsIn(journalFolder(open), project)
  if (journal !== undefined) throw cutOff(journal)
  if (repository) await mustHaveNoCutOffLanding(repository)
  return issues.length
}

async function mustBeFree(path: string, project: Project): Promise<void> {
  const lock = await (await project.disk()).lock(path, 0)
  if (lock.held) return await lock.release()
  throw new Fault('conflict', `the lock ${path} is held by ${lock.holder}`, {
    hint: 'Stop that process, or wait for its end. Then run premath uninit again.',
    detail: { path, holder: lock.holder },
  })
}

const cutOff = (path: string) =>
  new Fault('conflict', `${path} is the journal of a step that was cut off`, {
    hint: 'Run premath harness-boot, which finishes or undoes it. Then run premath uninit again.',
    detail: { path },
  })

/** The locks that exist: of documents, steps, worktrees, workers, instructions and landing. */
async function lockFiles(
  open: OpenIssues,
  repository: UninitRepository | undefined,
): Promise<readonly string[]> {
  const { project } = open
  const disk = await project.disk()
  const instructions = project.at(`${witnessFolder}/instructions`)
  const worktrees = project.at(worktreesPath)
  const folders = [
    ...new Set([project.at('.premath'), open.recordsFolder]),
    journalFolder(open),
    project.at(closesFolder),
    worktrees,
    ...(await worktreeFolders(project, disk)).map(
      name => worktreeDocuments(`${worktrees}/${name}`).folder,
    ),
    ...(await namesIn(instructions, project)).map(name => `${instructions}/${name}`),
    ...(repository ? [`${repository.gitFolder}/premath`] : []),
  ]
  const found: string[] = []
  for (const folder of folders) {
    for (const name of await namesIn(folder, project)) {
      const path = `${folder}/${name}`
      if (name.endsWith('.lock') && (await disk.entry(path))?.kind === 'file') found.push(path)
    }
  }
  return found
}

async function namesIn(folder: string, { files }: Project): Promise<readonly string[]> {
  if ((await files.kindOf(folder)) !== 'folder') return []
  return (await files.list(folder)).map(({ name }) => name)
}
