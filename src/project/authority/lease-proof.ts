/** Finds the lease and fence that a change of a leased issue is made under. */
import { Fault } from '../../fault.ts'
import { leaseIn } from '../../kernel/harness/session.ts'
import type { LeaseProof } from '../../kernel/issues/lease.ts'
import type { OperationContext } from '../context.ts'
import { openSession } from '../harness-files.ts'

/** By flags, then by the environment, where that speaks of this issue. */
export async function proofOf(
  id: string,
  given: { readonly leaseId: string | undefined; readonly fence: number | undefined },
  context: OperationContext,
): Promise<LeaseProof> {
  const { env } = context
  const named = env['PREMATH_ACTIVE_ISSUE_ID'] || env['PREMATH_ISSUE_ID']
  // A worker that holds one issue may change another one, and holds no lease on that.
  const fromEnv = named === undefined || named === id ? env : {}
  const leaseId = given.leaseId ?? (fromEnv['PREMATH_LEASE_ID'] || undefined)
  const fence = given.fence ?? fenceFrom(fromEnv['PREMATH_FENCE'])
  if (leaseId === undefined && fence === undefined) return await sessionProof(id, context)
  const isMeant = named === id || given.leaseId !== undefined || given.fence !== undefined
  return { leaseId, fence, ...(!isMeant && { ambient: true }) }
}

function fenceFrom(text: string | undefined): number | undefined {
  if (!text) return undefined
  const fence = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(fence)) return fence
  throw new Fault('usage', `PREMATH_FENCE cannot be ${JSON.stringify(text)}`, {
    hint: 'it is the whole number that the claim answered as fence',
  })
}

/** The lease that the step recorded in the session holds. */
async function sessionProof(id: string, context: OperationContext): Promise<LeaseProof> {
  const session = await sessionIfUsable(context)
  const lease = session?.issueId === id ? leaseIn(session) : undefined
  return lease ? { ...lease, ambient: true } : {}
}

/** A projection that cannot be read decides nothing, and stops nothing. */
async function sessionIfUsable(context: OperationContext) {
  try {
    return await (await openSession(context, undefined)).cell.read()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
