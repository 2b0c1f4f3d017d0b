/** Only a person may rewrite rows in another form or rewrite projections. */
import { documentOf } from '../../kernel/artifact/print.ts'
import type { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import type { OverrideActor } from '../../kernel/authority/override-actor.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { OperatorGrantRecord } from '../../wire/policy/operator-grant.ts'
import type { OperationContext } from '../context.ts'
import type { OpenIssues } from '../open-issues.ts'
import { type Asking, asOperator, authorityOf, effectiveMode } from './authority.ts'

/** Checked here, because such a rewrite is not a change that the store decides. */
export async function rewriteRefusal(
  { project, store, recordsFolder }: OpenIssues,
  action: string,
  asking: Asking,
): Promise<IssueRefusal | undefined> {
  const authority = await authorityOf(project, asking)
  const grant = asOperator(authority, `run ${action.replace('.', ' ')}`, project)
  if (isRefusal(grant)) return grant
  if (await store.exists()) await recordGrant(grant, action, recordsFolder, project)
  return undefined
}

/** Adds an override to `memory/grants.jsonl`, synced before the rewrite, as no row records it. */
export async function recordGrant(
  { operator, surface, mode, reason }: OperatorGrant,
  action: string,
  folder: string,
  context: OperationContext,
): Promise<void> {
  if (mode !== 'human-override' || reason === undefined) return
  await appendGrant({ action, mode, operator, reason, surface }, folder, context)
}

/** Adds what somebody confirmed at a terminal, or a script that the policy lets override. */
export async function recordConfirmed(
  { actor, uid }: OverrideActor,
  { action, reason }: { readonly action: string; readonly reason: string },
  { project, recordsFolder }: OpenIssues,
): Promise<void> {
  const mode = effectiveMode(await project.policy(), project)
  // No other mode lets a person make the change.
  if (mode === 'instruction-linked') return
  const operator = `${actor} (uid ${uid})`
  await appendGrant({ action, mode, operator, reason, surface: 'cli' }, recordsFolder, project)
}

async function appendGrant(
  given: Omit<OperatorGrantRecord, 'schema' | 'grantKind' | 'at'>,
  folder: string,
  context: OperationContext,
): Promise<void> {
  const disk = await context.disk()
  await disk.makeFolder(`${folder}/memory`)
  const at = timestampOf(context.clock.now())
  const kind = { schema: 1, grantKind: 'premath.operator_grant.v1' } as const
  const grant: OperatorGrantRecord = { ...kind, at, ...given }
  const file = await disk.openToAppend(`${folder}/memory/grants.jsonl`)
  try {
    await file.append(
      new TextEncoder().encode(`${JSON.stringify(documentOf(OperatorGrantRecord, grant))}\n`),
    )
    await file.sync()
  } finally {
    await file.close()
  }
}
