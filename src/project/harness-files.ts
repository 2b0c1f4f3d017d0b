/** The documents of the harness, as commands find them. */

import type { Fields } from '../field.ts'
import { ledgerPathDefault } from '../kernel/harness/feature-ledger.ts'
import { sessionPathDefault } from '../kernel/harness/session.ts'
import { issueFiles, ownPaths } from '../store/file/issue-files.ts'
import { LedgerCell } from '../store/ledger-cell.ts'
import { SessionCell } from '../store/session-cell.ts'
import type { OperationContext } from './context.ts'
import { issuesPlace } from './open-issues.ts'
import { insideProject, resolvePath } from './paths.ts'
import { projectRoot } from './root.ts'
import { mustBeSpare } from './safe-output.ts'

export const sessionFields = {
  path: {
    type: 'text',
    describe: `The session; without it, PREMATH_HARNESS_SESSION_PATH or ${sessionPathDefault} of the project.`,
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export const ledgerFields = {
  path: {
    type: 'text',
    describe: `The feature ledger; without it, ${ledgerPathDefault} of the project.`,
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

interface Found {
  /** As the person gave it, or where it is by default. */
  readonly path: string
}

export interface OpenSession extends Found {
  readonly cell: SessionCell
}

export interface OpenLedger extends Found {
  readonly cell: LedgerCell
}

/** What a flag names is found from here; what nobody named, in the project. */
export async function openSession(
  context: OperationContext,
  given: string | undefined,
  durable = true,
): Promise<OpenSession> {
  const usual = context.env['PREMATH_HARNESS_SESSION_PATH'] || sessionPathDefault
  const { path, real } = await placeOf(context, given, usual, '--path')
  return { path, cell: new SessionCell({ disk: await context.disk(), path: real, durable }) }
}

export async function openLedger(
  context: OperationContext,
  given: string | undefined,
  { flag = '--path', durable = true } = {},
): Promise<OpenLedger> {
  const { path, real } = await placeOf(context, given, ledgerPathDefault, flag)
  return { path, cell: new LedgerCell({ disk: await context.disk(), path: real, durable }) }
}

async function placeOf(
  context: OperationContext,
  given: string | undefined,
  usual: string,
  flag: string,
) {
  const root = await projectRoot(context)
  const [folder, path] = given ? [context.cwd(), given] : [root, usual]
  const disk = await context.disk()
  return { path, real: await insideProject(resolvePath(folder, path), { root, disk, flag }) }
}

/** Before a write: a document must not begin where issue memory or policy would. */
export async function mustBeOwnFile(
  { path, real }: { readonly path: string; readonly real: string },
  context: OperationContext,
): Promise<void> {
  const root = await projectRoot(context)
  const { folder, issuesPath } = issuesPlace(context, root, undefined)
  const kept = { root, ownPaths: ownPaths(issueFiles(resolvePath(folder, issuesPath))) }
  await mustBeSpare(real, path, kept, await context.disk())
}

/** Of a flag that may be repeated: one that was not given leaves the list as it is. */
export const givenRefs = (refs: readonly string[]) => (refs.length > 0 ? refs : undefined)
