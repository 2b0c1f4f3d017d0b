import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import type { OperationContext } from '../context.ts'
import type { OpenIssues } from '../open-issues.ts'
import { asOperator } from './as-operator.ts'
import { recordGrant } from './grant-log.ts'

/**
 * The door's no to whoever writes without a change that it could decide: the same rows in another
 * form, or what is derived from them.
 */
export async function refusalAtDoor(
  { authority, store, recordsFolder }: OpenIssues,
  { action, reason }: { readonly action: string; readonly reason: string | undefined },
  context: OperationContext,
): Promise<IssueRefusal | undefined> {
  const asked = asOperator(authority(reason), `run ${action.replace('.', ' ')}`, context)
  if (isRefusal(asked)) return asked
  if (await store.exists()) await recordGrant(asked, action, recordsFolder, context)
  return undefined
}
