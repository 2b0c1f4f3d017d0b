/** Opens the session and the feature ledger. */

import { type Fields, textField } from '../field.ts'
import { ledgerPathDefault } from '../kernel/harness/feature-ledger.ts'
import { sessionPathDefault } from '../kernel/harness/session.ts'
import { issueFiles, ownPaths } from '../store/file/issue-files.ts'
import { LedgerCell, SessionCell } from '../store/harness-cells.ts'
import type { OperationContext } from './context.ts'
import type { Project } from './open.ts'
import { issuesPlace } from './open-issues.ts'
import { insideProject, resolvePath } from './paths.ts'
import { mustNotOverwriteProject } from './safe-output.ts'

export const sessionFields = {
  path: textField(
    'file',
    `The session; without it, PREMATH_HARNESS_SESSION_PATH or ${sessionPathDefault} of the project.`,
    { path: true, also: ['session', 'session-path'] },
  ),
} as const satisfies Fields

export const ledgerFields = {
  path: textField('file', `The feature ledger; without it, ${ledgerPathDefault} of the project.`, {
    path: true,
    also: ['ledger', 'feature-ledger', 'feature-ledger-path'],
  }),
} as const satisfies Fields

interface Found {
  /** As the person gave it, or the default. */
  readonly path: string
}

interface OpenSession extends Found {
  readonly cell: SessionCell
}

interface OpenLedger extends Found {
  readonly cell: LedgerCell
}

/** A flag names the file from the working folder, everything else from the root. */
export async function openSession(
  project: Project,
  given: string | undefined,
  durable = true,
): Promise<OpenSession> {
  const usual = project.env['PREMATH_HARNESS_SESSION_PATH'] || sessionPathDefault
  const { path, real } = await placeOf(project, given, usual, '--path')
  return { path, cell: new SessionCell({ disk: await project.disk(), path: real, durable }) }
}

export async function openLedger(
  project: Project,
  given: string | undefined,
  { flag = '--path', durable = true } = {},
): Promise<OpenLedger> {
  const { path, real } = await placeOf(project, given, ledgerPathDefault, flag)
  return { path, cell: new LedgerCell({ disk: await project.disk(), path: real, durable }) }
}

async function placeOf(
  { root, cwd, disk }: Project,
  given: string | undefined,
  usual: string,
  flag: string,
) {
  const [folder, path] = given ? [cwd(), given] : [root, usual]
  const real = await insideProject(resolvePath(folder, path), { root, disk: await disk(), flag })
  return { path, real }
}

/** Before a write: the document must not replace issue memory or policy. */
export async function mustNotReplaceProjectFile(
  { path, real }: { readonly path: string; readonly real: string },
  project: Project,
): Promise<void> {
  await mustNotOverwriteProject(real, path, keptFiles(project), await project.disk())
}

/** The project and its own issue memory. */
export function keptFiles(project: Project) {
  const { folder, issuesPath } = issuesPlace(project, undefined)
  return {
    root: project.root,
    ownPaths: ownPaths(issueFiles(resolvePath(folder, issuesPath))),
  }
}

/** A flag that may be repeated: without it the list stays as it is. */
export const givenRefs = (refs: readonly string[]) => (refs.length > 0 ? refs : undefined)

/** The session and ledger of a worker in its own worktree, which git ignores. */
export function worktreeDocuments(worktree: string) {
  const folder = `${worktree}/.premath/worker`
  const name = worktree.slice(worktree.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9._-]+/g, '-')
  return {
    folder,
    worker: `worker.${name}`,
    session: `${folder}/harness_session.json`,
    ledger: `${folder}/harness_feature_ledger.json`,
  }
}

/** Asks for `.git`, since the writer of a session makes a missing folder again. */
export const exists = async (worktree: string, { files }: OperationContext) =>
  (await files.kindOf(`${worktree}/.git`)) !== undefined
