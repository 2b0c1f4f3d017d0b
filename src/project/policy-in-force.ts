/** Which policy counts: the file, or, where governance is claimed, the last that was put in force. */

import type { MutationPolicy } from '../kernel/authority/mutation-policy.ts'
import { governanceProfileId } from '../kernel/turn/governance-claim.ts'
import type { OperationContext } from './context.ts'
import { mutationPolicy } from './policy-file.ts'
import { registryClaims } from './registry.ts'

/**
 * What people and steps go by. An edited file counts for nothing where governance is claimed, so
 * that nobody lets himself in by writing it. Before anything was put in force, it counts.
 */
export async function policyInForce(
  root: string,
  context: OperationContext,
): Promise<MutationPolicy> {
  const written = await mutationPolicy(root, context)
  const claims = await registryClaims(context, root)
  if (!claims.includes(governanceProfileId)) return written
  const { lastPolicy } = await import('./policies/governed-files.ts')
  return (await lastPolicy(root, context)) ?? written
}
