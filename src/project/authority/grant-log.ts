/** `memory/grants.jsonl`: what was let through by an override and leaves no row to say so. */
import type { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { OperationContext } from '../context.ts'

export const grantKind = 'premath.operator_grant.v1'

/** Written before it is done, and synced: an override that nobody can find was none. */
export async function recordGrant(
  { operator, surface, mode, reason }: OperatorGrant,
  action: string,
  folder: string,
  context: OperationContext,
): Promise<void> {
  if (mode !== 'human-override') return
  const disk = await context.disk()
  await disk.makeFolder(`${folder}/memory`)
  const at = timestampOf(context.clock.now())
  const grant = { action, at, grantKind, mode, operator, reason, schema: 1, surface }
  const file = await disk.openToAppend(`${folder}/memory/grants.jsonl`)
  try {
    await file.append(new TextEncoder().encode(`${JSON.stringify(grant)}\n`))
    await file.sync()
  } finally {
    await file.close()
  }
}
