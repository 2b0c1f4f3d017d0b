/** The lease that the session's step holds, for whoever works in its place without being told. */
import { Fault } from '../fault.ts'
import { leaseIn } from '../kernel/harness/session.ts'
import type { LeaseProof } from '../kernel/work/lease.ts'
import { openSession } from './harness-files.ts'
import type { OperationContext } from './operation.ts'

export async function sessionProof(id: string, context: OperationContext): Promise<LeaseProof> {
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
